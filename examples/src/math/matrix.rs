//! Maps of the plane and of space as matrices.
//!
//! Invariant: the columns of a matrix are where the axes go, and the last one of [`translation`] is where the origin
//! goes.

use samebits::prelude::*;

/// A turn of the plane from the first axis towards the second, by the angle of this sine and cosine.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::rotation;
///
/// #[kernel(workgroup_size(1))]
/// fn quarters(m: Mat2<f32>, y: &mut [Mat2<f32>]) {
///     y[0] = rotation(1.0, 0.0) * m.inverse();
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// let m = Mat2::from_cols(Vec2::new(2.0, 1.0), Vec2::new(0.0, 2.0));
/// quarters::launch(&device, 1, m, &mut y)?;
/// // A quarter turn of the inverse.
/// assert_eq!(y.read()?, [Mat2::from_cols(Vec2::new(0.25, 0.5), Vec2::new(-0.5, 0.0))]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn rotation(sine: f32, cosine: f32) -> Mat2<f32> {
    Mat2::from_cols(Vec2::new(cosine, sine), Vec2::new(-sine, cosine))
}

/// A shift of all points of space.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::{apply_to_point, translation};
///
/// #[kernel]
/// fn place(points: &mut [Vec3<f32>]) {
///     let i = global_id().x;
///     let there = translation(Vec3::new(0.0, 1.0, 0.0));
///     points[i] = apply_to_point(there * there, points[i]);
/// }
///
/// let device = Device::interpreter();
/// let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0)])?;
/// place::launch(&device, 1, &mut points)?;
/// assert_eq!(points.read()?, [Vec3::new(1.0, 4.0, 3.0)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn translation(by: Vec3<f32>) -> Mat4<f32> {
    let mut shift = Mat4::IDENTITY;
    shift.w_axis = by.extend(1.0);
    shift
}

/// The point to which a map of space goes from another, with what perspective does to it.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::apply_to_point;
///
/// #[kernel]
/// fn seen(from: Mat4<f32>, points: &mut [Vec3<f32>]) {
///     let i = global_id().x;
///     points[i] = apply_to_point(from, points[i]);
/// }
///
/// let device = Device::interpreter();
/// let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0)])?;
/// let mut half = Mat4::IDENTITY;
/// half.w_axis.w = 2.0;
/// seen::launch(&device, 1, half, &mut points)?;
/// assert_eq!(points.read()?, [Vec3::new(0.5, 1.0, 1.5)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn apply_to_point(map: Mat4<f32>, point: Vec3<f32>) -> Vec3<f32> {
    let there = map * point.extend(1.0);
    there.xyz() / there.w
}
