//! Vectors and matrices of glam: as elements of slices by the functions of [`linear`](super::linear), and one by one by
//! `From` and `Into`, in both directions.
//!
//! | glam | samebits |
//! | --- | --- |
//! | `Vec2` to `Vec4`, `DVec2` to `DVec4` | [`Vec2`] to [`Vec4`] of `f32`, of `f64` |
//! | `I8Vec2` to `I64Vec4`, `U8Vec2` to `U64Vec4`, with `IVec2` and `UVec2` for 32 bits | the same of integers |
//! | `Mat2` to `Mat4`, `DMat2` to `DMat4` | [`Mat2`] to [`Mat4`] of `f32`, of `f64` |
//!
//! `Vec3A` and `Mat3A` have padding, which no element has; convert them to `Vec3` and `Mat3`.
//!
//! ```
//! use samebits::data;
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn transform(by: Mat4<f32>, places: &mut [Vec4<f32>]) {
//!     let i = global_id().x;
//!     if i < places.len() {
//!         places[i] = by * places[i];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let by = glam::Mat4::from_translation(glam::vec3(1.0, 0.0, -2.0));
//! let mut places = data::linear::upload(&device, &[glam::vec4(1.0, 1.0, 1.0, 1.0)])?;
//! transform::launch(&device, places.len(), by.into(), &mut places)?;
//! assert_eq!(data::linear::read::<glam::Vec4>(&places)?, [glam::vec4(2.0, 1.0, -1.0, 1.0)]);
//! # Ok::<(), Error>(())
//! ```

use super::linear::twins;
use crate::element::{Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};

/// The crate glam, of the version that these functions speak of.
pub use ::glam;

twins! {
    () ::glam::Vec2 => Vec2<f32>;
    () ::glam::Vec3 => Vec3<f32>;
    () ::glam::Vec4 => Vec4<f32>;
    () ::glam::DVec2 => Vec2<f64>;
    () ::glam::DVec3 => Vec3<f64>;
    () ::glam::DVec4 => Vec4<f64>;
    () ::glam::I8Vec2 => Vec2<i8>;
    () ::glam::I8Vec3 => Vec3<i8>;
    () ::glam::I8Vec4 => Vec4<i8>;
    () ::glam::U8Vec2 => Vec2<u8>;
    () ::glam::U8Vec3 => Vec3<u8>;
    () ::glam::U8Vec4 => Vec4<u8>;
    () ::glam::I16Vec2 => Vec2<i16>;
    () ::glam::I16Vec3 => Vec3<i16>;
    () ::glam::I16Vec4 => Vec4<i16>;
    () ::glam::U16Vec2 => Vec2<u16>;
    () ::glam::U16Vec3 => Vec3<u16>;
    () ::glam::U16Vec4 => Vec4<u16>;
    () ::glam::IVec2 => Vec2<i32>;
    () ::glam::IVec3 => Vec3<i32>;
    () ::glam::IVec4 => Vec4<i32>;
    () ::glam::UVec2 => Vec2<u32>;
    () ::glam::UVec3 => Vec3<u32>;
    () ::glam::UVec4 => Vec4<u32>;
    () ::glam::I64Vec2 => Vec2<i64>;
    () ::glam::I64Vec3 => Vec3<i64>;
    () ::glam::I64Vec4 => Vec4<i64>;
    () ::glam::U64Vec2 => Vec2<u64>;
    () ::glam::U64Vec3 => Vec3<u64>;
    () ::glam::U64Vec4 => Vec4<u64>;
    () ::glam::Mat2 => Mat2<f32>;
    () ::glam::Mat3 => Mat3<f32>;
    () ::glam::Mat4 => Mat4<f32>;
    () ::glam::DMat2 => Mat2<f64>;
    () ::glam::DMat3 => Mat3<f64>;
    () ::glam::DMat4 => Mat4<f64>;
}
