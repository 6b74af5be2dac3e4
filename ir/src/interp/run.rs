//! Launches: workgroups over threads, invocations up to barriers, one code at a time.
//!
//! Workgroups are handed out in order. After a fault in one, those before it run to their end.
//! So the reported fault is that of the first workgroup that has one, whatever the number of
//! threads.
//!
//! Threads count steps for themselves and add them to the launch in portions; the sum is
//! compared with the limit there and, exactly, at the end. The steps of each invocation are
//! counted as well: many invocations that run long are work, one that does is a mistake.
//! Invocations that take turns have a common limit too, because an endless loop of all of them
//! would otherwise take as many times as long to be found.
//!
//! Memory for workgroups may be refused. Then there are fewer threads, and a fault if there is
//! not enough for one.

use super::compile::{Code, LoopInfo, PlaceCode, Program, ProgramParamKind, RootCode, Slot};
use super::memory;
use super::watch::{Unwatched, Watch};
use super::{Arg, Fault, Options, Report};
use crate::diag::count;
use crate::loc::Loc;
use crate::ops::{AtomicOp, SUBGROUP_SIZE};
use crate::scalar::Lanes;
use crate::types::{Scalar, Type};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Steps that a worker keeps to itself.
const PORTION: u64 = 1 << 16;

/// How many times the steps of one those invocations may take together that take turns.
pub(super) const TOGETHER: u64 = 16;

impl Program {
    /// Runs a launch of this many workgroups on x, y, z. The arguments are those of the
    /// parameters, in order.
    pub fn run(&self, groups: [u32; 3], args: &[Arg<'_>], options: &Options) -> Result<Report, Fault> {
        let (launch, total) = self.prepare(groups, args, options.max_steps)?;
        let own = launch.room()?;
        let threads = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let threads = threads.min(usize::try_from(total).unwrap_or(usize::MAX));
        if threads <= 1 {
            launch.work(own);
        } else {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    // Where no thread can be had, or no memory for it, the others do its work.
                    let work = || launch.room().map(|room| launch.work(room));
                    let _ = std::thread::Builder::new().spawn_scoped(scope, work);
                }
                launch.work(own);
            });
        }
        launch.finish()
    }

    /// The launch and its number of workgroups, before any has run.
    pub(super) fn prepare<'a>(
        &'a self,
        groups: [u32; 3],
        args: &[Arg<'a>],
        max_steps: Option<u64>,
    ) -> Result<(Launch<'a>, u64), Fault> {
        let (buffers, frame) = self.bind(args)?;
        self.require(args)?;
        let total = groups.iter().try_fold(1_u64, |n, &axis| n.checked_mul(u64::from(axis)));
        let Some(total) = total else {
            return Err(self.refuse(format!("too many workgroups: {groups:?}")));
        };
        let launch = Launch {
            program: self,
            groups,
            buffers,
            frame,
            max_steps: max_steps.unwrap_or(u64::MAX),
            next: AtomicU64::new(0),
            end: AtomicU64::new(total),
            steps: AtomicU64::new(0),
            out_of_bounds: AtomicU64::new(0),
            fault: Mutex::new(None),
        };
        Ok((launch, total))
    }

    /// The buffers by parameter and the frame with the scalars set.
    fn bind<'a>(&self, args: &[Arg<'a>]) -> Result<(Vec<View<'a>>, Vec<u64>), Fault> {
        let mut frame = self.frame.clone();
        let mut buffers = Vec::with_capacity(args.len());
        if args.len() != self.params.len() {
            return Err(self.refuse(format!("takes {}, not {}", count(self.params.len(), "argument"), args.len())));
        }
        for (param, arg) in self.params.iter().zip(args) {
            let name = &param.name;
            let view = |words, base, room: usize, len, stride| {
                let (bytes, room) = (u64::from(len) * u64::from(stride), room as u64);
                if bytes > room {
                    let message =
                        format!("argument `{name}`: {len} elements are {bytes} bytes, but the buffer has {room}");
                    return Err(self.refuse(message));
                }
                Ok(View { words, base, bytes, len })
            };
            let view = match (param.kind, *arg) {
                (ProgramParamKind::Buffer { stride }, Arg::Buffer { words, offset, len }) => {
                    view(words.words(), offset, words.bytes().saturating_sub(offset), len, stride)?
                }
                (ProgramParamKind::Buffer { stride }, Arg::Words { words, len, .. }) => {
                    view(words, 0, size_of_val(words), len, stride)?
                }
                (ProgramParamKind::Scalar { ty, slot }, Arg::Scalar(lanes)) => {
                    set_scalar(&mut frame, slot, ty, lanes);
                    View::default()
                }
                (ProgramParamKind::Buffer { .. }, Arg::Scalar(_)) => {
                    return Err(self.refuse(format!("argument `{name}` must be a buffer, not a scalar")));
                }
                (ProgramParamKind::Scalar { .. }, Arg::Buffer { .. } | Arg::Words { .. }) => {
                    return Err(self.refuse(format!("argument `{name}` must be a scalar, not a buffer")));
                }
            };
            buffers.push(view);
        }
        Ok((buffers, frame))
    }

    /// Whether the arguments satisfy what the kernel requires.
    fn require(&self, args: &[Arg<'_>]) -> Result<(), Fault> {
        let (requires, params) = &self.requires;
        let arg = |index: u32| args.get(index as usize);
        for requirement in requires {
            let len = |index| match arg(index) {
                Some(Arg::Buffer { len, .. } | Arg::Words { len, .. }) => *len,
                Some(Arg::Scalar(_)) | None => 0,
            };
            let bits = |index| match arg(index) {
                Some(Arg::Scalar([bits, ..])) => *bits,
                Some(Arg::Words { most: Some(most), .. }) => (*most).into(),
                Some(buffer) => greatest(buffer).into(),
                None => 0,
            };
            if let Some(numbers) = requirement.broken(params, len, bits) {
                let [left, right] = requirement.sides(params);
                let reason = requirement.complaint([&left, &right], numbers);
                return Err(Fault::Requirement { kernel: self.name.clone(), reason, loc: requirement.loc });
            }
        }
        Ok(())
    }

    fn refuse(&self, reason: String) -> Fault {
        Fault::Arguments { kernel: self.name.clone(), reason }
    }
}

