//! Open devices and their memory, whatever the back end.
//!
//! [`Opened`] does what all back ends have in common: it keeps compiled kernels, finds out which
//! conditions a launch fulfils, and notes what bytes depend on. [`AnyDevice`] and [`Memory`] hide
//! the back end's types.
//!
//! Invariant: memory reaches only the device that made it. Buffers are compared by their device
//! before; here a memory of another type is an error.

use super::board::Board;
use super::cache::Cache;
use super::outcome::{self, Doubts, Inherited, Outcome};
use super::plan::{Again, EachPart, Plan};
use super::timing::{Timed, Timing};
use super::usage::{Counted, MemoryUse, Usage};
use super::waiter::{Waiter, Work};
use super::{Backend, Bound, CAN_WAIT, Control, HostMemory, LaunchKind, PerArgument, Sink, Step, conditions};
use crate::error::Error;
use crate::kernel::Loaded;
use crate::trace;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of copies of a pattern that are written at once.
const FILL: usize = 1 << 16;

/// The memory of a buffer.
pub(crate) struct Memory {
    /// A back end's [`Backend::Memory`].
    bytes: Box<dyn Any + Send + Sync + UnwindSafe + RefUnwindSafe>,
    /// No other memory has it, nor had it.
    number: u64,
    /// What the bytes depend on.
    pub(super) doubts: Doubts,
    /// Whether somebody else has the memory too.
    left: AtomicBool,
    /// Counts it as long as it lives.
    _counted: Counted,
}

impl Memory {
    /// A back end's memory, whose bytes depend on nothing.
    pub(super) fn new(bytes: impl Any + Send + Sync + UnwindSafe + RefUnwindSafe, counted: Counted) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (number, left) = (NEXT.fetch_add(1, Ordering::Relaxed), AtomicBool::new(false));
        Self { bytes: Box::new(bytes), number, doubts: Doubts::default(), left, _counted: counted }
    }

    /// What tells the memory from all others, also from those that are gone.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Notes that somebody else has the memory too, and may write it.
    #[cfg(feature = "wgpu")]
    pub(super) fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    /// Whether somebody else may write the memory, so that nothing that was found out about its bytes holds for long.
    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// The memory as that of one back end; `None` if it is another's.
    pub(super) fn of<M: Any>(&self) -> Option<&M> {
        let bytes: &dyn Any = &*self.bytes;
        bytes.downcast_ref()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("doubts", &self.doubts).finish_non_exhaustive()
    }
}

