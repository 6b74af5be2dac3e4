//! What a back end of the runtime provides, and the list of back ends.
//!
//! A back end is a folder here with an implementation of [`Backend`] and a function that finds its
//! devices. The rest of the runtime sees [`AnyDevice`], which hides the back end's own types of
//! memory and pipelines, so that nothing outside of the folder names the back end except
//! [`KINDS`].
//!
//! A back end may rely on its callers. Sizes are within the limits that it states. Offsets and
//! lengths lie within the memory's whole words. The arguments of a dispatch fit the kernel's parameters and
//! belong to this device. No count of workgroups is zero. Bytes that a call may write are lent to it alone until
//! it returns, and nobody writes bytes that it may read. In turn it
//! never panics, and it waits for the device only in `read`, in `finish`, and where so much
//! is queued that it must.
//!
//! A buffer of a dispatch may be a part of a memory that begins at any byte. If the back end cannot
//! use such a part where it lies, it copies the part for the launch, and back if the kernel writes it.

mod board;
mod bound;
mod cache;
pub(crate) mod conditions;
pub(crate) mod cpu;
#[cfg_attr(not(feature = "wgpu"), allow(dead_code, reason = "only drivers compile what is worth keeping"))]
pub(crate) mod disk;
mod find;
pub(crate) mod interpreter;
mod opened;
mod outcome;
mod plan;
mod staging;
mod timing;
mod usage;
mod waiter;

pub(crate) use board::{Mailbox, Speaker};
pub(crate) use bound::writes;
pub(crate) use bound::{Bound, Part, PerArgument, Step};
pub(crate) use cpu::memory::Memory as HostMemory;
pub(crate) use find::{all, named};
pub(crate) use opened::{AnyDevice, Memory, Opened, Receive};
pub(crate) use plan::{Again, EachMemory, Plan, PlannedPart};
pub(crate) use staging::{Sink, Staged};
pub use timing::Timed;
pub use usage::MemoryUse;

use crate::error::Error;
use crate::judge::Finding;
use crate::kernel::Loaded;
#[cfg(feature = "wgpu")]
use crate::report::Emitted;
use crate::report::Report;
use find::{Kind, kinds};
use outcome::{Failures, Inherited, Outcome, Queued};
use samebits_ir::analysis::facts::Condition;
use samebits_ir::caps::Capabilities;
use std::fmt::Debug;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::Duration;
use waiter::Work;

#[cfg(feature = "wgpu")]
mod wgpu;
/// A browser's device.
#[cfg(all(feature = "wgpu", target_family = "wasm"))]
pub(crate) use wgpu::web;
/// What programs that use wgpu themselves lend and borrow.
#[cfg(feature = "wgpu")]
pub(crate) use wgpu::{foreign, recording};

/// The back ends whose devices are looked for, in order of preference, each with its cargo
/// feature. This CPU and the interpreter are not in the list: they are part of every build and need no search.
const KINDS: &[Kind] = kinds! {
    "wgpu" => wgpu;
};

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
    /// The alignment, in bytes, of a view that a kernel can use in place. A view that begins
    /// elsewhere works as well, but each launch copies it.
    pub view_alignment: u32,
}

/// Whether a thread may stand still until a device is done. A page of the web may not: its device works while the page
/// does nothing, and says when it is done by a call that only comes then.
pub(crate) const CAN_WAIT: bool = !cfg!(target_family = "wasm");

/// Which launches a compiled form of a kernel is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct LaunchKind {
    /// The conditions of the kernel that they fulfil, as bits.
    pub fulfilled: u64,
    /// Whether they have so many invocations that one of the device may do the work of several.
    pub is_large: bool,
}

impl LaunchKind {
    /// For launches of any size.
    pub const fn of(fulfilled: u64) -> Self {
        Self { fulfilled, is_large: false }
    }
}

