//! Numbers that a seed determines, the same on every machine: the one generator of all tests; and random programs of
//! the kernel language.

pub mod source;

/// A sequence of numbers that a seed determines (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed; those of different seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a limit; 0 if the limit is.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }

    /// Whether something that happens so many times in a hundred happens now.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// An entry of a list, unless it is empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let at = self.below(list.len());
        list.get(at)
    }

    /// An entry of a list that has some.
    pub fn one_of<T: Clone, const N: usize>(&mut self, list: [T; N]) -> T {
        const { assert!(N > 0) };
        list[self.below(N)].clone()
    }
}
