//! Square matrices of two to four columns.
//!
//! Invariant: a matrix is its columns, in order, and so is its memory. Sums of products are
//! added from the first column to the last, so that every device rounds them alike.

use samebits::prelude::*;

/// A matrix of two columns.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::Mat2;
///
/// #[kernel(workgroup_size(1))]
/// fn powers(m: Mat2, y: &mut [Mat2], numbers: &mut [f32]) {
///     y[0] = m.product(m);
///     y[1] = Mat2::rotation(1.0, 0.0).product(m.inverse());
///     numbers[0] = m.determinant();
///     numbers[1] = m.apply(Vec2::new(1.0, 0.0)).y;
/// }
///
/// let device = Device::interpreter();
/// let (mut y, mut numbers) = (device.zeros(2)?, device.zeros(2)?);
/// let m = Mat2 { x: Vec2::new(2.0, 1.0), y: Vec2::new(0.0, 2.0) };
/// powers::launch(&device, 1, m, &mut y, &mut numbers)?;
/// assert_eq!(y.read()?[0], Mat2 { x: Vec2::new(4.0, 4.0), y: Vec2::new(0.0, 4.0) });
/// // A quarter turn of the inverse.
/// assert_eq!(y.read()?[1], Mat2 { x: Vec2::new(0.25, 0.5), y: Vec2::new(-0.5, 0.0) });
/// assert_eq!(numbers.read()?, [4.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Mat2 {
    /// Where the first axis goes.
    pub x: Vec2<f32>,
    /// Where the second axis goes.
    pub y: Vec2<f32>,
}

#[device]
impl Mat2 {
    /// What changes nothing.
    pub const IDENTITY: Self = Self { x: Vec2::new(1.0, 0.0), y: Vec2::new(0.0, 1.0) };

    /// A turn from the first axis towards the second, by the angle of this sine and cosine.
    pub fn rotation(sine: f32, cosine: f32) -> Self {
        Self { x: Vec2::new(cosine, sine), y: Vec2::new(-sine, cosine) }
    }

    /// The vector to which this one goes.
    pub fn apply(self, v: Vec2<f32>) -> Vec2<f32> {
        self.x * v.x + self.y * v.y
    }

    /// What does first `other`, then this.
    pub fn product(self, other: Self) -> Self {
        Self { x: self.apply(other.x), y: self.apply(other.y) }
    }

    /// Rows as columns.
    pub fn transpose(self) -> Self {
        Self { x: Vec2::new(self.x.x, self.y.x), y: Vec2::new(self.x.y, self.y.y) }
    }

    /// How much larger areas become.
    pub fn determinant(self) -> f32 {
        self.x.x * self.y.y - self.y.x * self.x.y
    }

    /// What undoes this; infinite or NaN where nothing does.
    pub fn inverse(self) -> Self {
        let scale = 1.0 / self.determinant();
        Self { x: Vec2::new(self.y.y, -self.x.y) * scale, y: Vec2::new(-self.y.x, self.x.x) * scale }
    }
}

/// A matrix of three columns.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::Mat3;
///
/// #[kernel]
/// fn map(m: Mat3, points: &mut [Vec3<f32>]) {
///     let i = global_id().x;
///     points[i] = m.product(Mat3::scale(Vec3::splat(2.0))).apply(points[i]);
/// }
///
/// let device = Device::interpreter();
/// let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0)])?;
/// map::launch(&device, 1, Mat3::IDENTITY, &mut points)?;
/// assert_eq!(points.read()?, [Vec3::new(2.0, 4.0, 6.0)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Mat3 {
    /// Where the first axis goes.
    pub x: Vec3<f32>,
    /// Where the second axis goes.
    pub y: Vec3<f32>,
    /// Where the third axis goes.
    pub z: Vec3<f32>,
}

#[device]
impl Mat3 {
    /// What changes nothing.
    pub const IDENTITY: Self =
        Self { x: Vec3::new(1.0, 0.0, 0.0), y: Vec3::new(0.0, 1.0, 0.0), z: Vec3::new(0.0, 0.0, 1.0) };

    /// A change of each axis by a factor.
    pub fn scale(by: Vec3<f32>) -> Self {
        Self { x: Vec3::new(by.x, 0.0, 0.0), y: Vec3::new(0.0, by.y, 0.0), z: Vec3::new(0.0, 0.0, by.z) }
    }