/// What an open device is asked that concerns neither memory nor launches.
pub(crate) trait Control: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// What messages call the device.
    fn name(&self) -> &str;

    /// Whether this is a GPU and not software on the CPU.
    fn is_gpu(&self) -> bool;

    /// What the device allows.
    fn limits(&self) -> Limits;

    /// Which of the features that kernels can need the device has.
    fn capabilities(&self) -> Capabilities;

    /// What the device computes by itself, and how; `None` if it computes every op as it is.
    #[cfg(feature = "wgpu")]
    fn native(&self) -> Option<samebits_ir::soft::plan::Native> {
        None
    }

    /// What the driver is handed for a kernel, in launches that fulfil all of its conditions; `None` without a driver.
    #[cfg(feature = "wgpu")]
    fn emitted(&self, _kernel: &Loaded) -> Option<Emitted> {
        None
    }

    /// What the device is and how it computes.
    fn report(&self) -> Report;

    /// Waits for everything that was queued.
    fn finish(&self) -> Result<(), Error>;

    /// The work that has failed after it was queued.
    fn failures(&self) -> &Failures;

    /// Whether launches are judged. A judge runs kernels as they are written.
    fn judges(&self) -> bool {
        false
    }

    /// Takes what a judge found since the last call.
    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// How many times work was submitted to a driver, for tests.
    fn submissions(&self) -> u64 {
        0
    }

    /// Makes the driver drop the device, for tests.
    fn lose(&self) {}

    /// Makes the driver refuse the work that is queued, for tests.
    fn spoil(&self) {}

    /// Changes how long a wait may take, for tests.
    fn set_timeout(&self, _timeout: Duration) {}

    /// Changes of how many invocations a large launch has more, for tests.
    fn set_large(&self, _invocations: u64) {}
}