/// An open device of any back end.
pub(crate) trait AnyDevice: Any + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The device without its memory.
    fn control(&self) -> &dyn Control;

    /// The same device, opened so that kernels reach it in another way, if there is one.
    fn other_way(&self) -> Option<Result<Arc<dyn AnyDevice>, Error>>;

    /// Memory of this many bytes of zero. It has whole words.
    fn zeros(&self, bytes: u64) -> Result<Memory, Error>;

    /// The same with bytes of any value, all of which the caller writes before anybody reads them.
    fn uninitialised(&self, bytes: u64) -> Result<Memory, Error>;

    /// How much memory there is.
    fn memory_use(&self) -> MemoryUse;

    /// Gives back all memory that is kept for later use.
    fn trim(&self) -> Result<(), Error>;

    /// Takes memory of the host over, if that is what the device computes in.
    fn adopt(&self, host: HostMemory) -> Result<Memory, HostMemory>;

    /// Some bytes where they lie, if that is in the host's memory and they depend on no failure. Nobody may write
    /// them while the slice exists.
    fn slice<'a>(&self, memory: &'a Memory, offset: u64, bytes: u64) -> Option<&'a [u8]>;

    /// Copies bytes to an offset, after all that was queued before. Bytes beside them stay as they
    /// are, whoever writes those at the same time.
    fn write(&self, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Sets bytes, at least one, to copies of a pattern, which begins at the first. They are as `write` leaves them.
    fn fill(&self, memory: &Memory, bytes: Range<u64>, pattern: &[u8]) -> Result<(), Error>;

    /// Copies bytes from an offset, after all that was queued before has run; the error of that
    /// if it has failed.
    fn read(&self, memory: &Memory, offset: u64, out: &mut [u8]) -> Result<(), Error>;

    /// Takes whole words for a memory, from an offset on that is a multiple of four. Who takes them last clears what the
    /// bytes depended on.
    fn sink<'a>(&'a self, memory: &'a Memory, at: u64) -> Result<Box<dyn Sink + 'a>, Error>;

    /// Shows bytes where they lie in the host's memory, or where a device has copied them to: pieces of a multiple of
    /// `unit` bytes in their order. First `can_show` is asked, after all that was queued before has run.
    fn read_pieces(
        &self,
        memory: &Memory,
        bytes: Range<u64>,
        unit: usize,
        can_show: &mut dyn FnMut() -> Result<(), Error>,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error>;

    /// Begins to copy some bytes, from an offset on, or only to wait, after all that was queued before. The result
    /// waits for that and takes the bytes; or it gives the error of what they depend on.
    fn ask(self: Arc<Self>, from: Option<(&Memory, Range<u64>)>) -> Result<Receive, Error>;

    /// Lets a thread of the device's do something that waits for it. On a device whose launches are over when
    /// their calls return, the caller does it.
    fn later(&self, work: Work);

    /// Queues a copy between parts of one or two memories that do not overlap.
    fn copy(&self, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<(), Error>;

    /// Compiles a kernel for launches that fulfil all of its conditions.
    fn prepare(&self, kernel: &Arc<Loaded>) -> Result<(), Error>;

    /// Queues a kernel over workgroups; compiles it if need be.
    fn launch(&self, kernel: &Arc<Loaded>, groups: [u32; 3], args: &[Bound<'_>]) -> Result<(), Error>;

    /// Queues recorded work, in order and as one submission. Kernels are compiled before anything is queued.
    fn together(&self, steps: &[Step<'_>]) -> Result<(), Error>;

    /// Room for recorded work that is queued again; `None` if there is no quicker way than [`together`](Self::together).
    fn plan(&self) -> Option<Plan>;

    /// Notes some of the work in a plan: of what is `selected`, these steps at their places, and nothing to do where there
    /// is none. Kernels are compiled. Says whether the plan can hold all of it.
    fn note(&self, plan: &Plan, selected: &[bool], steps: &[Step<'_>], places: &[usize]) -> Result<bool, Error>;

    /// Queues a plan of so many parts with its buffers, which are what its parts were noted with.
    fn again<'a>(&self, plan: &Plan, count: usize, parts: &EachPart<'a>) -> Again;

    /// Submits what [`again`](Self::again) has queued.
    fn end_together(&self) -> Result<(), Error>;

    /// Begins to time launches.
    fn begin_timing(&self) -> Result<(), Error>;

    /// Ends that, waits for the launches, and gives their times.
    fn end_timing(&self) -> Result<Vec<Timed>, Error>;

    /// What kernels have said.
    fn board(&self) -> &Board;

    /// How many times a kernel was compiled for the device.
    fn compilations(&self) -> u64;

    /// Waits for everything that was queued, and reports what has failed.
    fn finish(&self) -> Result<(), Error> {
        let _left = trace::enter!("wait", device = self.control().name());
        self.control().finish()?;
        self.control().failures().report()
    }
}

/// An open device of one back end.
pub(crate) struct Opened<B: Backend> {
    /// Stand before the device: its memory and compiled kernels go before it is closed.
    board: Board,
    cache: Cache<B::Pipeline>,
    backend: B,
    waiter: Waiter,
    timing: Timing,
    usage: Arc<Usage>,
}

/// The bytes of all buffers that a program has passed.
fn bytes(kernel: &Loaded, args: &[Bound<'_>]) -> u64 {
    let params = args.iter().zip(&kernel.function().0.params).filter(|(_, param)| !param.is_messages());
    params.map(|(arg, _)| if let Bound::Buffer(part) = arg { part.bytes } else { 0 }).sum()
}

/// Waits for a copy and takes its bytes, as many as were asked for.
pub(crate) type Receive = Box<dyn FnOnce(&mut [u8]) -> Result<(), Error> + Send>;

impl<B: Backend> Opened<B> {
    /// The device, for handles to share.
    pub fn device(backend: B) -> Arc<dyn AnyDevice> {
        let (board, cache) = (Board::default(), Cache::default());
        let (waiter, timing, usage) = (Waiter::default(), Timing::default(), Arc::default());
        Arc::new(Self { board, cache, backend, waiter, timing, usage })
    }

    /// The back end's part.
    #[cfg(feature = "wgpu")]
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// Counts memory.
    #[cfg(feature = "wgpu")]
    pub(super) fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// Memory that the back end has made.
    fn made(&self, (memory, outcome): (B::Memory, Option<Arc<Outcome>>), bytes: u64) -> Memory {
        let memory = Memory::new(memory, self.usage.count(bytes));
        if let Some(outcome) = outcome {
            memory.doubts.add(0..bytes, &outcome);
        }
        memory
    }

    /// The memory as this back end's.
    fn own<'a>(&self, memory: &'a Memory) -> Result<&'a B::Memory, Error> {
        memory.of().ok_or_else(|| self.foreign())
    }

    /// Which launches a launch is one of.
    fn kind(&self, kernel: &Loaded, groups: [u32; 3], args: &[Bound<'_>]) -> LaunchKind {
        let fulfilled =
            if B::USES_CONDITIONS { conditions::fulfilled(self.backend.conditions(kernel), groups, args) } else { 0 };
        let is_large = self.backend.is_large(kernel, groups);
        LaunchKind { fulfilled: self.backend.form(kernel, fulfilled), is_large }
    }

    /// The kernel, compiled for a launch.
    fn pipeline(&self, kernel: &Arc<Loaded>, groups: [u32; 3], args: &[Bound<'_>]) -> Result<Arc<B::Pipeline>, Error> {
        self.cache.pipeline(&self.backend, kernel, self.kind(kernel, groups, args))
    }

    /// The kernels of recorded launches, compiled; `None` for other work.
    pub(super) fn pipelines(&self, steps: &[Step<'_>]) -> Result<Vec<Option<Arc<B::Pipeline>>>, Error> {
        // Launches in a row are often of one kernel, in one form. Then the cache need not be asked.
        let mut last: Option<(u64, LaunchKind, Arc<B::Pipeline>)> = None;
        let mut pipeline = |step: &Step<'_>| {
            let Step::Launch { kernel, groups, args } = step else { return Ok(None) };
            let kind = self.kind(kernel, *groups, args);
            if let Some((_, _, pipeline)) = last.as_ref().filter(|last| (last.0, last.1) == (kernel.number, kind)) {
                return Ok(Some(pipeline.clone()));
            }
            let pipeline = self.cache.pipeline(&self.backend, kernel, kind)?;
            last = Some((kernel.number, kind, pipeline.clone()));
            Ok(Some(pipeline))
        };
        steps.iter().map(&mut pipeline).collect()
    }

    /// Queues a compiled kernel over workgroups.
    fn dispatch(
        &self,
        kernel: &Loaded,
        pipeline: &B::Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_>],
    ) -> Result<(), Error> {
        let mut own = PerArgument::new(args.len(), Bound::Scalar(&[]));
        let own = own.as_mut_slice();
        for (own, arg) in own.iter_mut().zip(args) {
            *own = arg.of().ok_or_else(|| self.foreign())?;
        }
        self.dispatch_own(kernel, pipeline, groups, args, own)
    }

    /// The same with the arguments also as the back end's.
    fn dispatch_own(
        &self,
        kernel: &Loaded,
        pipeline: &B::Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_>],
        own: &[Bound<'_, &B::Memory>],
    ) -> Result<(), Error> {
        let [x, y, z] = groups;
        let _left = trace::enter!("launch", device = self.backend.name(), kernel = kernel.name, x = x, y = y, z = z);
        let inherited = Inherited::of(args);
        let is_timed = self.timing.is_running();
        let begin = if is_timed { self.timing.now() } else { 0 };
        let queued = self.backend.dispatch(kernel, pipeline, groups, own, &inherited)?;
        outcome::launched(kernel, args, &queued, &inherited);
        if is_timed {
            if B::QUEUES && queued.number.is_none() {
                self.backend.finish()?;
            }
            let launch =
                Timed { kernel: kernel.name.clone(), bytes: bytes(kernel, args), time: [begin, self.timing.now()] };
            self.timing.note(launch, queued.number);
        }
        queued.afterwards
    }

    /// Sets bytes to copies of a pattern, by queued work if the back end can.
    fn fill_later(&self, memory: &Memory, bytes: Range<u64>, pattern: &[u8]) -> Result<(), Error> {
        match self.backend.fill(self.own(memory)?, bytes.clone(), pattern)? {
            Some(outcome) => {
                memory.doubts.clear(bytes.clone());
                memory.doubts.add(bytes, &outcome);
                Ok(())
            }
            None => self.fill_at_once(memory, bytes, pattern),
        }
    }

    /// Sets bytes to copies of a pattern, by writing them.
    fn fill_at_once(&self, memory: &Memory, bytes: Range<u64>, pattern: &[u8]) -> Result<(), Error> {
        let copies = (FILL / pattern.len()).max(1);
        let some = pattern.repeat(copies.min(((bytes.end - bytes.start) / pattern.len() as u64) as usize));
        let mut at = bytes.start;
        while at < bytes.end {
            let few = (bytes.end - at).min(some.len() as u64);
            self.write(memory, at, &some[..few as usize])?;
            at += few;
        }
        Ok(())
    }

    /// The error for memory of another back end, which callers rule out.
    fn foreign(&self) -> Error {
        let reason = "it was given a buffer of another device".to_owned();
        Error::Driver { device: self.backend.name().to_owned(), reason }
    }
}

impl<B: Backend> AnyDevice for Opened<B> {
    fn control(&self) -> &dyn Control {
        &self.backend
    }

    fn other_way(&self) -> Option<Result<Arc<dyn AnyDevice>, Error>> {
        Some(self.backend.other_way()?.map(Self::device))
    }

    fn zeros(&self, bytes: u64) -> Result<Memory, Error> {
        Ok(self.made(self.backend.zeros(bytes)?, bytes))
    }

    fn uninitialised(&self, bytes: u64) -> Result<Memory, Error> {
        Ok(self.made(self.backend.uninitialised(bytes)?, bytes))
    }

    fn memory_use(&self) -> MemoryUse {
        self.usage.told(self.backend.kept_bytes())
    }

    fn trim(&self) -> Result<(), Error> {
        self.backend.trim()
    }

    fn adopt(&self, host: HostMemory) -> Result<Memory, HostMemory> {
        let bytes = host.bytes();
        Ok(Memory::new(self.backend.adopt(host)?, self.usage.count(bytes as u64)))
    }

    fn slice<'a>(&self, memory: &'a Memory, offset: u64, bytes: u64) -> Option<&'a [u8]> {
        if memory.doubts.has_failure(offset..offset + bytes) {
            return None;
        }
        self.backend.slice(memory.of()?, offset, bytes)
    }

    fn write(&self, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let _left = trace::enter!("transfer", device = self.backend.name(), kind = "write", bytes = bytes.len());
        let queued = self.backend.write(self.own(memory)?, offset, bytes)?;
        let range = offset..offset + bytes.len() as u64;
        memory.doubts.clear(range.clone());
        if let Some(outcome) = queued {
            memory.doubts.add(range, &outcome);
        }
        Ok(())
    }

    fn fill(&self, memory: &Memory, bytes: Range<u64>, pattern: &[u8]) -> Result<(), Error> {
        let _left =
            trace::enter!("transfer", device = self.backend.name(), kind = "fill", bytes = bytes.end - bytes.start);
        // Few bytes are written as they are.
        let len = ((FILL / pattern.len()).max(1) * pattern.len()) as u64;
        if len < bytes.end - bytes.start {
            self.fill_later(memory, bytes, pattern)
        } else {
            self.fill_at_once(memory, bytes, pattern)
        }
    }

    fn read(&self, memory: &Memory, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let _left = trace::enter!("transfer", device = self.backend.name(), kind = "read", bytes = out.len());
        self.backend.read(self.own(memory)?, offset, out)?;
        // Reading has waited for what the bytes depend on.
        memory.doubts.check(offset..offset + out.len() as u64)
    }

    fn sink<'a>(&'a self, memory: &'a Memory, at: u64) -> Result<Box<dyn Sink + 'a>, Error> {
        Ok(self.backend.sink(self.own(memory)?, at))
    }

    fn read_pieces(
        &self,
        memory: &Memory,
        bytes: Range<u64>,
        unit: usize,
        can_show: &mut dyn FnMut() -> Result<(), Error>,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        let mut allowed = || memory.doubts.check(bytes.clone()).and_then(|()| can_show());
        self.backend.read_pieces(self.own(memory)?, bytes.clone(), unit, &mut allowed, show)
    }

    fn ask(self: Arc<Self>, from: Option<(&Memory, Range<u64>)>) -> Result<Receive, Error> {
        let own = match &from {
            Some((memory, range)) => Some((self.own(memory)?, range.start, range.end - range.start)),
            None => None,
        };
        let asked = self.backend.ask(own)?;
        let outcomes = from.map_or_else(Vec::new, |(memory, range)| memory.doubts.outcomes(range));
        Ok(Box::new(move |out| {
            let _left = match out.len() {
                0 => trace::enter!("wait", device = self.backend.name()),
                bytes => trace::enter!("transfer", device = self.backend.name(), kind = "read", bytes = bytes),
            };
            self.backend.receive(asked, out)?;
            // The copy has waited for what it depends on.
            outcomes.iter().find_map(|outcome| outcome.tell()).map_or(Ok(()), Err)
        }))
    }

    fn later(&self, work: Work) {
        if !B::QUEUES {
            work();
        } else if let Err(work) = self.backend.when_done(work) {
            self.waiter.run(work);
        }
    }

    fn copy(&self, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<(), Error> {
        let _left = trace::enter!("transfer", device = self.backend.name(), kind = "copy", bytes = bytes);
        let own = self.backend.copy((self.own(from.0)?, from.1), (self.own(to.0)?, to.1), bytes)?;
        outcome::copied(from, to, bytes, own.as_ref());
        Ok(())
    }

    fn prepare(&self, kernel: &Arc<Loaded>) -> Result<(), Error> {
        let all = if B::USES_CONDITIONS { conditions::all(self.backend.conditions(kernel)) } else { 0 };
        let kind = LaunchKind::of(self.backend.form(kernel, all));
        self.cache.pipeline(&self.backend, kernel, kind)?;
        if self.backend.is_large(kernel, [u32::MAX; 3]) && self.backend.has_large_form(kernel) {
            self.cache.pipeline(&self.backend, kernel, LaunchKind { is_large: true, ..kind })?;
        }
        Ok(())
    }

    fn launch(&self, kernel: &Arc<Loaded>, groups: [u32; 3], args: &[Bound<'_>]) -> Result<(), Error> {
        let pipeline = self.pipeline(kernel, groups, args)?;
        self.dispatch(kernel, &pipeline, groups, args)
    }

    fn together(&self, steps: &[Step<'_>]) -> Result<(), Error> {
        let _left = trace::enter!("replay", device = self.backend.name(), steps = steps.len());
        let pipelines = self.pipelines(steps)?;
        self.backend.begin_together();
        let mut own = Vec::new();
        let queued = steps.iter().zip(&pipelines).try_for_each(|(step, pipeline)| match (step, pipeline) {
            (Step::Launch { kernel, groups, args }, Some(pipeline)) => {
                own.clear();
                for arg in *args {
                    own.push(arg.of().ok_or_else(|| self.foreign())?);
                }
                self.dispatch_own(kernel, pipeline, *groups, args, &own)
            }
            (Step::Launch { kernel, groups, args }, None) => self.launch(kernel, *groups, args),
            (Step::Fill { memory, bytes, pattern }, _) => self.fill_later(memory, bytes.clone(), pattern),
            (Step::Copy { from, to, bytes }, _) => self.copy(*from, *to, *bytes),
        });
        let submitted = self.backend.end_together();
        queued.and(submitted)
    }

    fn plan(&self) -> Option<Plan> {
        self.backend.plan().map(Plan::new)
    }

    fn note(&self, plan: &Plan, selected: &[bool], steps: &[Step<'_>], places: &[usize]) -> Result<bool, Error> {
        let plan = plan.of::<B::Plan>().ok_or_else(|| self.foreign())?;
        let pipelines = self.pipelines(steps)?;
        let mut steps = places.iter().zip(steps.iter().zip(&pipelines)).peekable();
        for at in (0..selected.len()).filter(|at| selected[*at]) {
            let step = steps.next_if(|(place, _)| **place == at).map(|(_, step)| step);
            let pipeline = step.and_then(|(_, pipeline)| pipeline.as_ref());
            if !self.backend.note(plan, at, step.map(|(step, _)| step), pipeline)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn again<'a>(&self, plan: &Plan, count: usize, parts: &EachPart<'a>) -> Again {
        let Some(plan) = plan.of::<B::Plan>() else { return Again::NotNow };
        // Launches that are timed or told of are queued one by one.
        if self.timing.is_running() || trace::is_on() {
            return Again::NotNow;
        }
        let mut inherited = Inherited::default();
        parts(&mut |part| inherited.add_of(part.memory, part.bytes));
        let each = |f: &mut dyn FnMut(&B::Memory)| parts(&mut |part| part.memory.of().into_iter().for_each(&mut *f));
        let outcome = match self.backend.again(plan, count, &each, &inherited) {
            Ok(outcome) => outcome,
            Err(why) => return why,
        };
        parts(&mut |part| {
            if part.written {
                part.memory.doubts.become_only(part.bytes, &outcome);
            }
        });
        Again::Queued
    }

    fn end_together(&self) -> Result<(), Error> {
        self.backend.end_together()
    }

    fn begin_timing(&self) -> Result<(), Error> {
        // Launches are waited for, and there is no clock of the host's.
        if !CAN_WAIT {
            return Err(Error::CannotWait { device: self.backend.name().to_owned() });
        }
        if !self.timing.begin() {
            return Err(Error::Profiled { device: self.backend.name().to_owned() });
        }
        self.backend.start_clock().inspect_err(|_| _ = self.timing.end(&[]))
    }

    fn end_timing(&self) -> Result<Vec<Timed>, Error> {
        let times = self.backend.stop_clock();
        let launches = self.timing.end(times.as_deref().unwrap_or_default());
        times.map(|_| launches)
    }

    fn board(&self) -> &Board {
        &self.board
    }

    fn compilations(&self) -> u64 {
        self.cache.compilations()
    }
}
