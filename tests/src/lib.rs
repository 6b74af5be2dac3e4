//! What the tests of several packages share: file tests, the gates over the source tree, and
//! pages that are generated from the compiler's tables.

pub mod api;
pub mod book;
pub mod browser;
#[path = "../../ir/tests/clock/mod.rs"]
pub mod clock;
#[cfg(feature = "mpfr")]
pub mod coefficients;
pub mod conform;
pub mod cuda;
pub mod engines;
pub mod expand;
pub mod filetest;
pub mod mutate;
pub mod native;
pub mod opsdoc;
pub mod planted;
pub mod random;
pub mod source;
pub mod systems;
pub mod tidy;
#[path = "../../runtime/tests/devices/validation.rs"]
pub mod validation;
pub mod verdict;

/// What the functions of `ir/src/math` are written with, for those that are compiled here once more.
#[cfg(feature = "mpfr")]
mod math {
    pub use samebits_ir::math::{Bits, Real, polynomial};
}
