//! Integer arithmetic beyond the basic operations, and the ops that integers and floats
//! share with it: what a result of unlimited width would be, brought back to the type.
//!
//! Operands are read as exact numbers (`i128` holds every product of two 64-bit ones), so
//! nothing here depends on how a wrapped result comes about.

use super::{Args, number, rem, signed};
use crate::types::Scalar;

/// The number that the bits stand for.
fn exact(ty: Scalar, bits: u64) -> i128 {
    if ty.is_signed() { signed(ty, bits).into() } else { bits.into() }
}

/// The low bits of a number.
fn wrapped(ty: Scalar, value: i128) -> u64 {
    value as u64 & ty.mask()
}

/// The number of the type that is nearest.
fn saturated(ty: Scalar, value: i128) -> u64 {
    let (least, most) = ty.limits();
    wrapped(ty, value.clamp(least, most))
}

/// Whether a number is not one of the type.
fn outside(ty: Scalar, value: i128) -> u64 {
    let (least, most) = ty.limits();
    u64::from(value < least || value > most)
}

/// The exact product; two `u64` may have one beyond `i128`, whose bits are right.
fn product(ty: Scalar, [a, b, ..]: Args) -> i128 {
    if ty.is_signed() { exact(ty, a) * exact(ty, b) } else { (u128::from(a) * u128::from(b)) as i128 }
}

/// Remainder with the divisor's sign; 0 for a zero divisor.
pub fn mod_floor(ty: Scalar, args: Args) -> u64 {
    let (a, b) = (exact(ty, args[0]), exact(ty, args[1]));
    if b == 0 { 0 } else { wrapped(ty, ((a % b) + b) % b) }
}

/// The upper half of the product of twice the width.
pub fn mul_high(ty: Scalar, args: Args) -> u64 {
    wrapped(ty, product(ty, args) >> ty.bits())
}

/// Sum, or the nearest value of the type.
pub fn add_sat(ty: Scalar, args: Args) -> u64 {
    saturated(ty, exact(ty, args[0]) + exact(ty, args[1]))
}

/// Difference, or the nearest value of the type.
pub fn sub_sat(ty: Scalar, args: Args) -> u64 {
    saturated(ty, exact(ty, args[0]) - exact(ty, args[1]))
}

/// Product, or the nearest value of the type.
pub fn mul_sat(ty: Scalar, args: Args) -> u64 {
    if mul_overflows(ty, args) == 0 {
        return wrapped(ty, product(ty, args));
    }
    let negative = ty.is_signed() && (signed(ty, args[0]) < 0) != (signed(ty, args[1]) < 0);
    let (least, most) = ty.limits();
    wrapped(ty, if negative { least } else { most })
}

/// Whether the sum wraps.
pub fn add_overflows(ty: Scalar, args: Args) -> u64 {
    outside(ty, exact(ty, args[0]) + exact(ty, args[1]))
}

/// Whether the difference wraps.
pub fn sub_overflows(ty: Scalar, args: Args) -> u64 {
    outside(ty, exact(ty, args[0]) - exact(ty, args[1]))
}

/// Whether the product wraps.
pub fn mul_overflows(ty: Scalar, args: Args) -> u64 {
    if ty.is_signed() {
        return outside(ty, product(ty, args));
    }
    u64::from(u128::from(args[0]) * u128::from(args[1]) > u128::from(ty.mask()))
}

/// The mean, rounded towards negative infinity.
pub fn avg_floor(ty: Scalar, args: Args) -> u64 {
    wrapped(ty, (exact(ty, args[0]) + exact(ty, args[1])) >> 1)
}

/// The mean, rounded towards positive infinity.
pub fn avg_ceil(ty: Scalar, args: Args) -> u64 {
    wrapped(ty, (exact(ty, args[0]) + exact(ty, args[1]) + 1) >> 1)
}

