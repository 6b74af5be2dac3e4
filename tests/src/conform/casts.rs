//! The pairs of types that a cast is defined for, and what each gives, in native Rust.
//!
//! A `u64` and the vectors of `u32` are lanes of words, low word first.

use samebits_ir::scalar::Lanes;
use samebits_ir::types::Type;

const BOOL: Type = Type::BOOL;
const I32: Type = Type::I32;
const U32: Type = Type::U32;
const F32: Type = Type::F32;
const U64: Type = Type::U64;
const VEC2: Type = Type::VEC2_U32;
const VEC4: Type = Type::VEC4_U32;

/// Every pair between values, source first.
pub const PAIRS: &[(Type, Type)] = &[
    (U32, U32),
    (U32, I32),
    (U32, BOOL),
    (U32, U64),
    (U32, VEC2),
    (U32, VEC4),
    (U32, F32),
    (I32, I32),
    (I32, U32),
    (I32, BOOL),
    (I32, U64),
    (I32, VEC2),
    (I32, VEC4),
    (I32, F32),
    (BOOL, U32),
    (BOOL, I32),
    (BOOL, BOOL),
    (BOOL, U64),
    (BOOL, VEC2),
    (BOOL, VEC4),
    (U64, U32),
    (U64, I32),
    (U64, BOOL),
    (U64, U64),
    (U64, VEC2),
    (VEC2, U32),
    (VEC2, I32),
    (VEC2, U64),
    (VEC2, VEC2),
    (VEC2, BOOL),
    (VEC4, U32),
    (VEC4, I32),
    (VEC4, VEC2),
    (VEC4, VEC4),
    (VEC4, BOOL),
    (VEC4, U64),
    (F32, F32),
    (F32, I32),
    (F32, U32),
];

/// The value of a cast; `None` for a pair that is not listed.
pub fn expect(from: Type, to: Type, value: Lanes) -> Option<Lanes> {
    if !PAIRS.contains(&(from, to)) {
        return None;
    }
    let [first, second, ..] = value;
    let word = first as u32;
    let one = |bits: u64| [bits, 0, 0, 0];
    let all = |bits: u32| [bits.into(); 4];
    Some(match (from, to) {
        _ if from == to => value,
        (VEC2 | VEC4, BOOL) => one((value != [0; 4]).into()),
        (_, BOOL) => one((first != 0).into()),
        (I32, U64) => one(word as i32 as i64 as u64),
        (U64, VEC2) => [first & 0xffff_ffff, first >> 32, 0, 0],
        (VEC2 | VEC4, U64) => one(first | second << 32),
        (VEC4, VEC2) => [first, second, 0, 0],
        (_, VEC4) => all(word),
        (_, VEC2) => [word.into(), word.into(), 0, 0],
        (I32, F32) => one((word as i32 as f32).to_bits().into()),
        (U32, F32) => one((word as f32).to_bits().into()),
        (F32, I32) => one((f32::from_bits(word) as i32 as u32).into()),
        (F32, U32) => one((f32::from_bits(word) as u32).into()),
        (_, U32 | I32) => one(word.into()),
        (_, U64) => one(word.into()),
        _ => return None,
    })
}

/// The types that casts are defined for, vectors of their lanes, and `bytes`.
pub fn types() -> Vec<Type> {
    let vectors = super::SCALARS.iter().flat_map(|&lane| (2..=4).map(move |n| Type::Vector(lane, n)));
    super::SCALARS.iter().map(|&scalar| Type::Scalar(scalar)).chain(vectors).chain([Type::Bytes]).collect()
}
