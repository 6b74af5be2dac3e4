//! `f16` in words: conversions from and to `f32`, in which its ops are done.
//!
//! Rounding a sum, product, quotient or root to `f32` and then to `f16` is the same as
//! rounding once, because 24 bits are twice 11 and two. A fused product is rounded to odd
//! in between.

use super::Routine;
use super::double_bits as double;
use super::handle::{Wide, Word};
use super::single::{self, INFINITY, MAGNITUDE, SIGN};
use crate::scalar::half::NAN_F16;

pub(super) fn negated(a: Word<'_>) -> Word<'_> {
    a ^ 0x8000
}

pub(super) fn absolute(a: Word<'_>) -> Word<'_> {
    a & 0x7fff
}

pub(super) fn copy_sign<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    a & 0x7fff | b & 0x8000
}

/// The same number as an `f32`; a NaN stays one.
pub(super) fn widen(a: Word<'_>) -> Word<'_> {
    let sign = (a & 0x8000) << 16;
    let (exponent, fraction) = (a >> 10 & 31, a & 0x3ff);
    let low = fraction << 13;
    let normal = (exponent + (127 - 15)) << 23 | low;
    // A subnormal's highest bit becomes the implicit one.
    let zeros = fraction.clz();
    let significand = fraction << ((zeros - 8) & 31) & 0x7f_ffff;
    let subnormal = (a.recorder().word(134) - zeros) << 23 | significand;
    let subnormal = fraction.eq(0).pick(0, subnormal);
    let value = exponent.eq(0).pick(subnormal, normal);
    exponent.eq(31).pick(low | INFINITY, value) | sign
}

/// The same number as an `f32`.
pub(super) fn to_single(a: Word<'_>) -> Word<'_> {
    single::canonical(widen(a))
}

/// The nearest `f16` of an `f32`, ties to even.
pub(super) fn narrow(a: Word<'_>) -> Word<'_> {
    let word = |value| a.recorder().word(value);
    let value = a & MAGNITUDE;
    let (exponent, significand) = (value >> 23, value & 0x7f_ffff | 0x80_0000);
    let subnormal = exponent.lt(113);
    let shift = word(126) - exponent;
    let shift = subnormal.pick(shift.gt(25).pick(25, shift), 13);
    let kept = significand >> shift;
    let rest = significand - (kept << shift);
    let half = word(1) << (shift - 1);
    let up = half.lt(rest) | rest.eq(half) & (kept & 1).eq(1);
    let base = subnormal.pick(0, (exponent - 113) << 10);
    let bits = base + kept + up.bit();
    let bits = exponent.gt(142).pick(0x7c00, bits);
    let bits = bits | a >> 16 & (SIGN >> 16);
    value.gt(INFINITY).pick(u32::from(NAN_F16), bits)
}

/// `a * b + c` with one rounding.
pub(super) fn mul_add<'r>(a: Word<'r>, b: Word<'r>, c: Word<'r>) -> Word<'r> {
    narrow(a.recorder().call(Routine::F32MulAddOdd, [a, b, c].map(widen)))
}

/// The same number as an `f64`.
pub(super) fn to_double(a: Word<'_>) -> Wide<'_> {
    double::from_single(widen(a))
}

/// The nearest `f16` of an `f64`.
pub(super) fn from_double(a: Wide<'_>) -> Word<'_> {
    narrow(double::to_single_odd(a))
}