/// The greatest of the words of a buffer; 0 of a scalar.
fn greatest(arg: &Arg<'_>) -> u32 {
    match *arg {
        Arg::Buffer { words, offset, len } => {
            let words = words.words().get(offset / 4..).unwrap_or_default();
            words.iter().take(len as usize).map(|word| word.load(Relaxed)).max().unwrap_or(0)
        }
        Arg::Words { words, len, .. } => {
            words.iter().take(len as usize).map(|word| word.load(Relaxed)).max().unwrap_or(0)
        }
        Arg::Scalar(_) => 0,
    }
}

fn set_scalar(frame: &mut [u64], slot: Slot, ty: Type, lanes: Lanes) {
    for (to, bits) in frame[slot as usize..].iter_mut().zip(lanes).take(ty.lanes()) {
        *to = match ty.lane() {
            Some(Scalar::Bool) => u64::from(bits != 0),
            Some(scalar) => bits & scalar.mask(),
            None => 0,
        };
    }
}

/// A stretch of memory.
#[derive(Clone, Copy, Default)]
pub(super) struct View<'a> {
    words: &'a [AtomicU32],
    /// Where it begins, in bytes.
    base: usize,
    bytes: u64,
    len: u32,
}

/// What the workers of a launch share.
pub(super) struct Launch<'a> {
    pub(super) program: &'a Program,
    pub(super) groups: [u32; 3],
    /// By parameter; scalars have an empty view.
    buffers: Vec<View<'a>>,
    pub(super) frame: Vec<u64>,
    pub(super) max_steps: u64,
    /// The next workgroup to hand out.
    next: AtomicU64,
    /// Workgroups from here on need not run.
    end: AtomicU64,
    steps: AtomicU64,
    out_of_bounds: AtomicU64,
    /// The fault of the first workgroup that has one.
    fault: Mutex<Option<(u64, Fault)>>,
}

