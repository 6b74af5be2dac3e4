//! Rotations of space as unit quaternions.
//!
//! Invariant: [`Quat::rotate`] and [`Quat::to_matrix`] are rotations for quaternions of length 1 only, which
//! products and conjugates of such ones are, up to rounding.

use samebits::prelude::*;

/// A quaternion: `w + x i + y j + z k`, with `x`, `y` and `z` as one vector.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::Quat;
///
/// #[kernel]
/// fn turn(quarter: Quat, points: &mut [Vec3<f32>]) {
///     let i = global_id().x;
///     let half = quarter.product(quarter);
///     points[i] = half.rotate(points[i]);
/// }
///
/// let device = Device::interpreter();
/// let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0)])?;
/// let half = 0.5f32.sqrt();
/// turn::launch(&device, 1, Quat { v: Vec3::new(0.0, 0.0, half), w: half }, &mut points)?;
/// let Vec3 { x, y, z } = points.read()?[0];
/// assert!((x + 1.0).abs() < 1e-6 && (y + 2.0).abs() < 1e-6 && z == 3.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Quat {
    /// The imaginary part.
    pub v: Vec3<f32>,
    /// The real part.
    pub w: f32,
}

#[device]
impl Quat {
    /// The rotation by nothing.
    pub const IDENTITY: Self = Self { v: Vec3::new(0.0, 0.0, 0.0), w: 1.0 };

    /// The rotation around an axis of length 1, by the angle of whose half these are the sine and the
    /// cosine: kernels have neither.
    pub fn from_axis_angle(axis: Vec3<f32>, half_sine: f32, half_cosine: f32) -> Self {
        Self { v: axis * half_sine, w: half_cosine }
    }

    /// The rotation by first `other`, then this.
    pub fn product(self, other: Self) -> Self {
        Self {
            v: other.v * self.w + self.v * other.w + self.v.cross(other.v),
            w: self.w * other.w - self.v.dot(other.v),
        }
    }

    /// The rotation that undoes this.
    pub fn conjugate(self) -> Self {
        Self { v: -self.v, w: self.w }
    }

    /// The sum of the squares of its parts.
    pub fn length_squared(self) -> f32 {
        self.v.dot(self.v) + self.w * self.w
    }

    /// The quaternion of length 1 in this direction.
    pub fn normalize(self) -> Self {
        let length = self.length_squared().sqrt();
        Self { v: self.v / length, w: self.w / length }
    }

    /// The vector, rotated.
    pub fn rotate(self, vector: Vec3<f32>) -> Vec3<f32> {
        let twice = self.v.cross(vector) * 2.0;
        vector + twice * self.w + self.v.cross(twice)
    }

    /// The same rotation as a matrix.
    pub fn to_matrix(self) -> Mat3<f32> {
        let axes = Mat3::IDENTITY;
        Mat3::from_cols(self.rotate(axes.x_axis), self.rotate(axes.y_axis), self.rotate(axes.z_axis))
    }
}
