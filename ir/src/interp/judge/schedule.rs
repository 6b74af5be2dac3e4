//! The orders in which the judge runs invocations.
//!
//! Every invocation that can run is in the queue once and is run again and again, so none waits
//! for ever for another one that could run. The same schedule and seed give the same run.

use std::collections::VecDeque;

/// The order in which invocations run.
///
/// A kernel without races gives the same bytes under each; one with races may well not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Schedule {
    /// One after the other, each as far as it can go: the order of [`Program::run`] on one thread.
    ///
    /// [`Program::run`]: crate::interp::Program::run
    #[default]
    Forward,
    /// The same from the last workgroup and its last invocation on.
    Reversed,
    /// Any of some thousand invocations of several workgroups, for a random number of
    /// accesses to memory that others can see. The number is the seed.
    Random(u64),
}

/// An invocation: its workgroup and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id {
    pub(super) group: u64,
    pub(super) index: u32,
}

/// The invocations that can run, in order.
pub(super) struct Queue {
    schedule: Schedule,
    ids: VecDeque<Id>,
    random: Random,
    /// Turns are short if this is small: the mean is two to this power.
    patience: u32,
}

impl Queue {
    pub(super) fn new(schedule: Schedule) -> Self {
        let seed = match schedule {
            Schedule::Forward | Schedule::Reversed => 0,
            Schedule::Random(seed) => seed,
        };
        // Lockstep finds other faults than long turns do, so the seeds take turns as well.
        Self { schedule, ids: VecDeque::new(), random: Random(seed), patience: (seed % 5) as u32 }
    }

    /// The workgroup that comes in as number `n` of `total`.
    pub(super) fn group(&self, n: u64, total: u64) -> u64 {
        match self.schedule {
            Schedule::Forward => n,
            Schedule::Reversed => total - 1 - n,
            Schedule::Random(seed) => {
                // A step without a common factor visits every group once.
                let mut random = Random(!seed);
                let start = random.next() % total;
                let mut step = random.next() % total;
                while greatest_common_divisor(step, total) != 1 {
                    step = (step + 1) % total;
                }
                ((u128::from(n) * u128::from(step) + u128::from(start)) % u128::from(total)) as u64
            }
        }
    }

    /// Adds a workgroup that begins.
    pub(super) fn begin(&mut self, group: u64, invocations: u32) {
        for n in 0..invocations {
            let index = if self.schedule == Schedule::Reversed { invocations - 1 - n } else { n };
            self.ids.push_back(Id { group, index });
        }
    }

    /// Adds a workgroup that has passed a barrier; it goes on before others begin.
    pub(super) fn release(&mut self, group: u64, invocations: u32) {
        for n in 0..invocations {
            let index = if self.schedule == Schedule::Reversed { n } else { invocations - 1 - n };
            self.ids.push_front(Id { group, index });
        }
    }

    /// Adds an invocation that was interrupted.
    pub(super) fn push(&mut self, id: Id) {
        self.ids.push_back(id);
    }

    /// Takes the next invocation, and the number of accesses that it may make.
    pub(super) fn next(&mut self) -> Option<(Id, u64)> {
        match self.schedule {
            Schedule::Forward | Schedule::Reversed => Some((self.ids.pop_front()?, u64::MAX)),
            Schedule::Random(_) => {
                let any = self.random.next().checked_rem(self.ids.len() as u64)?;
                let id = self.ids.swap_remove_back(any as usize)?;
                let spread = self.random.next() % (2 << self.patience);
                Some((id, 1 + spread))
            }
        }
    }
}

/// A small generator of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(schedule: Schedule, invocations: u32) -> Vec<u32> {
        let mut queue = Queue::new(schedule);
        queue.begin(0, invocations);
        std::iter::from_fn(|| queue.next()).map(|(id, _)| id.index).collect()
    }

    #[test]
    fn every_schedule_takes_every_invocation_once() {
        assert_eq!(order(Schedule::Forward, 4), [0, 1, 2, 3]);
        assert_eq!(order(Schedule::Reversed, 4), [3, 2, 1, 0]);
        for seed in 0..20 {
            let mut random = order(Schedule::Random(seed), 50);
            assert_ne!(random, (0..50).collect::<Vec<_>>());
            random.sort_unstable();
            assert_eq!(random, (0..50).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_schedule_visits_every_group_once() {
        for schedule in [Schedule::Forward, Schedule::Reversed, Schedule::Random(0), Schedule::Random(9)] {
            let queue = Queue::new(schedule);
            for total in [1, 2, 6, 12, 97] {
                let mut groups: Vec<u64> = (0..total).map(|n| queue.group(n, total)).collect();
                groups.sort_unstable();
                assert_eq!(groups, (0..total).collect::<Vec<_>>(), "{schedule:?}");
            }
        }
    }

    #[test]
    fn a_released_group_goes_on_before_another_begins() {
        let mut queue = Queue::new(Schedule::Forward);
        queue.begin(1, 1);
        queue.release(0, 2);
        let ids: Vec<(u64, u32)> = std::iter::from_fn(|| queue.next()).map(|(id, _)| (id.group, id.index)).collect();
        assert_eq!(ids, [(0, 0), (0, 1), (1, 0)]);
    }
}
