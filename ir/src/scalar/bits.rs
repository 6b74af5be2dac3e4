//! Places, counts and fields of bits.
//!
//! A place or a count beyond the width is brought into it first, so that every operand
//! has a meaning: shift counts modulo the width, fields cut off at it.

use super::{Args, signed};
use crate::types::Scalar;

/// The number of clear bits.
pub fn count_zeros(ty: Scalar, args: Args) -> u64 {
    u64::from(ty.bits() - args[0].count_ones())
}

/// Set bits above the highest clear bit.
pub fn leading_ones(ty: Scalar, args: Args) -> u64 {
    u64::from((args[0] << (64 - ty.bits())).leading_ones())
}

/// Set bits below the lowest clear bit.
pub fn trailing_ones(_: Scalar, args: Args) -> u64 {
    u64::from(args[0].trailing_ones())
}

/// The place of the lowest set bit; -1 for zero.
pub fn find_lsb(_: Scalar, args: Args) -> u64 {
    place(if args[0] == 0 { None } else { Some(args[0].trailing_zeros()) })
}

/// The place of the highest bit that differs from the sign; -1 if there is none.
pub fn find_msb(ty: Scalar, args: Args) -> u64 {
    let value = signed(ty, args[0]);
    let bits = if ty.is_signed() && value < 0 { !value as u64 } else { args[0] };
    place(bits.checked_ilog2())
}

/// A place as the bits of an `i32`.
fn place(place: Option<u32>) -> u64 {
    place.unwrap_or(u32::MAX).into()
}

/// Bits of one operand or of another.
pub fn bit_select(ty: Scalar, [mask, ones, zeros, _]: Args) -> u64 {
    (mask & ones | !mask & zeros) & ty.mask()
}

/// The lower half of two values side by side, shifted right.
pub fn funnel_shr(ty: Scalar, [high, low, count, _]: Args) -> u64 {
    let width = ty.bits();
    let pair = u128::from(high) << width | u128::from(low);
    (pair >> (count % u64::from(width))) as u64 & ty.mask()
}

/// A field's place and its number of bits, within the width.
fn field(ty: Scalar, offset: u64, count: u64) -> (u32, u32) {
    let width = u64::from(ty.bits());
    let offset = offset.min(width);
    (offset as u32, count.min(width - offset) as u32)
}

/// That many ones.
fn ones(count: u32) -> u128 {
    (1 << count) - 1
}

/// Some bits of a value, sign-extended if it is signed.
pub fn bit_extract(ty: Scalar, [value, offset, count, _]: Args) -> u64 {
    let (offset, count) = field(ty, offset, count);
    let bits = u128::from(value) >> offset & ones(count);
    let negative = ty.is_signed() && count > 0 && bits >> (count - 1) & 1 == 1;
    let extension = if negative { !ones(count) } else { 0 };
    (bits | extension) as u64 & ty.mask()
}

/// A value with some bits replaced.
pub fn bit_insert(ty: Scalar, [base, new, offset, count]: Args) -> u64 {
    let (offset, count) = field(ty, offset, count);
    let mask = (ones(count) << offset) as u64;
    base & !mask | ((u128::from(new) << offset) as u64) & mask
}

/// Whether a bit is set.
pub fn test_bit(ty: Scalar, [value, place, ..]: Args) -> u64 {
    value >> (place % u64::from(ty.bits())) & 1
}
