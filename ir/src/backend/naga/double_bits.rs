//! What is done to `f64`s without arithmetic: order, rounding to whole numbers, casts.
//!
//! As in [`double`], a number is a pair of words, low first, and a NaN result
//! is the canonical NaN.

use super::double::{self, BIAS, FRACTION, IMPLICIT, INFINITE, INFINITY, nan_if, sticky};
use super::float::{self, MAGNITUDE, Machine, Rounding, SIGN};
use super::wide::{self, Pair};
use crate::scalar::NAN_F32;

/// The exponent of 1.
const ONE: u32 = 1023;

/// The number without its sign.
fn magnitude<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    [a[0], m.and_k(a[1], MAGNITUDE)]
}

/// Whether the bits are a NaN.
pub(super) fn is_nan<M: Machine>(m: &mut M, a: Pair<M>) -> M::B {
    let (value, infinity) = (magnitude(m, a), wide::number(m, INFINITE));
    wide::lt(m, false, infinity, value)
}

/// Whether the bits are an infinity.
pub(super) fn is_infinite<M: Machine>(m: &mut M, a: Pair<M>) -> M::B {
    let (value, infinity) = (magnitude(m, a), wide::number(m, INFINITE));
    wide::eq(m, value, infinity)
}

/// Whether the bits are neither.
pub(super) fn is_finite<M: Machine>(m: &mut M, a: Pair<M>) -> M::B {
    let high = m.and_k(a[1], MAGNITUDE);
    m.lt_k(high, INFINITY)
}

/// A number whose unsigned order is the order of numbers, with -0.0 below 0.0.
fn key<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let negative = m.above_k(a[1], MAGNITUDE);
    let (zero, all, sign) = (m.k(0), m.k(u32::MAX), m.k(SIGN));
    let (low, high) = (m.pick(negative, all, zero), m.pick(negative, all, sign));
    [m.xor(a[0], low), m.xor(a[1], high)]
}

/// Whether both are zeros, of whatever sign.
fn zeros<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> M::B {
    let either = [m.or(a[0], b[0]), m.or(a[1], b[1])];
    let either = magnitude(m, either);
    wide::is_zero(m, either)
}

/// Equality of numbers.
pub(super) fn equal<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> M::B {
    let (same, zeros) = (wide::eq(m, a, b), zeros(m, a, b));
    let same = m.either(same, zeros);
    // Of equal bits one test is enough.
    let nan = is_nan(m, a);
    let number = m.not(nan);
    m.both(same, number)
}

/// Order of numbers.
pub(super) fn less<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> M::B {
    let (x, y) = (key(m, a), key(m, b));
    let below = wide::lt(m, false, x, y);
    let (na, nb, zeros) = (is_nan(m, a), is_nan(m, b), zeros(m, a, b));
    let never = m.either(na, nb);
    let never = m.either(never, zeros);
    let possible = m.not(never);
    m.both(below, possible)
}

/// The lesser or the greater number; a NaN loses.
pub(super) fn extreme<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>, least: bool) -> Pair<M> {
    let (x, y) = (key(m, a), key(m, b));
    let first = if least { wide::lt(m, false, x, y) } else { wide::lt(m, false, y, x) };
    let value = wide::pick(m, first, a, b);
    let (na, nb) = (is_nan(m, a), is_nan(m, b));
    let value = wide::pick(m, nb, a, value);
    let value = wide::pick(m, na, b, value);
    let nan = m.both(na, nb);
    nan_if(m, nan, value)
}

