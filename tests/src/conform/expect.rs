//! What every op of the table gives, in native Rust.
//!
//! This is a second statement of the meaning of ops and shares nothing with the
//! compiler's: integers and floats are Rust's of the same name, and the rules
//! that Rust does not have (division by zero is 0, one NaN) are written out here.
//! `None` says that an op has no meaning on a type.

use half::f16;
use samebits_ir::ops::Op;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};

/// The one NaN that arithmetic gives.
const NAN: u32 = 0x7fc0_0000;

/// The bits of an arithmetic result.
fn arithmetic(value: f32) -> u64 {
    u64::from(if value.is_nan() { NAN } else { value.to_bits() })
}

fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The result of an op on values of these types; the result type matters to casts.
pub fn expect(op: Op, types: &[Type], result: Type, args: &[Lanes]) -> Option<Lanes> {
    let mut out = Lanes::default();
    match op {
        Op::Select => return Some(if args[0][0] == 1 { args[1] } else { args[2] }),
        Op::Cast => return super::casts::expect(types[0], result, args[0]),
        Op::Bitcast => return Some(args[0]),
        Op::Construct => {
            for (lane, arg) in out.iter_mut().zip(args) {
                *lane = arg[0];
            }
        }
        Op::Extract => {
            let index = args[1][0] as usize;
            out[0] = if index < types[0].lanes() { args[0][index] } else { 0 };
        }
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
        | Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Min
        | Op::Max
        | Op::AbsDiff
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Shl
        | Op::Shr
        | Op::RotateLeft
        | Op::RotateRight
        | Op::CountOnes
        | Op::LeadingZeros
        | Op::TrailingZeros
        | Op::ReverseBits
        | Op::SwapBytes
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Sqrt
        | Op::Floor
        | Op::Ceil
        | Op::Trunc
        | Op::RoundEven
        | Op::Round
        | Op::MulAdd
        | Op::CopySign
        | Op::IsNan
        | Op::IsInfinite
        | Op::IsFinite => {
            let ty = types[0].lane()?;
            for i in 0..types[0].lanes() {
                let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i]);
                out[i] = lane(op, ty, [operand(0), operand(1), operand(2)])?;
            }
        }
    }
    Some(out)
}

/// The result type of an op on these types where the op alone decides it.
pub fn result_type(op: Op, types: &[Type]) -> Type {
    let first = types[0];
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInfinite | Op::IsFinite => {
            first.with_lane(Scalar::Bool)
        }
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => first.with_lane(Scalar::U32),
        Op::AbsDiff => first.with_lane(match first.lane() {
            Some(Scalar::I8) => Scalar::U8,
            Some(Scalar::I16) => Scalar::U16,
            Some(Scalar::I32) => Scalar::U32,
            Some(Scalar::I64) => Scalar::U64,
            Some(other) => other,
            None => Scalar::U32,
        }),
        Op::Select => types[1],
        Op::Construct => first.lane().map_or(first, |lane| Type::Vector(lane, types.len() as u8)),
        Op::Extract => first.lane().map_or(first, Type::Scalar),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
        | Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Min
        | Op::Max
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Shl
        | Op::Shr
        | Op::RotateLeft
        | Op::RotateRight
        | Op::ReverseBits
        | Op::SwapBytes
        | Op::Sqrt
        | Op::Floor
        | Op::Ceil
        | Op::Trunc
        | Op::RoundEven
        | Op::Round
        | Op::MulAdd
        | Op::CopySign
        | Op::Cast
        | Op::Bitcast => first,
    }
}

/// One lane of an op that works lane by lane.
fn lane(op: Op, ty: Scalar, [a, b, c]: [u64; 3]) -> Option<u64> {
    match ty {
        Scalar::Bool => logic(op, a == 1, b == 1).map(u64::from),
        Scalar::I8 => signed_8(op, a, b).or_else(|| integer_8(op, a as i8, b)),
        Scalar::I16 => signed_16(op, a, b).or_else(|| integer_16(op, a as i16, b)),
        Scalar::I32 => signed_32(op, a, b).or_else(|| integer_32(op, a as i32, b)),
        Scalar::I64 => signed_64(op, a, b).or_else(|| integer_64(op, a as i64, b)),
        Scalar::U8 => unsigned_8(op, a as u8, b),
        Scalar::U16 => unsigned_16(op, a as u16, b),
        Scalar::U32 => unsigned_32(op, a as u32, b),
        Scalar::U64 => unsigned_64(op, a, b),
        Scalar::F32 => single(op, float(a), float(b), float(c)),
        Scalar::F16 => half(op, [a, b, c].map(|bits| f16::from_bits(bits as u16))),
        Scalar::F64 => super::double::expect(op, [a, b, c]),
    }
}

