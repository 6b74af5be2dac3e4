//! Several small numbers in one word: conversions and dot products.
//!
//! The first lane is in the lowest bits. Every function takes and gives whole operands.

use super::{Lanes, NAN_F32, f32_of, half};

/// A scalar result.
fn scalar(bits: u64) -> Lanes {
    [bits, 0, 0, 0]
}

/// The byte or the half of this index as an unsigned number.
fn part(word: u64, index: u32, bits: u32) -> u64 {
    word >> (index * bits) & ((1 << bits) - 1)
}

/// The same as a signed number.
fn signed_part(word: u64, index: u32, bits: u32) -> i64 {
    ((part(word, index, bits) << (64 - bits)) as i64) >> (64 - bits)
}

/// The lanes that `f` makes, side by side in a word.
fn packed(value: &Lanes, bits: u32, f: impl Fn(f32) -> u64) -> Lanes {
    let count = (32 / bits) as usize;
    let mask = (1u64 << bits) - 1;
    let lanes = value.iter().take(count).enumerate();
    scalar(lanes.fold(0, |word, (i, &lane)| word | (f(f32_of(lane)) & mask) << (i as u32 * bits)))
}

/// The numbers that `f` makes of a word's parts.
fn unpacked(bits: u32, f: impl Fn(u32) -> f32) -> Lanes {
    let mut out = [0; 4];
    for (i, out) in out.iter_mut().enumerate().take((32 / bits) as usize) {
        *out = u64::from(f(i as u32).to_bits());
    }
    out
}

/// An `f32` as the next `f16` towards zero.
fn toward_zero(value: f32) -> u16 {
    let nearest = half::from_f64(value.into());
    let back = half::to_f64(nearest);
    // One step of the bits is one step of the number, from infinity too.
    if back.abs() > f64::from(value).abs() { nearest - 1 } else { nearest }
}

/// An `f32` as the next `f16` towards zero.
pub fn narrow_to_zero(args: &[Lanes]) -> Lanes {
    scalar(toward_zero(f32_of(args[0][0])).into())
}

/// The upper half of an `f32` of 8 significant bits.
pub fn to_bfloat(args: &[Lanes]) -> Lanes {
    let value = f32_of(args[0][0]);
    if value.is_nan() {
        return scalar(u64::from(NAN_F32 >> 16));
    }
    let bits = value.to_bits();
    let (kept, rest) = (bits >> 16, bits & 0xffff);
    let up = rest > 0x8000 || rest == 0x8000 && kept & 1 == 1;
    scalar(u64::from(kept + u32::from(up)))
}

/// The `f32` whose upper half this is.
pub fn from_bfloat(args: &[Lanes]) -> Lanes {
    scalar(super::canonical_f32(f32::from_bits((args[0][0] as u32) << 16)))
}

/// Two numbers as `f16`.
pub fn pack_half(args: &[Lanes]) -> Lanes {
    packed(&args[0], 16, |value| half::from_f64(value.into()).into())
}

/// Two numbers as `f16`, rounded towards zero.
pub fn pack_half_to_zero(args: &[Lanes]) -> Lanes {
    packed(&args[0], 16, |value| toward_zero(value).into())
}

/// Two `f16`.
pub fn unpack_half(args: &[Lanes]) -> Lanes {
    let word = args[0][0];
    unpacked(16, |i| f32_of(super::canonical_f32(half::to_f64(part(word, i, 16) as u16) as f32)))
}

/// A number clamped to an interval, scaled, and rounded halves to even; 0 for NaN.
fn normalized(value: f32, least: f32, scale: f32) -> u64 {
    ((value.clamp(least, 1.0) * scale).round_ties_even() as i64) as u64
}

/// Two numbers from -1.0 to 1.0.
pub fn pack_snorm2(args: &[Lanes]) -> Lanes {
    packed(&args[0], 16, |value| normalized(value, -1.0, 32767.0))
}

/// Two numbers from 0.0 to 1.0.
pub fn pack_unorm2(args: &[Lanes]) -> Lanes {
    packed(&args[0], 16, |value| normalized(value, 0.0, 65535.0))
}

