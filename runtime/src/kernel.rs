//! A kernel before a device compiles it: the contract with the macro's output.
//!
//! A [`Kernel`] is a name and two wire images: the optimised one, which devices run, and the
//! kernel as it is written, which the judge runs. An image is decoded and checked once, at its
//! first launch on any device. The result is the [`Loaded`] form, whose number is the kernel's
//! identity in the devices' caches. Numbers are never used twice in a process, so two kernels of
//! one name, or one kernel at two constants, never share compiled code.

use crate::error::Error;
use crate::messages::Message;
use crate::native::{Found, Native};
use crate::place::Source;
use samebits_ir::analysis::facts::Condition;
use samebits_ir::analysis::races::{RaceCondition, Races};
use samebits_ir::analysis::report::Report;
use samebits_ir::backend::{launch_conditions, native_conditions};
use samebits_ir::check::{Checked, Findings, check_image};
use samebits_ir::diag::{Diags, count};
use samebits_ir::ir::{Function, Module};
use samebits_ir::loc::Loc;
use samebits_ir::wire;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Both sides of each requirement of a kernel, in the words of its source.
type Words = &'static [[&'static str; 2]];

/// A kernel as the program contains it.
#[derive(Debug)]
pub struct Kernel {
    name: Cow<'static, str>,
    /// The form after the passes.
    optimised: Form,
    /// The form that judges run; its image is empty if the kernel has only an optimised form.
    written: Form,
    /// Both sides of each requirement as the source has them.
    requires: Words,
    /// What it may say.
    messages: &'static [Message],
    /// The passes that were left out when the image was made.
    left_out: &'static [&'static str],
    /// The conditions under which a launch has no race, as numbers.
    race_free_if: &'static [i64],
    /// The same, once somebody asked.
    conditions: OnceLock<Option<Vec<RaceCondition>>>,
    /// Whether every launch has one right result, once somebody asked.
    one_result: OnceLock<bool>,
    /// The code for this CPU, or why there is none.
    native: Found,
}

/// An image of a kernel; empty where the kernel was made from a module.
#[derive(Debug)]
struct Form {
    image: &'static [u8],
    /// The places of the image's instructions.
    locations: &'static [u8],
    loaded: OnceLock<Result<Arc<Loaded>, Error>>,
}

/// A kernel whose image was decoded and checked.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// What the kernel is called in messages.
    pub name: String,
    /// The kernel's identity in caches.
    pub number: u64,
    checked: Checked,
    index: usize,
    source: Source,
    requires: Words,
    /// Conditions under which bounds checks are not needed; computed when a back end first asks.
    conditions: OnceLock<Vec<Condition>>,
    /// The code for this CPU, if the build has it.
    native: Option<NativeForm>,
    /// Whether it is part of the program, and not made when the program runs.
    #[cfg_attr(not(feature = "wgpu"), expect(dead_code, reason = "only drivers' code is kept"))]
    is_of_source: bool,
    /// The same conditions for that code.
    native_conditions: OnceLock<Vec<Condition>>,
}

/// The code of a kernel for this CPU. Its places are those of the kernel as it is written.
#[derive(Clone, Copy, Debug)]
struct NativeForm {
    code: &'static Native,
    image: &'static [u8],
    locations: &'static [u8],
}

impl Form {
    const fn new(image: &'static [u8], locations: &'static [u8]) -> Self {
        Self { image, locations, loaded: OnceLock::new() }
    }

    /// A form that is loaded already.
    fn of(loaded: Arc<Loaded>) -> Self {
        Self { loaded: OnceLock::from(Ok(loaded)), ..Self::new(&[], &[]) }
    }

    /// The decoded and checked form, made at the first call.
    fn load(&self, name: &str, requires: Words, native: Option<NativeForm>) -> Result<&Arc<Loaded>, Error> {
        let loaded = self.loaded.get_or_init(|| {
            if self.image.is_empty() {
                let reason = "it was not linked, because of an error where the kernel is defined".to_owned();
                return Err(Error::Image { kernel: name.to_owned(), reason });
            }
            let mut source = Source::default();
            let checked = wire::decode(self.image).and_then(|mut module| {
                source = Source::new(wire::attach_locations(&mut module, self.locations));
                check_image(module)
            });
            Ok(Arc::new(Loaded { native, is_of_source: true, ..Loaded::new(name, checked, 0, (source, requires))? }))
        });
        loaded.as_ref().map_err(Error::clone)
    }
}

