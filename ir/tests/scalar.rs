//! The lane functions against Rust's own arithmetic, on edge values crossed.
//!
//! Every expected value is computed by a method of `i32`, `u32`, `f32` or by exact
//! wider arithmetic, never by the functions under test.

use samebits_ir::ops::{AtomicOp, Op};
use samebits_ir::scalar::{CastRule, cast, cast_rule, signed};
use samebits_ir::types::{Scalar, Type};

const INTS: &[u32] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    31,
    32,
    33,
    63,
    64,
    100,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0x00ff_ff00,
    0x1234_5678,
    0x5555_5555,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xaaaa_aaaa,
    0xdead_beef,
    0xffff_fffe,
    0xffff_ffff,
];

const FLOATS: &[u32] = &[
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // least subnormal
    0x8000_0001,
    0x007f_ffff, // greatest subnormal
    0x0080_0000, // least normal
    0x8080_0000,
    0x3eff_ffff, // just below 0.5
    0x3f00_0000, // 0.5
    0xbf00_0000,
    0x3f7f_ffff, // just below 1
    0x3f80_0000, // 1
    0xbf80_0000,
    0x3f80_0001, // just above 1
    0x3fc0_0000, // 1.5
    0x4020_0000, // 2.5
    0xc020_0000,
    0x4060_0000, // 3.5
    0x4049_0fdb, // pi
    0x4aff_ffff, // 8388607.5
    0x4b00_0001, // 8388609
    0x4b80_0000, // 2^24
    0x4eff_ffff, // just below 2^31
    0x4f00_0000, // 2^31
    0xcf00_0000,
    0x4f7f_ffff, // just below 2^32
    0x4f80_0000, // 2^32
    0x7f7f_ffff, // greatest
    0xff7f_ffff,
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fc0_0000, // NaN
    0xffc0_0000, // NaN with a sign
    0x7f80_0001, // signalling NaN
    0x7fff_1234, // NaN with a payload
];

fn run(op: Op, scalars: &[Scalar], args: &[u64]) -> u64 {
    let types: Vec<Type> = scalars.iter().map(|&s| Type::Scalar(s)).collect();
    let result = op.result(&types, None).expect("operands of the op's types");
    let lanes: Vec<[u64; 4]> = args.iter().map(|&bits| [bits, 0, 0, 0]).collect();
    let out = op.eval(&types, result, &lanes);
    assert_eq!(out[1..], [0; 3], "{op:?} sets lanes that a scalar does not have");
    out[0]
}

#[track_caller]
fn same(op: Op, scalar: Scalar, args: &[u64], expected: u64) {
    let mut scalars = vec![scalar; args.len()];
    if matches!(op, Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight) {
        scalars[1] = Scalar::U32;
    }
    let actual = run(op, &scalars, args);
    assert_eq!(actual, expected, "{op:?} {} {args:x?}: {actual:#x}, expected {expected:#x}", scalar.name());
}

/// Both readings of every pair.
fn pairs() -> impl Iterator<Item = (u32, u32)> {
    INTS.iter().flat_map(|&a| INTS.iter().map(move |&b| (a, b)))
}

fn check_u32(op: Op, expected: impl Fn(u32, u32) -> u32) {
    for (a, b) in pairs() {
        same(op, Scalar::U32, &[a.into(), b.into()], expected(a, b).into());
    }
}

fn check_i32(op: Op, expected: impl Fn(i32, i32) -> i32) {
    for (a, b) in pairs() {
        same(op, Scalar::I32, &[a.into(), b.into()], (expected(a as i32, b as i32) as u32).into());
    }
}

fn check_both(op: Op, unsigned: impl Fn(u32, u32) -> u32, signed: impl Fn(i32, i32) -> i32) {
    check_u32(op, unsigned);
    check_i32(op, signed);
}