    /// The vector to which this one goes.
    pub fn apply(self, v: Vec3<f32>) -> Vec3<f32> {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    /// What does first `other`, then this.
    pub fn product(self, other: Self) -> Self {
        Self { x: self.apply(other.x), y: self.apply(other.y), z: self.apply(other.z) }
    }

    /// Rows as columns.
    pub fn transpose(self) -> Self {
        Self {
            x: Vec3::new(self.x.x, self.y.x, self.z.x),
            y: Vec3::new(self.x.y, self.y.y, self.z.y),
            z: Vec3::new(self.x.z, self.y.z, self.z.z),
        }
    }

    /// How much larger volumes become.
    pub fn determinant(self) -> f32 {
        self.x.dot(self.y.cross(self.z))
    }

    /// What undoes this; infinite or NaN where nothing does.
    pub fn inverse(self) -> Self {
        let scale = 1.0 / self.determinant();
        let rows =
            Self { x: self.y.cross(self.z) * scale, y: self.z.cross(self.x) * scale, z: self.x.cross(self.y) * scale };
        rows.transpose()
    }
}

/// A matrix of four columns: a map of space with its translation and perspective.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::Mat4;
///
/// #[kernel]
/// fn place(points: &mut [Vec3<f32>]) {
///     let i = global_id().x;
///     let there = Mat4::translation(Vec3::new(0.0, 1.0, 0.0));
///     points[i] = there.product(there).apply_to_point(points[i]);
/// }
///
/// let device = Device::interpreter();
/// let mut points = device.upload(&[Vec3::new(1.0, 2.0, 3.0)])?;
/// place::launch(&device, 1, &mut points)?;
/// assert_eq!(points.read()?, [Vec3::new(1.0, 4.0, 3.0)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Mat4 {
    /// Where the first axis goes.
    pub x: Vec4<f32>,
    /// Where the second axis goes.
    pub y: Vec4<f32>,
    /// Where the third axis goes.
    pub z: Vec4<f32>,
    /// Where the origin goes.
    pub w: Vec4<f32>,
}

#[device]
impl Mat4 {
    /// What changes nothing.
    pub const IDENTITY: Self = Self {
        x: Vec4::new(1.0, 0.0, 0.0, 0.0),
        y: Vec4::new(0.0, 1.0, 0.0, 0.0),
        z: Vec4::new(0.0, 0.0, 1.0, 0.0),
        w: Vec4::new(0.0, 0.0, 0.0, 1.0),
    };

    /// A shift of all points.
    pub fn translation(by: Vec3<f32>) -> Self {
        Self { w: Vec4::new(by.x, by.y, by.z, 1.0), ..Self::IDENTITY }
    }

    /// The vector to which this one goes.
    pub fn apply(self, v: Vec4<f32>) -> Vec4<f32> {
        self.x * v.x + self.y * v.y + self.z * v.z + self.w * v.w
    }

    /// The point to which this one goes, with what perspective does to it.
    pub fn apply_to_point(self, point: Vec3<f32>) -> Vec3<f32> {
        let there = self.apply(Vec4::new(point.x, point.y, point.z, 1.0));
        there.xyz() / there.w
    }

    /// What does first `other`, then this.
    pub fn product(self, other: Self) -> Self {
        Self { x: self.apply(other.x), y: self.apply(other.y), z: self.apply(other.z), w: self.apply(other.w) }
    }

    /// Rows as columns.
    pub fn transpose(self) -> Self {
        let Self { x, y, z, w } = self;
        Self {
            x: Vec4::new(x.x, y.x, z.x, w.x),
            y: Vec4::new(x.y, y.y, z.y, w.y),
            z: Vec4::new(x.z, y.z, z.z, w.z),
            w: Vec4::new(x.w, y.w, z.w, w.w),
        }
    }

    /// How much larger four-dimensional volumes become.
    pub fn determinant(self) -> f32 {
        let Self { x, y, z, w } = self;
        // The minors of the first two columns times those of the last two that they leave.
        let minor = |a: Vec4<f32>, b: Vec4<f32>, i: usize, j: usize| lane(a, i) * lane(b, j) - lane(b, i) * lane(a, j);
        minor(x, y, 0, 1) * minor(z, w, 2, 3) - minor(x, y, 0, 2) * minor(z, w, 1, 3)
            + minor(x, y, 0, 3) * minor(z, w, 1, 2)
            + minor(x, y, 1, 2) * minor(z, w, 0, 3)
            - minor(x, y, 1, 3) * minor(z, w, 0, 2)
            + minor(x, y, 2, 3) * minor(z, w, 0, 1)
    }
}

/// One of a vector's lanes.
#[device]
fn lane(v: Vec4<f32>, i: usize) -> f32 {
    match i {
        0 => v.x,
        1 => v.y,
        2 => v.z,
        _ => v.w,
    }
}