/// What a worker has of its own.
pub(super) struct Worker<'a> {
    pub(super) launch: &'a Launch<'a>,
    shared: Box<[AtomicU32]>,
    pub(super) steps: u64,
    pub(super) out_of_bounds: u64,
}

/// The builtins, by wire number less one.
pub(super) type Ids = [u32; 16];

/// Where an invocation stopped.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    Barrier {
        loc: Loc,
        next: usize,
    },
    Returned,
    /// Its [`Watch`] wants something else to run first.
    Paused {
        next: usize,
    },
}

/// Why a workgroup ended early.
pub(super) enum Abort {
    /// The launch is over.
    StepLimit,
    /// An invocation, by its place in the workgroup, took too many steps and stands at a position.
    /// Or it and others did that it takes turns with, so many in all.
    Endless {
        invocation: u32,
        at: usize,
        together: Option<u64>,
    },
    Unreachable(Loc),
    Divergent {
        barrier: Loc,
        waiting: u32,
        other: u32,
        other_barrier: Option<Loc>,
    },
}

impl Launch<'_> {
    /// The memory of a worker.
    fn room(&self) -> Result<(Worker<'_>, GroupState), Fault> {
        let program = self.program;
        let invocations = if program.has_barrier { program.volume() as usize } else { 1 };
        let room = Worker::new(self).zip(GroupState::new(program, &self.frame, invocations));
        room.ok_or_else(|| self.no_room(invocations))
    }

    /// The fault that there is not enough memory for a workgroup with this many invocations in flight.
    pub(super) fn no_room(&self, invocations: usize) -> Fault {
        let program = self.program;
        let each = 8 * self.frame.len() as u64 + 4 * program.private_words as u64;
        let bytes = each.saturating_mul(invocations as u64).saturating_add(4 * program.shared_words as u64);
        Fault::OutOfMemory { kernel: program.name.clone(), bytes }
    }

    /// Takes workgroups until none is left.
    fn work(&self, (mut worker, mut state): (Worker<'_>, GroupState)) {
        loop {
            // The hand-out stops at the end, so the counter cannot wrap.
            let group = self.next.load(Relaxed);
            if group >= self.end.load(Relaxed) {
                break;
            }
            if self.next.compare_exchange_weak(group, group + 1, Relaxed, Relaxed).is_err() {
                continue;
            }
            if let Err(abort) = worker.group(self.place_of(group), &mut state) {
                self.abort(group, abort);
            }
        }
        self.steps.fetch_add(worker.steps, Relaxed);
        self.out_of_bounds.fetch_add(worker.out_of_bounds, Relaxed);
    }

    pub(super) fn place_of(&self, group: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(u64::from);
        [(group % x) as u32, (group / x % y) as u32, (group / x / y) as u32]
    }

    /// What ended a workgroup early, for users.
    pub(super) fn fault(&self, group: u64, abort: Abort) -> Fault {
        let program = self.program;
        let kernel = program.name.clone();
        let place = self.place_of(group);
        match abort {
            Abort::StepLimit => Fault::StepLimit { kernel, limit: self.max_steps },
            Abort::Endless { invocation, at, together } => {
                let ids = program.ids(self.groups, place, invocation);
                let around = |info: &&LoopInfo| (info.start as usize..info.end as usize).contains(&at);
                // Each loop stands before those inside it.
                let loops = program.loops.iter().filter(around).rev().map(|info| info.loc).collect();
                let limit = program.invocation_steps.saturating_mul(if together.is_some() { TOGETHER } else { 1 });
                Fault::Endless { kernel, invocation: [ids[0], ids[1], ids[2]], together, loops, limit }
            }
            Abort::Unreachable(loc) => Fault::Unreachable { kernel, group: place, loc },
            Abort::Divergent { barrier, waiting, other, other_barrier } => Fault::DivergentBarrier {
                kernel,
                group: place,
                barrier,
                waiting: program.local_id(waiting),
                other: program.local_id(other),
                other_barrier,
                rounds: None,
            },
        }
    }

    fn abort(&self, group: u64, abort: Abort) {
        if let Abort::StepLimit = abort {
            self.end.store(0, Relaxed);
            return;
        }
        let fault = self.fault(group, abort);
        self.end.fetch_min(group, Relaxed);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(earlier, _)| group < *earlier) {
            *first = Some((group, fault));
        }
    }

    fn finish(self) -> Result<Report, Fault> {
        let steps = self.steps.into_inner();
        if steps > self.max_steps {
            return Err(Fault::StepLimit { kernel: self.program.name.clone(), limit: self.max_steps });
        }
        match self.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, fault)) => Err(fault),
            None => Ok(Report { steps, out_of_bounds: self.out_of_bounds.into_inner() }),
        }
    }
}