/// An open device of one back end.
pub(crate) trait Backend: Control + Sized + 'static {
    /// The bytes of a buffer, on the device or on the host.
    type Memory: Send + Sync + UnwindSafe + RefUnwindSafe + 'static;
    /// A kernel compiled for the device.
    type Pipeline: Send + Sync + UnwindSafe + RefUnwindSafe + 'static;
    /// A copy that is on its way to the host.
    type Asked: Send + 'static;
    /// Recorded work that is kept to be queued again, where that is quicker than to queue it anew.
    type Plan: Send + Sync + UnwindSafe + RefUnwindSafe + 'static;

    /// Whether launches are queued. Else they are over when their calls return.
    const QUEUES: bool;

    /// Whether compiled kernels rely on conditions that a launch fulfils. A kernel is then
    /// compiled in several forms, and each launch finds out which conditions it fulfils.
    const USES_CONDITIONS: bool;

    /// The conditions under which the device's code of a kernel needs no bounds checks.
    fn conditions<'a>(&self, kernel: &'a Loaded) -> &'a [Condition] {
        kernel.conditions()
    }

    /// Of the conditions that a launch fulfils those that a form of the kernel relies on; both are bits.
    fn form(&self, _kernel: &Loaded, fulfilled: u64) -> u64 {
        fulfilled
    }

    /// Whether a launch of so many workgroups counts as large.
    fn is_large(&self, _kernel: &Loaded, _groups: [u32; 3]) -> bool {
        false
    }

    /// Whether the kernel has a form of its own for large launches.
    fn has_large_form(&self, _kernel: &Loaded) -> bool {
        false
    }

    /// Opens the same device again, so that kernels reach it in another way; `None` if there is
    /// none. For tests, which try both.
    fn other_way(&self) -> Option<Result<Self, Error>> {
        None
    }

    /// Memory of this many bytes of zero, and the outcome of making them so if that was queued. It has whole words, so
    /// there may be bytes beyond these.
    fn zeros(&self, bytes: u64) -> Result<(Self::Memory, Option<Arc<Outcome>>), Error>;

    /// The same with bytes of any value.
    fn uninitialised(&self, bytes: u64) -> Result<(Self::Memory, Option<Arc<Outcome>>), Error> {
        self.zeros(bytes)
    }

    /// Bytes of dropped memory that are kept for new memory.
    fn kept_bytes(&self) -> u64 {
        0
    }

    /// Gives back all memory that is kept for later use.
    fn trim(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Takes memory of the host over, if that is what the device computes in.
    fn adopt(&self, host: HostMemory) -> Result<Self::Memory, HostMemory> {
        Err(host)
    }

    /// Some bytes where they lie, if that is in the host's memory.
    fn slice<'a>(&self, _memory: &'a Self::Memory, _offset: u64, _bytes: u64) -> Option<&'a [u8]> {
        None
    }

    /// Copies bytes to an offset, after all that was queued before. Bytes beside them stay as they
    /// are, whoever writes those at the same time. If a part of the copy was queued, its outcome.
    fn write(&self, memory: &Self::Memory, offset: u64, bytes: &[u8]) -> Result<Option<Arc<Outcome>>, Error>;

    /// Takes whole words for a memory, from an offset on that is a multiple of four. They are as `write` leaves them.
    fn sink<'a>(&'a self, memory: &'a Self::Memory, at: u64) -> Box<dyn Sink + 'a> {
        Box::new(Plain { backend: self, memory, at })
    }

    /// Copies bytes from an offset, after all that was queued before has run, and shows them in pieces of a multiple of
    /// `unit` bytes. `can_show` is asked first, when that has run. Without a way of its own, a device shows its memory.
    fn read_pieces(
        &self,
        memory: &Self::Memory,
        bytes: Range<u64>,
        _unit: usize,
        can_show: &mut dyn FnMut() -> Result<(), Error>,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        can_show()?;
        if let Some(bytes) = self.slice(memory, bytes.start, bytes.end - bytes.start) {
            show(bytes);
        }
        Ok(())
    }

    /// Queues copies of a pattern over some bytes, and gives their outcome. `None` if the device has no quicker way
    /// than to be written.
    fn fill(&self, _memory: &Self::Memory, _bytes: Range<u64>, _pattern: &[u8]) -> Result<Option<Arc<Outcome>>, Error> {
        Ok(None)
    }

    /// Copies bytes from an offset, after all that was queued before has run.
    fn read(&self, memory: &Self::Memory, offset: u64, out: &mut [u8]) -> Result<(), Error>;

    /// Begins to copy some bytes, from an offset on, after all that was queued before; or only to wait for that.
    /// What is queued later does not change the copy.
    fn ask(&self, from: Option<(&Self::Memory, u64, u64)>) -> Result<Self::Asked, Error>;

    /// Does some work when all that was queued is done, if the device calls back by itself; else gives the work back, for a
    /// thread that waits.
    fn when_done(&self, work: Work) -> Result<(), Work> {
        Err(work)
    }

    /// Waits for such a copy and takes its bytes, as many as were asked for.
    fn receive(&self, asked: Self::Asked, out: &mut [u8]) -> Result<(), Error>;

    /// Copies between parts of one or two memories that do not overlap, after all that was
    /// queued before. If the copy was queued, its outcome.
    fn copy(
        &self,
        from: (&Self::Memory, u64),
        to: (&Self::Memory, u64),
        bytes: u64,
    ) -> Result<Option<Arc<Outcome>>, Error>;

    /// From now on launches, fills and copies gather, until the [end](Self::end_together) of what belongs together.
    fn begin_together(&self) {}

    /// Submits what has gathered, in one submission unless other threads asked for some of it before.
    fn end_together(&self) -> Result<(), Error> {
        Ok(())
    }

    /// An empty plan, if the device keeps any.
    fn plan(&self) -> Option<Arc<Self::Plan>> {
        None
    }

    /// Notes a part of recorded work at its place in a plan: a step, with its kernel compiled if it is a launch, or that
    /// there is nothing to do. Says whether the plan can hold it.
    fn note(
        &self,
        _plan: &Self::Plan,
        _at: usize,
        _step: Option<&Step<'_>>,
        _pipeline: Option<&Arc<Self::Pipeline>>,
    ) -> Result<bool, Error> {
        Ok(false)
    }

    /// Queues a plan of so many parts, and lets it [gather](Self::begin_together); the outcome of all of it, or why it is
    /// not queued. `each` calls a function with the memory that the plan uses, which depends on the outcomes that are
    /// `inherited`.
    fn again(
        &self,
        _plan: &Self::Plan,
        _count: usize,
        _each: &EachMemory<'_, Self::Memory>,
        _inherited: &Inherited,
    ) -> Result<Arc<Outcome>, Again> {
        Err(Again::NotNow)
    }

    /// Starts the device's clock for launches, if it has one.
    fn start_clock(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Stops it, and gives the times of all launches since then, each at its number, in nanoseconds: beginning and end.
    fn stop_clock(&self) -> Result<Vec<[u64; 2]>, Error> {
        Ok(Vec::new())
    }

    /// The kernel, compiled for some launches.
    fn compile(&self, kernel: &Loaded, kind: LaunchKind) -> Result<Self::Pipeline, Error>;

    /// Queues a compiled kernel over workgroups. `inherited` is what its arguments depend on.
    fn dispatch(
        &self,
        kernel: &Loaded,
        pipeline: &Self::Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Self::Memory>],
        inherited: &Inherited,
    ) -> Result<Queued, Error>;
}

/// Words that are written as soon as they come, on a device that computes in the host's memory.
struct Plain<'a, B: Backend> {
    backend: &'a B,
    memory: &'a B::Memory,
    at: u64,
}

impl<B: Backend> Sink for Plain<'_, B> {
    fn put(&mut self, words: &[u8]) -> Result<(), Error> {
        // Nothing is queued where nothing is in doubt.
        self.backend.write(self.memory, self.at, words)?;
        self.at += words.len() as u64;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
