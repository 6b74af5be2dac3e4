//! The outcomes of queued work, and which memory depends on them.
//!
//! A launch returns before it has run. So a failure is found later, often by a call that has
//! nothing to do with it. An [`Outcome`] stands for the result of one piece of work. Memory keeps
//! the outcomes that its bytes depend on ([`Doubts`]): those of the launches that may have written
//! them, and those that the inputs of these launches depended on. A failed outcome is the error of
//! every read of these bytes, and of no other, until they are written anew.
//!
//! Invariants:
//!
//! - An outcome is decided once.
//! - A read waits until the outcomes that its bytes depend on are decided.
//! - A read gives no bytes that depend on a failure.

use super::{Bound, Memory, writes};
use crate::error::Error;
use crate::kernel::Loaded;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The result of queued work, once it is known.
#[derive(Default, Debug)]
pub(crate) struct Outcome {
    result: OnceLock<Result<(), Error>>,
    /// Whether a caller has received the error.
    told: AtomicBool,
    /// The outcomes whose failures become its own when it is decided.
    follows: Mutex<Vec<Arc<Outcome>>>,
}

impl Outcome {
    /// The outcome of work that has failed too if one of these has failed. They must be decided
    /// before it.
    pub fn following(outcomes: impl Iterator<Item = Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { follows: Mutex::new(outcomes.collect()), ..Self::default() })
    }

    /// The outcome of work that has failed at once, as its caller is told.
    pub fn failed(error: Error) -> Arc<Self> {
        let failed = Self::following(std::iter::empty());
        failed.decide(Err(error));
        failed.told.store(true, Ordering::Relaxed);
        failed
    }

    /// Decides it, if it is not decided.
    pub fn decide(&self, result: Result<(), Error>) {
        let follows = std::mem::take(&mut *self.follows.lock().unwrap_or_else(PoisonError::into_inner));
        let inherited = follows.iter().find_map(|outcome| outcome.error().cloned());
        let result = result.and(inherited.map_or(Ok(()), Err));
        // The first decision counts.
        let _ = self.result.set(result);
    }

    /// The error, if the work has failed.
    pub fn error(&self) -> Option<&Error> {
        self.result.get().and_then(|result| result.as_ref().err())
    }

    /// The error, if the work has failed, to hand to a caller.
    pub fn tell(&self) -> Option<Error> {
        let error = self.error().cloned();
        if error.is_some() {
            self.told.store(true, Ordering::Relaxed);
        }
        error
    }

    fn is_told(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }

    /// Whether the work is known to have gone well.
    fn is_good(&self) -> bool {
        self.result.get().is_some_and(Result::is_ok)
    }
}

/// The outcomes that the bytes of a memory depend on.
#[derive(Default, Debug)]
pub(crate) struct Doubts {
    /// Whether there are any entries, so that memory without them needs no lock.
    any: AtomicBool,
    entries: Mutex<Vec<Doubt>>,
}

/// Bytes, and an outcome that they depend on.
#[derive(Clone, Debug)]
struct Doubt {
    bytes: Range<u64>,
    outcome: Arc<Outcome>,
}

impl Doubts {
    fn lock(&self) -> MutexGuard<'_, Vec<Doubt>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that bytes depend on an outcome.
    pub fn add(&self, bytes: Range<u64>, outcome: &Arc<Outcome>) {
        if bytes.is_empty() || outcome.is_good() {
            return;
        }
        let mut entries = self.lock();
        entries.retain(|entry| !entry.outcome.is_good());
        // One failure is enough, however many follow it.
        let known = entries.iter().any(|entry| {
            let covered = entry.bytes.start <= bytes.start && bytes.end <= entry.bytes.end;
            covered && (entry.outcome.error().is_some() || Arc::ptr_eq(&entry.outcome, outcome))
        });
        if !known {
            entries.push(Doubt { bytes, outcome: outcome.clone() });
        }
        self.any.store(true, Ordering::Release);
    }

    /// Whether exactly these bytes depend on an outcome, and nothing else is known.
    fn is_only(&self, bytes: &Range<u64>, outcome: &Arc<Outcome>) -> bool {
        match &self.lock()[..] {
            [only] => only.bytes == *bytes && Arc::ptr_eq(&only.outcome, outcome),
            _ => false,
        }
    }

    /// Notes that bytes were written anew by work of an outcome, and depend on nothing else.
    pub fn become_only(&self, bytes: Range<u64>, outcome: &Arc<Outcome>) {
        if !self.is_only(&bytes, outcome) {
            self.clear(bytes.clone());
            self.add(bytes, outcome);
        }
    }