/// Frames and private memory: those of a whole group if there are barriers, else those
/// of one invocation, used again and again.
struct GroupState {
    frames: Vec<u64>,
    private: Box<[AtomicU32]>,
    /// Of each invocation where it stopped, and the steps that it took so far.
    stops: Vec<Stop>,
    taken: Vec<u64>,
}

impl GroupState {
    /// For so many invocations in flight; nothing if there is no memory.
    fn new(program: &Program, frame: &[u64], invocations: usize) -> Option<Self> {
        let mut state = Self {
            frames: memory::try_frames(frame, invocations)?,
            private: memory::try_zeroed(program.private_words.checked_mul(invocations)?)?,
            stops: Vec::new(),
            taken: Vec::new(),
        };
        state.stops.try_reserve_exact(invocations).ok()?;
        state.taken.try_reserve_exact(invocations).ok()?;
        Some(state)
    }
}

impl Program {
    /// Invocations of a workgroup.
    pub(super) fn volume(&self) -> u32 {
        self.workgroup_size.iter().fold(1, |n: u32, &axis| n.saturating_mul(axis))
    }

    pub(super) fn local_id(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.workgroup_size;
        [index % x, index / x % y, index / x / y]
    }

    pub(super) fn ids(&self, groups: [u32; 3], group: [u32; 3], index: u32) -> Ids {
        let local = self.local_id(index);
        let mut ids = [0; 16];
        for axis in 0..3 {
            ids[axis] = group[axis].wrapping_mul(self.workgroup_size[axis]).wrapping_add(local[axis]);
            ids[3 + axis] = local[axis];
            ids[6 + axis] = group[axis];
            ids[9 + axis] = groups[axis];
        }
        ids[12] = index;
        ids[13] = index / SUBGROUP_SIZE;
        ids[14] = index % SUBGROUP_SIZE;
        ids[15] = self.volume().div_ceil(SUBGROUP_SIZE);
        ids
    }
}

impl<'a> Worker<'a> {
    /// A worker whose workgroup memory is zero; nothing if there is no memory.
    pub(super) fn new(launch: &'a Launch<'a>) -> Option<Self> {
        let shared = memory::try_zeroed(launch.program.shared_words)?;
        Some(Self { launch, shared, steps: 0, out_of_bounds: 0 })
    }

