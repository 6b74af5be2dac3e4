//! What every back end of the runtime offers, and the choice between them.
//!
//! A back end allocates memory, copies, compiles a checked kernel and runs it over
//! workgroups. It may rely on its callers: sizes are within the limits that it states, an
//! offset and a length lie within the memory, whose size is a multiple of four, the arguments of a
//! dispatch fit the kernel's parameters and belong to this device, and no count of
//! workgroups is zero. It never panics, and waits for the device only in `read`,
//! in `finish` and where so much is queued that it must.

#[cfg(feature = "wgpu")]
mod conditions;
pub(crate) mod interpreter;
#[cfg(feature = "wgpu")]
pub(crate) mod wgpu;

use crate::error::Error;
use crate::kernel::Loaded;
use samebits_ir::caps::Capabilities;
use samebits_ir::interp;

/// What a device allows.
///
/// ```
/// use samebits::prelude::*;
/// let limits = Device::interpreter().limits();
/// assert!(limits.workgroup_invocations >= 256);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes that a buffer may have.
    pub buffer_bytes: u64,
    /// The most invocations of a workgroup on x, y, z.
    pub workgroup_size: [u32; 3],
    /// The most invocations of a workgroup on all axes together.
    pub workgroup_invocations: u32,
    /// The most bytes of workgroup memory of a kernel.
    pub shared_bytes: u32,
    /// The most buffer parameters of a kernel.
    pub buffers: u32,
    /// The most bytes of launch arguments: lengths of buffers, scalars, and five words besides.
    pub argument_bytes: u32,
    /// The bytes of which a multiple lies before a view that a kernel takes as it is. A
    /// view that begins elsewhere works as well, but each launch copies it.
    pub view_alignment: u32,
}

/// An open device.
#[derive(Debug)]
pub(crate) enum Backend {
    /// The reference interpreter on this CPU.
    Interpreter(interpreter::Interpreter),
    /// A device of wgpu's.
    #[cfg(feature = "wgpu")]
    Wgpu(Box<wgpu::Wgpu>),
}

/// The memory of a buffer; never shorter than a word.
#[derive(Debug)]
pub(crate) enum Memory {
    /// Words on the heap.
    Interpreter(interp::Words),
    /// A storage buffer.
    #[cfg(feature = "wgpu")]
    Wgpu(wgpu::Storage),
}

/// A kernel compiled for a device.
#[derive(Debug)]
pub(crate) enum Pipeline {
    /// Code of the interpreter.
    Interpreter(Box<interp::Program>),
    /// A compute pipeline.
    #[cfg(feature = "wgpu")]
    Wgpu(Box<wgpu::Pipeline>),
}

/// An argument of a dispatch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound<'a> {
    /// Elements in memory.
    Buffer(Part<'a>),
    /// A scalar's or vector's words.
    Scalar(&'a [u32]),
}

/// A part of a memory, as a kernel sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Where the part begins, in bytes, a multiple of 4.
    pub start: u64,
    /// How many bytes there are, for bindings.
    #[cfg_attr(not(feature = "wgpu"), expect(dead_code))]
    pub bytes: u64,
    /// How many elements the kernel sees.
    pub len: u32,
}

impl Bound<'_> {
    /// How many elements a buffer has; 0 for a value.
    pub fn len(&self) -> u32 {
        match self {
            Self::Buffer(part) => part.len,
            Self::Scalar(_) => 0,
        }
    }

    /// The bits of a scalar, zero-extended; 0 for a buffer.
    pub fn bits(&self) -> u64 {
        match self {
            Self::Buffer(_) => 0,
            Self::Scalar(words) => {
                let word = |i: usize| words.get(i).copied().map_or(0, u64::from);
                word(0) | word(1) << 32
            }
        }
    }
}

/// Arguments of a launch that takes no memory of the heap.
const FEW: usize = 16;

/// As many values as a launch has arguments.
pub(crate) struct PerArgument<T> {
    few: [T; FEW],
    many: Vec<T>,
    len: usize,
}

impl<T: Copy> PerArgument<T> {
    /// The same for each argument.
    pub fn new(len: usize, value: T) -> Self {
        Self { few: [value; FEW], many: if len <= FEW { Vec::new() } else { vec![value; len] }, len }
    }

    /// The values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        if self.len <= FEW { &mut self.few[..self.len] } else { &mut self.many }
    }
}

impl Backend {
    /// What the device allows.
    pub fn limits(&self) -> Limits {
        match self {
            Self::Interpreter(_) => interpreter::LIMITS,
            #[cfg(feature = "wgpu")]
            Self::Wgpu(device) => device.limits(),
        }
    }

    /// What the device has of what kernels declare as features.
    pub fn capabilities(&self) -> Capabilities {
        match self {
            Self::Interpreter(_) => Capabilities::ALL,
            #[cfg(feature = "wgpu")]
            Self::Wgpu(device) => device.capabilities(),
        }
    }

