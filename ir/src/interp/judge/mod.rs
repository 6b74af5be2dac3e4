//! The judge: a launch run in a chosen order, with every access watched.
//!
//! One thread runs the invocations of several workgroups, turn by turn, in the order of a
//! [`Schedule`]. It reports what a result alone does not show: races, reads of workgroup memory
//! that nothing wrote, each access out of bounds, barriers that invocations reach in different
//! rounds of a loop, and invocations that wait for each other for ever.
//!
//! It is given the kernel as it was written, before any pass: passes drop loads and stores that
//! nobody could see, and races among them.
//!
//! Invariants: the code is that of [`Program::run`], so a kernel without races gives the same
//! bytes; equal arguments and an equal [`Judge`] give an equal [`Verdict`]; memory grows with
//! what a launch touches and with the number of invocations in flight, which is limited.

mod finding;
#[cfg(test)]
mod order_tests;
mod race;
mod schedule;
mod shadow;
mod spin;
#[cfg(test)]
mod tests;
mod witness;

pub use finding::{Action, Finding, Touch, Verdict};
pub use schedule::Schedule;

use super::compile::{Code, Program};
use super::run::{self, Abort, Launch, Stop, TOGETHER, Worker};
use super::watch::AccessInfo;
use super::{Arg, Fault, Report, memory};
use crate::loc::Loc;
use race::Knowledge;
use schedule::{Id, Queue};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use witness::{Records, Thread, Watching, Workgroup};

/// Invocations that a random schedule mixes, if they are several workgroups'.
const MIXED: u64 = 1 << 11;

/// The most invocations in flight, save those of a single workgroup.
const MAX_IN_FLIGHT: u64 = 1 << 16;

/// How to judge a launch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Judge {
    /// The order of the invocations.
    pub schedule: Schedule,
    /// The most steps that all invocations together may take.
    pub max_steps: Option<u64>,
}

impl Program {
    /// Runs a launch as [`run`](Self::run) does, but on one thread, in the order that the
    /// judge wants, and with every access watched. Buffers hold the result also if the
    /// verdict is bad.
    ///
    /// ```
    /// use samebits_ir::check::check;
    /// use samebits_ir::interp::{Arg, Judge, Program, Words};
    /// let source = "func kernel workgroup_size(2, 1, 1) @last(@y: mut [u32]) {
    ///     %i = local_id.x
    ///     store @y[0u32], %i
    ///     ret
    /// }";
    /// let checked = samebits_ir::text::parse(source).and_then(check).expect("a sound module");
    /// let program = Program::new(&checked, 0).expect("one function");
    /// let y = Words::zeroed(4);
    /// let verdict = program.judge([1, 1, 1], &[Arg::Buffer { words: &y, offset: 0, len: 1 }], &Judge::default());
    /// assert!(!verdict.is_sound());
    /// assert!(verdict.render("last.gir", source).starts_with(
    ///     "error: race on `y[0]`: invocation (0, 0, 0) stores, invocation (1, 0, 0) stores, and nothing orders the two\n \
    ///      --> last.gir:3:5\n"
    /// ));
    /// ```
    pub fn judge(&self, groups: [u32; 3], args: &[Arg<'_>], judge: &Judge) -> Verdict {
        let (launch, total) = match self.prepare(groups, args, judge.max_steps) {
            Ok(prepared) => prepared,
            Err(fault) => return Verdict { fault: Some(fault), ..Verdict::default() },
        };
        let mut court = Court {
            launch: &launch,
            total,
            begun: 0,
            queue: Queue::new(judge.schedule),
            flight: BTreeMap::new(),
            parked: Vec::new(),
            taken: 0,
            records: Records::new(self, groups),
        };
        let fault = court.run(judge.schedule).err();
        let Records { steps, out_of_bounds, findings, left_out, .. } = court.records;
        Verdict { report: Report { steps, out_of_bounds }, findings, left_out, fault }
    }
}

/// A launch before the judge.
struct Court<'a> {
    launch: &'a Launch<'a>,
    /// All workgroups, and how many of them have begun.
    total: u64,
    begun: u64,
    /// Invocations that can run.
    queue: Queue,
    /// Invocations that wait for memory to change.
    parked: Vec<Id>,
    /// The steps that the invocations of workgroups in flight have taken.
    taken: u64,
    /// Workgroups that have begun and not ended, by number.
    flight: BTreeMap<u64, Group<'a>>,
    records: Records,
}

