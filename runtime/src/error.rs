//! One error type for everything that can go wrong when a program uses a device.
//!
//! A message is one line, lower case, without a final full stop. It names the kernel and the
//! argument if there are any, says what was asked for and what is allowed, and what to do.

use samebits_ir::diag::count;
use std::fmt;
use std::time::Duration;

/// Why an operation on a device, a buffer or a kernel failed.
///
/// ```
/// use samebits::prelude::*;
/// let device = Device::interpreter();
/// let buffer = device.upload(&[1u32, 2, 3])?;
/// let error = buffer.read_range(2..5).unwrap_err();
/// assert_eq!(error.to_string(), "elements 2..5 were asked for, but the buffer has 3 elements");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no device of the kind or name that was asked for.
    NoDevice {
        /// What was asked for.
        wanted: String,
        /// What there is.
        available: Vec<String>,
    },
    /// This build of the crate lacks the back end that was asked for.
    NotBuilt {
        /// The back end.
        backend: &'static str,
        /// What there is.
        available: Vec<String>,
    },
    /// A device exists but could not be opened.
    DeviceRefused {
        /// The device.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// An environment variable of the crate has a value that the crate does not understand.
    Variable {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A buffer is larger than the device allows.
    BufferTooLarge {
        /// The device.
        device: String,
        /// The bytes that were asked for.
        asked: u128,
        /// The most bytes that a buffer may have.
        allowed: u64,
    },
    /// A buffer has 2³² or more elements.
    TooManyElements {
        /// How many were asked for.
        asked: u128,
    },
    /// The device has not enough free memory.
    OutOfMemory {
        /// The device.
        device: String,
        /// The bytes that were asked for, if that is known.
        asked: Option<u64>,
    },
    /// A range ends outside its buffer.
    Range {
        /// The first element.
        start: usize,
        /// The element after the last, if the range has such an end.
        end: Option<usize>,
        /// How many elements the buffer has.
        len: usize,
    },
    /// A buffer is not a whole number of another type's elements.
    Reinterpreted {
        /// The bytes of the buffer.
        bytes: u64,
        /// The bytes of an element.
        element: usize,
    },
    /// A copy goes between buffers of different lengths.
    Lengths {
        /// How many elements are copied.
        from: usize,
        /// How many elements the target has.
        to: usize,
    },
    /// A workgroup has more invocations than the device allows.
    WorkgroupTooLarge {
        /// The kernel.
        kernel: String,
        /// `x`, `y` or `z`, or nothing for all axes together.
        axis: Option<char>,
        /// The device.
        device: String,
        /// The invocations that the kernel asks for.
        asked: u64,
        /// The most invocations that the device allows.
        allowed: u32,
    },
    /// A kernel declares more workgroup memory than the device has.
    SharedTooLarge {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The bytes that the kernel asks for.
        asked: u32,
        /// The most bytes that the device allows.
        allowed: u32,
    },
    /// A kernel has more buffer parameters than the device allows.
    TooManyBuffers {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// How many it has.
        asked: u32,
        /// How many the device allows.
        allowed: u32,
    },
    /// A kernel's launch arguments take more bytes than the device allows.
    TooManyArguments {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The bytes that they take.
        asked: u32,
        /// The bytes that the device allows.
        allowed: u32,
    },
    /// A launch has 2³² or more invocations.
    GridTooLarge {
        /// The kernel.
        kernel: String,
        /// `x`, `y` or `z`, or nothing for all axes together.
        axis: Option<char>,
        /// The invocations that were asked for, whole workgroups counted.
        asked: u128,
    },
    /// A kernel uses a feature, such as 64-bit atomics, that the device or its back end lacks.
    MissingFeature {
        /// The kernel.
        kernel: String,
        /// What is missing.
        feature: String,
        /// The device.
        device: String,
    },
    /// A launch passes too many or too few arguments. Of a struct each number and vector
    /// counts, and so do the constants of the kernel.
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// How many it takes.
        expected: usize,
        /// How many were passed.
        passed: usize,
    },
    /// A launch passes an argument of a wrong type.
    ArgumentType {
        /// The kernel.
        kernel: String,
        /// The argument.
        argument: String,
        /// What the kernel takes.
        expected: String,
        /// What was passed.
        passed: String,
    },
    /// A `usize` argument does not fit the 32 bits that it has on a device.
    ArgumentTooLarge {
        /// The kernel.
        kernel: String,
        /// The argument.
        argument: String,
        /// What was passed.
        asked: u64,
    },
    /// A launch does not satisfy what its kernel requires.
    Requirement {
        /// The kernel.
        kernel: String,
        /// The requirement, and the numbers on both sides of it.
        reason: String,
    },
    /// Two invocations of a launch may access the same place of memory, of which one stores there. A kernel
    /// is proven to have no such races in launches that satisfy its conditions, which its report lists.
    MayRace {
        /// The kernel.
        kernel: String,
        /// The condition that the launch does not satisfy.
        condition: String,
        /// What the condition keeps apart: two accesses and their places in the source.
        accesses: String,
    },
    /// Numbers that were to be [distinct](crate::Distinct) are not.
    NotDistinct {
        /// The number that is there twice.
        element: u32,
        /// Where it is first.
        first: usize,
        /// Where it is next.
        second: usize,
    },
    /// Numbers that were to be [below](crate::Below) another are not.
    NotBelow {
        /// The first number that is not.
        element: u32,
        /// Where it is.
        at: usize,
        /// What it is not below.
        bound: usize,
    },
    /// A launch lends a buffer to be read that the kernel may write.
    ReadOnly {
        /// The kernel.
        kernel: String,
        /// The argument.
        argument: String,
    },
    /// A buffer belongs to another device than the one that the kernel is launched on.
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// The argument.
        argument: String,
        /// The buffer's device.
        owner: String,
        /// The launch's device.
        device: String,
    },
    /// A kernel cannot be loaded: its compiled form is missing, damaged or of another version.
    Image {
        /// The kernel.
        kernel: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A kernel broke a rule while it ran: a barrier that not every invocation reached, or
    /// more steps than the budget.
    Fault {
        /// The kernel.
        kernel: String,
        /// What happened.
        reason: String,
    },
    /// The float unit of a thread that runs kernels on this CPU is not in the mode in which programs start, so
    /// that results would have other bits. Something that the thread has called has changed it.
    FloatUnit {
        /// What it does instead.
        does: &'static str,
    },
    /// The judge saw a race: two accesses without an order between them.
    Race {
        /// The kernel.
        kernel: String,
        /// What the accesses are, and where.
        reason: String,
        /// How many races more there were.
        more: usize,
    },
    /// A device is profiled already.
    Profiled {
        /// The device.
        device: String,
    },
    /// An assertion of a kernel has failed. The kernel went on, and its results are what they are without the
    /// assertion. The next read or wait gives this error, once.
    Assertion {
        /// The kernel.
        kernel: String,
        /// What the assertion says.
        text: String,
        /// File, line and column of the assertion.
        place: String,
        /// The `global_id()` of the invocation in which it failed first. It is the first one in the order of workgroups,
        /// unless thousands of later ones have failed before it.
        invocation: [u32; 3],
        /// How often it failed in all invocations.
        times: u32,
    },
    /// A launch gave other bytes than this CPU, as `SAMEBITS_VERIFY=1` asks to find out.
    Differs {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// The first element that differs, with its bits on the device and on the one that it was compared with.
        reason: String,
    },
    /// A device ended a kernel's loop by itself, so that the kernel's results are wrong. Each read of
    /// a buffer that the launch may have written gives this error, and so do buffers that later
    /// launches computed from it, until they are written anew.
    LoopCut {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
    },
    /// The device's driver does not accept a kernel.
    KernelRefused {
        /// The kernel.
        kernel: String,
        /// The device.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// The device did not finish its work in time. It may still do so.
    TimedOut {
        /// The device.
        device: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// A call would have to wait for a device, and a page of the web cannot. There, reads and waits are futures.
    CannotWait {
        /// The device.
        device: String,
    },
    /// The device stopped working.
    DeviceLost {
        /// The device.
        device: String,
        /// What the driver says.
        reason: String,
    },
    /// A slot of a graph is another graph's, or stands for nothing at a replay, or for what it cannot.
    Slot {
        /// Which slot, from 0 in the order in which the graph made them.
        slot: usize,
        /// What is wrong.
        reason: String,
    },
    /// A grid cannot be split over devices as asked.
    Split {
        /// Why.
        reason: String,
    },
    /// Data of another crate cannot go to a buffer as it is, or come from one as asked.
    Data {
        /// Why, and what to do.
        reason: String,
    },
    /// A device is not one of wgpu's.
    NotWgpu {
        /// The device.
        device: String,
    },
    /// Work cannot go into a command encoder of the program's.
    Encoder {
        /// The device.
        device: String,
        /// Why.
        reason: String,
    },
    /// A buffer depends on work in a command encoder of the program's, which the program has not said that it has
    /// submitted.
    NotSubmitted {
        /// The device.
        device: String,
    },
    /// A buffer that a program has made with wgpu is of no use to kernels.
    BufferRefused {
        /// The device.
        device: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Other code than the runtime has the buffer, and may change what was to be found out about it.
    HasLeft {
        /// The device.
        device: String,
    },
    /// A driver or its validation reported an error that is a fault of this crate.
    Driver {
        /// The device.
        device: String,
        /// What it says.
        reason: String,
    },
}

/// ` on x`, or nothing for all axes together.
struct OnAxis(Option<char>);

impl fmt::Display for OnAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(axis) => write!(f, " on {axis}"),
            None => Ok(()),
        }
    }
}

