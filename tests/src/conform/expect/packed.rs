//! What ops on several numbers in one word give, in native Rust: bytes by `to_le_bytes`,
//! dot products in `i128`, `f16` by the `half` crate and, towards zero, by its bits.

use super::float::{arithmetic_32, nearest_half};
use half::f16;
use samebits_ir::ops::Op;
use samebits_ir::scalar::Lanes;

/// An op whose operand and result types are fixed.
pub fn expect(op: Op, args: &[Lanes]) -> Option<Lanes> {
    let first = args[0];
    let word = first[0] as u32;
    let one = |bits: u64| Some([bits, 0, 0, 0]);
    match op {
        Op::NarrowToZero => one(toward_zero(single(first[0])).into()),
        Op::ToBfloat => one(half::bf16::from_f32(single(first[0])).to_bits().into()).map(canonical),
        Op::FromBfloat => one(arithmetic_32(half::bf16::from_bits(word as u16).to_f32())),
        Op::PackHalf => one(pack([first[0], first[1]].map(|bits| nearest_half(single(bits).into()) as u16))),
        Op::PackHalfToZero => one(pack([first[0], first[1]].map(|bits| toward_zero(single(bits))))),
        Op::UnpackHalf => {
            let [low, high] = halves(word).map(|bits| arithmetic_32(f16::from_bits(bits).to_f32()));
            Some([low, high, 0, 0])
        }
        Op::PackSnorm2 => one(pack([first[0], first[1]].map(|bits| normal(bits, -1.0, 32767.0) as i16 as u16))),
        Op::PackUnorm2 => one(pack([first[0], first[1]].map(|bits| normal(bits, 0.0, 65535.0) as u16))),
        Op::PackSnorm4 => one(u32::from_le_bytes(first.map(|bits| normal(bits, -1.0, 127.0) as i8 as u8)).into()),
        Op::PackUnorm4 => one(u32::from_le_bytes(first.map(|bits| normal(bits, 0.0, 255.0) as u8)).into()),
        Op::UnpackSnorm2 => {
            let [low, high] = halves(word).map(|bits| ratio((bits as i16).into(), 32767.0));
            Some([low, high, 0, 0])
        }
        Op::UnpackUnorm2 => {
            let [low, high] = halves(word).map(|bits| ratio(bits.into(), 65535.0));
            Some([low, high, 0, 0])
        }
        Op::UnpackSnorm4 => Some(word.to_le_bytes().map(|bits| ratio((bits as i8).into(), 127.0))),
        Op::UnpackUnorm4 => Some(word.to_le_bytes().map(|bits| ratio(bits.into(), 255.0))),
        Op::MaskedSad => {
            let (reference, source) = (word.to_le_bytes(), (args[1][0] as u32).to_le_bytes());
            let counted = reference.iter().zip(source).filter(|(reference, _)| **reference != 0);
            let sum: u32 = counted.map(|(reference, source)| u32::from(reference.abs_diff(source))).sum();
            one((args[2][0] as u32).wrapping_add(sum).into())
        }
        _ => {
            let sum = sum(op, [word, args.get(1)?[0] as u32], args.get(2)?[0] as u32)?;
            let bits = match op {
                Op::DotI8Sat | Op::DotI8U8Sat | Op::DotI16Sat => {
                    i32::try_from(sum).unwrap_or(if sum < 0 { i32::MIN } else { i32::MAX }) as u32
                }
                Op::DotU8Sat | Op::DotU16Sat => u32::try_from(sum).unwrap_or(u32::MAX),
                _ => sum as u32,
            };
            one(bits.into())
        }
    }
}

/// The exact sum of a dot product and its third operand.
fn sum(op: Op, [a, b]: [u32; 2], c: u32) -> Option<i128> {
    let signed_bytes = |word: u32| word.to_le_bytes().map(|byte| i128::from(byte as i8)).to_vec();
    let bytes = |word: u32| word.to_le_bytes().map(i128::from).to_vec();
    let signed_halves = |word: u32| halves(word).map(|half| i128::from(half as i16)).to_vec();
    let (x, y, start) = match op {
        Op::DotI8 | Op::DotI8Sat => (signed_bytes(a), signed_bytes(b), i128::from(c as i32)),
        Op::DotU8 | Op::DotU8Sat => (bytes(a), bytes(b), c.into()),
        Op::DotI8U8 | Op::DotI8U8Sat => (signed_bytes(a), bytes(b), i128::from(c as i32)),
        Op::DotI16 | Op::DotI16Sat => (signed_halves(a), signed_halves(b), i128::from(c as i32)),
        Op::DotU16 | Op::DotU16Sat => {
            (halves(a).map(i128::from).to_vec(), halves(b).map(i128::from).to_vec(), c.into())
        }
        _ => return None,
    };
    Some(x.iter().zip(&y).fold(start, |sum, (x, y)| sum + x * y))
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Two halves in a word, the first low.
fn pack([low, high]: [u16; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 16
}

fn halves(word: u32) -> [u16; 2] {
    [word as u16, (word >> 16) as u16]
}

/// The one NaN of eight significant bits.
fn canonical(bits: Lanes) -> Lanes {
    if half::bf16::from_bits(bits[0] as u16).is_nan() { [0x7fc0, 0, 0, 0] } else { bits }
}

/// The `f16` next to a number towards zero: its magnitude in steps of the last bit.
fn toward_zero(value: f32) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = f64::from(value.abs());
    match magnitude {
        _ if value.is_nan() => 0x7e00,
        f64::INFINITY => sign | 0x7c00,
        _ if magnitude >= 65_504.0 => sign | 0x7bff,
        _ => {
            // The greatest exponent whose power is not above; the least is that of subnormals.
            let exponent = (-14..=15).rev().find(|&power| 2f64.powi(power) <= magnitude);
            let steps = (magnitude / 2f64.powi(exponent.unwrap_or(-14) - 10)).floor() as u16;
            // Normal numbers have 1024 steps more than their exponent's field counts.
            sign | exponent.map_or(steps, |power| ((power + 15) as u16) << 10 | (steps - 1024))
        }
    }
}

/// A number of an interval up to 1.0 as a whole multiple of `1 / scale`, halves to even.
fn normal(bits: u64, least: f32, scale: f32) -> i32 {
    let value = single(bits);
    if value.is_nan() {
        return 0;
    }
    let value = if value < least {
        least
    } else if value > 1.0 {
        1.0
    } else {
        value
    };
    (value * scale).round_ties_even() as i32
}

fn ratio(number: i32, scale: f32) -> u64 {
    arithmetic_32((number as f32 / scale).max(-1.0))
}
