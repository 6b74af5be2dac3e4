//! What ops on integers give: Rust's methods of the same name, and `i128` where Rust has
//! none. `None` says that an op has no meaning on the type.

use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// One lane of an op on integers.
pub fn expect(op: Op, ty: Scalar, args: [u64; 4]) -> Option<u64> {
    match ty {
        Scalar::I8 => signed_8(op, args),
        Scalar::I16 => signed_16(op, args),
        Scalar::I32 => signed_32(op, args),
        Scalar::I64 => signed_64(op, args),
        Scalar::U8 => unsigned_8(op, args),
        Scalar::U16 => unsigned_16(op, args),
        Scalar::U32 => unsigned_32(op, args),
        Scalar::U64 => unsigned_64(op, args),
        Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => None,
    }
}

/// The place of a bit as the bits of an `i32`.
fn place(place: Option<u32>) -> Option<u64> {
    Some(u64::from(place.map_or(-1, |place| place as i32) as u32))
}

/// Bits of a value, from a place on, one after the other; those beyond the width are left out.
fn extracted(bits: u64, width: u32, offset: u64, count: u64, is_signed: bool) -> u64 {
    let taken: Vec<u64> = (0..u64::from(width)).skip(offset as usize).take(count as usize).collect();
    let value = taken.iter().enumerate().fold(0, |value, (to, from)| value | (bits >> from & 1) << to);
    let is_negative = taken.last().is_some_and(|top| is_signed && bits >> top & 1 == 1);
    if is_negative { value | u64::MAX.checked_shl(taken.len() as u32).unwrap_or(0) } else { value }
}

/// A value of which bits from a place on are replaced, one after the other.
fn inserted(base: u64, new: u64, width: u32, offset: u64, count: u64) -> u64 {
    (0..u64::from(width)).skip(offset as usize).take(count as usize).enumerate().fold(base, |value, (from, to)| {
        let bit = new >> from & 1;
        value & !(1 << to) | bit << to
    })
}