/// An op on `f16`: as on `f32`, which has more than twice as many bits, and rounded again.
fn half(op: Op, [a, b, c]: [f16; 3]) -> Option<u64> {
    let rounded = |value: f32| u64::from(if value.is_nan() { 0x7e00 } else { f16::from_f32(value).to_bits() });
    match op {
        Op::Neg => Some((a.to_bits() ^ 0x8000).into()),
        Op::Abs => Some((a.to_bits() & 0x7fff).into()),
        Op::CopySign => Some((a.to_bits() & 0x7fff | b.to_bits() & 0x8000).into()),
        // The product is exact in `f64`; where its sum with the third is not, the last bit
        // says so.
        Op::MulAdd => {
            let (product, c) = (a.to_f64() * b.to_f64(), c.to_f64());
            let sum = product + c;
            let back = sum - product;
            let lost = (product - (sum - back)) + (c - back);
            let odd = if lost != 0.0 && lost.is_finite() && sum.to_bits() & 1 == 0 {
                let away = (lost > 0.0) == (sum > 0.0);
                f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
            } else {
                sum
            };
            Some(super::double::half(odd))
        }
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInfinite | Op::IsFinite => {
            single(op, a.to_f32(), b.to_f32(), c.to_f32())
        }
        _ => single(op, a.to_f32(), b.to_f32(), c.to_f32()).map(|bits| rounded(float(bits))),
    }
}

/// An op on `bool`.
fn logic(op: Op, a: bool, b: bool) -> Option<bool> {
    Some(match op {
        Op::And => a && b,
        Op::Or => a || b,
        Op::Xor | Op::Ne => a != b,
        Op::Not => !a,
        Op::Eq => a == b,
        Op::Lt => !a && b,
        Op::Le => !a || b,
        Op::Gt => a && !b,
        Op::Ge => a || !b,
        _ => return None,
    })
}

/// What integers of one type give, and what only signed ones have.
macro_rules! integers {
    ($($all:ident $signed_only:ident $all_unsigned:ident $int:ident $unsigned:ident;)*) => {$(
        integers!(@all $all_unsigned $unsigned $unsigned);
        integers!(@all $all $int $unsigned);

        fn $signed_only(op: Op, a: u64, _: u64) -> Option<u64> {
            let value = match op {
                Op::Abs => (a as $int).wrapping_abs(),
                Op::Sign => (a as $int).signum(),
                _ => return None,
            };
            Some(u64::from(value as $unsigned))
        }
    )*};
    (@all $name:ident $int:ident $unsigned:ident) => {
        fn $name(op: Op, a: $int, second: u64) -> Option<u64> {
            // The second operand as a number of this type, or as a count.
            let (b, n) = (second as $int, second as u32);
            let value = match op {
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Div if b == 0 => 0,
                Op::Div => a.wrapping_div(b),
                Op::Rem if b == 0 => 0,
                Op::Rem => a.wrapping_rem(b),
                Op::Neg => a.wrapping_neg(),
                Op::Min => a.min(b),
                Op::Max => a.max(b),
                Op::AbsDiff => a.abs_diff(b) as $int,
                Op::And => a & b,
                Op::Or => a | b,
                Op::Xor => a ^ b,
                Op::Not => !a,
                Op::Shl => a.wrapping_shl(n),
                Op::Shr => a.wrapping_shr(n),
                Op::RotateLeft => a.rotate_left(n % $int::BITS),
                Op::RotateRight => a.rotate_right(n % $int::BITS),
                Op::CountOnes => return Some(a.count_ones().into()),
                Op::LeadingZeros => return Some(a.leading_zeros().into()),
                Op::TrailingZeros => return Some(a.trailing_zeros().into()),
                Op::ReverseBits => a.reverse_bits(),
                Op::SwapBytes => a.swap_bytes(),
                Op::Eq => return Some((a == b).into()),
                Op::Ne => return Some((a != b).into()),
                Op::Lt => return Some((a < b).into()),
                Op::Le => return Some((a <= b).into()),
                Op::Gt => return Some((a > b).into()),
                Op::Ge => return Some((a >= b).into()),
                _ => return None,
            };
            Some(u64::from(value as $unsigned))
        }
    };
}

integers! {
    integer_8 signed_8 unsigned_8 i8 u8;
    integer_16 signed_16 unsigned_16 i16 u16;
    integer_32 signed_32 unsigned_32 i32 u32;
    integer_64 signed_64 unsigned_64 i64 u64;
}

/// An op on `f32`.
fn single(op: Op, a: f32, b: f32, c: f32) -> Option<u64> {
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Rem => a % b,
        Op::Min => lesser(a, b, f32::total_cmp),
        Op::Max => lesser(a, b, |a, b| b.total_cmp(a)),
        Op::Sqrt => a.sqrt(),
        Op::Floor => a.floor(),
        Op::Ceil => a.ceil(),
        Op::Trunc => a.trunc(),
        Op::RoundEven => a.round_ties_even(),
        Op::Round => a.round(),
        Op::MulAdd => a.mul_add(b, c),
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
        _ => return None,
    };
    Some(arithmetic(value))
}

/// The first of two numbers in an order in which NaN is last and -0.0 is not 0.0.
fn lesser(a: f32, b: f32, order: fn(&f32, &f32) -> std::cmp::Ordering) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if order(&a, &b).is_le() => a,
        _ => b,
    }
}