    fn group(&mut self, group: [u32; 3], state: &mut GroupState) -> Result<(), Abort> {
        let (program, groups) = (self.launch.program, self.launch.groups);
        self.shared.iter().for_each(|word| word.store(0, Relaxed));
        let volume = program.volume();
        if !program.has_barrier {
            for index in 0..volume {
                state.private.iter().for_each(|word| word.store(0, Relaxed));
                let ids = program.ids(groups, group, index);
                self.resume(&mut state.frames, 0, (&ids, &mut 0), &state.private, &mut Unwatched)?;
            }
            return Ok(());
        }
        state.private.iter().for_each(|word| word.store(0, Relaxed));
        let start = Stop::Barrier { loc: Loc::NONE, next: 0 };
        state.stops.clear();
        state.stops.resize(volume as usize, start);
        state.taken.clear();
        state.taken.resize(volume as usize, 0);
        let (frame, private) = (program.frame.len(), program.private_words);
        // All invocations wait at the same barrier, the first time at the start.
        while let Some(&Stop::Barrier { next, .. }) = state.stops.first() {
            for (i, (stop, taken)) in state.stops.iter_mut().zip(&mut state.taken).enumerate() {
                let ids = program.ids(groups, group, i as u32);
                let frame = &mut state.frames[i * frame..][..frame];
                let private = &state.private[i * private..][..private];
                *stop = self.resume(frame, next, (&ids, taken), private, &mut Unwatched)?;
            }
            same_stop(&state.stops)?;
            if let Some(&Stop::Barrier { next, .. }) = state.stops.first() {
                program.exchange(next, &mut state.frames);
                let steps = state.taken.iter().fold(0, |sum: u64, &taken| sum.saturating_add(taken));
                if steps > program.invocation_steps.saturating_mul(TOGETHER) {
                    // All of them wait there.
                    let together = Some(volume.into());
                    return Err(Abort::Endless { invocation: 0, at: next.saturating_sub(1), together });
                }
            }
        }
        Ok(())
    }

    /// Runs an invocation from a position to its next barrier or its end, or until it is paused.
    /// It has its ids, and the number of steps that it has taken.
    pub(super) fn resume<W: Watch>(
        &mut self,
        frame: &mut [u64],
        at: usize,
        (ids, taken): (&Ids, &mut u64),
        private: &[AtomicU32],
        watch: &mut W,
    ) -> Result<Stop, Abort> {
        let program = self.launch.program;
        let limit = program.invocation_steps;
        let portion = PORTION.min(limit);
        let endless = |at| Err(Abort::Endless { invocation: ids[12], at, together: None });
        let mut pc = at;
        let mut steps = 0;
        let stop = loop {
            let code = &program.code[pc];
            pc += 1;
            steps += 1;
            match *code {
                Code::Lane { f, ty, out, args } => {
                    frame[out as usize] = f(ty, args.map(|slot| frame[slot as usize]));
                }
                Code::Move { out, from } => frame[out as usize] = frame[from as usize],
                Code::Select { out, condition, yes, no } => {
                    let from = if frame[condition as usize] != 0 { yes } else { no };
                    frame[out as usize] = frame[from as usize];
                }
                Code::Eval(index) => program.eval(index, frame),
                Code::Load { .. } | Code::Store { .. } | Code::Atomic { .. } if W::WATCHES => {
                    if self.watched(code, frame, private, watch).is_none() {
                        // The access comes again when the invocation goes on.
                        steps -= 1;
                        break Ok(Stop::Paused { next: pc - 1 });
                    }
                }
                Code::Load { place, out } => self.load(&program.places[place as usize], out, frame, private),
                Code::Store { place, from } => self.store(&program.places[place as usize], from, frame, private),
                Code::Atomic { op, order, place, args, out } => {
                    let args = args.map(|slot| frame[slot as usize]);
                    memory::fence_before(order.ordering, order.scope);
                    let old = self.atomic(op, &program.places[place as usize], args, frame, private);
                    memory::fence_after(order.ordering, order.scope);
                    if op != AtomicOp::Store {
                        frame[out as usize] = old;
                    }
                }
                Code::Len { param, out } => {
                    frame[out as usize] = self.launch.buffers.get(param as usize).map_or(0, |view| u64::from(view.len));
                }
                Code::Builtin { index, out } => frame[out as usize] = u64::from(ids[index as usize]),
                Code::Barrier(loc) | Code::Subgroup(_, loc) => break Ok(Stop::Barrier { loc, next: pc }),
                Code::Fence(ordering, scope) => {
                    memory::fence(ordering, scope);
                    if W::WATCHES {
                        watch.fence(ordering, scope);
                    }
                }
                Code::Jump(target) => pc = target as usize,
                Code::JumpIfFalse { condition, target } => {
                    if frame[condition as usize] == 0 {
                        pc = target as usize;
                    }
                }
                Code::JumpBack { target, index } => {
                    pc = target as usize;
                    if W::WATCHES && watch.round(index, frame, private) {
                        break Ok(Stop::Paused { next: pc });
                    }
                    if steps >= portion {
                        *taken += steps;
                        self.steps += std::mem::take(&mut steps);
                        if *taken > limit {
                            break endless(pc);
                        }
                        if self.steps >= PORTION {
                            self.spend()?;
                        }
                    }
                }
                Code::Switch { selector, table } => {
                    let switch = &program.switches[table as usize];
                    let found = switch.cases.binary_search_by_key(&frame[selector as usize], |&(value, _)| value);
                    pc = found.map_or(switch.default, |i| switch.cases[i].1) as usize;
                }
                Code::Return => break Ok(Stop::Returned),
                Code::Unreachable(loc) => break Err(Abort::Unreachable(loc)),
            }
        };
        *taken += steps;
        self.steps += steps;
        if self.steps >= PORTION {
            self.spend()?;
        }
        match stop {
            Ok(Stop::Barrier { next, .. }) if *taken > limit => endless(next.saturating_sub(1)),
            Ok(Stop::Paused { next }) if *taken > limit => endless(next),
            stop => stop,
        }
    }

