//! `f64` as numbers that functions are written in: one whose steps are fused, and one whose steps round twice.

use crate::math::{Bits, Real};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Shl, Shr, Sub};

/// `u64` with arithmetic that wraps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word(pub u64);

macro_rules! wrapping {
    ($($operator:ident $method:ident $by:ident;)*) => {$(
        impl $operator for Word { type Output = Self; fn $method(self, other: Self) -> Self { Self(self.0.$by(other.0)) } }
        impl $operator<u64> for Word { type Output = Self; fn $method(self, other: u64) -> Self { Self(self.0.$by(other)) } }
    )*};
}
wrapping! {
    Add add wrapping_add; Sub sub wrapping_sub; Mul mul wrapping_mul; BitAnd bitand bitand; BitOr bitor bitor; BitXor bitxor bitxor;
}
impl Shl<u32> for Word {
    type Output = Self;
    fn shl(self, n: u32) -> Self {
        Self(self.0 << n)
    }
}
impl Shr<u32> for Word {
    type Output = Self;
    fn shr(self, n: u32) -> Self {
        Self(self.0 >> n)
    }
}

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
    fn clz(self) -> Self {
        Self(self.0.leading_zeros().into())
    }
    fn of_table(self, table: &'static [u64]) -> Self {
        Self(table[self.0 as usize])
    }
}

macro_rules! host {
    ($name:ident, $step:expr) => {
        impl Real for $name {
            type Flag = bool;
            type Bits = Word;
            fn k(self, value: f64) -> Self {
                Self::from(value)
            }
            fn n(self, value: u64) -> Word {
                Word(value)
            }
            fn bits(self) -> Word {
                Word(f64::from(self).to_bits())
            }
            fn of_bits(bits: Word) -> Self {
                Self::from(f64::from_bits(bits.0))
            }
            #[inline(always)]
            fn step(self, b: Self, c: Self) -> Self {
                let f: fn(f64, f64, f64) -> f64 = $step;
                f(self.into(), b.into(), c.into()).into()
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                f64::from(self).mul_add(b.into(), c.into()).into()
            }
            fn sqrt(self) -> Self {
                f64::from(self).sqrt().into()
            }
            fn abs(self) -> Self {
                f64::from(self).abs().into()
            }
            fn copysign(self, sign: Self) -> Self {
                f64::from(self).copysign(sign.into()).into()
            }
            fn lt(self, other: Self) -> bool {
                f64::from(self) < f64::from(other)
            }
            fn le(self, other: Self) -> bool {
                f64::from(self) <= f64::from(other)
            }
            fn equals(self, other: Self) -> bool {
                f64::from(self) == f64::from(other)
            }
            fn is_nan(self) -> bool {
                f64::from(self).is_nan()
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
            fn repeat<const N: usize>(
                count: u32,
                mut state: [Self; N],
                step: impl Fn([Self; N]) -> [Self; N],
            ) -> [Self; N] {
                for _ in 0..count {
                    state = step(state);
                }
                state
            }
        }
    };
}

/// `f64` whose `step` is fused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fused(pub f64);
/// `f64` whose `step` rounds twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split(pub f64);

macro_rules! newtype {
    ($($name:ident)*) => {$(
        impl From<f64> for $name { fn from(x: f64) -> Self { Self(x) } }
        impl From<$name> for f64 { fn from(x: $name) -> Self { x.0 } }
        newtype!(@ $name Add add +; Sub sub -; Mul mul *; Div div /;);
        impl Neg for $name { type Output = Self; fn neg(self) -> Self { Self(-self.0) } }
    )*};
    (@ $name:ident $($operator:ident $method:ident $sign:tt;)*) => {$(
        impl $operator for $name { type Output = Self; fn $method(self, other: Self) -> Self { Self(self.0 $sign other.0) } }
        impl $operator<f64> for $name { type Output = Self; fn $method(self, other: f64) -> Self { Self(self.0 $sign other) } }
    )*};
}
newtype!(Fused Split);
host!(Fused, |a, b, c| a.mul_add(b, c));
host!(Split, |a, b, c| a * b + c);
