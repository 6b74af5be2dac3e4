//! The earlier accesses to each word of memory, as far as a later access may race with them.
//!
//! A record says who did what to which bytes of a word. A new access is compared with the
//! records of its word. Then it replaces the records that it makes superfluous: whatever races
//! with them later also races with it. Records of one place that add nothing are left out, so a
//! word that a million invocations read keeps a handful.

use super::race::{Moment, Releases, reaches};
use crate::order::Scope;
use std::collections::HashMap;

/// How an access counts in a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// Races with writes, plain and atomic.
    Read,
    /// Races with everything.
    Write,
    /// Races with what is not atomic in the same scope, if either writes.
    Atomic { writes: bool, scope: Scope },
}

impl Effect {
    /// Whether two effects on one place need an order.
    fn conflicts(self, other: Self, same_group: bool) -> bool {
        let writes = |effect| match effect {
            Self::Read => false,
            Self::Write => true,
            Self::Atomic { writes, .. } => writes,
        };
        let both_atomic = match (self, other) {
            (Self::Atomic { scope, .. }, Self::Atomic { scope: other, .. }) => {
                reaches(scope, same_group) && reaches(other, same_group)
            }
            (Self::Read | Self::Write, _) | (_, Self::Read | Self::Write) => false,
        };
        (writes(self) || writes(other)) && !both_atomic
    }

    /// Whether everything that races with `other` races with this.
    fn covers(self, other: Self) -> bool {
        self == other || self == Self::Write
    }
}

/// An access that has happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// The invocation, counted over the launch.
    pub(super) thread: u64,
    /// Its workgroup.
    pub(super) group: u64,
    /// How many barriers the workgroup had passed.
    pub(super) phase: u32,
    /// How many times the invocation had released what it did.
    pub(super) epoch: u32,
    /// An index into the program's places.
    pub(super) place: u32,
    pub(super) effect: Effect,
    /// The bytes of the word, a bit each.
    bytes: u8,
}

impl Record {
    /// An access at a moment; [`Shadow::touch`] knows the bytes.
    pub(super) fn new(moment: Moment, epoch: u32, place: u32, effect: Effect) -> Self {
        let Moment { thread, group, phase } = moment;
        Self { thread, group, phase, epoch, place, effect, bytes: 0 }
    }
}

/// The records of a memory, by word.
#[derive(Default)]
pub(super) struct Shadow {
    words: HashMap<usize, Vec<Record>>,
    /// By the byte where an atomic's value begins.
    pub(super) releases: HashMap<usize, Releases>,
    /// Whether other things than barriers order accesses.
    synchronises: bool,
}

/// A race: the earlier access, and the first byte that the two have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    pub(super) earlier: Record,
    pub(super) byte: usize,
}

impl Shadow {
    /// Of a program that may order accesses by other things than barriers.
    pub(super) fn new(synchronises: bool) -> Self {
        Self { synchronises, ..Self::default() }
    }

    /// Enters an access of `size` bytes at a byte and adds the races that it is part of.
    /// `ordered` says whether an earlier access happens before this one.
    pub(super) fn touch(
        &mut self,
        at: usize,
        size: usize,
        mut record: Record,
        ordered: impl Fn(&Record) -> bool,
        clashes: &mut Vec<Clash>,
    ) {
        for word in at / 4..(at + size).div_ceil(4) {
            let (first, end) = (at.max(4 * word) % 4, (at + size).min(4 * word + 4) - 4 * word);
            record.bytes = (0..4).filter(|byte| (first..end).contains(byte)).fold(0, |mask, byte| mask | 1 << byte);
            let records = self.words.entry(word).or_default();
            records.retain(|earlier| {
                let is_ordered = earlier.thread == record.thread || ordered(earlier);
                let common = earlier.bytes & record.bytes;
                if common != 0 && !is_ordered && earlier.effect.conflicts(record.effect, earlier.group == record.group)
                {
                    let byte = 4 * word + common.trailing_zeros() as usize;
                    clashes.push(Clash { earlier: *earlier, byte });
                }
                !(is_ordered && record.effect.covers(earlier.effect) && earlier.bytes & !record.bytes == 0)
            });
            if (self.synchronises || !superfluous(&record, records)) && records.len() < MAX_RECORDS {
                records.push(record);
            }
        }
    }

    /// Forgets everything: all that happens from now on happens after it.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.releases.clear();
    }
}

/// Records of a word. With releases and acquires a word may need one for each invocation;
/// beyond this number a race may go unseen.
const MAX_RECORDS: usize = 256;

