//! Random kernels: code that nobody would think of writing, and the same for the same seed.
//!
//! [`generate`] makes a kernel and a launch from a seed. The kernel is well-formed, ends, and
//! has no race, so its bytes are the same on every device and in every order. Much of it is
//! what optimisers act on. [`compare`] says whether passes, levels, text and wire form keep
//! those bytes. [`shrink`] makes a failing kernel small. [`count`] says what the kernels
//! consist of. Planted wrong passes, in [`faults`], show that the comparisons would notice one.
//! Kernels of other kinds, which may part at a barrier and race, are in [`barriers`] and
//! [`phases`]; those whose subgroups go different ways are in [`subgroups`].

pub mod barriers;
mod build;
pub mod compare;
pub mod count;
pub mod faults;
mod flow;
mod memory;
mod patterns;
pub mod phases;
mod program;
mod scalar;
pub mod seeds;
pub mod shrink;
pub mod subgroups;
mod values;

pub use program::{Kernel, generate};
use samebits_ir::ops::Op;
use std::sync::OnceLock;

/// The ops that random kernels are made of: all but mathematical functions, which become hundreds of these, so that a
/// driver would compile nothing else.
fn ops() -> &'static [Op] {
    static OPS: OnceLock<Vec<Op>> = OnceLock::new();
    OPS.get_or_init(|| Op::ALL.iter().copied().filter(|op| op.math().is_none()).collect())
}
