//! Primitives.
mod compact;
mod group;
mod histogram;
pub mod random;
mod scan;
mod scratch;
mod sort;
mod transpose;

pub use compact::{compact, indices, partition};
pub use group::sums_before;
pub use histogram::histogram;
pub use scan::{Operator, Scalar, exclusive_scan, inclusive_scan, reduce};
pub use scratch::Scratch;
pub use sort::{Key, Word, sort, sort_pairs};
pub use transpose::transpose;
