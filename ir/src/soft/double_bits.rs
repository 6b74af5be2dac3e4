//! What is done to `f64`s without arithmetic: order, rounding to whole numbers, casts.
//!
//! Values are the bits of `f64`s; a NaN result is the canonical NaN.

use super::double::{BIAS, FRACTION, IMPLICIT, INFINITY, pack};
use super::handle::{Flag, Wide, Word};
use super::single::{self, MAGNITUDE, Rounding, SIGN};
use super::{Routine, wide};
use crate::scalar::{NAN_F32, NAN_F64};

/// The exponent of 1.
const ONE: u32 = 1023;
/// Infinity; what is above it, the sign aside, is NaN.
const INFINITE: u64 = (INFINITY as u64) << 32;

/// The number without its sign.
pub(super) fn magnitude(a: Wide<'_>) -> Wide<'_> {
    Wide { high: a.high & MAGNITUDE, ..a }
}

pub(super) fn negated(a: Wide<'_>) -> Wide<'_> {
    Wide { high: a.high ^ SIGN, ..a }
}

pub(super) fn copy_sign<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    Wide { high: a.high & MAGNITUDE | b.high & SIGN, ..a }
}

pub(super) fn is_nan(a: Wide<'_>) -> Flag<'_> {
    magnitude(a).gt(INFINITE)
}

pub(super) fn is_infinite(a: Wide<'_>) -> Flag<'_> {
    magnitude(a).eq(INFINITE)
}

pub(super) fn is_finite(a: Wide<'_>) -> Flag<'_> {
    (a.high & MAGNITUDE).lt(INFINITY)
}

/// The bits, or the canonical NaN.
pub(super) fn canonical<'r>(nan: Flag<'r>, a: Wide<'r>) -> Wide<'r> {
    nan.pick(NAN_F64, a)
}

/// A number whose unsigned order is the order of numbers, with -0.0 below 0.0.
fn key(a: Wide<'_>) -> Wide<'_> {
    a ^ a.is_negative().pick(u64::MAX, 1 << 63)
}

/// Whether both are zeros, of whatever sign.
fn zeros<'r>(a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    magnitude(a | b).is_zero()
}

/// Equality of numbers.
pub(super) fn equal<'r>(a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    // Of equal bits one test is enough.
    (a.eq(b) | zeros(a, b)) & !is_nan(a)
}

/// Order of numbers.
pub(super) fn less<'r>(a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    key(a).lt(key(b)) & !(is_nan(a) | is_nan(b) | zeros(a, b))
}

pub(super) fn less_or_equal<'r>(a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    less(a, b) | equal(a, b)
}

/// The lesser number; a NaN loses.
pub(super) fn least<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    number_of(a, b, key(a).lt(key(b)))
}

/// The greater number; a NaN loses.
pub(super) fn greatest<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    number_of(a, b, key(b).lt(key(a)))
}

/// One of two numbers, `a` if `first` holds, but never a NaN where there is a number.
fn number_of<'r>(a: Wide<'r>, b: Wide<'r>, first: Flag<'r>) -> Wide<'r> {
    let (na, nb) = (is_nan(a), is_nan(b));
    let value: Wide<'r> = nb.pick(a, first.pick(a, b));
    canonical(na & nb, na.pick(b, value))
}