/// The mean, rounded towards zero.
pub fn midpoint(ty: Scalar, args: Args) -> u64 {
    wrapped(ty, (exact(ty, args[0]) + exact(ty, args[1])) / 2)
}

/// The lower bound if the number is less, then the upper one if that is greater.
pub fn clamp(ty: Scalar, [x, low, high, _]: Args) -> u64 {
    let less = |a: u64, b: u64| {
        if ty.is_float() { number(ty, a) < number(ty, b) } else { exact(ty, a) < exact(ty, b) }
    };
    let raised = if less(x, low) { low } else { x };
    if less(high, raised) { high } else { raised }
}

/// The quotient whose remainder is not negative.
pub fn div_euclid(ty: Scalar, args: Args) -> u64 {
    let [a, b, ..] = args;
    if ty.is_float() {
        // The steps of `f32::div_euclid`, each rounded to the type.
        let quotient = super::trunc(ty, [super::div(ty, args), 0, 0, 0]);
        let below = number(ty, rem(ty, args)) < 0.0;
        if !below {
            return quotient;
        }
        let step = if number(ty, b) > 0.0 { super::sub } else { super::add };
        return step(ty, [quotient, ty.one(), 0, 0]);
    }
    let (a, b) = (exact(ty, a), exact(ty, b));
    if b == 0 { 0 } else { wrapped(ty, a.div_euclid(b)) }
}

/// The remainder that is not negative.
pub fn rem_euclid(ty: Scalar, args: Args) -> u64 {
    let [a, b, ..] = args;
    if ty.is_float() {
        let rest = rem(ty, args);
        if number(ty, rest) < 0.0 {
            return super::add(ty, [rest, super::abs(ty, [b, 0, 0, 0]), 0, 0]);
        }
        return rest;
    }
    let (a, b) = (exact(ty, a), exact(ty, b));
    if b == 0 { 0 } else { wrapped(ty, a.rem_euclid(b)) }
}

/// A power, wrapping.
pub fn pow(ty: Scalar, args: Args) -> u64 {
    // The low bits of a product depend on the low bits of its factors alone.
    args[0].wrapping_pow(args[1] as u32) & ty.mask()
}

/// The square root, rounded down.
pub fn isqrt(_: Scalar, args: Args) -> u64 {
    args[0].isqrt()
}

/// The quotient, rounded up; 0 for a zero divisor.
pub fn div_ceil(_: Scalar, args: Args) -> u64 {
    if args[1] == 0 { 0 } else { args[0].div_ceil(args[1]) }
}

/// The least multiple that is not below; wraps.
pub fn next_multiple_of(ty: Scalar, args: Args) -> u64 {
    let (a, b) = (i128::from(args[0]), i128::from(args[1]));
    if b == 0 { args[0] } else { wrapped(ty, (a + b - 1) / b * b) }
}

/// Whether exactly one bit is set.
pub fn is_power_of_two(_: Scalar, args: Args) -> u64 {
    args[0].is_power_of_two().into()
}

/// The least power of two that is not below; 0 if the type has none.
pub fn next_power_of_two(ty: Scalar, args: Args) -> u64 {
    wrapped(ty, (u128::from(args[0]).next_power_of_two()) as i128)
}

/// Absolute value, unsigned.
pub fn unsigned_abs(ty: Scalar, args: Args) -> u64 {
    signed(ty, args[0]).unsigned_abs()
}

/// The place of the highest set bit; all ones for zero.
pub fn ilog2(_: Scalar, args: Args) -> u64 {
    args[0].checked_ilog2().unwrap_or(u32::MAX).into()
}

/// Whether the number is below zero.
pub fn is_negative(ty: Scalar, args: Args) -> u64 {
    (signed(ty, args[0]) < 0).into()
}

/// Whether the number is above zero.
pub fn is_positive(ty: Scalar, args: Args) -> u64 {
    (signed(ty, args[0]) > 0).into()
}