    /// Notes that bytes were written anew, and depend on nothing.
    pub fn clear(&self, bytes: Range<u64>) {
        if !self.any.load(Ordering::Acquire) {
            return;
        }
        let mut entries = self.lock();
        let mut rest = Vec::new();
        entries.retain_mut(|entry| {
            if entry.outcome.is_good() || entry.bytes.start >= bytes.end || bytes.start >= entry.bytes.end {
                return !entry.outcome.is_good();
            }
            let after = bytes.end..entry.bytes.end;
            entry.bytes.end = bytes.start;
            if !after.is_empty() {
                rest.push(Doubt { bytes: after, outcome: entry.outcome.clone() });
            }
            !entry.bytes.is_empty()
        });
        entries.append(&mut rest);
        self.any.store(!entries.is_empty(), Ordering::Release);
    }

    /// The first failure that bytes depend on.
    pub fn check(&self, bytes: Range<u64>) -> Result<(), Error> {
        let mut first = None;
        self.each(bytes, |_, outcome| {
            if first.is_none() {
                first = outcome.tell();
            }
        });
        first.map_or(Ok(()), Err)
    }

    /// What bytes depend on.
    pub fn outcomes(&self, bytes: Range<u64>) -> Vec<Arc<Outcome>> {
        let mut outcomes = Vec::new();
        self.each(bytes, |_, outcome| outcomes.push(outcome.clone()));
        outcomes
    }

    /// Whether bytes depend on a failure. Nobody is told of it by this.
    pub fn has_failure(&self, bytes: Range<u64>) -> bool {
        let mut failed = false;
        self.each(bytes, |_, outcome| failed |= outcome.error().is_some());
        failed
    }

    /// Calls `f` with each outcome that some of the bytes depend on, and with these bytes.
    fn each(&self, bytes: Range<u64>, mut f: impl FnMut(Range<u64>, &Arc<Outcome>)) {
        if !self.any.load(Ordering::Acquire) {
            return;
        }
        for entry in self.lock().iter().filter(|entry| !entry.outcome.is_good()) {
            let common = entry.bytes.start.max(bytes.start)..entry.bytes.end.min(bytes.end);
            if !common.is_empty() {
                f(common, &entry.outcome);
            }
        }
    }
}

/// The outcomes that a launch's arguments depend on. A few need no memory of the heap.
#[derive(Default, Debug)]
pub(crate) struct Inherited {
    few: [Option<Arc<Outcome>>; FEW],
    more: Vec<Arc<Outcome>>,
}

/// Outcomes for which no memory of the heap is needed.
const FEW: usize = 4;

impl Inherited {
    /// Of a launch with these arguments.
    pub fn of(args: &[Bound<'_>]) -> Self {
        let mut inherited = Self::default();
        for arg in args {
            if let Bound::Buffer(part) = arg {
                inherited.add_of(part.memory, part.range());
            }
        }
        inherited
    }

    /// Adds what some bytes depend on.
    pub fn add_of(&mut self, memory: &Memory, bytes: Range<u64>) {
        memory.doubts.each(bytes, |_, outcome| self.add(outcome));
    }

    fn add(&mut self, outcome: &Arc<Outcome>) {
        if self.iter().any(|other| Arc::ptr_eq(other, outcome)) {
            return;
        }
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(outcome.clone()),
            None => self.more.push(outcome.clone()),
        }
    }

    /// The outcomes.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Outcome>> + Clone {
        self.few.iter().flatten().chain(&self.more)
    }
}

/// A launch that was queued, or that has run already.
pub(crate) struct Queued {
    /// Whether the driver takes the work that the launch was queued with, where that is in doubt.
    pub batch: Option<Arc<Outcome>>,
    /// Whether the launch runs to its end, where that is in doubt. It follows the outcomes that
    /// the launch has inherited.
    pub launch: Option<Arc<Outcome>>,
    /// Its number for the device's clock, if that runs.
    pub number: Option<usize>,
    /// What the caller is told.
    pub afterwards: Result<(), Error>,
}

