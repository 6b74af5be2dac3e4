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
    let magnitude = a & 0x7fff;
    let shifted = magnitude << 13;
    // A subnormal's highest bit, which is the implicit one, adds 1 to the exponent.
    let zeros = magnitude.clz();
    let subnormal = ((a.recorder().word(133) - zeros) << 23) + (magnitude << (zeros - 8));
    let subnormal = magnitude.eq(0).pick(0, subnormal);
    let value = magnitude.lt(0x400).pick(subnormal, shifted + ((127 - 15) << 23));
    magnitude.gt(0x7bff).pick(shifted | INFINITY, value) | (a ^ magnitude) << 16
}

/// The same number as an `f32`.
pub(super) fn to_single(a: Word<'_>) -> Word<'_> {
    single::canonical(widen(a))
}

/// The nearest `f16` of an `f32`, ties to even.
pub(super) fn narrow(a: Word<'_>) -> Word<'_> {
    let word = |value| a.recorder().word(value);
    let value = a & MAGNITUDE;
    // What is left after the shift is the magnitude, and all carries are right.
    let subnormal = value.lt(113 << 23);
    let digits = subnormal.pick(value & 0x7f_ffff | 0x80_0000, value - (112 << 23));
    let shift = word(126) - (value >> 23);
    let shift = subnormal.pick(shift.gt(25).pick(25, shift), 13);
    let kept = digits >> shift;
    let rest = digits - (kept << shift);
    let half = word(1) << (shift - 1);
    let up = half.lt(rest) | rest.eq(half) & (kept & 1).eq(1);
    let bits = value.gt((143 << 23) - 1).pick(0x7c00, kept + up.bit());
    value.gt(INFINITY).pick(u32::from(NAN_F16), bits | a >> 16 & (SIGN >> 16))
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