#[test]
fn integer_sums_differences_and_products_wrap() {
    check_both(Op::Add, u32::wrapping_add, i32::wrapping_add);
    check_both(Op::Sub, u32::wrapping_sub, i32::wrapping_sub);
    check_both(Op::Mul, u32::wrapping_mul, i32::wrapping_mul);
}

#[test]
fn integer_division_by_zero_is_zero_and_the_least_by_minus_one_wraps() {
    check_both(Op::Div, |a, b| a.checked_div(b).unwrap_or(0), |a, b| if b == 0 { 0 } else { a.wrapping_div(b) });
    check_both(Op::Rem, |a, b| a.checked_rem(b).unwrap_or(0), |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
    same(Op::Div, Scalar::I32, &[0x8000_0000, 0xffff_ffff], 0x8000_0000);
    same(Op::Rem, Scalar::I32, &[0x8000_0000, 0xffff_ffff], 0);
    same(Op::Rem, Scalar::I32, &[(-7_i32) as u32 as u64, 3], (-1_i32) as u32 as u64);
}

#[test]
fn integer_order_is_that_of_the_type() {
    check_both(Op::Min, Ord::min, Ord::min);
    check_both(Op::Max, Ord::max, Ord::max);
    check_both(Op::Eq, |a, b| u32::from(a == b), |a, b| i32::from(a == b));
    check_both(Op::Ne, |a, b| u32::from(a != b), |a, b| i32::from(a != b));
    check_both(Op::Lt, |a, b| u32::from(a < b), |a, b| i32::from(a < b));
    check_both(Op::Le, |a, b| u32::from(a <= b), |a, b| i32::from(a <= b));
    check_both(Op::Gt, |a, b| u32::from(a > b), |a, b| i32::from(a > b));
    check_both(Op::Ge, |a, b| u32::from(a >= b), |a, b| i32::from(a >= b));
}

#[test]
fn absolute_difference_does_not_overflow() {
    check_both(Op::AbsDiff, u32::abs_diff, |a, b| a.abs_diff(b) as i32);
}

#[test]
fn bitwise_ops_work_on_every_bit() {
    check_both(Op::And, |a, b| a & b, |a, b| a & b);
    check_both(Op::Or, |a, b| a | b, |a, b| a | b);
    check_both(Op::Xor, |a, b| a ^ b, |a, b| a ^ b);
}

#[test]
fn bitwise_ops_on_bool_are_logic() {
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let bits = |value: bool| u64::from(value);
        let (p, q) = (a == 1, b == 1);
        same(Op::And, Scalar::Bool, &[a, b], bits(p && q));
        same(Op::Or, Scalar::Bool, &[a, b], bits(p || q));
        same(Op::Xor, Scalar::Bool, &[a, b], bits(p != q));
        same(Op::Not, Scalar::Bool, &[a], bits(!p));
        same(Op::Eq, Scalar::Bool, &[a, b], bits(p == q));
        same(Op::Ne, Scalar::Bool, &[a, b], bits(p != q));
        same(Op::Lt, Scalar::Bool, &[a, b], bits(!p & q));
        same(Op::Le, Scalar::Bool, &[a, b], bits(p <= q));
        same(Op::Gt, Scalar::Bool, &[a, b], bits(p & !q));
        same(Op::Ge, Scalar::Bool, &[a, b], bits(p >= q));
    }
}

#[test]
fn shift_and_rotation_counts_are_taken_modulo_the_width() {
    check_both(Op::Shl, u32::wrapping_shl, |a, n| a.wrapping_shl(n as u32));
    check_both(Op::Shr, u32::wrapping_shr, |a, n| a.wrapping_shr(n as u32));
    check_both(Op::RotateLeft, |a, n| a.rotate_left(n % 32), |a, n| a.rotate_left(n as u32 % 32));
    check_both(Op::RotateRight, |a, n| a.rotate_right(n % 32), |a, n| a.rotate_right(n as u32 % 32));
}

