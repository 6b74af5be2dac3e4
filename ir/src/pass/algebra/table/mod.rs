//! The rules, by what they are about.
//!
//! A rule is a claim; the tests try each on every pair of bytes, and on the edges of wider
//! types. Each makes its left side lighter (see `weight`), so that rewriting ends.

mod bits;
mod compare;
mod float;
mod sum;

use super::rule::Rule;

/// Every rule. Where several fit, the first counts.
pub(super) const TABLES: &[&[Rule]] = &[sum::RULES, bits::RULES, compare::RULES, float::RULES];

/// What an op weighs. A rule's replacement weighs less than what it replaces, each op
/// counted as often as it is written, or the same with fewer constants in the first place.
/// Nothing can become lighter for ever.
///
/// These are no costs of a device, only an order that agrees with them. The rules obey it
/// without looking; a test looks.
#[cfg(test)]
pub(super) const fn weight(op: crate::ops::Op) -> u32 {
    use crate::ops::{Op, compound_ops};
    match op {
        Op::Neg | Op::Not | Op::Abs => 3,
        Op::And | Op::Or | Op::Xor | Op::Add | Op::Sub | Op::Min | Op::Max => 4,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 4,
        Op::IsNan | Op::IsInfinite | Op::IsFinite => 4,
        Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight | Op::CopySign => 5,
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits | Op::SwapBytes | Op::Sign => 6,
        Op::Cast | Op::Bitcast | Op::Construct | Op::Extract => 6,
        Op::AbsDiff => 8,
        // Above the two ops that a choice between `bool`s becomes.
        Op::Select => 9,
        Op::Mul => 12,
        Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => 16,
        Op::Div | Op::Rem | Op::Sqrt => 40,
        compound_ops!() => 60,
    }
}

#[cfg(test)]
mod tests;
