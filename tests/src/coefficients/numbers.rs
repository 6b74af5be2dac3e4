//! `f64` whose steps are fused. What rounds twice in a step is `f64` itself, as the host has it.

use crate::math::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number that takes its steps by `mul_add`, and does all else as `f64` does.
#[derive(Clone, Copy)]
pub struct Fused(pub f64);

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for Fused {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
        impl $operator<f64> for Fused {
            type Output = Self;
            fn $method(self, other: f64) -> Self {
                Self(self.0.$method(other))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Fused {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Real for Fused {
    type Flag = <f64 as Real>::Flag;
    type Bits = <f64 as Real>::Bits;

    fn k(self, value: f64) -> Self {
        Self(value)
    }
    fn n(self, value: u64) -> Self::Bits {
        self.0.n(value)
    }
    fn bits(self) -> Self::Bits {
        self.0.bits()
    }
    fn of_bits(bits: Self::Bits) -> Self {
        Self(f64::of_bits(bits))
    }
    fn step(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(self.0.mul_add(b.0, c.0))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn copysign(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    fn lt(self, other: Self) -> Self::Flag {
        Real::lt(self.0, other.0)
    }
    fn le(self, other: Self) -> Self::Flag {
        Real::le(self.0, other.0)
    }
    fn equals(self, other: Self) -> Self::Flag {
        self.0.equals(other.0)
    }
    fn is_nan(self) -> Self::Flag {
        self.0.is_nan()
    }
    fn pick(flag: Self::Flag, yes: Self, no: Self) -> Self {
        Self(f64::pick(flag, yes.0, no.0))
    }
    fn pick_bits(flag: Self::Flag, yes: Self::Bits, no: Self::Bits) -> Self::Bits {
        f64::pick_bits(flag, yes, no)
    }
    fn branch<const N: usize>(
        flag: Self::Flag,
        yes: impl FnOnce() -> [Self; N],
        no: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        if flag { yes() } else { no() }
    }
    fn repeat<const N: usize>(count: u32, state: [Self; N], step: impl Fn([Self; N]) -> [Self; N]) -> [Self; N] {
        (0..count).fold(state, |state, _| step(state))
    }
}