#[test]
fn integer_ops_of_one_operand_are_those_of_rust() {
    for &a in INTS {
        let (s, wide) = (a as i32, u64::from(a));
        let bits = |value: i32| u64::from(value as u32);
        same(Op::Neg, Scalar::U32, &[wide], a.wrapping_neg().into());
        same(Op::Neg, Scalar::I32, &[wide], bits(s.wrapping_neg()));
        same(Op::Abs, Scalar::I32, &[wide], bits(s.wrapping_abs()));
        same(Op::Sign, Scalar::I32, &[wide], bits(s.signum()));
        for scalar in [Scalar::U32, Scalar::I32] {
            same(Op::Not, scalar, &[wide], (!a).into());
            same(Op::CountOnes, scalar, &[wide], a.count_ones().into());
            same(Op::LeadingZeros, scalar, &[wide], a.leading_zeros().into());
            same(Op::TrailingZeros, scalar, &[wide], a.trailing_zeros().into());
            same(Op::ReverseBits, scalar, &[wide], a.reverse_bits().into());
            same(Op::SwapBytes, scalar, &[wide], a.swap_bytes().into());
        }
    }
}

/// The bits that a float op must give: Rust's result, its NaN made canonical.
fn canonical(value: f32) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits().into() }
}

fn float_pairs() -> impl Iterator<Item = (f32, f32)> {
    FLOATS.iter().flat_map(|&a| FLOATS.iter().map(move |&b| (f32::from_bits(a), f32::from_bits(b))))
}

#[test]
fn float_arithmetic_is_that_of_rust_with_one_nan() {
    for (a, b) in float_pairs() {
        let args = [a.to_bits().into(), b.to_bits().into()];
        same(Op::Add, Scalar::F32, &args, canonical(a + b));
        same(Op::Sub, Scalar::F32, &args, canonical(a - b));
        same(Op::Mul, Scalar::F32, &args, canonical(a * b));
        same(Op::Div, Scalar::F32, &args, canonical(a / b));
        same(Op::Rem, Scalar::F32, &args, canonical(a % b));
    }
}

#[test]
fn float_products_and_quotients_agree_with_double_precision() {
    // 53 bits are more than twice 24 and two, so rounding twice is rounding once.
    for (a, b) in float_pairs().filter(|(a, b)| a.is_normal() && b.is_normal()) {
        let (wide_a, wide_b) = (f64::from(a), f64::from(b));
        let args = [a.to_bits().into(), b.to_bits().into()];
        for (op, wide) in [(Op::Mul, wide_a * wide_b), (Op::Div, wide_a / wide_b)] {
            if (wide as f32).is_normal() {
                same(op, Scalar::F32, &args, (wide as f32).to_bits().into());
            }
        }
    }
}

#[test]
fn float_min_and_max_prefer_numbers_and_order_the_zeros() {
    let key = |f: f32| if f.is_sign_negative() { !f.to_bits() as i64 } else { f.to_bits() as i64 | 1 << 32 };
    for (a, b) in float_pairs() {
        let args = [a.to_bits().into(), b.to_bits().into()];
        let (min, max) = match (a.is_nan(), b.is_nan()) {
            (true, true) => (f32::NAN, f32::NAN),
            (true, false) => (b, b),
            (false, true) => (a, a),
            (false, false) if key(a) <= key(b) => (a, b),
            (false, false) => (b, a),
        };
        same(Op::Min, Scalar::F32, &args, canonical(min));
        same(Op::Max, Scalar::F32, &args, canonical(max));
    }
}

#[test]
fn float_compares_with_nan_are_false_but_for_unequal() {
    for (a, b) in float_pairs() {
        let args = [a.to_bits().into(), b.to_bits().into()];
        same(Op::Eq, Scalar::F32, &args, (a == b).into());
        same(Op::Ne, Scalar::F32, &args, (a != b).into());
        same(Op::Lt, Scalar::F32, &args, (a < b).into());
        same(Op::Le, Scalar::F32, &args, (a <= b).into());
        same(Op::Gt, Scalar::F32, &args, (a > b).into());
        same(Op::Ge, Scalar::F32, &args, (a >= b).into());
    }
}

