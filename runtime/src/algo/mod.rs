//! Primitives.
mod group;
mod scan;
mod scratch;
mod sort;

pub use group::sums_before;
pub use scan::{Operator, Scalar, exclusive_scan, inclusive_scan, reduce};
pub use scratch::Scratch;
pub use sort::{Key, Word, sort, sort_pairs};
