//! What ops on floats give: Rust's methods of the same name, which are exact or correctly
//! rounded, and the rules that Rust does not have (one NaN, its order in `min`).
//!
//! `f16` has no arithmetic in Rust. What is exact is done in `f32`, and what rounds is done
//! there and rounded again, which is as good as once: `f32` has more than twice as many
//! bits and two.

use half::f16;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use std::cmp::Ordering;
use std::num::FpCategory;

/// The one `f32` NaN that arithmetic gives.
const NAN_32: u32 = 0x7fc0_0000;
/// The one `f64` NaN.
const NAN_64: u64 = 0x7ff8_0000_0000_0000;

/// One lane of an op on floats; the second operand of `ldexp` is an `i32`.
pub fn expect(op: Op, ty: Scalar, args: [u64; 4]) -> Option<u64> {
    match ty {
        Scalar::F16 => half(op, args),
        Scalar::F32 => single(op, args),
        Scalar::F64 => double(op, args),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => None,
    }
}

/// The bits of an `f32` that arithmetic gives.
pub fn arithmetic_32(value: f32) -> u64 {
    u64::from(if value.is_nan() { NAN_32 } else { value.to_bits() })
}

/// The bits of an `f64` that arithmetic gives.
pub fn arithmetic_64(value: f64) -> u64 {
    if value.is_nan() { NAN_64 } else { value.to_bits() }
}

/// The bits of the nearest `f16`.
pub fn nearest_half(value: f64) -> u64 {
    // The `half` crate rounds an `f64` twice. It rounds an `f32` once, so what the `f32`
    // lacks is left in its last bit.
    let mut single = value as f32;
    if f64::from(single) != value && !value.is_nan() {
        let beyond = f64::from(single).abs() > value.abs();
        single = f32::from_bits((single.to_bits() - u32::from(beyond)) | 1);
    }
    half_of(single)
}

/// The bits of the `f16` nearest to an `f32`.
fn half_of(value: f32) -> u64 {
    u64::from(if value.is_nan() { 0x7e00 } else { f16::from_f32(value).to_bits() })
}

/// The first of two numbers in an order in which NaN is last and -0.0 is not 0.0.
macro_rules! lesser {
    ($a:ident, $b:ident, $holds:ident) => {
        match ($a.is_nan(), $b.is_nan()) {
            (true, _) => $b,
            (_, true) => $a,
            _ if $a.total_cmp(&$b) == Ordering::Equal || $a.total_cmp(&$b).$holds() => $a,
            _ => $b,
        }
    };
}

/// What `f32` and `f64` give.
macro_rules! floats {
    ($($name:ident $float:ident $bits:ident $arithmetic:ident;)*) => {$(
        fn $name(op: Op, args: [u64; 4]) -> Option<u64> {
            let [a, b, c, _] = args.map(|bits| $float::from_bits(bits as $bits));
            let value = match op {
                Op::Add => a + b,
                Op::Sub => a - b,
                Op::Mul => a * b,
                Op::Div => a / b,
                Op::Rem => a % b,
                Op::Min => lesser!(a, b, is_lt),
                Op::Max => lesser!(a, b, is_gt),
                Op::Sign => a.signum(),
                Op::Sqrt => a.sqrt(),
                Op::Floor => a.floor(),
                Op::Ceil => a.ceil(),
                Op::Trunc => a.trunc(),
                Op::RoundEven => a.round_ties_even(),
                Op::Round => a.round(),
                Op::MulAdd => a.mul_add(b, c),
                Op::DivEuclid => a.div_euclid(b),
                Op::RemEuclid => a.rem_euclid(b),
                Op::Recip => a.recip(),
                Op::Fract => a.fract(),
                // Adding 0.0 takes the sign from -0.0.
                Op::Saturate => if a.is_nan() { 0.0 } else { a.clamp(0.0, 1.0) + 0.0 },
                Op::ToDegrees => a.to_degrees(),
                Op::ToRadians => a.to_radians(),
                Op::FrexpFraction => parts(a.into()).map_or(a, |(fraction, _)| fraction as $float),
                Op::FrexpExponent => {
                    return Some(u64::from(parts(a.into()).map_or(0, |(_, exponent)| exponent) as u32));
                }
                Op::Ldexp => scaled(a.into(), args[1] as u32 as i32) as $float,
                // These move bits, and so keep a NaN as it is.
                Op::Clamp => {
                    let raised = if a < b { b } else { a };
                    return Some((if raised > c { c } else { raised }).to_bits().into());
                }
                Op::Neg => return Some((-a).to_bits().into()),
                Op::Abs => return Some(a.abs().to_bits().into()),
                Op::CopySign => return Some(a.copysign(b).to_bits().into()),
                Op::Eq => return Some((a == b).into()),
                Op::Ne => return Some((a != b).into()),
                Op::Lt => return Some((a < b).into()),
                Op::Le => return Some((a <= b).into()),
                Op::Gt => return Some((a > b).into()),
                Op::Ge => return Some((a >= b).into()),
                Op::IsNan => return Some(a.is_nan().into()),
                Op::IsInfinite => return Some(a.is_infinite().into()),
                Op::IsFinite => return Some(a.is_finite().into()),
                Op::IsNormal => return Some(a.is_normal().into()),
                Op::IsSubnormal => return Some((a.classify() == FpCategory::Subnormal).into()),
                Op::IsSignNegative => return Some(a.is_sign_negative().into()),
                Op::IsSignPositive => return Some(a.is_sign_positive().into()),
                _ => return None,
            };
            Some($arithmetic(value))
        }
    )*};
}

floats! {
    single f32 u32 arithmetic_32;
    double f64 u64 arithmetic_64;
}