impl Kernel {
    /// The kernel of an image that the macro made; its first function counts.
    pub const fn from_image(name: &'static str, image: &'static [u8]) -> Self {
        Self {
            name: Cow::Borrowed(name),
            optimised: Form::new(image, &[]),
            written: Form::new(&[], &[]),
            requires: &[],
            messages: &[],
            left_out: &[],
            race_free_if: &[],
            conditions: OnceLock::new(),
            one_result: OnceLock::new(),
            native: Err("the kernel was made from an image"),
        }
    }

    /// The same with code for this CPU, or with the reason why there is none.
    pub const fn native(mut self, native: Found) -> Self {
        self.native = native;
        self
    }

    /// The same with the conditions under which a launch has no race, in numbers. Every launch is held
    /// to them.
    pub const fn race_free_if(mut self, numbers: &'static [i64]) -> Self {
        self.race_free_if = numbers;
        self
    }

    /// The same with the places of its source. They change nothing but messages.
    pub const fn located(mut self, locations: &'static [u8]) -> Self {
        self.optimised.locations = locations;
        self
    }

    /// The same with an image of the kernel as it is written, before any pass, and the places of
    /// that image. Judges run this image, and refuse a kernel without it.
    pub const fn as_written(mut self, image: &'static [u8], locations: &'static [u8]) -> Self {
        self.written.image = image;
        self.written.locations = locations;
        self
    }

