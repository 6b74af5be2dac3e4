//! Tests of kernels against plain Rust, over inputs of chance.
//!
//! [`kernel`] makes inputs, gives each to a function of plain Rust and to one that runs kernels, on every device of this
//! machine and on judges with several schedules, and compares. An input for which something differs is made
//! smaller as long as it still does, and the smallest one is shown with the seed that repeats the test.
//!
//! ```
//! use samebits::check::{self, Chance};
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn scale(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] = a * x[i];
//!     }
//! }
//!
//! # fn main() -> Result<(), check::Failure> {
//! // In a test: `#[test] fn scale_is_right() -> Result<(), check::Failure> { check::kernel(…) }`.
//! check::kernel(
//!     |chance| (chance.f32(), chance.vec(0..=200, Chance::f32)),
//!     |(a, x)| x.iter().map(|x| a * x).collect::<Vec<f32>>(),
//!     |device, (a, x)| {
//!         let (x, mut y) = (device.upload(x)?, device.zeros::<f32>(x.len())?);
//!         scale::launch(device, x.len(), *a, &x, &mut y)?;
//!         y.read()
//!     },
//! )
//! # }
//! ```
//!
//! A test of one kernel is shorter with the attribute [`test`](macro@crate::test), which makes inputs of parameters.
//!
//! ```
//! # use samebits::prelude::*;
//! # #[kernel]
//! # fn scale(a: f32, x: &[f32], y: &mut [f32]) {
//! #     let i = global_id().x;
//! #     if i < x.len() && i < y.len() {
//! #         y[i] = a * x[i];
//! #     }
//! # }
//! #[samebits::test(kernel = scale)]
//! fn scale_is_right(a: f32, x: &[f32], #[len(x.len())] y: &mut [f32]) {
//!     for (y, x) in y.iter_mut().zip(x) {
//!         *y = a * x;
//!     }
//! }
//! ```

#[doc(hidden)]
pub mod attribute;
mod floats;
mod generate;
mod input;
mod output;

pub use generate::{Generate, Lengths, Within};
pub use input::{Chance, Input};
pub use output::{Output, Same};

use crate::device::Device;
use crate::error::Error;
use crate::judge::Schedule;
use std::fmt;

/// Inputs of a check, unless it says otherwise.
const INPUTS: u32 = 32;
/// Inputs that are tried to find a smaller one.
const TRIES: u32 = 1000;
/// Characters of an input that a failure shows.
const SHOWN: usize = 2000;

/// Compares kernels with plain Rust over 32 inputs, on all devices and three judges: see [`check`](crate::check).
///
/// `generate` makes an input, `plain` computes what is right, and `run` computes the same on a device. They may panic, and
/// then the test does.
///
/// # Errors
///
/// The smallest input found for which a device gives something else, an error, or a finding of a judge; also if there is
/// nothing to compare, without inputs or devices. Smaller inputs for which a function panics are passed over.
pub fn kernel<I: Input, O: Output>(
    generate: impl Fn(&mut Chance) -> I,
    plain: impl Fn(&I) -> O,
    run: impl Fn(&Device, &I) -> Result<O, Error>,
) -> Result<(), Failure> {
    Check::new().run(generate, plain, run)
}

/// How kernels are compared, if not as [`kernel`] does it.
///
/// ```
/// use samebits::check::{Chance, Check, Failure};
/// use samebits::prelude::*;
///
/// # fn main() -> Result<(), Failure> {
/// let wrong = Check::new().seed(7).inputs(100).on(&[Device::cpu()]).run(
///     |chance| chance.vec(0..=50, Chance::u32),
///     |x| x.clone(),
///     // A sum that nobody asked for.
///     |_, x| Ok(x.iter().map(|x| if *x > 100 { x.wrapping_add(1) } else { *x }).collect()),
/// );
/// let shown = wrong.unwrap_err().to_string();
/// assert!(shown.starts_with("on `cpu`: element 0 is 102, but 101 in plain Rust\n  for the input [101]\n"), "{shown}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Check {
    seed: u64,
    inputs: u32,
    devices: Option<Vec<Device>>,
}

impl Default for Check {
    fn default() -> Self {
        Self { seed: 0, inputs: INPUTS, devices: None }
    }
}

impl Check {
    /// Thirty-two inputs from seed 0, on all devices and three judges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins with another seed. A failure tells its own.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Tries so many inputs.
    #[must_use]
    pub fn inputs(self, inputs: u32) -> Self {
        Self { inputs, ..self }
    }

    /// Runs on these devices only.
    #[must_use]
    pub fn on(self, devices: &[Device]) -> Self {
        Self { devices: Some(devices.to_vec()), ..self }
    }

    /// Compares: see [`kernel`].
    ///
    /// # Errors
    ///
    /// As those of [`kernel`].
    pub fn run<I: Input, O: Output>(
        &self,
        generate: impl Fn(&mut Chance) -> I,
        plain: impl Fn(&I) -> O,
        run: impl Fn(&Device, &I) -> Result<O, Error>,
    ) -> Result<(), Failure> {
        self.compare(|chance| Some(generate(chance)), plain, run)
    }

