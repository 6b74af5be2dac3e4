//! Floats beyond the basic operations: tests, parts and scaling.

use super::{Args, canonical_f32, canonical_f64, f32_of, number, rounded};
use crate::types::Scalar;

/// Whether the number is neither zero, subnormal, infinite nor NaN.
pub fn is_normal(ty: Scalar, args: Args) -> u64 {
    let mask = ty.infinity();
    (args[0] & mask != 0 && args[0] & mask != mask).into()
}

/// Whether the number is subnormal.
pub fn is_subnormal(ty: Scalar, args: Args) -> u64 {
    let fraction = args[0] & ((1 << ty.fraction_bits()) - 1);
    (args[0] & ty.infinity() == 0 && fraction != 0).into()
}

/// Whether the sign bit is set.
pub fn is_sign_negative(ty: Scalar, args: Args) -> u64 {
    args[0] >> (ty.bits() - 1) & 1
}

/// Whether the sign bit is clear.
pub fn is_sign_positive(ty: Scalar, args: Args) -> u64 {
    is_sign_negative(ty, args) ^ 1
}

/// `1.0 / x`.
pub fn recip(ty: Scalar, args: Args) -> u64 {
    super::div(ty, [ty.one(), args[0], 0, 0])
}

/// `x - trunc(x)`.
pub fn fract(ty: Scalar, args: Args) -> u64 {
    super::sub(ty, [args[0], super::trunc(ty, args), 0, 0])
}

/// The nearest number from 0.0 to 1.0; 0.0 for NaN.
pub fn saturate(ty: Scalar, args: Args) -> u64 {
    let value = number(ty, args[0]);
    // Not `clamp`, which lets NaN and -0.0 through.
    rounded(ty, if value > 0.0 { value.min(1.0) } else { 0.0 })
}

/// A finite number other than zero as a fraction from 0.5 to below 1.0 and an exponent.
fn split(value: f64) -> Option<(f64, i32)> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    // Subnormals of `f64` become normal first; every `f16` and `f32` already is.
    let (normal, raised) = if value.is_normal() { (value, 0) } else { (value * 2f64.powi(64), 64) };
    let bits = normal.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    Some((fraction, field - 1022 - raised))
}

/// The number over a power of two.
pub fn frexp_fraction(ty: Scalar, args: Args) -> u64 {
    let value = number(ty, args[0]);
    rounded(ty, split(value).map_or(value, |(fraction, _)| fraction))
}

/// The exponent of that power of two.
pub fn frexp_exponent(ty: Scalar, args: Args) -> u64 {
    let exponent = split(number(ty, args[0])).map_or(0, |(_, exponent)| exponent);
    u64::from(exponent as u32)
}

/// A number times two to the power of an `i32`, rounded once.
pub fn ldexp(ty: Scalar, [value, power, ..]: Args) -> u64 {
    let number = number(ty, value);
    let Some((fraction, exponent)) = split(number) else { return rounded(ty, number) };
    // Beyond these everything is zero or infinite.
    let exponent = (i64::from(exponent) + i64::from(power as u32 as i32)).clamp(-1200, 1200) as i32;
    match ty {
        // The product is exact, as is its `f32` or `f64` unless it is far out of range.
        Scalar::F16 | Scalar::F32 => rounded(ty, fraction * 2f64.powi(exponent.clamp(-300, 300))),
        _ => {
            // The first product is exact, because it is normal; the second one rounds.
            let half = exponent / 2;
            canonical_f64(fraction * power_of_two(half) * power_of_two(exponent - half))
        }
    }
}

/// Two to a power from -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Radians as degrees.
pub fn to_degrees(ty: Scalar, args: Args) -> u64 {
    match ty {
        Scalar::F32 => canonical_f32(f32_of(args[0]) * 57.295_78),
        _ => canonical_f64(f64::from_bits(args[0]) * (180.0 / std::f64::consts::PI)),
    }
}

/// Degrees as radians.
pub fn to_radians(ty: Scalar, args: Args) -> u64 {
    match ty {
        Scalar::F32 => canonical_f32(f32_of(args[0]) * (std::f32::consts::PI / 180.0)),
        _ => canonical_f64(f64::from_bits(args[0]) * (std::f64::consts::PI / 180.0)),
    }
}
