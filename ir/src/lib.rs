//! The samebits compiler without Rust syntax or devices.

pub mod analysis;
pub mod arena;
pub mod backend;
pub mod builder;
pub mod caps;
pub mod check;
pub mod diag;
pub mod flags;
pub mod inline;
pub mod interp;
pub mod ir;
pub mod launch;
pub mod limits;
pub mod loc;
pub mod math;
pub mod matrix;
pub mod messages;
pub mod nearest;
pub mod ops;
pub mod order;
pub mod pass;
pub mod scalar;
#[cfg(feature = "soft")]
pub mod soft;
pub mod ssa;
#[cfg(feature = "text")]
pub mod text;
pub mod types;
pub mod wire;

#[cfg(test)]
#[path = "../tests/clock/mod.rs"]
mod clock;