/// The names of the devices that exist.
struct ThereIs<'a>(&'a [String]);

impl fmt::Display for ThereIs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this machine has ")?;
        for (i, name) in self.0.iter().enumerate() {
            write!(f, "{}`{name}`", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The same words as `Display`, because that is what a `main` that returns an error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice { wanted, available } => write!(f, "there is no device `{wanted}`; {}", ThereIs(available)),
            Self::NotBuilt { backend, available } => {
                let there_is = ThereIs(available);
                write!(
                    f,
                    "this build lacks the back end `{backend}`: turn on the feature `{backend}` of the crate `samebits`; {there_is}"
                )
            }
            Self::Variable { variable, value, expected } => {
                write!(f, "the environment variable `{variable}` is `{value}`, but must be {expected}")
            }
            Self::DeviceRefused { device, reason } => write!(f, "cannot open device `{device}`: {reason}"),
            Self::BufferTooLarge { device, asked, allowed } => {
                write!(
                    f,
                    "a buffer of {} was asked for, but `{device}` allows {allowed}; use several buffers",
                    count(asked, "byte")
                )
            }
            Self::TooManyElements { asked } => write!(
                f,
                "a buffer of {} was asked for, but {} are allowed; use larger elements, such as vectors or arrays, or several buffers",
                count(asked, "element"),
                u32::MAX
            ),
            Self::OutOfMemory { device, asked: Some(asked) } => write!(
                f,
                "`{device}` has not enough memory for {}; drop unused buffers, or do the work in parts",
                count(asked, "byte")
            ),
            Self::OutOfMemory { device, asked: None } => {
                write!(f, "`{device}` is out of memory; drop unused buffers, or do the work in parts")
            }
            Self::Range { start, end: Some(end), .. } if start > end => {
                write!(f, "elements {start}..{end} were asked for, but this range ends before it begins")
            }
            Self::Range { start, end, len } => {
                let end = end.map_or_else(String::new, |end| end.to_string());
                write!(f, "elements {start}..{end} were asked for, but the buffer has {}", count(len, "element"))
            }
            Self::Reinterpreted { bytes, element } => {
                write!(
                    f,
                    "a buffer of {} cannot be viewed as elements of {}: its size is not a multiple of that",
                    count(bytes, "byte"),
                    count(element, "byte")
                )
            }
            Self::Lengths { from, to } => {
                let to = count(to, "element");
                write!(
                    f,
                    "{} cannot be copied to {to}; both must be equally long, so use a slice",
                    count(from, "element")
                )
            }
            Self::WorkgroupTooLarge { kernel, axis, device, asked, allowed } => write!(
                f,
                "kernel `{kernel}`: a workgroup of {}{}, but `{device}` allows {allowed}; use a smaller `workgroup_size` or another device",
                count(asked, "invocation"),
                OnAxis(*axis)
            ),
            Self::SharedTooLarge { kernel, device, asked, allowed } => {
                let asked = count(asked, "byte");
                write!(
                    f,
                    "kernel `{kernel}`: {asked} of workgroup memory, but `{device}` allows {allowed}; use less `#[shared]` memory or another device"
                )
            }
            Self::TooManyBuffers { kernel, device, asked, allowed } => {
                write!(
                    f,
                    "kernel `{kernel}`: {}, but `{device}` allows {allowed}; pass fewer buffers or use another device",
                    count(asked, "buffer")
                )
            }
            Self::TooManyArguments { kernel, device, asked, allowed } => {
                let asked = count(asked, "byte");
                write!(
                    f,
                    "kernel `{kernel}`: {asked} of launch arguments, but `{device}` allows {allowed}; pass values in a buffer or use another device"
                )
            }
            Self::GridTooLarge { kernel, axis, asked } => write!(
                f,
                "kernel `{kernel}`: a launch of {asked} invocations{}, but at most {} are allowed; use several launches",
                OnAxis(*axis),
                u32::MAX
            ),
            Self::MissingFeature { kernel, feature, device } => {
                write!(f, "kernel `{kernel}` needs {feature}, which `{device}` lacks")
            }
            Self::ArgumentCount { kernel, expected, passed } => {
                let passed = if *passed == 1 { "1 was" } else { &format!("{passed} were") };
                write!(f, "kernel `{kernel}` takes {}, but {passed} passed", count(expected, "argument"))
            }
            Self::ArgumentType { kernel, argument, expected, passed } => {
                write!(f, "kernel `{kernel}`, argument `{argument}`: expected {expected}, found {passed}")
            }
            Self::ArgumentTooLarge { kernel, argument, asked } => write!(
                f,
                "kernel `{kernel}`, argument `{argument}`: {asked} was passed, but a `usize` is at most {} on a device",
                u32::MAX
            ),
            Self::Requirement { kernel, reason } => write!(f, "kernel `{kernel}` {reason}"),
            Self::MayRace { kernel, condition, accesses } => write!(
                f,
                "kernel `{kernel}` may race in this launch: it is free of races only where `{condition}` holds, which \
                 keeps {accesses}"
            ),
            Self::NotDistinct { element, first, second } => {
                write!(f, "the elements {first} and {second} are both {element}, but no two may be equal")
            }
            Self::NotBelow { element, at, bound } => {
                write!(f, "the element {at} is {element}, but all must be below {bound}")
            }
            Self::ReadOnly { kernel, argument } => write!(
                f,
                "kernel `{kernel}`, argument `{argument}`: the kernel may write the buffer, but it was passed as `&`; pass it as `&mut`"
            ),
            Self::OtherDevice { kernel, argument, owner, device } => write!(
                f,
                "kernel `{kernel}`, argument `{argument}`: the buffer belongs to device `{owner}`, but the launch is on another device, `{device}`{}",
                if owner == device {
                    "; each call of a `Device` constructor opens a device of its own, so keep one and clone it"
                } else {
                    "; copy it to a buffer of that device"
                }
            ),
            Self::Image { kernel, reason } => write!(f, "kernel `{kernel}` cannot be loaded: {reason}"),
            Self::Fault { kernel, reason } => write!(f, "kernel `{kernel}`: {reason}"),
            Self::FloatUnit { does } => write!(
                f,
                "the float unit of a thread that runs kernels {does}, which changes their results; set it back to the mode in which programs start"
            ),
            Self::Race { kernel, reason, more: 0 } => write!(f, "kernel `{kernel}`: {reason}"),
            Self::Race { kernel, reason, more } => {
                write!(f, "kernel `{kernel}`: {reason}\n  and {}", count(more, "more race"))
            }
            Self::Profiled { device } => {
                write!(f, "device `{device}` is profiled already; one profile at a time")
            }
            Self::Assertion { kernel, text, place, invocation: [x, y, z], times } => {
                write!(f, "kernel `{kernel}`: {text}\n  in invocation ({x}, {y}, {z}), at {place}")?;
                let more = times.saturating_sub(1) as usize;
                if more > 0 { write!(f, ", and {} more", count(more, "time")) } else { Ok(()) }
            }
            Self::Differs { kernel, device, reason } => {
                write!(f, "kernel `{kernel}`: on `{device}` {reason}; please report this")
            }
            Self::LoopCut { kernel, device } => write!(
                f,
                "kernel `{kernel}`: its loops take more than {} rounds in one invocation, and `{device}` ends them there; use another device, or more invocations with fewer rounds",
                u16::MAX
            ),
            Self::KernelRefused { kernel, device, reason } => {
                write!(f, "kernel `{kernel}` was refused by `{device}`: {reason}")
            }
            Self::TimedOut { device, after } => {
                let after = after.as_millis();
                write!(f, "device `{device}` did not finish within {after} ms; wait or read again to wait longer")
            }
            Self::CannotWait { device } => write!(
                f,
                "a page of the web cannot wait for device `{device}`; use `read_async`, `wait_async` or `Device::best_async`"
            ),
            Self::DeviceLost { device, reason } => {
                write!(f, "device `{device}` was lost, and its buffers with it: {reason}")
            }
            Self::Slot { slot, reason } => write!(f, "slot {slot} of a graph: {reason}"),
            Self::Split { reason } => write!(f, "a grid cannot be split: {reason}"),
            Self::Data { reason } => f.write_str(reason),
            Self::NotWgpu { device } => write!(
                f,
                "device `{device}` is not one of wgpu's; use a device that `Device::from_wgpu` or `Device::named(\"wgpu\")` gives"
            ),
            Self::Encoder { device, reason } => write!(f, "work for an encoder on `{device}`: {reason}"),
            Self::NotSubmitted { device } => write!(
                f,
                "a buffer of `{device}` depends on work in a command encoder that is not known to be submitted; submit it, then call `submitted()` on what `encode` gave"
            ),
            Self::BufferRefused { device, reason } => {
                write!(f, "a buffer of wgpu's is of no use to kernels on `{device}`: {reason}")
            }
            Self::HasLeft { device } => write!(
                f,
                "other code has this buffer of `{device}` too, and may write it at any time; copy it to a buffer of its own"
            ),
            Self::Driver { device, reason } => {
                write!(f, "device `{device}` reported a fault of the crate `samebits`: {reason}")
            }
        }
    }
}

impl std::error::Error for Error {}