#[test]
fn sign_bit_moves_keep_the_payload_of_nan() {
    for (a, b) in float_pairs() {
        let (bits, sign) = (a.to_bits(), b.to_bits() & 0x8000_0000);
        same(Op::Neg, Scalar::F32, &[bits.into()], (bits ^ 0x8000_0000).into());
        same(Op::Abs, Scalar::F32, &[bits.into()], (bits & 0x7fff_ffff).into());
        same(Op::CopySign, Scalar::F32, &[bits.into(), b.to_bits().into()], (bits & 0x7fff_ffff | sign).into());
    }
}

#[test]
fn float_rounding_is_that_of_rust() {
    for a in FLOATS.iter().map(|&bits| f32::from_bits(bits)) {
        let args = [a.to_bits().into()];
        same(Op::Sqrt, Scalar::F32, &args, canonical(a.sqrt()));
        same(Op::Floor, Scalar::F32, &args, canonical(a.floor()));
        same(Op::Ceil, Scalar::F32, &args, canonical(a.ceil()));
        same(Op::Trunc, Scalar::F32, &args, canonical(a.trunc()));
        same(Op::Round, Scalar::F32, &args, canonical(a.round()));
        same(Op::RoundEven, Scalar::F32, &args, canonical(a.round_ties_even()));
        same(Op::IsNan, Scalar::F32, &args, a.is_nan().into());
        same(Op::IsInfinite, Scalar::F32, &args, a.is_infinite().into());
        same(Op::IsFinite, Scalar::F32, &args, a.is_finite().into());
    }
}

#[test]
fn rounding_of_halves_and_of_the_zeros_is_as_named() {
    let bits = |f: f32| u64::from(f.to_bits());
    for (x, even, away) in [(0.5_f32, 0.0_f32, 1.0_f32), (1.5, 2.0, 2.0), (2.5, 2.0, 3.0), (-0.5, -0.0, -1.0)] {
        same(Op::RoundEven, Scalar::F32, &[bits(x)], bits(even));
        same(Op::Round, Scalar::F32, &[bits(x)], bits(away));
    }
    same(Op::Ceil, Scalar::F32, &[bits(-0.5)], bits(-0.0));
    same(Op::Sqrt, Scalar::F32, &[bits(-0.0)], bits(-0.0));
    // Just below a half is not a half.
    same(Op::Round, Scalar::F32, &[0x3eff_ffff], bits(0.0));
}

#[test]
fn mul_add_rounds_once() {
    for (a, b) in float_pairs() {
        for c in FLOATS.iter().map(|&bits| f32::from_bits(bits)) {
            let args = [a.to_bits().into(), b.to_bits().into(), c.to_bits().into()];
            same(Op::MulAdd, Scalar::F32, &args, canonical(a.mul_add(b, c)));
        }
    }
    // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46, which two roundings lose.
    let x = f32::from_bits(0x3f80_0001);
    let args = [x.to_bits().into(), x.to_bits().into(), (-f32::from_bits(0x3f80_0002)).to_bits().into()];
    same(Op::MulAdd, Scalar::F32, &args, (2.0_f32.powi(-46)).to_bits().into());
}

