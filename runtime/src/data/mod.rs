//! Data of other crates on devices and back, each behind a feature of the crate's name that is off by default:
//! [`ndarray`], [`arrow`], [`image`], [`glam`] and [`nalgebra`].
//!
//! | feature | what goes to a device | as a buffer of |
//! | --- | --- | --- |
//! | `ndarray` | arrays in standard layout | their elements |
//! | `arrow` | primitive arrays | their numbers, and words that say which are null |
//! | `image` | images of pixels of `u8`, `u16`, `f32` | numbers, [`Vec2`](crate::Vec2), [`Vec3`](crate::Vec3) or [`Vec4`](crate::Vec4) of them |
//! | `glam`, `nalgebra` | slices of vectors and matrices | [`Vec2`](crate::Vec2) to [`Vec4`](crate::Vec4), [`Mat2`](crate::Mat2) to [`Mat4`](crate::Mat4) |
//!
//! The crate `half` needs no module: with the feature `f16`, which is on by default, `half::f16` is an element. What is
//! a slice needs none either: [`upload`](crate::Device::upload) takes a `Vec`, an arrow `ScalarBuffer` and a `bytes` slice alike.
//!
//! Each module uses its crate under the name that the crate has, and hands it on, so that a program can name the version
//! that these functions speak of: `samebits::data::ndarray::ndarray`.
//!
//! Invariant: elements keep their order and their bits. What has no place in a buffer, such as an array with strides or a
//! null, is refused or asked for explicitly; it is never rearranged or replaced in silence.

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "glam")]
pub mod glam;
#[cfg(feature = "image")]
pub mod image;
#[cfg(any(feature = "glam", feature = "nalgebra"))]
pub mod linear;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;

use crate::error::Error;

/// Data that cannot go to a buffer or come from one.
fn refused(reason: String) -> Error {
    Error::Data { reason }
}
