//! What a device is and how it computes, for people to read.

use samebits_ir::caps::Capabilities;
use samebits_ir::soft::plan::{Form, Group, Native};
use samebits_ir::types::Scalar;
use std::fmt;

/// How kernels reach a device.
///
/// ```
/// use samebits::prelude::*;
/// use samebits::report::Way;
/// assert_eq!(Device::interpreter().report().way(), Way::Interpreter);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Way {
    /// The reference interpreter runs them.
    Interpreter,
    /// This CPU runs their native code. Those that have none run on the interpreter.
    Native,
    /// A Vulkan driver receives them as SPIR-V of our own, as it is.
    Spirv,
    /// wgpu makes of a module of naga what the driver takes.
    Naga,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => "run by the interpreter",
            Self::Native => "native code, where the build has it, else run by the interpreter",
            Self::Spirv => "SPIR-V of our own",
            Self::Naga => "modules of naga",
        })
    }
}

/// How a device computes a group of ops.
///
/// ```
/// use samebits::prelude::*;
/// let device = Device::best()?;
/// for row in device.report().rows() {
///     println!("{}: {} {}", row.name(), row.ops(), row.form());
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    group: Group,
    form: Form,
}

impl Row {
    /// The group's name, such as `f32.fused`.
    pub const fn name(&self) -> &'static str {
        self.group.name()
    }

    /// The ops, in words.
    pub const fn ops(&self) -> &'static str {
        self.group.doc()
    }

    /// The name of the form that the device was found to compute right.
    pub const fn form(&self) -> &'static str {
        self.form.name()
    }

    /// What the form is, in words.
    pub const fn meaning(&self) -> &'static str {
        self.form.doc()
    }

    /// Whether this is a function of the library, on integers, which is slow.
    pub const fn is_slow(&self) -> bool {
        matches!(self.form, Form::Routine)
    }
}

/// What a device is and how it computes; shown, it is a few lines for each of these.
///
/// ```
/// use samebits::prelude::*;
/// let report = Device::interpreter().report();
/// assert_eq!(report.device(), "interpreter");
/// assert!(report.to_string().starts_with("interpreter\n  kernels: run by the interpreter\n"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    pub(crate) device: String,
    pub(crate) driver: Option<String>,
    pub(crate) api: Option<String>,
    pub(crate) way: Way,
    /// The set of this CPU's instructions that native code uses.
    pub(crate) instructions: Option<&'static str>,
    /// `None` if the host computes everything.
    pub(crate) native: Option<Native>,
    pub(crate) subgroups: bool,
    pub(crate) capabilities: Capabilities,
    /// What the driver reports besides, each with its name.
    pub(crate) reported: Vec<(&'static str, bool)>,
}

impl Report {
    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The driver's name and version, if there is a driver that says so.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().report().driver(), None);
    /// ```
    pub fn driver(&self) -> Option<&str> {
        self.driver.as_deref()
    }

    /// The interface to the driver and its version, such as `Vulkan 1.3`.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().report().api(), None);
    /// ```
    pub fn api(&self) -> Option<&str> {
        self.api.as_deref()
    }

    /// How kernels reach the device.
    pub const fn way(&self) -> Way {
        self.way
    }

    /// The set of this CPU's instructions that native code uses: `baseline`, `avx2` or `avx512`; `None` for other
    /// devices.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(Device::cpu().report().instructions().is_some());
    /// assert_eq!(Device::interpreter().report().instructions(), None);
    /// ```
    pub const fn instructions(&self) -> Option<&'static str> {
        self.instructions
    }

    /// How each group of ops is computed; nothing for this CPU and the interpreter, which computes all in one
    /// way.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().report().rows().count(), 0);
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let native = self.native;
        native
            .into_iter()
            .flat_map(|native| Group::ALL.iter().map(move |&group| Row { group, form: native.form(group) }))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.device)?;
        let driver = self.driver.iter().chain(&self.api).map(String::as_str).collect::<Vec<_>>();
        if !driver.is_empty() {
            write!(f, "\n  driver: {}", driver.join(", "))?;
        }
        write!(f, "\n  kernels: {}", self.way)?;
        if let Some(instructions) = self.instructions {
            write!(f, "\n  instructions: {instructions}")?;
        }
        let features: Vec<&str> = self.capabilities.iter().map(|(_, name)| name).collect();
        write!(f, "\n  features: {}", features.join(", "))?;
        if !self.reported.is_empty() {
            let names: Vec<&str> = self.reported.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
            write!(f, "\n  reported: {}", names.join(", "))?;
        }
        let Some(native) = self.native else { return write!(f, "\n  arithmetic: this machine's own") };
        let own = if self.subgroups { "the device's own" } else { "through workgroup memory" };
        write!(f, "\n  subgroups: {own}")?;
        let long =
            [(native.has_long(), Scalar::I64), (native.has_double(), Scalar::F64), (native.has_half(), Scalar::F16)];
        let names: Vec<&str> = long.iter().filter(|(has, _)| *has).map(|(_, scalar)| scalar.name()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        write!(f, "\n  own types besides those of 32 bits: {names}\n  arithmetic:")?;
        for row in self.rows() {
            write!(f, "\n    {:<14} {:<10} {}", row.name(), row.form(), row.ops())?;
        }
        Ok(())
    }
}

/// What the driver of a device is handed for a kernel.
///
/// ```no_run
/// use samebits::prelude::*;
/// use samebits::report::Emitted;
///
/// #[kernel(workgroup_size(64))]
/// fn double(y: &mut [f32]) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] *= 2.0;
///     }
/// }
///
/// let device = Device::best()?;
/// match double::KERNEL.emitted_on(&device)? {
///     Some(Emitted::Spirv(words)) => {
///         let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
///         std::fs::write("double.spv", bytes).expect("the folder can be written");
///     }
///     Some(Emitted::Naga(module)) => println!("{module}"),
///     _ => println!("{} has no driver", device.name()),
/// }
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "wgpu")]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Emitted {
    /// A module of SPIR-V, in words. Written to a file as bytes, least significant first, it is what tools such as
    /// `spirv-dis` read.
    Spirv(Vec<u32>),
    /// A module of naga, in the form of its `Debug`. wgpu makes of it what the driver takes.
    Naga(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_is_a_line_and_slow_ones_are_known() {
        let native = Native::WEBGPU.having(Scalar::I64).having(Scalar::F64).with(Group::Sum64, Form::Exact);
        let report = Report {
            device: "a device".to_owned(),
            driver: Some("a driver 1.2".to_owned()),
            api: Some("Vulkan 1.3".to_owned()),
            way: Way::Spirv,
            instructions: None,
            native: Some(native),
            subgroups: true,
            capabilities: Capabilities::F64,
            reported: vec![("one thing", true), ("another", false)],
        };
        let text = report.to_string();
        let head = "a device\n  driver: a driver 1.2, Vulkan 1.3\n  kernels: SPIR-V of our own\n  features: f64\n  reported: one thing\n  subgroups: the device's own\n  own types besides those of 32 bits: i64, f64\n  arithmetic:\n";
        assert!(text.starts_with(head), "{text}");
        assert_eq!(text.lines().count(), head.lines().count() + Group::ALL.len());
        let slow = |name: &str| report.rows().find(|row| row.name() == name).map(|row| row.is_slow());
        assert_eq!([slow("f64.sum"), slow("f32.sum"), slow("f32.root")], [Some(false), Some(false), Some(true)]);
    }
}
