//! `f16` in the arithmetic of `f32`.
//!
//! The sum, difference, product, quotient and square root of two `f16` in `f32`, rounded again, are those
//! that are rounded once: 24 bits are twice 11 and two. A remainder is exact. Conversions are a few steps
//! on integers without branches, so that lanes become vectors.

use core::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// An `f16`, by its bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F16(pub u16);

impl F16 {
    /// The number with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The same number; a NaN stays a NaN.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let (sign, magnitude) = (u32::from(self.0 & 0x8000) << 16, u32::from(self.0 & 0x7fff));
        // The exponent's distance from that of `f32` is made up for by a product, which also makes subnormal
        // numbers normal. Infinity and NaN need the greatest exponent.
        let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
        let special = 0x7f80_0000 | (magnitude & 0x3ff) << 13;
        let bits = if magnitude >= 0x7c00 { special } else { scaled.to_bits() };
        f32::from_bits(bits | sign)
    }

    /// The nearest number, ties to even; a NaN becomes the canonical one.
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let (sign, magnitude) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
        // Normal results: the exponent is moved and the 13 bits beyond the fraction are rounded off.
        let odd = magnitude >> 13 & 1;
        let normal = magnitude.wrapping_sub(0x3800_0000).wrapping_add(0xfff + odd) >> 13;
        // Subnormal ones: the sum with 1/2 has the fraction in its lowest bits, rounded by the sum itself.
        let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { small } else { normal };
        let bits = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
        if magnitude > 0x7f80_0000 { Self(0x7e00) } else { Self(bits as u16 | sign) }
    }

    /// The same number.
    #[inline(always)]
    pub fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }

    /// The nearest number, ties to even; a NaN becomes the canonical one.
    #[inline(always)]
    pub fn from_f64(value: f64) -> Self {
        // What `f32` loses is kept by making its last bit odd, so that rounding again sees it.
        let single = value as f32;
        let back = f64::from(single);
        let (lost, bits) = (value != back && !value.is_nan(), single.to_bits());
        // Where the single lies beyond the number, the next one towards zero is the one to be made odd.
        let cut = bits.wrapping_sub(u32::from(back.abs() > value.abs()));
        Self::from_f32(if lost { f32::from_bits(cut | 1) } else { single })
    }

    /// Without its sign.
    #[inline(always)]
    pub const fn abs(self) -> Self {
        Self(self.0 & 0x7fff)
    }

    /// This magnitude with another sign.
    #[inline(always)]
    pub const fn copysign(self, sign: Self) -> Self {
        Self(self.0 & 0x7fff | sign.0 & 0x8000)
    }

    /// Whether it is a NaN.
    #[inline(always)]
    pub const fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }

    /// Whether it is an infinity.
    #[inline(always)]
    pub const fn is_infinite(self) -> bool {
        self.0 & 0x7fff == 0x7c00
    }

    /// Whether it is neither.
    #[inline(always)]
    pub const fn is_finite(self) -> bool {
        self.0 & 0x7fff < 0x7c00
    }
}

/// Methods of one operand, in `f32`.
macro_rules! unary {
    ($($name:ident $doc:literal,)*) => {
        impl F16 {
            $(#[doc = $doc]
            #[inline(always)]
            pub fn $name(self) -> Self {
                Self::from_f32(self.to_f32().$name())
            })*
        }
    };
}

unary! {
    sqrt "The square root.",
    floor "Rounded towards negative infinity.",
    ceil "Rounded towards positive infinity.",
    trunc "Rounded towards zero.",
    round "Rounded to nearest, halves away from zero.",
    round_ties_even "Rounded to nearest, halves to even.",
}

/// Operators, in `f32`.
macro_rules! binary {
    ($($trait:ident $name:ident $sign:tt,)*) => {$(
        impl $trait for F16 {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() $sign other.to_f32())
            }
        }
    )*};
}

binary! { Add add +, Sub sub -, Mul mul *, Div div /, Rem rem %, }

impl Neg for F16 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0 ^ 0x8000)
    }
}

impl PartialEq for F16 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F16 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use samebits_ir::scalar::half;

    #[test]
    fn every_number_becomes_the_same_single() {
        for bits in 0..=u16::MAX {
            let (ours, exact) = (F16(bits).to_f64(), half::to_f64(bits));
            assert!(ours.to_bits() == exact.to_bits() || ours.is_nan() && exact.is_nan(), "{bits:x}");
        }
    }

    #[test]
    fn numbers_beside_every_midpoint_are_rounded_right() {
        for bits in 0..0x7c00_u16 {
            let (low, high) = (half::to_f64(bits), half::to_f64(bits + 1).min(65536.0));
            let middle = low.midpoint(high);
            for near in [low, middle.next_down(), middle, middle.next_up(), high, middle * (1.0 - 1e-9)] {
                for value in [near, -near] {
                    assert_eq!(F16::from_f64(value).0, half::from_f64(value), "{value:e}");
                    let single = value as f32;
                    assert_eq!(F16::from_f32(single).0, half::from_f64(single.into()), "{single:e}");
                }
            }
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 65519.99, 65520.0] {
            assert_eq!(F16::from_f64(value).0, half::from_f64(value), "{value:e}");
        }
    }
}