/// What integers of one width give.
macro_rules! integers {
    ($($signed:ident $unsigned:ident $int:ident $uint:ident;)*) => {$(
        fn $signed(op: Op, args: [u64; 4]) -> Option<u64> {
            let [a, b, ..] = args.map(|bits| bits as $int);
            let value = match op {
                Op::Abs => a.wrapping_abs(),
                Op::Sign => a.signum(),
                Op::UnsignedAbs => return Some(a.unsigned_abs().into()),
                Op::IsNegative => return Some(a.is_negative().into()),
                Op::IsPositive => return Some(a.is_positive().into()),
                Op::FindMsb => {
                    let differing = if a < 0 { !a } else { a };
                    return place((differing != 0).then(|| $int::BITS - 1 - differing.leading_zeros()));
                }
                Op::AvgFloor => (i128::from(a) + i128::from(b)).div_euclid(2) as $int,
                Op::Mod if b == 0 => 0,
                Op::Mod => {
                    // The remainder that is not negative, moved to the divisor's side of 0.
                    let rest = i128::from(a).rem_euclid(i128::from(b));
                    (if b < 0 && rest != 0 { rest + i128::from(b) } else { rest }) as $int
                }
                _ => integers!(@both op, args, $int, $uint, true),
            };
            Some((value as $uint).into())
        }

        fn $unsigned(op: Op, args: [u64; 4]) -> Option<u64> {
            let [a, b, ..] = args.map(|bits| bits as $uint);
            let value = match op {
                Op::Isqrt => a.isqrt(),
                Op::DivCeil if b == 0 => 0,
                Op::DivCeil => a.div_ceil(b),
                Op::NextMultipleOf if b == 0 => a,
                Op::NextMultipleOf => u128::from(a).next_multiple_of(b.into()) as $uint,
                Op::IsPowerOfTwo => return Some(a.is_power_of_two().into()),
                Op::NextPowerOfTwo => a.checked_next_power_of_two().unwrap_or(0),
                Op::FindMsb => return place(a.checked_ilog2()),
                Op::FunnelShr => {
                    let pair = u128::from(a) << $uint::BITS | u128::from(b);
                    (pair >> (args[2] as u32 % $uint::BITS)) as $uint
                }
                Op::AvgFloor => a.midpoint(b),
                Op::Mod => a.checked_rem(b).unwrap_or(0),
                _ => integers!(@both op, args, $uint, $uint, false),
            };
            Some(value.into())
        }
    )*};
    (@both $op:ident, $args:ident, $int:ident, $uint:ident, $is_signed:literal) => {{
        let [a, b, c, _] = $args.map(|bits| bits as $int);
        // The second operand may be a count.
        let n = $args[1] as u32;
        match $op {
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
            Op::ReverseBits => a.reverse_bits(),
            Op::SwapBytes => a.swap_bytes(),
            // The bits of an unsigned product beyond `i128` are those of the wrapped one.
            Op::MulHigh => (i128::from(a).wrapping_mul(b.into()) >> $int::BITS) as $int,
            Op::AddSat => a.saturating_add(b),
            Op::SubSat => a.saturating_sub(b),
            Op::MulSat => a.saturating_mul(b),
            Op::AvgCeil => (i128::from(a) + i128::from(b) + 1).div_euclid(2) as $int,
            Op::Midpoint => a.midpoint(b),
            Op::Clamp if b <= c => a.clamp(b, c),
            Op::Clamp => a.max(b).min(c),
            Op::DivEuclid if b == 0 => 0,
            Op::DivEuclid => a.wrapping_div_euclid(b),
            Op::RemEuclid if b == 0 => 0,
            Op::RemEuclid => a.wrapping_rem_euclid(b),
            Op::Pow => a.wrapping_pow(n),
            Op::BitSelect => (a & b) | (!a & c),
            Op::BitExtract => {
                extracted($args[0], $int::BITS, $args[1], $args[2], $is_signed) as $int
            }
            Op::BitInsert => inserted($args[0], $args[1], $int::BITS, $args[2], $args[3]) as $int,
            Op::CountOnes => return Some(a.count_ones().into()),
            Op::CountZeros => return Some(a.count_zeros().into()),
            Op::LeadingZeros => return Some(a.leading_zeros().into()),
            Op::LeadingOnes => return Some(a.leading_ones().into()),
            Op::TrailingZeros => return Some(a.trailing_zeros().into()),
            Op::TrailingOnes => return Some(a.trailing_ones().into()),
            Op::Ilog2 => return Some((a as $uint).checked_ilog2().unwrap_or(u32::MAX).into()),
            Op::FindLsb => return place((a != 0).then(|| a.trailing_zeros())),
            Op::TestBit => return Some((a.rotate_right(n % $int::BITS) & 1 == 1).into()),
            Op::AddOverflows => return Some(a.checked_add(b).is_none().into()),
            Op::SubOverflows => return Some(a.checked_sub(b).is_none().into()),
            Op::MulOverflows => return Some(a.checked_mul(b).is_none().into()),
            Op::Eq => return Some((a == b).into()),
            Op::Ne => return Some((a != b).into()),
            Op::Lt => return Some((a < b).into()),
            Op::Le => return Some((a <= b).into()),
            Op::Gt => return Some((a > b).into()),
            Op::Ge => return Some((a >= b).into()),
            _ => return None,
        }
    }};
}

integers! {
    signed_8 unsigned_8 i8 u8;
    signed_16 unsigned_16 i16 u16;
    signed_32 unsigned_32 i32 u32;
    signed_64 unsigned_64 i64 u64;
}

/// An op on `bool`.
pub fn logic(op: Op, [a, b, c, _]: [bool; 4]) -> Option<bool> {
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
        Op::BitSelect => {
            if a {
                b
            } else {
                c
            }
        }
        _ => return None,
    })
}
