//! Which neighbouring lanes certainly pass tests, found out before a loop over them.
//!
//! A number that grows by one from lane to lane is in a range for a run of neighbours. For those the loop needs no
//! test, and the number does not wrap. What is left of the lanes is tested one by one, so it does not matter if
//! a run is shorter than it could be.

/// The lanes of a loop that pass all tests so far.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    from: u64,
    to: u64,
}

impl Within {
    /// All lanes from one number up to another.
    #[inline(always)]
    pub const fn new(from: u32, to: u32) -> Self {
        Self { from: from as u64, to: to as u64 }
    }

    /// All lanes if a test holds that is the same for each, else none.
    #[inline(always)]
    pub const fn holds(&mut self, test: bool) {
        if !test {
            self.to = self.from;
        }
    }

    /// The lanes for which `first + lane`, in 32 bits, is at least `least` and below `end`, as far as they are
    /// neighbours.
    #[inline(always)]
    pub const fn between(&mut self, first: u32, least: u64, end: u64) {
        // The number at the first lane that is left.
        let at = (first as u64).wrapping_add(self.from) & 0xffff_ffff;
        let (skipped, left) = if at >= least && at < end {
            (0, end - at)
        } else if least < end {
            (least.wrapping_sub(at) & 0xffff_ffff, end - least)
        } else {
            (0, 0)
        };
        let from = self.from.saturating_add(skipped);
        let to = from.saturating_add(left);
        self.from = if from < self.to { from } else { self.to };
        self.to = if to < self.to { to } else { self.to };
    }

    /// Leaves the neighbours of the first lane whose `first + lane` differs from its one in no bit from the lowest of
    /// `bits` on. Gives whether these are some multiple of a number of lanes.
    #[inline(always)]
    pub const fn block(&mut self, first: u32, bits: u32, lanes: u64) -> bool {
        if bits != 0 {
            let lowest = bits & bits.wrapping_neg();
            let at = first.wrapping_add(self.from as u32) & lowest.wrapping_sub(1);
            let to = self.from.saturating_add(lowest.wrapping_sub(at) as u64);
            self.to = if to < self.to { to } else { self.to };
        }
        self.to.wrapping_sub(self.from).is_multiple_of(lanes)
    }

    /// Whether these are all lanes from one number up to another.
    #[inline(always)]
    pub const fn is_all(&self, from: u32, to: u32) -> bool {
        self.from == from as u64 && self.to == to as u64
    }

    /// The first lane, and the one after the last.
    #[inline(always)]
    pub fn range(&self) -> (u32, u32) {
        (unseen(self.from as u32), unseen(if self.to < self.from { self.from as u32 } else { self.to as u32 }))
    }
}

/// Marks a round of a loop that no vectors are to be made of.
///
/// LLVM would unroll the short loops over lanes in it and make vectors of the rounds, each of which accesses memory far
/// from that of the round before.
#[inline(always)]
pub fn round() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the assembly has no instruction.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// The same number, of which the compiler does not know how it was computed. LLVM gives up on counting the rounds of a
/// loop whose bounds are long chains of minima, and then makes no vectors of it.
#[inline(always)]
fn unseen(mut number: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the assembly has no instruction.
    unsafe {
        core::arch::asm!("/* {0:e} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the assembly has no instruction.
    unsafe {
        core::arch::asm!("/* {0:w} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        number = core::hint::black_box(number);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_of_the_run_passes_and_the_first_that_does_is_in_it() {
        let edges = [0, 1, 5, 9, 10, 11, 20, u32::MAX - 20, u32::MAX - 9, u32::MAX - 1, u32::MAX];
        for first in edges {
            for least in edges {
                for end in edges.map(u64::from).into_iter().chain([1 << 32]) {
                    let mut within = Within::new(3, 17);
                    within.between(first, least.into(), end);
                    let (from, to) = within.range();
                    let passes = |lane: u32| {
                        let number = first.wrapping_add(lane);
                        number >= least && u64::from(number) < end
                    };
                    assert!((from..to).all(passes), "{first} {least} {end}");
                    assert_eq!((from..to).next(), (3..17).find(|&lane| passes(lane)).filter(|_| from < to));
                    assert_eq!(from < to, (3..17).any(passes), "{first} {least} {end}");
                    // No number wraps on the way.
                    assert!((from..to).skip(1).all(|lane| first.wrapping_add(lane) != 0));
                }
            }
        }
    }

    #[test]
    fn a_block_ends_where_a_bit_changes() {
        for first in [0, 5, 13, 29, 61, u32::MAX - 30] {
            for bits in [0, 1, 2, 8, 24, 1 << 31] {
                let mut within = Within::new(3, 40);
                let whole = within.block(first, bits, 16);
                let (from, to) = within.range();
                let lowest = bits & bits.wrapping_neg();
                let high = |lane: u32| first.wrapping_add(lane) & !lowest.wrapping_sub(1);
                let end = (3..40).find(|&lane| bits != 0 && high(lane) != high(3)).unwrap_or(40);
                assert_eq!((from, to), (3, end), "{first} {bits}");
                assert_eq!(whole, (end - 3) % 16 == 0);
            }
        }
    }

    #[test]
    fn a_test_that_fails_for_all_leaves_none() {
        let mut within = Within::new(2, 9);
        within.holds(true);
        assert!(within.is_all(2, 9));
        within.holds(false);
        within.between(0, 0, 100);
        let (from, to) = within.range();
        assert!(from >= to);
    }
}
