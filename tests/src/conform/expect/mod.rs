//! What every op of the table gives, in native Rust.
//!
//! This is a second statement of the meaning of ops and shares nothing with the
//! compiler's: integers and floats are Rust's of the same name, and the rules
//! that Rust does not have (division by zero is 0, one NaN) are written out here.
//! `None` says that an op has no meaning on a type. The table says only whether an op works lane by
//! lane. An op that is not named here is refused where a test meets it.

pub mod float;
mod int;
mod math;
mod packed;

use samebits_ir::ops::{Op, Signature};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};

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
        Op::Insert => {
            out = args[0];
            if let Some(lane) = out[..types[0].lanes()].get_mut(args[1][0] as usize) {
                *lane = args[2][0];
            }
        }
        Op::All => out[0] = args[0][..types[0].lanes()].iter().all(|&lane| lane == 1).into(),
        Op::Any => out[0] = args[0][..types[0].lanes()].contains(&1).into(),
        _ if matches!(op.info().signature, Signature::Fixed(..)) => return packed::expect(op, args),
        _ => {
            let ty = types[0].lane()?;
            for i in 0..types[0].lanes() {
                let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i]);
                out[i] = lane(op, ty, [operand(0), operand(1), operand(2), operand(3)])?;
            }
        }
    }
    Some(out)
}

/// One lane of an op that works lane by lane.
fn lane(op: Op, ty: Scalar, args: [u64; 4]) -> Option<u64> {
    match ty {
        Scalar::Bool => int::logic(op, args.map(|bits| bits == 1)).map(u64::from),
        Scalar::F16 | Scalar::F32 | Scalar::F64 if op.math().is_some() => math::expect(op, ty, args),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => float::expect(op, ty, args),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
            int::expect(op, ty, args)
        }
    }
}

/// The result type of an op on these types where the op alone decides it.
pub fn result_type(op: Op, types: &[Type]) -> Type {
    let first = types[0];
    match op {
        Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::AddOverflows
        | Op::SubOverflows
        | Op::MulOverflows
        | Op::IsNan
        | Op::IsInfinite
        | Op::IsFinite
        | Op::IsNormal
        | Op::IsSubnormal
        | Op::IsSignNegative
        | Op::IsSignPositive
        | Op::IsPowerOfTwo
        | Op::IsNegative
        | Op::IsPositive
        | Op::TestBit => first.with_lane(Scalar::Bool),
        Op::CountOnes
        | Op::LeadingZeros
        | Op::TrailingZeros
        | Op::Ilog2
        | Op::CountZeros
        | Op::LeadingOnes
        | Op::TrailingOnes => first.with_lane(Scalar::U32),
        Op::FindLsb | Op::FindMsb | Op::FrexpExponent => first.with_lane(Scalar::I32),
        Op::UnsignedAbs | Op::AbsDiff => first.with_lane(match first.lane() {
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
        Op::All | Op::Any => Type::BOOL,
        Op::NarrowToZero => Type::Scalar(Scalar::F16),
        Op::ToBfloat => Type::Scalar(Scalar::U16),
        Op::FromBfloat => Type::F32,
        Op::PackHalf
        | Op::PackHalfToZero
        | Op::PackSnorm2
        | Op::PackUnorm2
        | Op::PackSnorm4
        | Op::PackUnorm4
        | Op::DotU8
        | Op::DotU8Sat
        | Op::DotU16
        | Op::DotU16Sat
        | Op::MaskedSad => Type::U32,
        Op::DotI8 | Op::DotI8Sat | Op::DotI8U8 | Op::DotI8U8Sat | Op::DotI16 | Op::DotI16Sat => Type::I32,
        Op::UnpackHalf | Op::UnpackSnorm2 | Op::UnpackUnorm2 => Type::Vector(Scalar::F32, 2),
        Op::UnpackSnorm4 | Op::UnpackUnorm4 => Type::Vector(Scalar::F32, 4),
        // What gives the type that it takes, and what states its result.
        _ => first,
    }
}