#[test]
fn casts_between_integers_wrap_or_extend_by_the_source() {
    let wide: &[u64] = &[
        0,
        1,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        1 << 63,
        u64::MAX,
    ];
    let to = |scalar: Scalar, value: i128| match scalar {
        Scalar::I8 => u64::from(value as i8 as u8),
        Scalar::I16 => u64::from(value as i16 as u16),
        Scalar::I32 => u64::from(value as i32 as u32),
        Scalar::I64 => value as i64 as u64,
        Scalar::U8 => u64::from(value as u8),
        Scalar::U16 => u64::from(value as u16),
        Scalar::U32 => u64::from(value as u32),
        _ => value as u64,
    };
    let of = |scalar: Scalar, bits: u64| match scalar {
        Scalar::I8 => i128::from(bits as i8),
        Scalar::I16 => i128::from(bits as i16),
        Scalar::I32 => i128::from(bits as i32),
        Scalar::I64 => i128::from(bits as i64),
        _ => i128::from(bits),
    };
    let ints: Vec<Scalar> = Scalar::ALL.iter().copied().filter(|s| s.is_int()).collect();
    for &from in &ints {
        for &target in &ints {
            for &bits in wide {
                let bits = bits & (u64::MAX >> (64 - from.bits()));
                let value = cast(from.into(), target.into(), [bits, 0, 0, 0]).expect("integers cast to each other");
                assert_eq!(
                    value,
                    [to(target, of(from, bits)), 0, 0, 0],
                    "{} {bits:#x} as {}",
                    from.name(),
                    target.name()
                );
            }
        }
    }
}

#[test]
fn casts_to_bool_ask_whether_any_lane_is_not_zero() {
    for (bits, expected) in [(0, 0), (1, 1), (2, 1), (0x8000_0000, 1)] {
        for from in [Type::U32, Type::I32, Type::U64] {
            assert_eq!(cast(from, Type::BOOL, [bits, 0, 0, 0]), Some([expected, 0, 0, 0]));
        }
        for lane in 0..4 {
            let mut value = [0; 4];
            value[lane] = bits;
            assert_eq!(cast(Type::VEC4_U32, Type::BOOL, value), Some([expected, 0, 0, 0]));
        }
    }
}

#[test]
fn casts_of_vectors_splat_take_lanes_split_and_join() {
    assert_eq!(cast(Type::U32, Type::VEC4_U32, [7, 0, 0, 0]), Some([7; 4]));
    assert_eq!(cast(Type::BOOL, Type::VEC2_U32, [1, 0, 0, 0]), Some([1, 1, 0, 0]));
    assert_eq!(cast(Type::VEC4_U32, Type::VEC2_U32, [1, 2, 3, 4]), Some([1, 2, 0, 0]));
    assert_eq!(cast(Type::VEC4_U32, Type::I32, [0xffff_ffff, 2, 3, 4]), Some([0xffff_ffff, 0, 0, 0]));
    assert_eq!(cast(Type::U64, Type::VEC2_U32, [0x1_0000_0002, 0, 0, 0]), Some([2, 1, 0, 0]));
    assert_eq!(cast(Type::VEC2_U32, Type::U64, [2, 1, 0, 0]), Some([0x1_0000_0002, 0, 0, 0]));
    assert_eq!(cast(Type::VEC4_U32, Type::U64, [2, 1, 9, 9]), Some([0x1_0000_0002, 0, 0, 0]));
}

#[test]
fn casts_between_floats_and_integers_are_those_of_rust() {
    for &bits in INTS {
        let float = |f: f32| Some([u64::from(f.to_bits()), 0, 0, 0]);
        assert_eq!(cast(Type::U32, Type::F32, [bits.into(), 0, 0, 0]), float(bits as f32));
        assert_eq!(cast(Type::I32, Type::F32, [bits.into(), 0, 0, 0]), float(bits as i32 as f32));
    }
    for &bits in FLOATS {
        let (float, value) = (f32::from_bits(bits), [u64::from(bits), 0, 0, 0]);
        assert_eq!(cast(Type::F32, Type::U32, value), Some([u64::from(float as u32), 0, 0, 0]));
        assert_eq!(cast(Type::F32, Type::I32, value), Some([u64::from(float as i32 as u32), 0, 0, 0]));
    }
}

