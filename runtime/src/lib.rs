//! GPU kernels in Rust, checked by rustc, the same bits on every device.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(256))]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! let device = Device::best()?; // a GPU, else this CPU
//! let x = device.upload(&[1.0, 2.0])?;
//! let mut y = device.upload(&[10.0, 20.0])?;
//! saxpy::launch(&device, x.len(), 2.0, &x, &mut y)?;
//! assert_eq!(y.read()?, [12.0, 24.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A kernel is a type of its name. Its `launch` takes the device, the grid (invocations, or
//! [`Grid::groups`](launch::Grid::groups)) and the kernel's parameters: values, `&Buffer<T>` for `&[T]`, and
//! `&mut Buffer<T>` for `&mut [T]` and for atomics, or [views](View) of buffers. So the borrow checker rules out
//! that a kernel writes memory that it also reads under another name. Launches are queued; a read
//! waits for them. Every failure is an [`Error`].
//!
//! [`language`] describes what a kernel may contain, [`Device`] how devices are chosen, and
//! [`Buffer`] what can be done with memory. Generic code is bounded by [`classes`] of numbers. With the feature
//! `algo`, the module of that name has sorts, scans and other primitives.

// Kernels name the crate by its name, those of `algo` too.
#[cfg(feature = "algo")]
extern crate self as samebits;

#[cfg(feature = "algo")]
pub mod algo;
pub mod argument;
mod backend;
mod below;
pub mod buffer;
pub mod check;
pub mod classes;
#[cfg(any(feature = "ndarray", feature = "arrow", feature = "image", feature = "glam", feature = "nalgebra"))]
pub mod data;
pub mod device;
mod distinct;
#[doc(hidden)]
pub mod editor;
pub mod element;
pub mod error;
pub mod graph;
#[cfg(feature = "wgpu")]
pub mod interop;
pub mod judge;
mod kernel;
pub mod language;
pub mod later;
pub mod launch;
mod linked;
pub mod math;
pub mod matrices;
pub mod messages;
mod names;
#[doc(hidden)]
pub mod native;
mod place;
pub mod prelude;
pub mod profile;
pub mod report;
mod said;
mod shape;
mod span;
pub mod split;
pub mod staging;
#[cfg_attr(not(feature = "tracing"), doc(hidden))]
pub mod trace;
pub mod tune;
pub mod vectors;
mod verify;
pub mod view;

pub use below::Below;
pub use buffer::Buffer;
pub use classes::{Float, Int, Number, Signed, Unsigned};
pub use device::{Device, Limits};
pub use distinct::Distinct;
pub use element::{Element, Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};
pub use error::Error;
pub use launch::Grid;
pub use samebits_macros::{Element, device, kernel, test};
pub use view::{Readable, View, ViewMut, Writable};
/// The crate wgpu, of the version that [`interop`] speaks of.
#[cfg(feature = "wgpu")]
pub use wgpu;

/// Items for the macro's output, and for tests that run IR of their own. Not for programs: they
/// change without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::sealed::Sealed;
    pub use crate::argument::{Arg, Argument};
    pub use crate::editor;
    pub use crate::graph::Noted;
    pub use crate::kernel::Kernel;
    #[cfg(feature = "f16")]
    pub use crate::linked::as_f16;
    pub use crate::linked::{
        Const, ConstantType, Constants, Implemented, Instance, OnDevice, Passed, Unlinked, UnlinkedValue, Value,
        implemented, kind,
    };
    pub use crate::messages::Message;
    pub use crate::names::{Name, named};
    pub use crate::native;
    pub use crate::said::Said;
    pub use crate::shape::{Field, Shape};
    pub use bytemuck;
    pub use samebits_ir as ir;
    #[cfg(feature = "native")]
    pub use samebits_macros::native_code;
    pub use samebits_macros::{Configured, gone, link, shadow};
}
