//! Which thread runs which workgroups of a launch, and when.
//!
//! The calling thread begins alone and measures. If what is left then takes no longer than it takes to wake other
//! threads, it goes on alone; a small launch so costs a call and a look at the clock. Otherwise the threads of
//! rayon's pool help: each takes the next workgroups from one counter, as many as take about [`TASK`] by what it
//! has measured, and fewer towards the end.
//!
//! Invariants:
//!
//! - Each workgroup runs once, unless a loop that does not end stops the launch.
//! - Workgroups are taken in order, and a thread runs those it has taken in order. So whoever waits for an earlier
//!   workgroup waits for one that has run or is running, however many threads there are.
//! - Of several faults the one of the earliest workgroups is reported, since all before have run.
//! - Launches that one thread runs take no memory of the heap.

use super::{float, helpers};
use crate::error::Error;
use crate::native::{Endless, Launch, Run, Span};
use std::error::Error as _;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// How long a task is to take, in nanoseconds: much longer than it takes to get one.
const TASK: u64 = 50_000;

/// How long one thread works before others are woken, and how long the rest of a launch may take to be done by it
/// alone, in nanoseconds: about what it takes until others have begun.
const ALONE: u64 = 20_000;

/// How long the first workgroups are to take, in nanoseconds: much longer than a look at the clock.
const FIRST: f64 = 2_000.0;

/// What a unit of weight takes, about, in nanoseconds.
const UNIT: f64 = 0.06;

/// The part of a launch that is run before the clock is looked at, however short it is said to be: what a kernel
/// weighs is a guess.
const FIRST_PART: u64 = 8;

/// Why a launch was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// A loop does not end.
    Endless(Endless),
    /// A thread cannot run kernels.
    Thread(Error),
}

/// A launch on its way.
pub(super) struct Work<'a> {
    launch: &'a Launch<'a>,
    run: Run,
    groups: [u32; 3],
    total: u64,
    /// The next workgroup, counted through all rows.
    next: AtomicU64,
    /// The fault of the earliest workgroups, with the first of these.
    fault: Mutex<Option<(u64, Stop)>>,
}

// SAFETY: the pointers of the launch lead to memory that is accessed by `run` alone, which any number of threads may
// call at the same time for different workgroups.
unsafe impl Sync for Work<'_> {}

impl<'a> Work<'a> {
    /// Workgroups of this number on x, y and z, none of them 0.
    ///
    /// # Safety
    ///
    /// `run` may be called with this launch for any of the workgroups, by several threads at once.
    pub unsafe fn new(launch: &'a Launch<'a>, run: Run, groups: [u32; 3]) -> Self {
        let total = groups.iter().map(|count| u64::from(*count)).product();
        Self { launch, run, groups, total, next: AtomicU64::new(0), fault: Mutex::new(None) }
    }

    /// Runs all workgroups, of which each weighs so much by a guess, and so many are quickest together. The calling
    /// thread's float unit was looked at.
    pub fn run(mut self, weight: u64, together: u64) -> Result<(), Stop> {
        let guess = (FIRST / (weight.max(1) as f64 * UNIT)) as u64;
        let (mut done, mut spent) = (0, 0);
        let mut count = guess.max(together).min(self.total / FIRST_PART).max(1);
        let per_group = loop {
            let clock = Instant::now();
            self.spans(done..done + count).map_err(Stop::Endless)?;
            let took = clock.elapsed().as_nanos() as u64;
            (done, spent) = (done + count, spent + took);
            let rest = self.total - done;
            if took.saturating_mul(rest) / count <= ALONE {
                return self.spans(done..self.total).map_err(Stop::Endless);
            }
            if spent >= ALONE / 2 {
                break (took / count).max(1);
            }
            count = (count * 2).min(rest);
        };
        self.next = AtomicU64::new(done);
        let threads = threads();
        // Threads that would find nothing to do are not woken.
        let tasks = (per_group.saturating_mul(self.total - done) / ALONE).min(self.total - done).max(1);
        let helpers = tasks.min(threads as u64) - 1;
        if helpers == 0 {
            self.work(per_group, together, 1);
        } else {
            let help = || match float::check() {
                Ok(()) => self.work(per_group, together, threads),
                Err(error) => self.stop(done, Stop::Thread(error)),
            };
            helpers::help(helpers, &help, || self.work(per_group, together, threads));
        }
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        fault.map_or(Ok(()), |(_, stop)| Err(stop))
    }

    /// Takes workgroups and runs them, until there are none.
    fn work(&self, mut per_group: u64, together: u64, threads: usize) {
        loop {
            let rest = self.total.saturating_sub(self.next.load(Relaxed));
            // Near the end less is taken at once, so that all threads end together.
            let count = (TASK / per_group).max(together).min(rest / (2 * threads as u64)).max(1);
            let first = self.next.fetch_add(count, Relaxed);
            if first >= self.total {
                return;
            }
            let end = (first + count).min(self.total);
            let clock = Instant::now();
            if let Err(endless) = self.spans(first..end) {
                return self.stop(first, Stop::Endless(endless));
            }
            per_group = (clock.elapsed().as_nanos() as u64 / (end - first)).max(1);
        }
    }

    /// Notes a fault; nothing more is taken.
    fn stop(&self, at: u64, stop: Stop) {
        self.next.fetch_max(self.total, Relaxed);
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if fault.as_ref().is_none_or(|(before, _)| at < *before) {
            *fault = Some((at, stop));
        }
    }

