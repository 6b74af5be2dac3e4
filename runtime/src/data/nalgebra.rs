//! Vectors and matrices of nalgebra whose size is part of the type: as elements of slices by the functions of
//! [`linear`](super::linear), and one by one by `From` and `Into`, in both directions.
//!
//! | nalgebra | samebits |
//! | --- | --- |
//! | `Vector2<T>` to `Vector4<T>` | [`Vec2<T>`](Vec2) to [`Vec4<T>`](Vec4), `T` being any number |
//! | `Matrix2<T>` to `Matrix4<T>` | [`Mat2<T>`](Mat2) to [`Mat4<T>`](Mat4) |
//!
//! Both keep matrices column by column. A `DMatrix` or a `DVector` is a slice of numbers, column by column:
//! `device.upload(matrix.as_slice())`.
//!
//! ```
//! use nalgebra::{Matrix3, Vector3};
//! use samebits::data;
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn transform(by: Mat3<f32>, places: &mut [Vec3<f32>]) {
//!     let i = global_id().x;
//!     if i < places.len() {
//!         places[i] = by * places[i];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let by = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0);
//! let mut places = data::linear::upload(&device, &[Vector3::new(1.0, 2.0, 3.0)])?;
//! transform::launch(&device, places.len(), by.into(), &mut places)?;
//! assert_eq!(data::linear::read::<Vector3<f32>>(&places)?, [Vector3::new(-2.0, 1.0, 6.0)]);
//! # Ok::<(), Error>(())
//! ```

use super::linear::twins;
use crate::element::{Lane, Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};
use ::nalgebra::{Matrix2, Matrix3, Matrix4, Scalar, Vector2, Vector3, Vector4};

/// The crate nalgebra, of the version that these functions speak of.
pub use ::nalgebra;

twins! {
    (T: Lane + Scalar) Vector2<T> => Vec2<T>;
    (T: Lane + Scalar) Vector3<T> => Vec3<T>;
    (T: Lane + Scalar) Vector4<T> => Vec4<T>;
    (T: Lane + Scalar) Matrix2<T> => Mat2<T>;
    (T: Lane + Scalar) Matrix3<T> => Mat3<T>;
    (T: Lane + Scalar) Matrix4<T> => Mat4<T>;
}
