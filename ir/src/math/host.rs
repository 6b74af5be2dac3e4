//! Numbers of the host: `f64` itself.

use super::{Bits, Flag, Real};
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Shl, Shr, Sub};

/// The bits of an `f64`; arithmetic wraps.
#[derive(Clone, Copy)]
pub struct Word(u64);

macro_rules! wrapping {
    ($($operator:ident $method:ident $by:ident),*) => {$(
        impl $operator for Word {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(self.0.$by(other.0))
            }
        }
        impl $operator<u64> for Word {
            type Output = Self;
            fn $method(self, other: u64) -> Self {
                Self(self.0.$by(other))
            }
        }
    )*};
}
wrapping!(
    Add add wrapping_add, Sub sub wrapping_sub, Mul mul wrapping_mul,
    BitAnd bitand bitand, BitOr bitor bitor, BitXor bitxor bitxor
);

impl Shl<u32> for Word {
    type Output = Self;
    fn shl(self, count: u32) -> Self {
        Self(self.0 << count)
    }
}

impl Shr<u32> for Word {
    type Output = Self;
    fn shr(self, count: u32) -> Self {
        Self(self.0 >> count)
    }
}

impl Flag for bool {}

impl Bits for Word {
    type Flag = bool;

    fn shl_by(self, count: Self) -> Self {
        Self(self.0 << (count.0 & 63))
    }

    fn shr_by(self, count: Self) -> Self {
        Self(self.0 >> (count.0 & 63))
    }

    fn sar(self, count: u32) -> Self {
        Self((self.0 as i64 >> count) as u64)
    }

    fn equals(self, other: u64) -> bool {
        self.0 == other
    }

    fn below(self, other: Self) -> bool {
        self.0 < other.0
    }

    fn low_bits_among(self, bits: u32, first: u32, count: u32) -> bool {
        let above = 32 - bits;
        ((self.0 as u32) << above).wrapping_sub(first << above) < count << above
    }

    fn clz(self) -> Self {
        Self(self.0.leading_zeros().into())
    }

    fn of_table(self, table: &'static [u64]) -> Self {
        // Beyond the end devices give the last entry, too.
        Self(table.get(self.0 as usize).or(table.last()).copied().unwrap_or_default())
    }
}

impl Real for f64 {
    type Flag = bool;
    type Bits = Word;

    fn k(self, value: f64) -> Self {
        value
    }

    fn n(self, value: u64) -> Word {
        Word(value)
    }

    fn bits(self) -> Word {
        Word(self.to_bits())
    }

    fn of_bits(bits: Word) -> Self {
        Self::from_bits(bits.0)
    }

    fn step(self, b: Self, c: Self) -> Self {
        // Many hosts have no instruction for the other way.
        self * b + c
    }

    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn abs(self) -> Self {
        self.abs()
    }

    fn copysign(self, sign: Self) -> Self {
        self.copysign(sign)
    }

    fn lt(self, other: Self) -> bool {
        self < other
    }

    fn le(self, other: Self) -> bool {
        self <= other
    }

    #[expect(clippy::float_cmp, reason = "the same number is meant")]
    fn equals(self, other: Self) -> bool {
        self == other
    }

    fn is_nan(self) -> bool {
        self.is_nan()
    }

    fn pick(flag: bool, yes: Self, no: Self) -> Self {
        if flag { yes } else { no }
    }

    fn pick_bits(flag: bool, yes: Word, no: Word) -> Word {
        if flag { yes } else { no }
    }

    fn branch<const N: usize>(
        flag: bool,
        yes: impl FnOnce() -> [Self; N],
        no: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        if flag { yes() } else { no() }
    }

    fn repeat<const N: usize>(count: u32, state: [Self; N], step: impl Fn([Self; N]) -> [Self; N]) -> [Self; N] {
        (0..count).fold(state, |state, _| step(state))
    }
}
