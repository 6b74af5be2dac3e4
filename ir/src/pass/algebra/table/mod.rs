//! The rules, by what they are about.
//!
//! A rule is a claim; the tests try each on every pair of bytes, and on the edges of wider
//! types. Each makes its left side lighter, so that rewriting ends: its replacement weighs less
//! (`OpInfo::weight`), each op counted as often as it is written, or the same with fewer constants in
//! the first place. The rules obey that without looking; a test looks.

mod bits;
mod compare;
mod float;
mod sum;

use super::rule::Rule;

/// Every rule. Where several fit, the first counts.
pub(super) const TABLES: &[&[Rule]] = &[sum::RULES, bits::RULES, compare::RULES, float::RULES];

#[cfg(test)]
mod tests;