/// A whole number nearby; the sign stays.
pub(super) fn whole<M: Machine>(m: &mut M, a: Pair<M>, rounding: Rounding) -> Pair<M> {
    let value = magnitude(m, a);
    let exponent = m.shr_k(value[1], 20);
    let small = m.lt_k(exponent, ONE);
    let large = m.above_k(exponent, ONE + 51);
    // Between 1 and 2⁵² the bits below the point are `mask`, and all carries are right.
    let places = m.add_k(exponent, ONE.wrapping_neg());
    let all = [m.k(u32::MAX), m.k(FRACTION)];
    let mask = wide::shr(m, false, all, places);
    let fraction = [m.and(value[0], mask[0]), m.and(value[1], mask[1])];
    let kept = [m.xor(value[0], fraction[0]), m.xor(value[1], fraction[1])];
    let (zero, one) = (wide::number(m, 0), wide::number(m, 1));
    let unit = wide::add(m, mask, one);
    let half = double::shr_k(m, unit, 1);
    let (number_one, point_five) = (wide::number(m, 1f64.to_bits()), wide::number(m, 0.5f64.to_bits()));
    let kept = wide::pick(m, small, zero, kept);
    let unit = wide::pick(m, small, number_one, unit);
    let fraction = wide::pick(m, small, value, fraction);
    let half = wide::pick(m, small, point_five, half);
    let negative = m.above_k(a[1], MAGNITUDE);
    let away = match rounding {
        Rounding::TowardsZero => None,
        Rounding::Down | Rounding::Up => {
            let exact = wide::is_zero(m, fraction);
            let inexact = m.not(exact);
            let outwards = if rounding == Rounding::Down { negative } else { m.not(negative) };
            Some(m.both(inexact, outwards))
        }
        Rounding::HalfAway => {
            let below = wide::lt(m, false, fraction, half);
            Some(m.not(below))
        }
        Rounding::HalfToEven => {
            let (above, tie) = (wide::lt(m, false, half, fraction), wide::eq(m, fraction, half));
            let lowest = [m.and(kept[0], unit[0]), m.and(kept[1], unit[1])];
            let even = wide::is_zero(m, lowest);
            let odd = m.not(even);
            let tie = m.both(tie, odd);
            Some(m.either(above, tie))
        }
    };
    let rounded = match away {
        Some(away) => {
            let step = wide::pick(m, away, unit, zero);
            wide::add(m, kept, step)
        }
        None => kept,
    };
    let value = wide::pick(m, large, value, rounded);
    let sign = m.and_k(a[1], SIGN);
    let (value, nan) = ([value[0], m.or(value[1], sign)], is_nan(m, a));
    nan_if(m, nan, value)
}

/// The nearest number of an unsigned integer.
pub(super) fn from_integer<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let zeros = wide::clz(m, a);
    let top = wide::shl(m, a, zeros);
    let most = m.k(BIAS + ONE + 63);
    let exponent = m.sub(most, zeros);
    let zero = m.k(0);
    let value = double::pack(m, zero, exponent, top);
    let none = wide::is_zero(m, a);
    wide::pick(m, none, [zero; 2], value)
}

/// The integer of so many bits towards zero, its upper bits zero; the nearest one if out
/// of range, 0 for NaN.
pub(super) fn to_integer<M: Machine>(m: &mut M, signed: bool, bits: u32, a: Pair<M>) -> Pair<M> {
    let value = magnitude(m, a);
    let exponent = m.shr_k(value[1], 20);
    let (fraction, implicit) = (m.and_k(value[1], FRACTION), m.k(IMPLICIT));
    let significand = [value[0], m.or(fraction, implicit)];
    let left = m.add_k(exponent, (ONE + 52).wrapping_neg());
    let zero = m.k(0);
    let right = m.sub(zero, left);
    let (long, short) = (wide::shl(m, significand, left), wide::shr(m, false, significand, right));
    let whole = m.above_k(exponent, ONE + 51);
    let integer = wide::pick(m, whole, long, short);
    let below_one = m.lt_k(exponent, ONE);
    let integer = wide::pick(m, below_one, [zero; 2], integer);
    let mask = u64::MAX >> (64 - bits);
    let (most, least) = if signed { (mask >> 1, (mask >> 1) + 1) } else { (mask, 0) };
    let negative = m.above_k(a[1], MAGNITUDE);
    let (most, least) = (wide::number(m, most), wide::number(m, least));
    let limit = wide::pick(m, negative, least, most);
    let beyond = m.above_k(exponent, ONE + 63);
    let above = wide::lt(m, false, limit, integer);
    let above = m.either(beyond, above);
    let integer = wide::pick(m, above, limit, integer);
    let integer = if signed {
        let opposite = wide::neg(m, integer);
        wide::pick(m, negative, opposite, integer)
    } else {
        integer
    };
    let nan = is_nan(m, a);
    let integer = wide::pick(m, nan, [zero; 2], integer);
    [m.and_k(integer[0], mask as u32), m.and_k(integer[1], (mask >> 32) as u32)]
}

