//! Back ends: each turns a [`Checked`](crate::check::Checked) function into a target's form and cannot fail on it.
//!
//! A back end matches every op exhaustively, so that a new op is a compile error here
//! until it is lowered, and emits all rules of the IR itself: bounds, shift counts,
//! division, NaN.

pub mod cuda;
pub mod gir;
#[cfg(feature = "naga")]
pub mod naga;
