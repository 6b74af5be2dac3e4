//! Invocations that wait in a loop for another invocation.
//!
//! If a round of a loop begins with the very values with which an earlier round began, and no
//! memory has changed in between, every later round will begin so too, unless another
//! invocation changes memory. That is a proof and not a guess, and a long loop that counts
//! never fulfils it. A loop that counts its attempts does not repeat its values either. It is
//! stopped when one compare-exchange has failed [`MAX_FAILURES`] times in a row and no
//! invocation changed anything meanwhile.

use super::super::memory;
use std::sync::atomic::AtomicU32;

/// Rounds without a change of memory before anything is compared.
const FIRST: u64 = 16;

/// Compare-exchanges at one place that may fail one after the other.
const MAX_FAILURES: u64 = 1 << 16;

/// What an invocation did since memory last changed.
#[derive(Default)]
pub(super) struct Spin {
    /// The change that it knows of, counted over the launch.
    epoch: u64,
    rounds: u64,
    /// The round whose beginning is remembered next.
    next: u64,
    /// How a round began: its loop, the frame, the private memory.
    index: u32,
    frame: Vec<u64>,
    private: Vec<u32>,
    /// The place of the compare-exchange that fails, and how often it did.
    failing: Option<(u32, usize)>,
    failures: u64,
}

impl Spin {
    /// Forgets what was before a change of memory.
    fn catch_up(&mut self, epoch: u64) {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.rounds = 0;
            self.failures = 0;
        }
    }

    /// Counts a compare-exchange that changed nothing.
    pub(super) fn failed(&mut self, epoch: u64, place: u32, at: usize) {
        self.catch_up(epoch);
        if self.failing != Some((place, at)) {
            self.failing = Some((place, at));
            self.failures = 0;
        }
        self.failures += 1;
    }

    /// Whether the round that begins will come again and again unless memory changes.
    pub(super) fn repeats(&mut self, epoch: u64, index: u32, frame: &[u64], private: &[AtomicU32]) -> bool {
        self.catch_up(epoch);
        self.rounds += 1;
        if self.rounds < FIRST {
            self.next = FIRST;
            return false;
        }
        // One round in two to a power is remembered, so that a repetition of any length is met.
        if self.rounds >= self.next {
            self.next = self.rounds.saturating_mul(2);
            self.index = index;
            self.frame.clear();
            self.frame.extend_from_slice(frame);
            self.private.clear();
            self.private.extend((0..private.len()).map(|i| memory::load(private, 4 * i, 4) as u32));
            return self.failures >= MAX_FAILURES;
        }
        let same_private =
            || self.private.iter().zip(0..).all(|(&w, i)| u64::from(w) == memory::load(private, 4 * i, 4));
        self.failures >= MAX_FAILURES || self.index == index && self.frame == frame && same_private()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The round in which a repetition is noticed, if it is within a thousand.
    fn noticed(mut frame: impl FnMut(u64) -> u64, mut epoch: impl FnMut(u64) -> u64) -> Option<u64> {
        let mut spin = Spin::default();
        (0..1000).find(|&round| spin.repeats(epoch(round), 0, &[frame(round)], &[]))
    }

    #[test]
    fn rounds_that_begin_alike_are_a_repetition() {
        assert!(noticed(|_| 7, |_| 0).is_some());
        assert!(noticed(|round| round % 5, |_| 0).is_some());
    }

    #[test]
    fn a_counter_or_a_change_of_memory_is_none() {
        assert_eq!(noticed(|round| round, |_| 0), None);
        assert_eq!(noticed(|_| 7, |round| round / 10), None);
    }

    #[test]
    fn private_memory_counts_as_well() {
        let mut spin = Spin::default();
        let repeats = |round: u32, spin: &mut Spin| spin.repeats(0, 0, &[7], &[AtomicU32::new(round)]);
        assert!((0..1000).all(|round| !repeats(round, &mut spin)));
    }

    #[test]
    fn a_compare_exchange_that_keeps_failing_is_given_up() {
        let mut spin = Spin::default();
        let mut round = 0;
        while !spin.repeats(0, 0, &[round], &[]) {
            spin.failed(0, 3, 8);
            round += 1;
            assert!(round < 2 * MAX_FAILURES);
        }
        assert!(round >= MAX_FAILURES);
    }
}