/// A finite number other than zero as a fraction from 0.5 to below 1.0 and an exponent.
fn parts(value: f64) -> Option<(f64, i32)> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    let (mut fraction, mut exponent) = (value, 0);
    // Large steps first, so that this ends soon; every product is exact.
    for step in [512, 256, 128, 64, 32, 16, 8, 4, 2, 1] {
        while fraction.abs() >= power_of_two(step - 1) {
            (fraction, exponent) = (fraction * power_of_two(-step), exponent + step);
        }
        while fraction.abs() < power_of_two(-step) {
            (fraction, exponent) = (fraction * power_of_two(step), exponent - step);
        }
    }
    Some((fraction, exponent))
}

/// Two to a power from -1022 to 1023.
fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((1023 + power) as u64) << 52)
}

/// A number times a power of two, rounded once to an `f64`.
fn scaled(value: f64, power: i32) -> f64 {
    let power = power.clamp(-2200, 2200);
    let Some((fraction, exponent)) = parts(value) else { return value };
    let exponent = exponent + power;
    if exponent > 1024 {
        return f64::INFINITY.copysign(value);
    }
    // The fraction as a whole number of 53 bits, and the place of its last bit.
    let (whole, last) = ((fraction.abs() * power_of_two(53)) as u64, exponent - 53);
    let magnitude = if last >= -1074 {
        // All bits fit, in two steps that do not overflow on the way.
        whole as f64 * power_of_two(last / 2) * power_of_two(last - last / 2)
    } else {
        let drop = (-1074 - last) as u32;
        let (kept, rest) = (u128::from(whole).checked_shr(drop).unwrap_or(0), u128::from(whole));
        let (rest, half) = if drop < 64 { (rest & ((1 << drop) - 1), 1 << (drop - 1)) } else { (0, 1) };
        let up = rest > half || rest == half && kept & 1 == 1;
        // Subnormals count their steps in their bits.
        f64::from_bits(kept as u64 + u64::from(up))
    };
    magnitude.copysign(value)
}

/// An op on `f16`.
fn half(op: Op, args: [u64; 4]) -> Option<u64> {
    let [x, y, z, _] = args.map(|bits| f16::from_bits(bits as u16));
    let [a, b, c] = [x, y, z].map(f16::to_f32);
    let round = |value: f32| f16::from_f32(value).to_f32();
    let value = match op {
        Op::Neg => return Some((x.to_bits() ^ 0x8000).into()),
        Op::Abs => return Some((x.to_bits() & 0x7fff).into()),
        Op::CopySign => return Some((x.to_bits() & 0x7fff | y.to_bits() & 0x8000).into()),
        Op::Clamp => {
            let raised = if x < y { y } else { x };
            return Some((if raised > z { z } else { raised }).to_bits().into());
        }
        Op::IsNormal => return Some(x.is_normal().into()),
        Op::IsSubnormal => return Some((x.classify() == FpCategory::Subnormal).into()),
        Op::IsSignNegative => return Some(x.is_sign_negative().into()),
        Op::IsSignPositive => return Some(x.is_sign_positive().into()),
        // The steps of the method, each rounded to `f16`.
        Op::DivEuclid => {
            let quotient = round(a / b).trunc();
            let step = if b > 0.0 { -1.0 } else { 1.0 };
            if a % b < 0.0 { quotient + step } else { quotient }
        }
        Op::RemEuclid => {
            let rest = a % b;
            if rest < 0.0 { rest + b.abs() } else { rest }
        }
        // The product is exact in `f64`; where its sum with the third is not, the last bit
        // says so.
        Op::MulAdd => {
            let (product, c) = (x.to_f64() * y.to_f64(), z.to_f64());
            let sum = product + c;
            let back = sum - product;
            let lost = (product - (sum - back)) + (c - back);
            let odd = if lost != 0.0 && lost.is_finite() && sum.to_bits() & 1 == 0 {
                let away = (lost > 0.0) == (sum > 0.0);
                f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
            } else {
                sum
            };
            return Some(nearest_half(odd));
        }
        Op::Ldexp => {
            let power = (args[1] as u32 as i32).clamp(-100, 100);
            return Some(nearest_half(x.to_f64() * power_of_two(power)));
        }
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::IsNan
        | Op::IsInfinite
        | Op::IsFinite
        | Op::FrexpExponent => return single(op, [a, b, c, 0.0].map(|value| value.to_bits().into())),
        Op::ToDegrees | Op::ToRadians => return None,
        _ => {
            let bits = single(op, [a, b, c, 0.0].map(|value| value.to_bits().into()))?;
            f32::from_bits(bits as u32)
        }
    };
    Some(half_of(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_greatest_numbers_come_apart_and_together() {
        for value in [f64::MIN_POSITIVE, f64::MAX, 5e-324, 1.0, -0.75, 3e-310] {
            let (fraction, exponent) = parts(value).expect("a number");
            assert!((0.5..1.0).contains(&fraction.abs()), "{value} is {fraction}");
            assert_eq!(scaled(fraction, exponent), value);
        }
    }

    #[test]
    fn a_product_of_a_power_of_two_is_rounded_once() {
        // 1.5 and 2.5 of the least number are halfway; 3 * 2^-1075 + a little is not.
        assert_eq!(scaled(3.0, -1075), 2.0 * 5e-324);
        assert_eq!(scaled(5.0, -1075), 2.0 * 5e-324);
        assert_eq!(scaled(1.0, -1075), 0.0);
        assert_eq!(scaled(1.000_000_1, -1075), 5e-324);
        assert_eq!(scaled(1.0, i32::MIN), 0.0);
        assert_eq!(scaled(-5e-324, i32::MAX), f64::NEG_INFINITY);
        assert_eq!(scaled(5e-324, 2097), f64::powi(2.0, 1023));
    }
}