    /// The same with the sides of its requirements as they are written. They change nothing
    /// but messages.
    pub const fn requiring(mut self, requires: &'static [[&'static str; 2]]) -> Self {
        self.requires = requires;
        self
    }

    /// The same with what it may say, by number.
    pub const fn messages(mut self, messages: &'static [Message]) -> Self {
        self.messages = messages;
        self
    }

    /// The same with the passes that were left out when the image was made, which reports tell.
    pub const fn without(mut self, passes: &'static [&'static str]) -> Self {
        self.left_out = passes;
        self
    }

    /// The function of this position in a module as a kernel. The module may have been optimised.
    /// Every device runs it as it is, also a judge.
    pub fn from_module(module: &Module, index: usize) -> Result<Self, Error> {
        let name = module.functions.get(index).map_or_else(|| format!("#{index}"), |f| f.name.clone());
        let loaded = Arc::new(Loaded::new(&name, check_image(module.clone()), index, (Source::default(), &[]))?);
        let (optimised, written) = (Form::of(loaded.clone()), Form::of(loaded));
        let conditions = OnceLock::new();
        Ok(Self {
            name: Cow::Owned(name),
            optimised,
            written,
            requires: &[],
            messages: &[],
            left_out: &[],
            race_free_if: &[],
            conditions,
            one_result: OnceLock::new(),
            native: Err("the kernel was made from a module"),
        })
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it may say.
    pub(crate) fn said(&self) -> &'static [Message] {
        self.messages
    }

    /// The wire image that devices run; empty for a kernel that was made from a module.
    pub fn image(&self) -> &[u8] {
        self.optimised.image
    }

    /// A report on the kernel: which accesses are proven to be in bounds, for which launches, and
    /// why the others are not; in which launches it has no races, and what depends on the order in which
    /// invocations run; whether this CPU runs it as native code.
    ///
    /// ```
    /// use samebits::prelude::*;
    ///
    /// #[kernel(workgroup_size(256))]
    /// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    ///     let i = global_id().x;
    ///     if i < y.len() {
    ///         y[i] = a * x[i] + y[i];
    ///     }
    /// }
    ///
    /// let report = saxpy::KERNEL.report()?;
    /// assert_eq!((report.accesses, report.proven), (3, 2));
    /// assert_eq!(report.conditions, ["x.len() >= y.len()"]);
    /// // In rows of workgroups, two would store to one element.
    /// assert_eq!(report.races, ["race-free and deterministic if", "  groups.y == 1", "  groups.z == 1"]);
    /// println!("{report}");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn report(&self) -> Result<Report, Error> {
        let kernel = self.load()?;
        let function = kernel.function().0;
        let mut report = Report::of(&kernel.checked().module().types, function);
        report.left_out = self.left_out.iter().map(|&pass| pass.to_owned()).collect();
        report.requires = function
            .requires
            .iter()
            .enumerate()
            .map(|(i, one)| {
                let [left, right] = kernel.required(i);
                format!("{left} {} {right}", one.relation.sign())
            })
            .collect();
        report.cpu = Some(self.on_this_cpu());
        // Of a kernel that is there in its optimised form only nothing is known.
        if self.written.image.is_empty() && !self.optimised.image.is_empty() {
            return Ok(report.located(|loc| place(kernel, loc)));
        }
        let written = self.load_as_written()?;
        let (function, findings) = written.function();
        let races = Races::of(&written.checked().module().types, function, &findings.uniform);
        report.races = races.describe(function, |loc| place(written, loc)).lines().map(str::to_owned).collect();
        Ok(report.located(|loc| place(kernel, loc)))
    }

    /// How this CPU runs the kernel.
    fn on_this_cpu(&self) -> String {
        match self.native {
            Ok(_) => "native code".to_owned(),
            Err(why) => format!("the interpreter, because {why}"),
        }
    }

    /// The conditions under which a launch has no race, as far as the kernel is held to them.
    pub(crate) fn race_conditions(&self) -> Result<&[RaceCondition], Error> {
        if self.race_free_if.is_empty() {
            return Ok(&[]);
        }
        self.conditions.get_or_init(|| RaceCondition::of_numbers(self.race_free_if)).as_deref().ok_or_else(|| {
            let reason = "the conditions under which it has no race are none".to_owned();
            Error::Image { kernel: self.name.to_string(), reason }
        })
    }

    /// What one of these conditions keeps apart, in words.
    pub(crate) fn kept_apart_by(&self, condition: &RaceCondition) -> String {
        let accesses = || {
            let written = self.load_as_written().ok()?;
            let (function, findings) = written.function();
            let races = Races::without_order(&written.checked().module().types, function, &findings.uniform);
            races.kept_apart_by(function, condition, |loc| place(written, loc))
        };
        accesses().unwrap_or_else(|| "accesses of different invocations apart".to_owned())
    }

    /// Whether every launch has one right result, found out at the first call.
    pub(crate) fn one_result(&self, find_out: impl FnOnce() -> bool) -> bool {
        *self.one_result.get_or_init(find_out)
    }

    /// The form that devices run, decoded and checked at the first call.
    pub(crate) fn load(&self) -> Result<&Arc<Loaded>, Error> {
        let Form { image, locations, .. } = self.written;
        let native = self.native.ok().map(|code| NativeForm { code, image, locations });
        self.optimised.load(&self.name, self.requires, native)
    }

    /// The form that judges run, decoded and checked at the first call.
    pub(crate) fn load_as_written(&self) -> Result<&Arc<Loaded>, Error> {
        if self.written.image.is_empty() && !self.optimised.image.is_empty() {
            let reason = "only its optimised form is available, but the judge needs the kernel as it was written";
            return Err(Error::Image { kernel: self.name.to_string(), reason: reason.to_owned() });
        }
        self.written.load(&self.name, self.requires, None)
    }
}

/// Where an instruction stands in the source, with the calls that lead there.
fn place(kernel: &Loaded, loc: Loc) -> Option<String> {
    let place = kernel.source().place(loc)?;
    let calls = kernel.source().calls(loc).map(|(place, helper)| format!(", in `{helper}`, called at {place}"));
    Some(calls.fold(place.to_string(), |shown, call| shown + &call))
}

fn no_kernel(index: usize) -> String {
    format!("there is no kernel {index}")
}

