//! Devices: which there are, which one is meant, and what an open one allows.

use crate::backend::interpreter::{INTERPRETER, Interpreter, JUDGE};
use crate::backend::{self, AnyDevice, Control, Opened};
use crate::error::Error;
use crate::judge::{Finding, Schedule};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use crate::backend::Limits;

/// The environment variable that [`Device::best`] honours.
const VARIABLE: &str = "SAMEBITS_DEVICE";

/// A device that runs kernels: a GPU or this CPU.
///
/// A clone is another handle of the same device. Buffers of two devices do not mix, even
/// if the two were opened from the same GPU.
///
/// ```
/// use samebits::prelude::*;
/// let device = Device::interpreter();
/// let buffer = device.upload(&[1.0f32, 2.0])?;
/// assert_eq!(buffer.read()?, [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<dyn AnyDevice>);

impl Device {
    /// A GPU if this machine has one, else this CPU; or the device that the environment
    /// variable `SAMEBITS_DEVICE` names.
    ///
    /// The variable is `cpu`, `interpreter`, `judge`, `wgpu` (any device of wgpu's, hardware
    /// first, software Vulkan included) or a part of a device's name. Software Vulkan is
    /// used only when it is asked for.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::best()?;
    /// println!("running on {}", device.name());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn best() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            Some(wanted) if !wanted.is_empty() => Self::named(&wanted.to_string_lossy()),
            _ => {
                let gpu = backend::all().filter(|found| found.is_gpu).find_map(|found| found.open().ok());
                Ok(gpu.map_or_else(Self::interpreter, Self))
            }
        }
    }

    /// The device that a value of `SAMEBITS_DEVICE` names; see [`best`](Self::best).
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::named("cpu")?.name(), "interpreter");
    /// let error = Device::named("abacus").unwrap_err();
    /// assert!(error.to_string().starts_with("no device `abacus`; there is `cpu`, `interpreter`"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn named(wanted: &str) -> Result<Self, Error> {
        match wanted {
            "cpu" | INTERPRETER => Ok(Self::interpreter()),
            JUDGE => Ok(Self::judge(Schedule::Forward)),
            name => backend::named(name)?.open().map(Self),
        }
    }

    /// The reference interpreter: slow, exact, on every machine.
    ///
    /// An invocation that takes more than 2³⁰ steps, some ten seconds in a release build, is
    /// taken for endless: the launch is an error that names the invocation and the loop. The
    /// environment variable `SAMEBITS_STEPS` sets another number. How many invocations there
    /// are does not matter, but those of a workgroup with barriers take turns, and may take
    /// sixteen times as many together.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().name(), "interpreter");
    /// ```
    pub fn interpreter() -> Self {
        Self(Opened::new(Interpreter::new()))
    }

    /// The reference interpreter, which gives a launch up after this many steps of all
    /// its invocations together, and else lets each run as long as it wants.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::interpreter_with_budget(1_000_000);
    /// assert_eq!(device.name(), "interpreter");
    /// ```
    pub fn interpreter_with_budget(steps: u64) -> Self {
        Self(Opened::new(Interpreter::with_budget(steps)))
    }

    /// The reference interpreter as judge: invocations run in an order of choice, and every
    /// access is watched.
    ///
    /// A launch with a race is [`Error::Race`], one that can never end or whose barriers
    /// are not reached alike [`Error::Fault`]; both name the places in the kernel's source.
    /// Whatever else is seen, such as accesses out of bounds, [`findings`](Self::findings)
    /// gives. After a race buffers hold the results all the same. One thread does all of it, far
    /// slower than [`interpreter`](Self::interpreter): meant for tests. An invocation may take
    /// 2²⁷ steps, or what `SAMEBITS_STEPS` says, and those that take turns sixteen times as many.
    ///
    /// It runs the kernel as it is written, with every load and store of the source. Other
    /// devices run what passes made of it, without those that nothing needs; the bytes are
    /// the same.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::judge::Schedule;
    ///
    /// #[kernel(workgroup_size(4))]
    /// fn last(y: &mut [u32]) {
    ///     y[0] = global_id().x as u32;
    /// }
    ///
    /// for schedule in [Schedule::Forward, Schedule::Reversed, Schedule::Random(7)] {
    ///     let device = Device::judge(schedule);
    ///     let mut y = device.zeros::<u32>(1)?;
    ///     let race = last::launch(&device, 4, &mut y).unwrap_err();
    ///     assert!(race.to_string().starts_with("kernel `last`: race on `y[0]`: invocation "), "{race}");
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn judge(schedule: Schedule) -> Self {
        Self(Opened::new(Interpreter::judge(schedule)))
    }

    /// Takes what the judge found since the last call; nothing on another device. The
    /// oldest findings are kept if there are too many.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert!(Device::interpreter().findings().is_empty());
    /// ```
    pub fn findings(&self) -> Vec<Finding> {
        self.control().findings()
    }

    /// Every device of this machine that can be opened: the interpreter, then wgpu's,
    /// hardware first.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::all()[0].name(), "interpreter");
    /// ```
    pub fn all() -> Vec<Self> {
        let found = backend::all().filter_map(|found| found.open().ok().map(Self));
        std::iter::once(Self::interpreter()).chain(found).collect()
    }

    /// What the device is called.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().name(), "interpreter");
    /// ```
    pub fn name(&self) -> &str {
        self.control().name()
    }

    /// What the device allows.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(Device::interpreter().limits().shared_bytes >= 16384);
    /// ```
    pub fn limits(&self) -> Limits {
        self.control().limits()
    }

    /// Whether the device is a GPU and not software on this CPU.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(!Device::interpreter().is_gpu());
    /// ```
    pub fn is_gpu(&self) -> bool {
        self.control().is_gpu()
    }

    /// How many times a kernel was compiled for the device.
    #[doc(hidden)]
    pub fn compilations(&self) -> u64 {
        self.0.compilations()
    }

    /// Waits until everything that was queued has run. A read waits by itself.
    ///
    /// A wait gives up after ten minutes, with [`Error::TimedOut`], and so does a read; the work goes
    /// on. Where the driver itself waits for earlier work when more is submitted, as llvmpipe does,
    /// the next read or write takes as long as that work.
    ///
    /// A launch that has failed since it was queued is reported here, until somebody was told, and as
    /// long as there is a buffer that it may have written and that was not written anew.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// Device::interpreter().wait()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn wait(&self) -> Result<(), Error> {
        self.0.finish()
    }

    /// How many times work was submitted to the driver, if there is one.
    #[doc(hidden)]
    pub fn submissions(&self) -> u64 {
        self.control().submissions()
    }

    /// Makes the driver drop the device, to try what happens then.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.control().lose();
    }

    /// Makes the driver refuse the work that is queued, to try what happens then.
    #[doc(hidden)]
    pub fn spoil(&self) {
        self.control().spoil();
    }

    /// Changes how long a wait may take, to try what happens then.
    #[doc(hidden)]
    pub fn set_timeout(&self, timeout: Duration) {
        self.control().set_timeout(timeout);
    }

    /// The device's memory and launches.
    pub(crate) fn any(&self) -> &dyn AnyDevice {
        &*self.0
    }

    /// The device without its memory.
    pub(crate) fn control(&self) -> &dyn Control {
        self.0.control()
    }

    /// Whether this is the same device, and not only an equal one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}
