//! The contract with the macro's output: what a kernel is before a device compiles it.
//!
//! A [`Kernel`] is a name and two wire images: the optimised one, which devices run, and the
//! kernel as it is written, which the judge runs. The first launch of an image anywhere
//! decodes and checks it, once; what then counts is the [`Loaded`] form, whose number is the
//! kernel's identity in the devices' caches. Numbers are never used twice in a process, so two
//! kernels of one name, or one kernel at two constants, never share compiled code.

use crate::argument::Arg;
use crate::error::Error;
use crate::judge::Place;
#[cfg(feature = "wgpu")]
use samebits_ir::analysis::facts::Condition;
use samebits_ir::analysis::report::Report;
#[cfg(feature = "wgpu")]
use samebits_ir::backend::launch_conditions;
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
    /// What passes made of it.
    optimised: Form,
    /// What judges run; without an image where there is nothing of the kind.
    written: Form,
    /// Both sides of each requirement as the source has them.
    requires: Words,
    /// The passes that were left out when the image was made.
    left_out: &'static [&'static str],
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
    /// What makes bounds checks needless; known from the first launch on a GPU on.
    #[cfg(feature = "wgpu")]
    conditions: OnceLock<Vec<Condition>>,
}

/// What the locations of a kernel stand for; empty for one that was not written as Rust.
#[derive(Clone, Default, Debug)]
pub(crate) struct Source {
    /// Places by location.
    sites: Vec<wire::Site<&'static str>>,
}

impl Source {
    /// The place of a location, if it is known.
    pub fn place(&self, loc: Loc) -> Option<Place> {
        self.sites.get(loc.index()? as usize).map(place)
    }

    /// The calls by which the kernel comes to a location, the last one first: the place of
    /// each, and the helper that it calls.
    pub fn calls(&self, loc: Loc) -> impl Iterator<Item = (Place, &'static str)> {
        let site = |number: Option<u32>| self.sites.get(number? as usize);
        let mut at = site(loc.index());
        std::iter::from_fn(move || {
            let (helper, call) = at?.helper?;
            at = site(Some(call));
            Some((place(at?), helper))
        })
    }
}

fn place(site: &wire::Site<&'static str>) -> Place {
    Place { file: site.file.unwrap_or_default(), line: site.line, column: site.column }
}

impl Form {
    const fn new(image: &'static [u8], locations: &'static [u8]) -> Self {
        Self { image, locations, loaded: OnceLock::new() }
    }

    /// What is loaded already.
    fn of(loaded: Arc<Loaded>) -> Self {
        Self { loaded: OnceLock::from(Ok(loaded)), ..Self::new(&[], &[]) }
    }

    /// The decoded and checked form, made at the first call.
    fn load(&self, name: &str, requires: Words) -> Result<&Arc<Loaded>, Error> {
        let loaded = self.loaded.get_or_init(|| {
            if self.image.is_empty() {
                let reason = "it was not linked, because of an error where the kernel is defined".to_owned();
                return Err(Error::Image { kernel: name.to_owned(), reason });
            }
            let mut source = Source::default();
            let checked = wire::decode(self.image).and_then(|mut module| {
                source.sites = wire::attach_locations(&mut module, self.locations);
                check_image(module)
            });
            Ok(Arc::new(Loaded::new(name, checked, 0, (source, requires))?))
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
            left_out: &[],
        }
    }

    /// The same with the places of its source. They change nothing but messages.
    pub const fn located(mut self, locations: &'static [u8]) -> Self {
        self.optimised.locations = locations;
        self
    }

    /// The same with an image of the kernel as it is written, which no pass has been over,
    /// and the places of that. Judges run it, and no kernel without it.
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

    /// The same with the passes that were left out when the image was made, which reports tell.
    pub const fn without(mut self, passes: &'static [&'static str]) -> Self {
        self.left_out = passes;
        self
    }