/// The bits of an `f32` as the same number.
pub(super) fn from_f32<M: Machine>(m: &mut M, a: M::U) -> Pair<M> {
    let sign = m.and_k(a, SIGN);
    let value = m.and_k(a, MAGNITUDE);
    let (exponent, significand) = float::unpack(m, value);
    let fraction = m.and_k(significand, 0x7f_ffff);
    let exponent = m.add_k(exponent, ONE - 127);
    let exponent = m.shl_k(exponent, 20);
    let high = m.shr_k(fraction, 3);
    let number = [m.shl_k(fraction, 29), m.or(exponent, high)];
    let zero = m.k(0);
    let infinity = m.k(INFINITY);
    let (none, unbounded) = (m.eq_k(value, 0), m.eq_k(value, float::INFINITY));
    let number = wide::pick(m, none, [zero; 2], number);
    let number = wide::pick(m, unbounded, [zero, infinity], number);
    let nan = m.above_k(value, float::INFINITY);
    let number = [number[0], m.or(number[1], sign)];
    nan_if(m, nan, number)
}

/// The bits of the nearest `f32`.
pub(super) fn to_f32<M: Machine>(m: &mut M, a: Pair<M>) -> M::U {
    let value = magnitude(m, a);
    let sign = m.and_k(a[1], SIGN);
    let exponent = m.shr_k(value[1], 20);
    let (fraction, implicit) = (m.and_k(value[1], FRACTION), m.k(IMPLICIT));
    let significand = [value[0], m.or(fraction, implicit)];
    let top = double::shl_k(m, significand, 11);
    let rest = sticky(m, top[0]);
    let top = m.or(top[1], rest);
    // Zeros and subnormals are far below half of the least `f32`.
    let exponent = m.add_k(exponent, float::BIAS + 127 - ONE);
    let number = float::pack(m, sign, exponent, top);
    let (nan, canon) = (is_nan(m, a), m.k(NAN_F32));
    m.pick(nan, canon, number)
}

/// The bits of an `f32` rounded to odd, so that rounding it to an `f16` rounds the number:
/// what is too large for an `f32` is an infinity, and what is too small is zero.
pub(super) fn to_f32_odd<M: Machine>(m: &mut M, a: Pair<M>) -> M::U {
    let value = magnitude(m, a);
    let sign = m.and_k(a[1], SIGN);
    let exponent = m.add_k(value[1], ((ONE - 127) << 20).wrapping_neg());
    let (high, low) = (m.shl_k(exponent, 3), m.shr_k(value[0], 29));
    let number = m.or(high, low);
    let lost = m.shl_k(value[0], 3);
    let lost = sticky(m, lost);
    let number = m.or(number, lost);
    let (zero, infinity, canon) = (m.k(0), m.k(float::INFINITY), m.k(NAN_F32));
    let small = m.lt_k(value[1], (ONE - 126) << 20);
    let large = m.above_k(value[1], ((ONE + 128) << 20) - 1);
    let number = m.pick(small, zero, number);
    let number = m.pick(large, infinity, number);
    let nan = is_nan(m, a);
    let number = m.or(number, sign);
    m.pick(nan, canon, number)
}