    /// Gives the steps so far to the launch.
    fn spend(&mut self) -> Result<(), Abort> {
        let steps = std::mem::take(&mut self.steps);
        let before = self.launch.steps.fetch_add(steps, Relaxed);
        if before.saturating_add(steps) > self.launch.max_steps { Err(Abort::StepLimit) } else { Ok(()) }
    }

    /// The memory and the byte address in it, or `None`, counted, out of bounds.
    #[inline]
    pub(super) fn resolve<'m>(
        &'m self,
        place: &PlaceCode,
        frame: &[u64],
        private: &'m [AtomicU32],
    ) -> Option<(&'m [AtomicU32], usize)> {
        let (words, base, bytes) = match place.root {
            RootCode::Param(param) => {
                let view = self.launch.buffers.get(param as usize)?;
                (view.words, view.base, view.bytes)
            }
            RootCode::Shared { base, bytes } => (&*self.shared, base, bytes),
            RootCode::Private { base, bytes } => (private, base, bytes),
            RootCode::Table { base, bytes } => (self.launch.program.tables.words(), base, bytes),
        };
        let mut at = place.offset;
        for index in &place.indices {
            let value = frame[index.slot as usize];
            if value >= index.bound {
                return None;
            }
            // Saturation is beyond the end of any memory.
            at = at.saturating_add(value * u64::from(index.stride));
        }
        let size = place.size();
        (at.saturating_add(size) <= bytes).then(|| (words, base + at as usize))
    }

    pub(super) fn load(&mut self, place: &PlaceCode, out: Slot, frame: &mut [u64], private: &[AtomicU32]) {
        let size = place.scalar.size() as usize;
        let lanes = out as usize..out as usize + place.lanes;
        if let Some((words, at)) = self.resolve(place, frame, private) {
            for (i, slot) in frame[lanes].iter_mut().enumerate() {
                let bits = memory::load(words, at + i * size, size);
                *slot = if place.scalar == Scalar::Bool { u64::from(bits != 0) } else { bits };
            }
        } else {
            frame[lanes].fill(0);
            self.out_of_bounds += 1;
        }
    }

    pub(super) fn store(&mut self, place: &PlaceCode, from: Slot, frame: &[u64], private: &[AtomicU32]) {
        let size = place.scalar.size() as usize;
        if let Some((words, at)) = self.resolve(place, frame, private) {
            for (i, &bits) in frame[from as usize..].iter().take(place.lanes).enumerate() {
                memory::store(words, at + i * size, size, bits);
            }
        } else {
            self.out_of_bounds += 1;
        }
    }

    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        place: &PlaceCode,
        args: [u64; 2],
        frame: &[u64],
        private: &[AtomicU32],
    ) -> u64 {
        // The checks admit only places that are aligned; buffers begin at words.
        let size = place.scalar.size() as usize;
        let place_of = self.resolve(place, frame, private).filter(|(_, at)| at.is_multiple_of(size.min(4)));
        let Some((words, at)) = place_of else {
            self.out_of_bounds += 1;
            return 0;
        };
        memory::update(words, at, size, |old| op.apply(place.scalar, old, args))
    }
}