/// A workgroup in flight.
struct Group<'a> {
    place: [u32; 3],
    /// Holds the workgroup memory.
    worker: Worker<'a>,
    frames: Vec<u64>,
    private: Box<[AtomicU32]>,
    threads: Vec<Thread>,
    /// How many invocations wait at a barrier or have returned.
    stopped: u32,
    workgroup: Workgroup,
}

impl<'a> Court<'a> {
    fn run(&mut self, schedule: Schedule) -> Result<(), Fault> {
        let volume = u64::from(self.launch.program.volume()).max(1);
        let mixed = match schedule {
            Schedule::Forward | Schedule::Reversed => 1,
            Schedule::Random(_) => (MIXED / volume).max(2),
        };
        loop {
            while (self.flight.len() as u64) < mixed && self.begin()? {}
            let Some((id, accesses)) = self.queue.next() else {
                // Those in flight may wait for one that has not begun.
                if self.begin()? {
                    continue;
                }
                return self.parked.first().map_or(Ok(()), |&id| Err(self.livelock(id)));
            };
            let changes = self.records.changes;
            self.turn(id, accesses)?;
            if self.records.changes != changes {
                self.parked.drain(..).for_each(|id| self.queue.push(id));
            }
        }
    }

    /// Begins the next workgroup, if there is one and room for it.
    fn begin(&mut self) -> Result<bool, Fault> {
        let program = self.launch.program;
        let volume = u64::from(program.volume());
        let in_flight = self.flight.len() as u64;
        if self.begun == self.total || in_flight > 0 && (in_flight + 1) * volume > MAX_IN_FLIGHT {
            return Ok(false);
        }
        let number = self.queue.group(self.begun, self.total);
        self.begun += 1;
        let count = volume as usize;
        let room = || {
            let frames = memory::try_frames(&self.launch.frame, count)?;
            let private = memory::try_zeroed(program.private_words.checked_mul(count)?)?;
            Some((Worker::new(self.launch)?, frames, private))
        };
        let (worker, frames, private) = room().ok_or_else(|| self.launch.no_room(count))?;
        let group = Group {
            place: self.launch.place_of(number),
            worker,
            frames,
            private,
            threads: (0..count).map(|_| Thread::new(program.loops.len())).collect(),
            stopped: 0,
            workgroup: Workgroup::new(&self.records),
        };
        self.flight.insert(number, group);
        self.queue.begin(number, program.volume());
        Ok(true)
    }

    /// Lets an invocation run until it stops or has made so many accesses.
    fn turn(&mut self, id: Id, accesses: u64) -> Result<(), Fault> {
        let program = self.launch.program;
        let Some(group) = self.flight.get_mut(&id.group) else { return Ok(()) };
        let index = id.index as usize;
        let Some(thread) = group.threads.get_mut(index) else { return Ok(()) };
        let (frame, private) = (program.frame.len(), program.private_words);
        let (next, mut taken) = (thread.next, thread.taken);
        let ids = program.ids(self.launch.groups, group.place, id.index);
        let number = id.group * u64::from(program.volume()) + u64::from(id.index);
        let mut watch = Watching::new(
            program,
            &mut self.records,
            &mut group.workgroup,
            thread,
            (number, id.group),
            [ids[0], ids[1], ids[2]],
            accesses,
        );
        let stop = group.worker.resume(
            &mut group.frames[index * frame..][..frame],
            next,
            (&ids, &mut taken),
            &group.private[index * private..][..private],
            &mut watch,
        );
        let is_parked = watch.is_parked();
        self.taken = self.taken.saturating_add(taken.saturating_sub(thread.taken));
        thread.taken = taken;
        self.records.steps += std::mem::take(&mut group.worker.steps);
        self.records.out_of_bounds += std::mem::take(&mut group.worker.out_of_bounds);
        if self.records.steps > self.launch.max_steps {
            return Err(self.launch.fault(id.group, Abort::StepLimit));
        }
        match stop.map_err(|abort| self.launch.fault(id.group, abort))? {
            Stop::Paused { next } => {
                thread.next = next;
                if is_parked {
                    self.parked.push(id);
                } else {
                    self.queue.push(id);
                }
            }
            stop @ (Stop::Barrier { .. } | Stop::Returned) => {
                thread.stop = Some(stop);
                group.stopped += 1;
                if u64::from(group.stopped) == group.threads.len() as u64 {
                    self.meet(id.group)?;
                }
            }
        }
        if self.taken > program.invocation_steps.saturating_mul(TOGETHER) { Err(self.endless(id)) } else { Ok(()) }
    }