/// Notes what a launch may have written. The bytes depend on its outcomes and on what it has
/// inherited, and no longer on others, since what it has inherited contains those.
pub(super) fn launched(kernel: &Loaded, args: &[Bound<'_>], queued: &Queued, inherited: &Inherited) {
    let own = [&queued.batch, &queued.launch].into_iter().flatten();
    let outcomes = own.chain(inherited.iter().filter(|_| queued.launch.is_none()));
    for (arg, param) in args.iter().zip(&kernel.function().0.params) {
        if let Bound::Buffer(part) = arg
            && writes(param)
        {
            // Launches of one batch that write the same buffer change nothing.
            let mut all = outcomes.clone();
            if let Some(one) = all.next()
                && all.all(|other| Arc::ptr_eq(one, other))
                && part.memory.doubts.is_only(&part.range(), one)
            {
                continue;
            }
            part.memory.doubts.clear(part.range());
            outcomes.clone().for_each(|outcome| part.memory.doubts.add(part.range(), outcome));
        }
    }
}

/// Notes that bytes were copied: each depends on what its source did, and on the copy.
pub(super) fn copied(from: (&Memory, u64), to: (&Memory, u64), bytes: u64, own: Option<&Arc<Outcome>>) {
    let mut inherited = Vec::new();
    from.0.doubts.each(from.1..from.1 + bytes, |part, outcome| inherited.push((part, outcome.clone())));
    to.0.doubts.clear(to.1..to.1 + bytes);
    for (part, outcome) in inherited {
        let start = to.1 + (part.start - from.1);
        to.0.doubts.add(start..start + (part.end - part.start), &outcome);
    }
    if let Some(own) = own {
        to.0.doubts.add(to.1..to.1 + bytes, own);
    }
}

/// The failures that a wait reports: each until a caller was told, and as long as memory depends on
/// it.
#[derive(Default, Debug)]
pub(crate) struct Failures(Mutex<Vec<Arc<Outcome>>>);

/// Whether some memory depends on a failure that is kept.
fn sticks(failure: &Arc<Outcome>) -> bool {
    Arc::strong_count(failure) > 1
}

impl Failures {
    /// Keeps a failed outcome, which somebody else holds until memory depends on it.
    pub fn keep(&self, outcome: Arc<Outcome>) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One failure whose memory is gone is enough.
        let mut untold = 0;
        failures.retain(|failure| {
            untold += usize::from(!failure.is_told() && !sticks(failure));
            sticks(failure) || !failure.is_told() && untold == 1
        });
        failures.push(outcome);
    }

    /// The first failure to report.
    pub fn report(&self) -> Result<(), Error> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|failure| !failure.is_told() || sticks(failure));
        let errors = failures.iter().filter_map(|failure| failure.tell());
        // All of them count as told; else the caller would need a wait for each.
        errors.collect::<Vec<_>>().into_iter().next().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(device: &str) -> Error {
        Error::OutOfMemory { device: device.to_owned(), asked: None }
    }

    #[test]
    fn a_failure_sticks_to_its_bytes_and_to_no_others() {
        let doubts = Doubts::default();
        let failed = Outcome::failed(error("a"));
        doubts.add(10..20, &failed);
        for _ in 0..2 {
            assert_eq!(doubts.check(0..11), Err(error("a")));
            assert_eq!(doubts.check(19..30), Err(error("a")));
        }
        assert_eq!((doubts.check(0..10), doubts.check(20..30)), (Ok(()), Ok(())));
    }

    #[test]
    fn what_is_written_anew_depends_on_nothing() {
        let doubts = Doubts::default();
        doubts.add(0..30, &Outcome::failed(error("a")));
        doubts.clear(10..20);
        assert_eq!(doubts.check(10..20), Ok(()));
        assert_eq!((doubts.check(9..10), doubts.check(20..21)), (Err(error("a")), Err(error("a"))));
        doubts.clear(0..30);
        assert_eq!(doubts.check(0..30), Ok(()));
        assert!(!doubts.any.load(Ordering::Relaxed));
    }

    #[test]
    fn many_failures_in_one_place_take_the_room_of_one() {
        let doubts = Doubts::default();
        for _ in 0..100 {
            doubts.add(0..8, &Outcome::failed(error("a")));
        }
        assert_eq!(doubts.lock().len(), 1);
    }

    #[test]
    fn a_wait_reports_what_nobody_was_told_and_what_memory_depends_on() {
        let untold = |device| Arc::new(Outcome { result: OnceLock::from(Err(error(device))), ..Outcome::default() });
        let failures = Failures::default();
        failures.keep(untold("gone"));
        assert_eq!((failures.report(), failures.report()), (Err(error("gone")), Ok(())));
        let doubts = Doubts::default();
        let failed = untold("kept");
        doubts.add(0..4, &failed);
        failures.keep(failed);
        assert_eq!((failures.report(), failures.report()), (Err(error("kept")), Err(error("kept"))));
        doubts.clear(0..4);
        assert_eq!(failures.report(), Ok(()));
        let failed = untold("read");
        doubts.add(0..4, &failed);
        failures.keep(failed);
        assert_eq!(doubts.check(0..4), Err(error("read")));
        doubts.clear(0..4);
        assert_eq!(failures.report(), Ok(()));
    }

    #[test]
    fn what_follows_a_failure_is_one() {
        let [first, second] = [(); 2].map(|()| Arc::<Outcome>::default());
        let third = Outcome::following([first.clone(), second.clone()].into_iter());
        first.decide(Ok(()));
        second.decide(Err(error("b")));
        third.decide(Ok(()));
        assert_eq!(third.error(), Some(&error("b")));
    }

    #[test]
    fn what_went_well_leaves_no_doubt() {
        let (doubts, outcome) = (Doubts::default(), Arc::new(Outcome::default()));
        let count = |doubts: &Doubts| {
            let mut count = 0;
            doubts.each(0..4, |_, _| count += 1);
            count
        };
        doubts.add(0..4, &outcome);
        assert_eq!(count(&doubts), 1);
        outcome.decide(Ok(()));
        assert_eq!((count(&doubts), doubts.check(0..4)), (0, Ok(())));
        outcome.decide(Err(error("late")));
        assert_eq!(doubts.check(0..4), Ok(()));
    }
}
