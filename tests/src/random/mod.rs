//! Random kernels: what no one would think of writing, the same for the same seed.
//!
//! [`generate`] makes a kernel and a launch out of a seed. What it makes is well-formed,
//! ends, and has no race, so that its bytes are the same whoever runs it and in whatever
//! order. Much of it is what optimisers act on. [`compare`] says whether passes, levels and
//! the two stored forms keep those bytes; [`shrink`] makes a kernel that shows a fault
//! small; [`count`] says what the kernels consist of. That the comparisons would notice a
//! wrong pass is shown by planting wrong ones, which are in [`faults`]. Kernels of other
//! kinds, which may part at a barrier and race, are in [`barriers`] and [`phases`].

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
mod values;

pub use program::{Kernel, generate};