    /// Those in flight took too many steps. Who took most of them stands for all.
    fn endless(&self, last: Id) -> Fault {
        let (mut most, mut all) = ((0, last, 0), 0);
        for (&number, group) in &self.flight {
            for (thread, index) in group.threads.iter().zip(0..) {
                let at = match thread.stop {
                    Some(Stop::Returned) => continue,
                    Some(Stop::Barrier { next, .. }) => next.saturating_sub(1),
                    Some(Stop::Paused { .. }) | None => thread.next,
                };
                all += 1;
                if thread.taken > most.0 {
                    most = (thread.taken, Id { group: number, index }, at);
                }
            }
        }
        let (_, Id { group, index }, at) = most;
        self.launch.fault(group, Abort::Endless { invocation: index, at, together: Some(all) })
    }

    /// All invocations of a workgroup have stopped: at one barrier, at their end, or a fault.
    fn meet(&mut self, number: u64) -> Result<(), Fault> {
        let program = self.launch.program;
        let Some(group) = self.flight.get_mut(&number) else { return Ok(()) };
        let stops: Vec<Stop> = group.threads.iter().filter_map(|thread| thread.stop).collect();
        run::same_stop(&stops).map_err(|abort| self.launch.fault(number, abort))?;
        let Some(&Stop::Barrier { loc, next }) = stops.first() else {
            let taken = group.threads.iter().fold(0, |sum: u64, thread| sum.saturating_add(thread.taken));
            self.taken = self.taken.saturating_sub(taken);
            self.flight.remove(&number);
            return Ok(());
        };
        for (index, info) in program.loops.iter().enumerate() {
            if !(info.start as usize..info.end as usize).contains(&(next - 1)) {
                continue;
            }
            let round = |thread: &Thread| thread.rounds.get(index).map_or(1, |round| round + 1);
            let first = group.threads.first().map_or(1, round);
            if let Some(other) = group.threads.iter().position(|thread| round(thread) != first) {
                return Err(Fault::DivergentBarrier {
                    kernel: program.name.clone(),
                    group: group.place,
                    barrier: loc,
                    waiting: program.local_id(0),
                    other: program.local_id(other as u32),
                    other_barrier: Some(loc),
                    rounds: Some([first, round(&group.threads[other])]),
                });
            }
        }
        for thread in &mut group.threads {
            thread.next = next;
            thread.stop = None;
        }
        program.exchange(next, &mut group.frames);
        group.stopped = 0;
        self.queue.release(number, program.volume());
        // Subgroup ops wait, but order no memory.
        if !program.is_barrier(next) {
            return Ok(());
        }
        if self.records.synchronises {
            Knowledge::share(group.threads.iter_mut().map(|thread| &mut thread.knowledge));
        }
        group.workgroup.pass_barrier();
        Ok(())
    }

    /// Nobody can run, and these wait for memory to change.
    fn livelock(&self, id: Id) -> Fault {
        let program = self.launch.program;
        let group = self.flight.get(&id.group);
        let thread = group.and_then(|group| group.threads.get(id.index as usize));
        let round = thread.and_then(|thread| program.loops.get(thread.spinning_in as usize));
        // The last access may have been before the loop.
        let code = round.and_then(|info| program.code.get(info.start as usize..info.end as usize)).unwrap_or_default();
        let is_inside = |last: &AccessInfo| code.iter().filter_map(Code::access).any(|(_, place)| place == last.place);
        let access = thread.and_then(|thread| thread.last).filter(is_inside);
        let site = access.and_then(|access| program.sites.get(access.place as usize));
        let memory = site.and_then(|site| program.memories.get(site.memory as usize));
        let ids = program.ids(self.launch.groups, self.launch.place_of(id.group), id.index);
        Fault::Livelock {
            kernel: program.name.clone(),
            access: site.map_or(Loc::NONE, |site| site.loc),
            repeats: round.map_or(Loc::NONE, |info| info.loc),
            root: memory.map(|memory| memory.name.clone()),
            element: access.map_or(0, |access| access.element(0)),
            invocation: [ids[0], ids[1], ids[2]],
            caught: self.parked.len() as u64,
            waiting: self
                .flight
                .values()
                .flat_map(|group| &group.threads)
                .filter(|thread| matches!(thread.stop, Some(Stop::Barrier { .. })))
                .count() as u64,
        }
    }
}