    /// Whether launches are judged, and so kernels run as they are written.
    pub fn judges(&self) -> bool {
        match self {
            Self::Interpreter(device) => device.judges(),
            #[cfg(feature = "wgpu")]
            Self::Wgpu(_) => false,
        }
    }

    /// Memory of this many bytes of zero, at least 4.
    pub fn zeros(&self, name: &str, bytes: u64) -> Result<Memory, Error> {
        match self {
            Self::Interpreter(device) => device.zeros(name, bytes).map(Memory::Interpreter),
            #[cfg(feature = "wgpu")]
            Self::Wgpu(device) => device.zeros(bytes).map(Memory::Wgpu),
        }
    }

    /// Copies bytes to an offset, after all that was queued before.
    pub fn write(&self, _name: &str, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        match (self, memory) {
            (Self::Interpreter(_), Memory::Interpreter(words)) => {
                words.write(offset as usize, bytes);
                Ok(())
            }
            #[cfg(feature = "wgpu")]
            (Self::Wgpu(device), Memory::Wgpu(buffer)) => device.write(buffer, offset, bytes),
            #[cfg(feature = "wgpu")]
            (Self::Interpreter(_), Memory::Wgpu(_)) | (Self::Wgpu(_), Memory::Interpreter(_)) => Err(foreign(_name)),
        }
    }

    /// Copies bytes from an offset, after all that was queued before has run.
    pub fn read(&self, _name: &str, memory: &Memory, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        match (self, memory) {
            (Self::Interpreter(_), Memory::Interpreter(words)) => {
                words.copy_to(offset as usize, out);
                Ok(())
            }
            #[cfg(feature = "wgpu")]
            (Self::Wgpu(device), Memory::Wgpu(buffer)) => device.read(buffer, offset, out),
            #[cfg(feature = "wgpu")]
            (Self::Interpreter(_), Memory::Wgpu(_)) | (Self::Wgpu(_), Memory::Interpreter(_)) => Err(foreign(_name)),
        }
    }

    /// Queues a copy between parts of one or two memories that do not overlap.
    pub fn copy(&self, _name: &str, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<(), Error> {
        match (self, from.0, to.0) {
            (Self::Interpreter(device), Memory::Interpreter(source), Memory::Interpreter(target)) => {
                device.copy((source, from.1), (target, to.1), bytes);
                Ok(())
            }
            #[cfg(feature = "wgpu")]
            (Self::Wgpu(device), Memory::Wgpu(source), Memory::Wgpu(target)) => {
                device.copy((source, from.1), (target, to.1), bytes)
            }
            #[cfg(feature = "wgpu")]
            (Self::Interpreter(_) | Self::Wgpu(_), Memory::Interpreter(_) | Memory::Wgpu(_), _) => Err(foreign(_name)),
        }
    }

    /// Waits for everything that was queued.
    pub fn finish(&self) -> Result<(), Error> {
        match self {
            Self::Interpreter(_) => Ok(()),
            #[cfg(feature = "wgpu")]
            Self::Wgpu(device) => device.finish(),
        }
    }

    /// Which of the conditions of a kernel, as bits, a launch fulfils. Devices whose compiled
    /// kernels rely on none are not asked about any.
    pub fn fulfilled(&self, _kernel: &Loaded, _groups: [u32; 3], _args: &[Bound<'_>]) -> u64 {
        match self {
            Self::Interpreter(_) => 0,
            #[cfg(feature = "wgpu")]
            Self::Wgpu(_) => conditions::fulfilled(_kernel.conditions(), _groups, _args),
        }
    }

    /// The kernel, compiled for launches that fulfil these conditions.
    pub fn compile(&self, kernel: &Loaded, _fulfilled: u64) -> Result<Pipeline, Error> {
        match self {
            Self::Interpreter(device) => device.compile(kernel).map(Box::new).map(Pipeline::Interpreter),
            #[cfg(feature = "wgpu")]
            Self::Wgpu(device) => device.compile(kernel, _fulfilled).map(Box::new).map(Pipeline::Wgpu),
        }
    }

    /// Queues a compiled kernel over workgroups.
    pub fn dispatch(
        &self,
        kernel: &Loaded,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_>],
    ) -> Result<(), Error> {
        match (self, pipeline) {
            (Self::Interpreter(device), Pipeline::Interpreter(program)) => {
                device.dispatch(kernel, program, groups, args)
            }
            #[cfg(feature = "wgpu")]
            (Self::Wgpu(device), Pipeline::Wgpu(pipeline)) => device.dispatch(kernel, pipeline, groups, args),
            #[cfg(feature = "wgpu")]
            (Self::Interpreter(_), Pipeline::Wgpu(_)) | (Self::Wgpu(_), Pipeline::Interpreter(_)) => {
                Err(foreign(&kernel.name))
            }
        }
    }
}

/// Two back ends' objects were mixed, which callers rule out by comparing devices first.
#[cfg(feature = "wgpu")]
fn foreign(name: &str) -> Error {
    Error::Driver { device: name.to_owned(), reason: "an object of another back end".to_owned() }
}
