//! Ops that Rust has not, or computes otherwise: division, extremes of floats, and fused products.
//!
//! Each is without branches where that is possible, so that lanes become vectors.

use super::F16;
use samebits_ir::scalar::half;

/// What a version of the code may rely on.
pub trait Machine {
    /// Whether the machine multiplies and adds with one rounding.
    const FUSES: bool;
}

/// A machine of which nothing is known.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

/// A machine with fused products.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

impl Machine for Plain {
    const FUSES: bool = cfg!(target_feature = "fma") || cfg!(target_arch = "aarch64");
}

impl Machine for Fused {
    const FUSES: bool = true;
}

/// Integers.
pub trait Whole: Copy {
    /// The quotient, truncated; 0 for a zero divisor.
    fn quotient(self, by: Self) -> Self;
    /// The remainder with the dividend's sign; 0 for a zero divisor.
    fn remainder(self, by: Self) -> Self;
}

macro_rules! whole {
    ($($ty:ident)*) => {$(
        impl Whole for $ty {
            #[inline(always)]
            fn quotient(self, by: Self) -> Self {
                if by == 0 { 0 } else { self.wrapping_div(by) }
            }

            #[inline(always)]
            fn remainder(self, by: Self) -> Self {
                if by == 0 { 0 } else { self.wrapping_rem(by) }
            }
        }
    )*};
}

whole! { i8 i16 i32 i64 u8 u16 u32 u64 }

/// Numbers of any sort.
pub trait Lane: Copy {
    /// The lesser; a NaN loses, and -0.0 is below 0.0.
    fn lesser(self, other: Self) -> Self;
    /// The greater; a NaN loses, and -0.0 is below 0.0.
    fn greater(self, other: Self) -> Self;
    /// With the canonical NaN for any NaN.
    fn canonical(self) -> Self;
}

macro_rules! lanes_of_integers {
    ($($ty:ident)*) => {$(
        impl Lane for $ty {
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                if self < other { self } else { other }
            }

            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                if self > other { self } else { other }
            }

            #[inline(always)]
            fn canonical(self) -> Self {
                self
            }
        }
    )*};
}

lanes_of_integers! { i8 i16 i32 i64 u8 u16 u32 u64 bool }

macro_rules! lanes_of_floats {
    ($($ty:ident $signed:ident $infinity:literal $nan:literal,)*) => {$(
        impl Lane for $ty {
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                // Where both are zero, the bits say which one is negative.
                let first = self < other || self == other && (self.to_bits() as $signed) < 0 || other.is_nan();
                let least = if first { self } else { other };
                if self.is_nan() { other.canonical() } else { least }
            }

            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                let first = self > other || self == other && (other.to_bits() as $signed) < 0 || other.is_nan();
                let most = if first { self } else { other };
                if self.is_nan() { other.canonical() } else { most }
            }

            #[inline(always)]
            fn canonical(self) -> Self {
                // By the bits: LLVM takes a choice between a root and a NaN for the root, whatever its NaN is.
                let bits = self.to_bits();
                let magnitude = bits << 1 >> 1;
                Self::from_bits(if magnitude > $infinity { $nan } else { bits })
            }
        }
    )*};
}

lanes_of_floats! {
    F16 i16 0x7c00 0x7e00,
    f32 i32 0x7f80_0000 0x7fc0_0000,
    f64 i64 0x7ff0_0000_0000_0000 0x7ff8_0000_0000_0000,
}

/// `a * b + c` with one rounding.
pub trait Fuse: Copy {
    /// By the machine's own instruction.
    fn fused(self, b: Self, c: Self) -> Self;
    /// On a machine that has none.
    fn stepwise(self, b: Self, c: Self) -> Self;
}

impl Fuse for f32 {
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }

    /// The product is exact in `f64`. The sum is rounded to odd there, so that rounding it again sees what
    /// was lost.
    #[inline(always)]
    fn stepwise(self, b: Self, c: Self) -> Self {
        to_odd(f64::from(self) * f64::from(b), f64::from(c)) as Self
    }
}

impl Fuse for f64 {
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }

    /// The function of the C library, which is exact.
    #[inline(always)]
    fn stepwise(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

/// A sum rounded to odd: if it is not exact, the last bit is 1 and it lies on the side of the exact sum
/// where zero is.
#[inline(always)]
fn to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let lost = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    let inexact = sum.is_finite() && lost != 0.0 && bits & 1 == 0;
    // One more bit if the exact sum is farther from zero than the rounded one, one less if not.
    let farther = (lost > 0.0) == (sum > 0.0);
    let odd = if farther { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if inexact { odd } else { bits })
}

/// `a * b + c` with one rounding, as the machine does it best.
#[inline(always)]
pub fn mul_add<M: Machine, T: Fuse>(a: T, b: T, c: T) -> T {
    if M::FUSES { a.fused(b, c) } else { a.stepwise(b, c) }
}

/// The same of `f16`.
#[inline(always)]
pub fn mul_add_f16(a: F16, b: F16, c: F16) -> F16 {
    F16(half::mul_add(a.0, b.0, c.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_give_what_one_rounding_gives() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..2_000_000 {
            let (bits, more) = (next(), next());
            let (a, b) = (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
            // Half of the addends are near the negative product.
            let c = if more & 1 == 0 {
                f32::from_bits((more >> 32) as u32)
            } else {
                f32::from_bits((-(a * b)).to_bits() ^ (more >> 61) as u32)
            };
            let (ours, exact) = (a.stepwise(b, c), a.mul_add(b, c));
            assert!(ours.to_bits() == exact.to_bits() || ours.is_nan() && exact.is_nan(), "{a:e} * {b:e} + {c:e}");
        }
    }

    #[test]
    fn a_root_of_any_nan_is_the_canonical_one() {
        for bits in [0x7fff_fffe_u32, 0xffff_ffff, 0x7f80_0001, 0xbf80_0000] {
            let root = std::hint::black_box(f32::from_bits(bits)).sqrt().canonical();
            assert_eq!(root.to_bits(), 0x7fc0_0000, "{bits:x}");
        }
    }

    #[test]
    fn extremes_are_those_of_the_table() {
        use samebits_ir::{scalar, types::Scalar};
        let values =
            [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::from_bits(0xff80_0001), 1e-45];
        for a in values {
            for b in values {
                let args = [u64::from(a.to_bits()), u64::from(b.to_bits()), 0, 0];
                assert_eq!(u64::from(a.lesser(b).to_bits()), scalar::min(Scalar::F32, args), "{a} {b}");
                assert_eq!(u64::from(a.greater(b).to_bits()), scalar::max(Scalar::F32, args), "{a} {b}");
            }
        }
    }
}