/// A whole number nearby; the sign stays.
pub(super) fn whole(a: Wide<'_>, rounding: Rounding) -> Wide<'_> {
    let value = magnitude(a);
    let exponent = value.high >> 20;
    let small = exponent.lt(ONE);
    // Between 1 and 2⁵² the bits below the point are `mask`, and all carries are right.
    let all = Wide { low: a.recorder().word(u32::MAX), high: a.recorder().word(FRACTION) };
    let mask = all >> (exponent - ONE);
    let fraction = value & mask;
    let kept: Wide<'_> = small.pick(0, value ^ fraction);
    let unit = mask + 1;
    let half: Wide<'_> = small.pick(0.5f64.to_bits(), unit >> 1);
    let unit: Wide<'_> = small.pick(1f64.to_bits(), unit);
    let fraction: Wide<'_> = small.pick(value, fraction);
    let away = match rounding {
        Rounding::TowardsZero => None,
        Rounding::Down => Some(!fraction.is_zero() & a.is_negative()),
        Rounding::Up => Some(!fraction.is_zero() & !a.is_negative()),
        Rounding::HalfAway => Some(!fraction.lt(half)),
        Rounding::HalfToEven => Some(half.lt(fraction) | fraction.eq(half) & !(kept & unit).is_zero()),
    };
    let rounded = match away {
        Some(away) => kept + away.pick::<Wide<'_>>(unit, 0),
        None => kept,
    };
    let value: Wide<'_> = exponent.gt(ONE + 51).pick(value, rounded);
    canonical(is_nan(a), Wide { high: value.high | a.high & SIGN, ..value })
}

/// The nearest number of an unsigned integer.
pub(super) fn from_unsigned(a: Wide<'_>) -> Wide<'_> {
    let zeros = a.clz();
    let exponent = a.recorder().word(BIAS + ONE + 63) - zeros;
    a.is_zero().pick(0, pack(a.recorder().word(0), exponent, a << zeros))
}

/// The nearest number of a signed integer.
pub(super) fn from_signed(a: Wide<'_>) -> Wide<'_> {
    let value: Wide<'_> = a.recorder().call(Routine::U64ToF64, wide::absolute(a));
    Wide { high: value.high | a.high & SIGN, ..value }
}

/// The integer of so many bits towards zero, its upper bits zero; the nearest one if out
/// of range, 0 for NaN.
pub(super) fn to_long(a: Wide<'_>, signed: bool, bits: u32) -> Wide<'_> {
    let value = magnitude(a);
    let exponent = value.high >> 20;
    let significand = Wide { high: value.high & FRACTION | IMPLICIT, ..value };
    let left = exponent - (ONE + 52);
    let (long, short) = (significand << left, significand >> (a.recorder().word(0) - left));
    let integer: Wide<'_> = exponent.gt(ONE + 51).pick(long, short);
    let integer: Wide<'_> = exponent.lt(ONE).pick(0, integer);
    let mask = u64::MAX >> (64 - bits);
    let (negative, digits) = (a.is_negative(), bits - u32::from(signed));
    let large = exponent.gt(ONE - 1 + digits);
    let integer: Wide<'_> = if signed {
        let (most, least) = (mask >> 1, (mask >> 1) + 1);
        let opposite = wide::negated(large.pick(least, integer));
        negative.pick(opposite, large.pick(most, integer))
    } else {
        negative.pick(0, large.pick::<Wide<'_>>(mask, integer))
    };
    let integer: Wide<'_> = is_nan(a).pick(0, integer);
    integer & mask
}

/// The same of at most 32 bits.
pub(super) fn to_integer(a: Wide<'_>, signed: bool, bits: u32) -> Word<'_> {
    to_long(a, signed, bits).low
}

/// The number of an `f32`.
pub(super) fn from_single(a: Word<'_>) -> Wide<'_> {
    let (sign, value) = (a & SIGN, a & MAGNITUDE);
    let (exponent, significand) = single::unpack(value);
    let fraction = significand & 0x7f_ffff;
    let number = Wide { low: fraction << 29, high: (exponent + (ONE - 127)) << 20 | fraction >> 3 };
    let number: Wide<'_> = value.eq(0).pick(0, number);
    let number: Wide<'_> = value.eq(single::INFINITY).pick(INFINITE, number);
    canonical(value.gt(single::INFINITY), Wide { high: number.high | sign, ..number })
}

/// The nearest `f32`.
pub(super) fn to_single(a: Wide<'_>) -> Word<'_> {
    let value = magnitude(a);
    let significand = Wide { high: value.high & FRACTION | IMPLICIT, ..value };
    let top = significand << 11;
    let top = top.high | top.low.sticky();
    // Zeros and subnormals are far below half of the least `f32`.
    let exponent = (value.high >> 20) + (single::BIAS + 127 - ONE);
    is_nan(a).pick(NAN_F32, single::pack(a.high & SIGN, exponent, top))
}

/// An `f32` rounded to odd, so that rounding it to an `f16` rounds the number: what is too
/// large for an `f32` is an infinity, and what is too small is zero.
pub(super) fn to_single_odd(a: Wide<'_>) -> Word<'_> {
    let value = magnitude(a);
    let exponent = value.high - ((ONE - 127) << 20);
    let number = exponent << 3 | value.low >> 29 | (value.low << 3).sticky();
    let number = value.high.lt((ONE - 126) << 20).pick(0, number);
    let number = value.high.gt(((ONE + 128) << 20) - 1).pick(single::INFINITY, number);
    is_nan(a).pick(NAN_F32, number | a.high & SIGN)
}