    /// Compares inputs, each of which there may not be.
    fn compare<I: Input, O: Output>(
        &self,
        generate: impl Fn(&mut Chance) -> Option<I>,
        plain: impl Fn(&I) -> O,
        run: impl Fn(&Device, &I) -> Result<O, Error>,
    ) -> Result<(), Failure> {
        let devices = self.devices.clone().unwrap_or_else(|| {
            let judges = [Schedule::Forward, Schedule::Reversed].map(Device::judge);
            Device::all().into_iter().chain(judges).collect()
        });
        let wrong = |device: &Device, input: &I| {
            let result = run(device, input);
            // What is left would be told of the next input.
            let findings = device.findings();
            match result {
                Err(error) => Some(Fault::Error(error.to_string())),
                Ok(found) => {
                    // Workgroup memory is zero at first, so a kernel may rest on that.
                    let finding = findings.iter().find(|finding| !finding.is_unwritten());
                    let finding = finding.map(|finding| Fault::Error(finding.to_string()));
                    finding.or_else(|| found.differs(&plain(input)).map(Fault::Difference))
                }
            }
        };
        let nothing = |seed, what: &str| {
            let reason = format!("nothing was compared, as there is no {what}");
            Failure { device: String::new(), reason, input: String::new(), seed, is_attribute: false }
        };
        if devices.is_empty() || self.inputs == 0 {
            return Err(nothing(self.seed, if devices.is_empty() { "device" } else { "input" }));
        }
        for seed in (self.seed..).take(self.inputs as usize) {
            let Some(input) = generate(&mut Chance::new(seed)) else {
                return Err(nothing(seed, "input within the ranges of the parameters"));
            };
            // Its order follows from the input's seed, so that this repeats what it finds.
            let any_order = self.devices.is_none().then(|| Device::judge(Schedule::Random(seed)));
            for device in devices.iter().chain(&any_order) {
                if let Some(fault) = wrong(device, &input) {
                    let (input, reason) = smallest(input, fault, |input| wrong(device, input));
                    let mut shown = format!("{input:?}");
                    if let Some((end, _)) = shown.char_indices().nth(SHOWN) {
                        shown.truncate(end);
                        shown.push('…');
                    }
                    let device = device.name().to_owned();
                    return Err(Failure { device, reason, input: shown, seed, is_attribute: false });
                }
            }
        }
        Ok(())
    }
}

/// Why an input is wrong.
enum Fault {
    /// It is an error, or a finding of a judge.
    Error(String),
    /// The results are others.
    Difference(String),
}

impl Fault {
    fn reason(self) -> String {
        match self {
            Self::Error(reason) | Self::Difference(reason) => reason,
        }
    }
}

/// An input that is wrong, and why, made smaller as long as it stays wrong in the same way.
///
/// A smaller input need not be one that could have been generated, such as two lists of one length. So one for which
/// something panics, or that is an error where the first one was none, is passed over.
fn smallest<I: Input>(mut input: I, fault: Fault, wrong: impl Fn(&I) -> Option<Fault>) -> (I, String) {
    let is_error = matches!(fault, Fault::Error(_));
    let mut reason = fault.reason();
    let mut tries = 0;
    'smaller: loop {
        for candidate in input.smaller() {
            tries += 1;
            if tries > TRIES {
                return (input, reason);
            }
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| wrong(&candidate)));
            if let Ok(Some(fault)) = tried
                && matches!(fault, Fault::Error(_)) == is_error
            {
                (input, reason) = (candidate, fault.reason());
                continue 'smaller;
            }
        }
        return (input, reason);
    }
}

/// What a check has found: a device, and the smallest input for which it is wrong.
///
/// Shown, also by a test that returns it, it is the difference, the input and the seed.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    device: String,
    reason: String,
    input: String,
    seed: u64,
    /// Whether it is one of a test by the attribute, which is repeated in another way.
    is_attribute: bool,
}

impl Failure {
    /// The same of a test by the attribute.
    fn of_attribute(self) -> Self {
        Self { is_attribute: true, ..self }
    }

    /// The device's name; empty if nothing was compared.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The input, as its `Debug` shows it.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The seed that gives the input that the smallest one was made of.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, reason, input, seed, is_attribute } = self;
        if device.is_empty() {
            return f.write_str(reason);
        }
        write!(f, "on `{device}`: {reason}\n  for the input {input}\n  ")?;
        if *is_attribute {
            write!(f, "`#[samebits::test(…, seed = {seed}, inputs = 1)]` repeats it")
        } else {
            write!(f, "`Check::new().seed({seed}).inputs(1)` repeats it")
        }
    }
}

/// The same words as `Display`, because that is what a test that returns it prints.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}