/// Two numbers from -1.0 to 1.0.
pub fn unpack_snorm2(args: &[Lanes]) -> Lanes {
    let word = args[0][0];
    unpacked(16, |i| (signed_part(word, i, 16) as f32 / 32767.0).max(-1.0))
}

/// Two numbers from 0.0 to 1.0.
pub fn unpack_unorm2(args: &[Lanes]) -> Lanes {
    let word = args[0][0];
    unpacked(16, |i| part(word, i, 16) as f32 / 65535.0)
}

/// Four numbers from -1.0 to 1.0.
pub fn pack_snorm4(args: &[Lanes]) -> Lanes {
    packed(&args[0], 8, |value| normalized(value, -1.0, 127.0))
}

/// Four numbers from 0.0 to 1.0.
pub fn pack_unorm4(args: &[Lanes]) -> Lanes {
    packed(&args[0], 8, |value| normalized(value, 0.0, 255.0))
}

/// Four numbers from -1.0 to 1.0.
pub fn unpack_snorm4(args: &[Lanes]) -> Lanes {
    let word = args[0][0];
    unpacked(8, |i| (signed_part(word, i, 8) as f32 / 127.0).max(-1.0))
}

/// Four numbers from 0.0 to 1.0.
pub fn unpack_unorm4(args: &[Lanes]) -> Lanes {
    let word = args[0][0];
    unpacked(8, |i| part(word, i, 8) as f32 / 255.0)
}

/// How the parts of a packed word are read.
#[derive(Clone, Copy)]
enum Sign {
    Signed,
    Unsigned,
}

impl Sign {
    fn read(self, word: u64, index: u32, bits: u32) -> i64 {
        match self {
            Self::Signed => signed_part(word, index, bits),
            Self::Unsigned => part(word, index, bits) as i64,
        }
    }
}

/// The exact sum of the products and of the accumulator, which is signed if `a` is.
fn dot(args: &[Lanes], bits: u32, a: Sign, b: Sign) -> i64 {
    let (x, y) = (args[0][0], args[1][0]);
    let products = (0..32 / bits).map(|i| a.read(x, i, bits) * b.read(y, i, bits));
    products.sum::<i64>() + a.read(args[2][0], 0, 32)
}

/// The low 32 bits.
fn wrapped(value: i64) -> Lanes {
    scalar(u64::from(value as u32))
}

/// The nearest number of 32 bits.
fn saturated(value: i64, sign: Sign) -> Lanes {
    wrapped(match sign {
        Sign::Signed => value.clamp(i32::MIN.into(), i32::MAX.into()),
        Sign::Unsigned => value.clamp(0, u32::MAX.into()),
    })
}

macro_rules! dots {
    ($($what:literal, $name:ident, $saturating:ident: $bits:literal, $a:ident, $b:ident;)*) => {$(
        #[doc = concat!("A dot product of ", $what, "; wraps.")]
        pub fn $name(args: &[Lanes]) -> Lanes {
            wrapped(dot(args, $bits, Sign::$a, Sign::$b))
        }

        #[doc = concat!("A dot product of ", $what, "; saturates.")]
        pub fn $saturating(args: &[Lanes]) -> Lanes {
            saturated(dot(args, $bits, Sign::$a, Sign::$b), Sign::$a)
        }
    )*};
}

dots! {
    "four signed bytes", dot_i8, dot_i8_sat: 8, Signed, Signed;
    "four unsigned bytes", dot_u8, dot_u8_sat: 8, Unsigned, Unsigned;
    "four signed and unsigned bytes", dot_i8_u8, dot_i8_u8_sat: 8, Signed, Unsigned;
    "two signed halves", dot_i16, dot_i16_sat: 16, Signed, Signed;
    "two unsigned halves", dot_u16, dot_u16_sat: 16, Unsigned, Unsigned;
}

/// Absolute differences of bytes, except where the first one is 0.
pub fn masked_sad(args: &[Lanes]) -> Lanes {
    let (reference, source) = (args[0][0], args[1][0]);
    let differences = (0..4).map(|i| (part(reference, i, 8), part(source, i, 8)));
    let sum: u64 = differences.filter(|&(r, _)| r != 0).map(|(r, s)| r.abs_diff(s)).sum();
    scalar(sum.wrapping_add(args[2][0]) & 0xffff_ffff)
}