#[test]
fn every_type_casts_to_itself_and_bytes_to_nothing_else() {
    for &scalar in Scalar::ALL {
        let value = [scalar.mask(), 0, 0, 0];
        assert_eq!(cast_rule(scalar.into(), scalar.into()), Some(CastRule::Identity));
        assert_eq!(cast(scalar.into(), scalar.into(), value), Some(value));
        assert_eq!(cast_rule(scalar.into(), Type::Bytes), None);
        assert_eq!(cast_rule(Type::Bytes, scalar.into()), None);
        for lanes in 2..=4 {
            let vector = Type::Vector(scalar, lanes);
            let value = [1, scalar.mask(), 0, 1];
            assert_eq!(cast_rule(vector, vector), Some(CastRule::Identity));
            assert_eq!(cast(vector, vector, value), Some(value));
            assert_eq!(cast_rule(vector, Type::Bytes), None);
            assert_eq!(cast_rule(vector, Type::Vector(scalar, if lanes == 4 { 3 } else { lanes + 1 })), None);
        }
    }
}

#[test]
fn reading_bits_as_signed_extends_the_sign() {
    assert_eq!(signed(Scalar::I8, 0x80), -128);
    assert_eq!(signed(Scalar::I16, 0x7fff), 32767);
    assert_eq!(signed(Scalar::I32, 0x8000_0000), i64::from(i32::MIN));
    assert_eq!(signed(Scalar::I64, u64::MAX), -1);
}

#[test]
fn vectors_are_evaluated_lane_by_lane() {
    let ty = Type::Vector(Scalar::I32, 3);
    let minus_one = u64::from(u32::MAX);
    let (a, b) = ([1, minus_one, 7, 0], [minus_one, minus_one, 0, 0]);
    assert_eq!(Op::Add.eval(&[ty, ty], ty, &[a, b]), [0, 0xffff_fffe, 7, 0]);
    let bools = Type::Vector(Scalar::Bool, 3);
    assert_eq!(Op::Lt.eval(&[ty, ty], bools, &[a, b]), [0, 0, 0, 0]);
    assert_eq!(Op::Ge.eval(&[ty, ty], bools, &[a, b]), [1, 1, 1, 0]);
    let counts = Type::Vector(Scalar::U32, 3);
    assert_eq!(Op::Shl.eval(&[ty, counts], ty, &[a, [4, 33, 0, 0]]), [16, 0xffff_fffe, 7, 0]);
}

#[test]
fn ops_that_move_lanes_keep_the_bits() {
    let (vector, nan) = (Type::Vector(Scalar::F32, 2), 0xffff_1234);
    assert_eq!(Op::Construct.eval(&[Type::F32; 2], vector, &[[nan, 0, 0, 0], [5, 0, 0, 0]]), [nan, 5, 0, 0]);
    for (index, expected) in [(0, nan), (1, 5), (2, 0), (4, 0), (u64::from(u32::MAX), 0)] {
        let out = Op::Extract.eval(&[vector, Type::U32], Type::F32, &[[nan, 5, 0, 0], [index, 0, 0, 0]]);
        assert_eq!(out, [expected, 0, 0, 0]);
    }
    for (condition, expected) in [(1, nan), (0, 5)] {
        let types = [Type::BOOL, Type::F32, Type::F32];
        let out = Op::Select.eval(&types, Type::F32, &[[condition, 0, 0, 0], [nan, 0, 0, 0], [5, 0, 0, 0]]);
        assert_eq!(out[0], expected);
    }
    assert_eq!(Op::Bitcast.eval(&[Type::F32], Type::U32, &[[nan, 0, 0, 0]]), [nan, 0, 0, 0]);
}