impl Program {
    /// Does what the subgroups of a workgroup do together that stopped before a position, if
    /// that is a subgroup op; at a barrier they do nothing.
    pub(super) fn exchange(&self, next: usize, frames: &mut [u64]) {
        let Some(&Code::Subgroup(index, _)) = next.checked_sub(1).and_then(|at| self.code.get(at)) else { return };
        let Some(exchange) = self.subgroups.get(index as usize) else { return };
        let frame = self.frame.len();
        for subgroup in frames.chunks_mut(frame * SUBGROUP_SIZE as usize) {
            let of = |slot: Slot| -> Vec<u64> { subgroup.chunks(frame).map(|frame| frame[slot as usize]).collect() };
            let argument = of(exchange.argument);
            let lanes: Vec<Vec<u64>> = (0..exchange.lanes)
                .map(|lane| exchange.op.apply(exchange.ty, &of(exchange.value + lane), &argument))
                .collect();
            for (lane, results) in (exchange.out..).zip(lanes) {
                for (frame, result) in subgroup.chunks_mut(frame).zip(results) {
                    frame[lane as usize] = result;
                }
            }
        }
    }

    /// Whether those who stopped before a position did so at a barrier.
    pub(super) fn is_barrier(&self, next: usize) -> bool {
        matches!(next.checked_sub(1).and_then(|at| self.code.get(at)), Some(Code::Barrier(_)))
    }

    fn eval(&self, index: u32, frame: &mut [u64]) {
        let eval = &self.evals[index as usize];
        let mut args = [[0; 4]; 3];
        for ((arg, &slot), ty) in args.iter_mut().zip(&eval.args).zip(&eval.types) {
            arg[..ty.lanes()].copy_from_slice(&frame[slot as usize..][..ty.lanes()]);
        }
        let value = eval.op.eval(&eval.types, eval.result, &args[..eval.args.len().min(3)]);
        let lanes = eval.result.lanes();
        frame[eval.out as usize..][..lanes].copy_from_slice(&value[..lanes]);
    }
}

/// Whether all invocations stopped at the same place.
pub(super) fn same_stop(stops: &[Stop]) -> Result<(), Abort> {
    let position = |stop: &Stop| match stop {
        Stop::Barrier { next, .. } => Some(*next),
        Stop::Returned | Stop::Paused { .. } => None,
    };
    let Some(first) = stops.first() else { return Ok(()) };
    let Some(other) = stops.iter().position(|stop| position(stop) != position(first)) else { return Ok(()) };
    // One of the two waits at a barrier; the first one if both do.
    let (waiting, other) = if position(first).is_some() { (0, other) } else { (other, 0) };
    let loc = |i: usize| match stops[i] {
        Stop::Barrier { loc, .. } => Some(loc),
        Stop::Returned | Stop::Paused { .. } => None,
    };
    let barrier = loc(waiting).unwrap_or_default();
    Err(Abort::Divergent { barrier, waiting: waiting as u32, other: other as u32, other_barrier: loc(other) })
}
