//! Numbers that a seed determines, the same on every machine.

use crate::conform::values::edges;
use samebits_ir::types::Scalar;

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
    pub fn one_of<T: Copy, const N: usize>(&mut self, list: [T; N]) -> T {
        const { assert!(N > 0) };
        list[self.below(N)]
    }

    /// The bits of a scalar: as often as not a small number or an edge of the type.
    pub fn scalar(&mut self, ty: Scalar) -> u64 {
        let bits = match self.below(8) {
            0..2 if ty.is_float() => self.small_float(ty),
            0..2 => self.bits() % 9,
            2 if ty.is_int() => (self.bits() % 4).wrapping_neg(),
            3 if ty.is_float() => self.near_one(ty),
            3 => 1 << self.below(ty.bits() as usize),
            4..6 => self.pick(&edges(ty)).copied().unwrap_or_default(),
            _ => self.bits(),
        };
        bits & ty.mask()
    }

    /// Any digits and an exponent near zero, so that sums round.
    fn near_one(&mut self, ty: Scalar) -> u64 {
        let (digits, one) = match ty {
            Scalar::F16 => (10, 15),
            Scalar::F32 => (23, 127),
            _ => (52, 1023),
        };
        let sign = self.bits() << (ty.bits() - 1);
        let exponent = one - 3 + self.below(7) as u64;
        sign | exponent << digits | self.bits() & ((1 << digits) - 1)
    }

    /// A number of a few quarters, with which sums and products are often exact.
    fn small_float(&mut self, ty: Scalar) -> u64 {
        let quarters = self.below(65) as f64 / 4.0 - 8.0;
        match ty {
            Scalar::F16 => half::f16::from_f64(quarters).to_bits().into(),
            Scalar::F32 => (quarters as f32).to_bits().into(),
            _ => quarters.to_bits(),
        }
    }
}