impl Loaded {
    fn new(
        name: &str,
        checked: Result<Checked, Diags>,
        index: usize,
        (source, requires): (Source, Words),
    ) -> Result<Self, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let refused = |reason| Error::Image { kernel: name.to_owned(), reason };
        let checked = checked.map_err(|diags| match diags.as_slice() {
            [] => refused("it was refused".to_owned()),
            [one] => refused(one.headline()),
            [first, more @ ..] => refused(format!("{}; and {}", first.headline(), count(more.len(), "more mistake"))),
        })?;
        if !checked.function(index).is_some_and(|(function, _)| function.is_kernel()) {
            return Err(refused(no_kernel(index)));
        }
        Ok(Self {
            name: name.to_owned(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            checked,
            index,
            source,
            requires,
            conditions: OnceLock::new(),
            native: None,
            is_of_source: false,
            native_conditions: OnceLock::new(),
        })
    }

    /// The code for this CPU, if the build has it.
    pub fn native(&self) -> Option<&'static Native> {
        self.native.map(|native| native.code)
    }

    /// Whether the kernel is part of the program. A program has few of these.
    #[cfg(feature = "wgpu")]
    pub fn is_of_source(&self) -> bool {
        self.is_of_source
    }

    /// The conditions under which native code needs no bounds checks.
    pub fn native_conditions(&self) -> &[Condition] {
        self.native_conditions.get_or_init(|| {
            let image = self.native.map_or(&[][..], |native| native.code.image);
            let checked = wire::decode(image).and_then(check_image);
            checked.map_or_else(|_| Vec::new(), |checked| native_conditions(&checked, 0))
        })
    }

    /// The places of the kernel as it is written, for which native code has locations. Nothing is known of a
    /// kernel without native code or without that form.
    pub fn source_as_written(&self) -> Source {
        let places = self.native.and_then(|native| {
            let mut module = wire::decode(native.image).ok()?;
            Some(Source::new(wire::attach_locations(&mut module, native.locations)))
        });
        places.unwrap_or_default()
    }

    /// The module that passed the checks.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// The function's position in the module.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The function and what the checks found out about it.
    pub fn function(&self) -> (&Function, &Findings) {
        match self.checked.function(self.index) {
            Some(found) => found,
            None => unreachable!("`Loaded::new` looked the function up"),
        }
    }

    /// The error for a kernel that a compiler does not find, which the checks rule out.
    pub fn missing(&self) -> Error {
        Error::Image { kernel: self.name.clone(), reason: no_kernel(self.index) }
    }

    /// The conditions under which a launch needs no bounds checks.
    pub fn conditions(&self) -> &[Condition] {
        self.conditions.get_or_init(|| launch_conditions(&self.checked, self.index))
    }

    /// The places that the locations stand for.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Both sides of a requirement, as the source has them if that is known.
    pub fn required(&self, index: usize) -> [String; 2] {
        let function = self.function().0;
        match (self.requires.get(index), function.requires.get(index)) {
            (Some(sides), _) => sides.map(str::to_owned),
            (None, Some(requirement)) => requirement.sides(&function.params),
            (None, None) => [String::new(), String::new()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_image_is_an_error_that_names_the_kernel() {
        static KERNEL: Kernel = Kernel::from_image("broken", b"?");
        for _ in 0..2 {
            let error = KERNEL.load().map(|_| ()).unwrap_err();
            assert!(error.to_string().starts_with("kernel `broken` cannot be loaded: "), "{error}");
        }
    }

    #[test]
    fn a_judge_never_runs_an_optimised_form_instead_of_the_kernel_as_written() {
        static KERNEL: Kernel = Kernel::from_image("fast", b"?");
        let device = crate::device::Device::judge(crate::judge::Schedule::Forward);
        let expected = "kernel `fast` cannot be loaded: only its optimised form is available, \
                        but the judge needs the kernel as it was written";
        assert_eq!(KERNEL.launch(&device, 1, &[]).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_kernel_without_an_image_was_not_linked() {
        static KERNEL: Kernel = Kernel::from_image("later", b"");
        let error = KERNEL.load().map(|_| ()).unwrap_err();
        let expected =
            "kernel `later` cannot be loaded: it was not linked, because of an error where the kernel is defined";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_module_without_the_kernel_is_an_error() {
        let error = Kernel::from_module(&Module::default(), 3).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "kernel `#3` cannot be loaded: there is no kernel 3");
    }
}