    /// The kernel that is the function of this position in a module, which passes may have
    /// been over as over an image's. Every device runs that, also a judge.
    pub fn from_module(module: &Module, index: usize) -> Result<Self, Error> {
        let name = module.functions.get(index).map_or_else(|| format!("#{index}"), |f| f.name.clone());
        let loaded = Arc::new(Loaded::new(&name, check_image(module.clone()), index, (Source::default(), &[]))?);
        let (optimised, written) = (Form::of(loaded.clone()), Form::of(loaded));
        Ok(Self { name: Cow::Owned(name), optimised, written, requires: &[], left_out: &[] })
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The wire image that devices run; empty for a kernel that was made from a module.
    pub fn image(&self) -> &[u8] {
        self.optimised.image
    }

    /// What is proven about the kernel: which accesses are in bounds, for which launches,
    /// and what is not known about the others.
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
        Ok(report.located(|loc| {
            let place = kernel.source().place(loc)?;
            let calls = kernel.source().calls(loc).map(|(place, helper)| format!(", in `{helper}`, called at {place}"));
            Some(calls.fold(place.to_string(), |shown, call| shown + &call))
        }))
    }

    /// What a device runs, decoded and checked at the first call.
    pub(crate) fn load(&self) -> Result<&Arc<Loaded>, Error> {
        self.optimised.load(&self.name, self.requires)
    }

    /// What a judge runs, decoded and checked at the first call.
    pub(crate) fn load_as_written(&self) -> Result<&Arc<Loaded>, Error> {
        if self.written.image.is_empty() && !self.optimised.image.is_empty() {
            let reason = "there is only an optimised form of it, and the judge runs kernels as they are written";
            return Err(Error::Image { kernel: self.name.to_string(), reason: reason.to_owned() });
        }
        self.written.load(&self.name, self.requires)
    }
}

/// What a kernel's type has until its image is linked: a kernel that cannot be launched, and
/// no constants. Where the image is linked, items of the type itself of the same names take
/// their place, so that a launcher may be written before. They have to be visible where the
/// launcher stands: what is private elsewhere is passed over for what is here.
///
/// ```
/// use samebits::__private::{Kernel, Unlinked as _};
///
/// enum Later {}
/// enum Linked {}
/// impl Linked {
///     const KERNEL: &'static Kernel = {
///         static KERNEL: Kernel = Kernel::from_image("linked", b"an image");
///         &KERNEL
///     };
/// }
/// assert_eq!(Linked::KERNEL.name(), "linked");
/// assert!(Later::KERNEL.image().is_empty());
/// assert_eq!(Later::__samebits_constants().len(), 0);
/// ```
pub trait Unlinked {
    /// A kernel without an image.
    const KERNEL: &'static Kernel = {
        static UNLINKED: Kernel = Kernel::from_image("unlinked", b"");
        &UNLINKED
    };

    /// The values of the constants that the kernel names.
    fn __samebits_constants() -> [Arg<'static>; 0] {
        []
    }
}

impl<T: ?Sized> Unlinked for T {}

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
            return Err(refused(format!("there is no kernel {index}")));
        }
        Ok(Self {
            name: name.to_owned(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            checked,
            index,
            source,
            requires,
            #[cfg(feature = "wgpu")]
            conditions: OnceLock::new(),
        })
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

    /// The conditions that make bounds checks needless where a launch fulfils them.
    #[cfg(feature = "wgpu")]
    pub fn conditions(&self) -> &[Condition] {
        self.conditions.get_or_init(|| launch_conditions(&self.checked, self.index))
    }

    /// What the locations stand for.
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
            assert!(error.to_string().starts_with("kernel `broken`: malformed image: "), "{error}");
        }
    }

    #[test]
    fn a_judge_never_runs_an_optimised_form_instead_of_the_kernel_as_written() {
        static KERNEL: Kernel = Kernel::from_image("fast", b"?");
        let device = crate::device::Device::judge(crate::judge::Schedule::Forward);
        let expected = "kernel `fast`: malformed image: there is only an optimised form of it, \
                        and the judge runs kernels as they are written";
        assert_eq!(KERNEL.launch(&device, 1, &[]).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_kernel_without_an_image_was_not_linked() {
        static KERNEL: Kernel = Kernel::from_image("later", b"");
        let error = KERNEL.load().map(|_| ()).unwrap_err();
        let expected =
            "kernel `later`: malformed image: it was not linked, because of an error where the kernel is defined";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_module_without_the_kernel_is_an_error() {
        let error = Kernel::from_module(&Module::default(), 3).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "kernel `#3`: malformed image: there is no kernel 3");
    }
}
