//! The lane functions at 8, 16 and 64 bits against Rust's own integers: 8 bits
//! exhaustively, the others on edge values crossed and random ones.
//!
//! Every expected value is computed by a method of the Rust type, never by the functions
//! under test.

use samebits_ir::ops::Op;
use samebits_ir::scalar::cast;
use samebits_ir::types::{Scalar, Type};

const EDGES: &[u64] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    63,
    64,
    100,
    0x7e,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x100,
    0x1234,
    0x7ffe,
    0x7fff,
    0x8000,
    0x8001,
    0xaaaa,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x0123_4567_89ab_cdef,
    0x7fff_ffff_ffff_fffe,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// Pairs of values: all of them if there are few, else edge values and random ones.
fn pairs(bits: u32) -> Vec<(u64, u64)> {
    if bits == 8 {
        return (0..1 << 16).map(|n| (n & 0xff, n >> 8)).collect();
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> (state % 61)
    };
    let random: Vec<(u64, u64)> = (0..20_000).map(|_| (next(), next())).collect();
    let edges = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| (a, b)));
    let mask = u64::MAX >> (64 - bits);
    edges.chain(random).map(|(a, b)| (a & mask, b & mask)).collect()
}

#[track_caller]
fn same(op: Op, scalar: Scalar, args: &[u64], expected: u64) {
    let mut types = vec![Type::Scalar(scalar); args.len()];
    if matches!(op, Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight) {
        types[1] = Type::U32;
    }
    let result = op.result(&types, None).expect("operands of the op's types");
    let lanes: Vec<[u64; 4]> = args.iter().map(|&bits| [bits, 0, 0, 0]).collect();
    let out = op.eval(&types, result, &lanes);
    assert_eq!(out, [expected, 0, 0, 0], "{op:?} {} {args:x?}", scalar.name());
}

macro_rules! width {
    ($test:ident, $i:ident $signed:ident, $u:ident $unsigned:ident) => {
        #[test]
        fn $test() {
            let (signed, unsigned) = (Scalar::$signed, Scalar::$unsigned);
            let i = |value: $i| u64::from(value as $u);
            let u = |value: $u| u64::from(value);
            for (a, b) in pairs($u::BITS) {
                let (x, y, s, t) = (a as $u, b as $u, a as $i, b as $i);
                let both = |op, expected: $u, or: $i| {
                    same(op, unsigned, &[a, b], u(expected));
                    same(op, signed, &[a, b], i(or));
                };
                both(Op::Add, x.wrapping_add(y), s.wrapping_add(t));
                both(Op::Sub, x.wrapping_sub(y), s.wrapping_sub(t));
                both(Op::Mul, x.wrapping_mul(y), s.wrapping_mul(t));
                both(Op::Div, x.checked_div(y).unwrap_or(0), if t == 0 { 0 } else { s.wrapping_div(t) });
                both(Op::Rem, x.checked_rem(y).unwrap_or(0), if t == 0 { 0 } else { s.wrapping_rem(t) });
                both(Op::Min, x.min(y), s.min(t));
                both(Op::Max, x.max(y), s.max(t));
                both(Op::AbsDiff, x.abs_diff(y), s.abs_diff(t) as $i);
                both(Op::And, x & y, s & t);
                both(Op::Or, x | y, s | t);
                both(Op::Xor, x ^ y, s ^ t);
                both(Op::Eq, (x == y).into(), (s == t).into());
                both(Op::Ne, (x != y).into(), (s != t).into());
                both(Op::Lt, (x < y).into(), (s < t).into());
                both(Op::Le, (x <= y).into(), (s <= t).into());
                both(Op::Gt, (x > y).into(), (s > t).into());
                both(Op::Ge, (x >= y).into(), (s >= t).into());
                let n = b as u32;
                let shift = |op, expected: $u, or: $i| {
                    same(op, unsigned, &[a, n.into()], u(expected));
                    same(op, signed, &[a, n.into()], i(or));
                };
                shift(Op::Shl, x.wrapping_shl(n), s.wrapping_shl(n));
                shift(Op::Shr, x.wrapping_shr(n), s.wrapping_shr(n));
                shift(Op::RotateLeft, x.rotate_left(n % $u::BITS), s.rotate_left(n % $u::BITS));
                shift(Op::RotateRight, x.rotate_right(n % $u::BITS), s.rotate_right(n % $u::BITS));
                let one = |op, expected: $u, or: $i| {
                    same(op, unsigned, &[a], u(expected));
                    same(op, signed, &[a], i(or));
                };
                one(Op::Neg, x.wrapping_neg(), s.wrapping_neg());
                one(Op::Not, !x, !s);
                one(Op::ReverseBits, x.reverse_bits(), s.reverse_bits());
                one(Op::SwapBytes, x.swap_bytes(), s.swap_bytes());
                one(Op::CountOnes, x.count_ones() as $u, s.count_ones() as $i);
                one(Op::LeadingZeros, x.leading_zeros() as $u, s.leading_zeros() as $i);
                one(Op::TrailingZeros, x.trailing_zeros() as $u, s.trailing_zeros() as $i);
                same(Op::Abs, signed, &[a], i(s.wrapping_abs()));
                same(Op::Sign, signed, &[a], i(s.signum()));
            }
        }
    };
}

width!(integers_of_8_bits_are_those_of_rust, i8 I8, u8 U8);
width!(integers_of_16_bits_are_those_of_rust, i16 I16, u16 U16);
width!(integers_of_64_bits_are_those_of_rust, i64 I64, u64 U64);

#[test]
fn casts_between_f32_and_integers_of_every_width_are_those_of_rust() {
    macro_rules! width {
        ($($int:ident $scalar:ident $unsigned:ident),*) => {$(
            for (a, b) in pairs(Scalar::$scalar.bits()) {
                let float = u64::from((a as $int as f32).to_bits());
                assert_eq!(cast(Scalar::$scalar.into(), Type::F32, [a, 0, 0, 0]), Some([float, 0, 0, 0]));
                let bits = (b as u32).wrapping_mul(0x9e37_79b9) ^ (a as u32) << 16;
                for float in [f32::from_bits(bits), a as $int as f32, -(b as f32), b as f32 * 0.75, f32::NAN] {
                    let expected = u64::from(float as $int as $unsigned);
                    let value = cast(Type::F32, Scalar::$scalar.into(), [float.to_bits().into(), 0, 0, 0]);
                    assert_eq!(value, Some([expected, 0, 0, 0]), "{float} as {}", stringify!($int));
                }
            }
        )*};
    }
    width!(i8 I8 u8, u8 U8 u8, i16 I16 u16, u16 U16 u16, i32 I32 u32, u32 U32 u32, i64 I64 u64, u64 U64 u64);
}