#[test]
fn atomic_ops_leave_what_their_names_say() {
    let min = |a: u32, b: u32| (a as i32).min(b as i32) as u32;
    let max = |a: u32, b: u32| (a as i32).max(b as i32) as u32;
    for (old, value) in pairs() {
        let apply = |op: AtomicOp, ty| op.apply(ty, old.into(), [value.into(), 77]);
        for ty in [Scalar::U32, Scalar::I32] {
            assert_eq!(apply(AtomicOp::Load, ty), old.into());
            assert_eq!(apply(AtomicOp::Store, ty), value.into());
            assert_eq!(apply(AtomicOp::Exchange, ty), value.into());
            assert_eq!(apply(AtomicOp::Add, ty), old.wrapping_add(value).into());
            assert_eq!(apply(AtomicOp::Sub, ty), old.wrapping_sub(value).into());
            assert_eq!(apply(AtomicOp::And, ty), (old & value).into());
            assert_eq!(apply(AtomicOp::Or, ty), (old | value).into());
            assert_eq!(apply(AtomicOp::Xor, ty), (old ^ value).into());
            assert_eq!(apply(AtomicOp::CompareExchange, ty), if old == value { 77 } else { old.into() });
        }
        for ty in [Scalar::U32, Scalar::I32] {
            assert_eq!(apply(AtomicOp::Nand, ty), (!(old & value)).into());
        }
        let inc = if old >= value { 0 } else { old + 1 };
        let dec = if old == 0 || old > value { value } else { old - 1 };
        assert_eq!(apply(AtomicOp::IncWrap, Scalar::U32), inc.into());
        assert_eq!(apply(AtomicOp::DecWrap, Scalar::U32), dec.into());
        assert_eq!(apply(AtomicOp::Min, Scalar::U32), old.min(value).into());
        assert_eq!(apply(AtomicOp::Max, Scalar::U32), old.max(value).into());
        assert_eq!(apply(AtomicOp::Min, Scalar::I32), min(old, value).into());
        assert_eq!(apply(AtomicOp::Max, Scalar::I32), max(old, value).into());
    }
}

#[test]
fn atomic_ops_work_on_every_width() {
    let apply = |op: AtomicOp, ty, old: u64, value: u64| op.apply(ty, old, [value, 7]);
    assert_eq!(apply(AtomicOp::Add, Scalar::U8, 250, 10), 4);
    assert_eq!(apply(AtomicOp::Sub, Scalar::I16, 0x8000, 1), 0x7fff);
    assert_eq!(apply(AtomicOp::Nand, Scalar::U8, 0xff, 0x0f), 0xf0);
    assert_eq!(apply(AtomicOp::Min, Scalar::I8, 0xff, 1), 0xff);
    assert_eq!(apply(AtomicOp::Min, Scalar::U8, 0xff, 1), 1);
    assert_eq!(apply(AtomicOp::IncWrap, Scalar::U64, u64::MAX, u64::MAX), 0);
    assert_eq!(apply(AtomicOp::DecWrap, Scalar::U64, 0, u64::MAX), u64::MAX);
    assert_eq!(apply(AtomicOp::Max, Scalar::I64, 1 << 63, 3), 3);
}

#[test]
fn atomic_floats_have_one_nan_and_ordered_zeros_and_compare_bits() {
    let apply = |op: AtomicOp, old: f32, value: f32| {
        op.apply(Scalar::F32, old.to_bits().into(), [value.to_bits().into(), 7]) as u32
    };
    assert_eq!(apply(AtomicOp::Add, 1.0, 0.5), 1.5f32.to_bits());
    assert_eq!(apply(AtomicOp::Add, f32::INFINITY, f32::NEG_INFINITY), 0x7fc0_0000);
    assert_eq!(apply(AtomicOp::Min, f32::NAN, 2.0), 2f32.to_bits());
    assert_eq!(apply(AtomicOp::Max, 2.0, f32::NAN), 2f32.to_bits());
    assert_eq!(apply(AtomicOp::Min, 0.0, -0.0), 0x8000_0000);
    assert_eq!(apply(AtomicOp::Max, -0.0, 0.0), 0);
    assert_eq!(apply(AtomicOp::CompareExchange, -0.0, 0.0), 0x8000_0000);
    assert_eq!(apply(AtomicOp::CompareExchange, f32::NAN, f32::NAN), 7);
}