/// Whether a new record adds nothing. Two invocations of one workgroup and phase stand for
/// all of that workgroup and phase, and two workgroups stand for all: whoever comes later
/// is not both of them. This needs that nothing but barriers orders them.
fn superfluous(record: &Record, records: &[Record]) -> bool {
    let alike = |other: &&Record| {
        (other.place, other.effect) == (record.place, record.effect) && other.bytes & record.bytes == record.bytes
    };
    let alike = || records.iter().filter(alike);
    let peers = || alike().filter(|r| (r.group, r.phase) == (record.group, record.phase)).map(|r| r.thread);
    let strangers = || alike().filter(|r| r.group != record.group).map(|r| r.group);
    let two_peers = peers().next().is_some_and(|first| peers().any(|thread| thread != first));
    two_peers || strangers().next().is_some_and(|first| strangers().any(|group| group != first))
}

/// Which bytes of a memory were written.
#[derive(Default)]
pub(super) struct Written {
    bits: Vec<u64>,
}

impl Written {
    /// Marks bytes as written.
    pub(super) fn set(&mut self, at: usize, size: usize) {
        if self.bits.len() < (at + size).div_ceil(64) {
            self.bits.resize((at + size).div_ceil(64), 0);
        }
        for byte in at..at + size {
            self.bits[byte / 64] |= 1 << (byte % 64);
        }
    }

    /// Whether all of these bytes were written.
    pub(super) fn all(&self, at: usize, size: usize) -> bool {
        (at..at + size).all(|byte| self.bits.get(byte / 64).is_some_and(|bits| bits >> (byte % 64) & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATOMIC: Effect = Effect::Atomic { writes: true, scope: Scope::Device };

    /// The races of accesses of one word: thread, effect, offset and size. Nothing orders two threads.
    fn races(accesses: &[(u64, Effect, usize, usize)]) -> usize {
        let mut shadow = Shadow::default();
        let mut clashes = Vec::new();
        for &(thread, effect, at, size) in accesses {
            shadow.touch(
                at,
                size,
                Record::new(Moment { thread, group: 0, phase: 0 }, 0, 0, effect),
                |_| false,
                &mut clashes,
            );
        }
        clashes.len()
    }

    #[test]
    fn a_write_races_with_everything_and_atomics_not_with_each_other() {
        use Effect::{Read, Write};
        let load = Effect::Atomic { writes: false, scope: Scope::Device };
        for (a, b, expected) in [
            (Read, Read, 0),
            (Read, Write, 1),
            (Write, Write, 1),
            (ATOMIC, Write, 1),
            (ATOMIC, Read, 1),
            (ATOMIC, ATOMIC, 0),
            (load, Read, 0),
            (load, Write, 1),
            (load, ATOMIC, 0),
        ] {
            assert_eq!(races(&[(0, a, 0, 4), (1, b, 0, 4)]), expected, "{a:?} {b:?}");
            assert_eq!(races(&[(0, b, 0, 4), (1, a, 0, 4)]), expected, "{b:?} {a:?}");
            assert_eq!(races(&[(0, a, 0, 4), (0, b, 0, 4)]), 0, "one invocation: {a:?} {b:?}");
        }
    }

    #[test]
    fn bytes_of_one_word_are_told_apart() {
        assert_eq!(races(&[(0, Effect::Write, 0, 1), (1, Effect::Write, 1, 1), (2, Effect::Write, 2, 2)]), 0);
        assert_eq!(races(&[(0, Effect::Write, 0, 2), (1, Effect::Write, 1, 1)]), 1);
        assert_eq!(races(&[(0, Effect::Write, 3, 2), (1, Effect::Write, 4, 4)]), 1);
    }

    #[test]
    fn two_readers_stand_for_a_thousand() {
        let mut accesses: Vec<_> = (0..1000).map(|thread| (thread, Effect::Read, 0, 4)).collect();
        accesses.push((0, Effect::Write, 0, 4));
        assert_eq!(races(&accesses), 1);
    }

    #[test]
    fn a_read_before_an_atomic_of_its_invocation_is_not_forgotten() {
        assert_eq!(races(&[(0, Effect::Read, 0, 4), (0, ATOMIC, 0, 4), (1, ATOMIC, 0, 4)]), 1);
    }

    #[test]
    fn written_bytes_are_known_one_by_one() {
        let mut written = Written::default();
        written.set(62, 4);
        assert!(written.all(62, 4) && written.all(65, 1));
        assert!(!written.all(61, 2) && !written.all(65, 2) && !written.all(1 << 20, 1));
    }
}