    /// Runs some workgroups, row by row.
    fn spans(&self, Range { mut start, end }: Range<u64>) -> Result<(), Endless> {
        let [x, y, _] = self.groups.map(u64::from);
        while start < end {
            let first = [start % x, start / x % y, start / x / y].map(|id| id as u32);
            let count = (end - start).min(x - start % x);
            // SAFETY: whoever made the work said that these workgroups may be run.
            unsafe { (self.run)(self.launch, Span { first, count: count as u32 }) }?;
            start += count;
        }
        Ok(())
    }
}

/// How many threads may work on a launch: those of the pool that this thread belongs to, or of the global one.
/// There may be no pool, where the system gives no threads.
fn threads() -> usize {
    static POOL: OnceLock<bool> = OnceLock::new();
    let has_pool = || {
        rayon::current_thread_index().is_some()
            || *POOL.get_or_init(|| match rayon::ThreadPoolBuilder::new().build_global() {
                Ok(()) => true,
                // It was there before, or it cannot be made, for a reason that the system gives.
                Err(error) => error.source().is_none(),
            })
    };
    if has_pool() { rayon::current_num_threads() } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::HostBuffer;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    /// Counts each workgroup in the first buffer. The block has the groups on x and y, a group that does not end or
    /// none, and how many microseconds a group takes.
    unsafe fn count(launch: &Launch<'_>, span: Span) -> Result<(), Endless> {
        // SAFETY: the tests below give a buffer of a word for each group, and four words of the block.
        let ([x, y, endless, micros], counts) = unsafe {
            let counts = launch.written(0).cast::<AtomicU32>();
            ([0, 1, 2, 3].map(|at| launch.word(at)), std::slice::from_raw_parts(counts, launch.len(0) as usize))
        };
        let [first, row, layer] = span.first;
        assert!(span.count > 0 && first + span.count <= x);
        for group in first..first + span.count {
            let clock = Instant::now();
            let index = ((layer * y + row) * x + group) as usize;
            counts[index].fetch_add(1, Relaxed);
            if index as u32 == endless {
                return Err(Endless(group));
            }
            while clock.elapsed() < Duration::from_micros(micros.into()) {}
        }
        Ok(())
    }

    /// Each group waits for the one before it.
    unsafe fn chain(launch: &Launch<'_>, span: Span) -> Result<(), Endless> {
        // SAFETY: the test below gives a buffer of one word.
        let done = unsafe { &*launch.written(0).cast::<AtomicU32>() };
        for group in span.first[0]..span.first[0] + span.count {
            while done.load(Relaxed) != group {
                std::thread::yield_now();
            }
            done.store(group + 1, Relaxed);
        }
        Ok(())
    }

    fn run(
        run: Run,
        words: &[AtomicU32],
        groups: [u32; 3],
        rest: [u32; 2],
        [weight, together]: [u64; 2],
    ) -> Result<(), Stop> {
        let start = words.as_ptr().cast_mut().cast();
        let buffers = [HostBuffer { start, bytes: size_of_val(words), len: words.len() as u32 }];
        let block = [groups[0], groups[1], rest[0], rest[1]];
        let launch = Launch { buffers: &buffers, block: &block, rounds: 1 };
        // SAFETY: the functions above access the words as atomics, and those that they are given.
        unsafe { Work::new(&launch, run, groups) }.run(weight, together)
    }

    fn zeros(len: u32) -> Vec<AtomicU32> {
        (0..len).map(|_| AtomicU32::new(0)).collect()
    }

    fn in_pools(test: impl Fn() + Sync) {
        test();
        for threads in [1, 2, 8] {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&test);
        }
    }

    #[test]
    fn every_workgroup_runs_once() {
        in_pools(|| {
            for groups in [[1, 1, 1], [7, 1, 1], [1, 9, 1], [1, 1, 5], [3, 5, 7], [1000, 1, 1], [17, 13, 2]] {
                for (micros, weight) in
                    [(0, [1, 1]), (0, [1 << 40, 8]), (0, [0, 3]), (3, [1, 1 << 40]), (3, [100_000, 1])]
                {
                    let counts = zeros(groups.iter().product());
                    assert_eq!(run(count, &counts, groups, [u32::MAX, micros], weight), Ok(()));
                    assert!(counts.iter().all(|count| count.load(Relaxed) == 1), "{groups:?}");
                }
            }
        });
    }

    #[test]
    fn a_group_that_waits_for_an_earlier_one_goes_on() {
        in_pools(|| {
            let done = zeros(1);
            assert_eq!(run(chain, &done, [20_000, 1, 1], [0, 0], [1, 8]), Ok(()));
            assert_eq!(done[0].load(Relaxed), 20_000);
        });
    }

    #[test]
    fn the_first_endless_loop_is_reported_and_all_groups_before_it_ran() {
        in_pools(|| {
            for endless in [0, 5, 100, 299] {
                let counts = zeros(300);
                let stopped = run(count, &counts, [300, 1, 1], [endless, 10], [1, 8]);
                assert_eq!(stopped, Err(Stop::Endless(Endless(endless))));
                assert!(counts[..=endless as usize].iter().all(|count| count.load(Relaxed) == 1), "{endless}");
            }
        });
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_helper_with_another_float_unit_stops_the_launch() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        pool.broadcast(|_| float::tests::set_fields(1 << 15));
        // One of the two may end before the other has begun.
        let stopped = pool.install(|| {
            std::iter::repeat_with(|| run(count, &zeros(1000), [1000, 1, 1], [u32::MAX, 10], [1, 1]))
                .find(Result::is_err)
        });
        let does = "flushes subnormal results to zero";
        assert_eq!(stopped, Some(Err(Stop::Thread(Error::FloatUnit { does }))));
    }
}
