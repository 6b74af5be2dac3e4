//! The pairs of types that a cast is defined for, and what each gives, in native Rust.
//!
//! A `u64` and the vectors of `u32` are lanes of words, low word first.

use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};

const BOOL: Type = Type::BOOL;
const I32: Type = Type::I32;
const U32: Type = Type::U32;
const U64: Type = Type::U64;
const VEC2: Type = Type::VEC2_U32;
const VEC4: Type = Type::VEC4_U32;

/// The pairs with vectors.
const VECTORS: &[(Type, Type)] = &[
    (U32, VEC2),
    (U32, VEC4),
    (I32, VEC2),
    (I32, VEC4),
    (BOOL, VEC2),
    (BOOL, VEC4),
    (U64, VEC2),
    (VEC2, U32),
    (VEC2, I32),
    (VEC2, U64),
    (VEC2, BOOL),
    (VEC4, U32),
    (VEC4, I32),
    (VEC4, VEC2),
    (VEC4, BOOL),
    (VEC4, U64),
];

/// Every pair between values, source first: those of scalars are Rust's, and from an
/// integer to `bool`; and each vector's with itself.
pub fn pairs() -> Vec<(Type, Type)> {
    let scalars = || super::SCALARS.iter().copied();
    let all = scalars().flat_map(|from| scalars().map(move |to| (from, to)));
    let rust = all.filter(|&(from, to)| match (from, to) {
        _ if from == to => true,
        (Scalar::Bool, to) => to.is_int(),
        (from, Scalar::Bool) => from.is_int(),
        _ => true,
    });
    let same = types().into_iter().filter(|ty| matches!(ty, Type::Vector(..))).map(|ty| (ty, ty));
    rust.map(|(from, to)| (from.into(), to.into())).chain(VECTORS.iter().copied()).chain(same).collect()
}

/// A number of Rust that casts are made between.
#[derive(Clone, Copy)]
enum Number {
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

/// The value of a cast; `None` for a pair that is not listed.
pub fn expect(from: Type, to: Type, value: Lanes) -> Option<Lanes> {
    let [first, second, ..] = value;
    let one = |bits: u64| [bits, 0, 0, 0];
    Some(match (from, to) {
        _ if from == to => value,
        (VEC2 | VEC4, BOOL) => one((value != [0; 4]).into()),
        (U64, VEC2) => [first & 0xffff_ffff, first >> 32, 0, 0],
        (VEC2 | VEC4, U64) => one(first | second << 32),
        (VEC4, VEC2) => [first, second, 0, 0],
        (VEC2 | VEC4, U32 | I32) => one(first),
        (_, VEC4) => [first; 4],
        (_, VEC2) => [first, first, 0, 0],
        (Type::Scalar(from), Type::Scalar(to)) => one(scalar(from, to, first)?),
        _ => return None,
    })
}

/// `value as to` in Rust, and not being zero for `bool`.
fn scalar(from: Scalar, to: Scalar, bits: u64) -> Option<u64> {
    let number = match from {
        Scalar::I8 => Number::Signed((bits as i8).into()),
        Scalar::I16 => Number::Signed((bits as i16).into()),
        Scalar::I32 => Number::Signed((bits as i32).into()),
        Scalar::I64 => Number::Signed(bits as i64),
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Number::Unsigned(bits),
        Scalar::F32 => Number::Single(f32::from_bits(bits as u32)),
        Scalar::F16 => Number::Single(half::f16::from_bits(bits as u16).to_f32()),
        Scalar::F64 => Number::Double(f64::from_bits(bits)),
    };
    macro_rules! rust {
        ($to:ty) => {
            match number {
                Number::Signed(value) => value as $to,
                Number::Unsigned(value) => value as $to,
                Number::Single(value) => value as $to,
                Number::Double(value) => value as $to,
            }
        };
    }
    Some(match to {
        Scalar::Bool => u64::from(bits != 0),
        Scalar::I8 => (rust!(i8) as u8).into(),
        Scalar::I16 => (rust!(i16) as u16).into(),
        Scalar::I32 => (rust!(i32) as u32).into(),
        Scalar::I64 => rust!(i64) as u64,
        Scalar::U8 => rust!(u8).into(),
        Scalar::U16 => rust!(u16).into(),
        Scalar::U32 => rust!(u32).into(),
        Scalar::U64 => rust!(u64),
        Scalar::F32 => {
            let value = rust!(f32);
            u64::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
        }
        Scalar::F16 if from == Scalar::F64 => super::expect::float::nearest_half(f64::from_bits(bits)),
        Scalar::F16 => {
            // What `f32` rounds of an integer is an infinity as an `f16`.
            let value = rust!(f32);
            u64::from(if value.is_nan() { 0x7e00 } else { half::f16::from_f32(value).to_bits() })
        }
        Scalar::F64 => super::expect::float::arithmetic_64(rust!(f64)),
    })
}

/// The types that casts are defined for, vectors of their lanes, and `bytes`.
pub fn types() -> Vec<Type> {
    let vectors = super::SCALARS.iter().flat_map(|&lane| (2..=4).map(move |n| Type::Vector(lane, n)));
    super::SCALARS.iter().map(|&scalar| Type::Scalar(scalar)).chain(vectors).chain([Type::Bytes]).collect()
}
