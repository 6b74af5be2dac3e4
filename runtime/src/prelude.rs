//! What a program with kernels imports: `use samebits::prelude::*;`.
//!
//! Types of signatures are real. What only a kernel's body uses (ids, barriers, atomic
//! methods) is known to the macro and needs no import; it is documented here.

pub use crate::buffer::Buffer;
pub use crate::device::Device;
pub use crate::element::{Vec2, Vec3, Vec4};
pub use crate::error::Error;

pub use crate::launch::Grid;
#[cfg(feature = "f16")]
pub use half::f16;
pub use samebits_macros::kernel;

use std::marker::PhantomData;

/// A number in a buffer or in workgroup memory that invocations change without racing.
///
/// It occurs in the signatures and bodies of kernels only: `&[Atomic<u32>]` is a buffer
/// that many invocations may change, for which the launcher takes a
/// [`&mut Buffer<u32>`](Buffer), and `#[shared] let bins: [Atomic<u32>; 256];` is workgroup
/// memory. Its methods are `load`, `store`, `swap`, `fetch_add`, `fetch_sub`, `fetch_min`,
/// `fetch_max`, `fetch_and`, `fetch_or`, `fetch_xor` and `compare_exchange`; all but
/// `store` give the old value. Accesses of one number happen one after the other, in an order
/// that no kernel may rely on.
#[derive(Debug)]
pub struct Atomic<T> {
    number: PhantomData<T>,
}
