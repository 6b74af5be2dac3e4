//! What light does to directions, and colours between colours: helpers on `Vec3<f32>`.
//!
//! Invariant: what is called a direction or a normal has length 1 when it is passed, and again when it is returned.

use samebits::prelude::*;

/// The vector of length 1 in the direction of `v`; zero for a vector without one.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::normalize;
///
/// #[kernel(workgroup_size(1))]
/// fn unit(v: Vec3<f32>, y: &mut [Vec3<f32>]) {
///     y[0] = normalize(v);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// unit::launch(&device, 1, Vec3::new(0.0, 3.0, -4.0), &mut y)?;
/// assert_eq!(y.read()?, [Vec3::new(0.0, 0.6, -0.8)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn normalize(v: Vec3<f32>) -> Vec3<f32> {
    let length = v.length();
    if length > 0.0 { v / length } else { Vec3::splat(0.0) }
}

/// Where `direction` goes on after a mirror with this `normal`.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::reflect;
///
/// #[kernel(workgroup_size(1))]
/// fn bounce(v: Vec3<f32>, y: &mut [Vec3<f32>]) {
///     y[0] = reflect(v, Vec3::new(0.0, 1.0, 0.0));
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// bounce::launch(&device, 1, Vec3::new(0.6, -0.8, 0.0), &mut y)?;
/// assert_eq!(y.read()?, [Vec3::new(0.6, 0.8, 0.0)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn reflect(direction: Vec3<f32>, normal: Vec3<f32>) -> Vec3<f32> {
    direction - normal * (2.0 * direction.dot(normal))
}

/// Where `direction` goes on behind a surface whose `normal` faces it, and whether it does: no
/// light passes where it comes in too flat, and is all reflected. `ratio` is the refractive index in
/// front of the surface over the one behind it.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::refract;
///
/// #[kernel(workgroup_size(1))]
/// fn enter(v: Vec3<f32>, ratio: f32, y: &mut [Vec3<f32>], passes: &mut [u32]) {
///     let (behind, through) = refract(v, Vec3::new(0.0, 1.0, 0.0), ratio);
///     y[0] = behind;
///     passes[0] = through as u32;
/// }
///
/// let device = Device::interpreter();
/// let (mut y, mut passes) = (device.zeros(1)?, device.zeros(1)?);
/// enter::launch(&device, 1, Vec3::new(0.6, -0.8, 0.0), 1.0, &mut y, &mut passes)?;
/// assert_eq!((y.read()?[0].x, passes.read()?[0]), (0.6, 1)); // nothing changes
/// enter::launch(&device, 1, Vec3::new(0.6, -0.8, 0.0), 2.0, &mut y, &mut passes)?;
/// assert_eq!(passes.read()?, [0]); // the sine would be 1.2
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn refract(direction: Vec3<f32>, normal: Vec3<f32>, ratio: f32) -> (Vec3<f32>, bool) {
    let cosine = -direction.dot(normal);
    let square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    if square < 0.0 {
        return (Vec3::splat(0.0), false);
    }
    (direction * ratio + normal * (ratio * cosine - square.sqrt()), true)
}

/// `a` to `b` by `t`, lane by lane: a colour between two colours.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::blend;
///
/// #[kernel(workgroup_size(1))]
/// fn halfway(a: Vec3<f32>, b: Vec3<f32>, y: &mut [Vec3<f32>]) {
///     y[0] = blend(a, b, 0.5);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// halfway::launch(&device, 1, Vec3::new(0.0, 2.0, 4.0), Vec3::new(1.0, 2.0, 3.0), &mut y)?;
/// assert_eq!(y.read()?, [Vec3::new(0.5, 2.0, 3.5)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn blend(a: Vec3<f32>, b: Vec3<f32>, t: f32) -> Vec3<f32> {
    a + (b - a) * t
}

/// Two directions that are perpendicular to a direction and to each other; with it in the place
/// of z they make a right-handed system.
///
/// The branch-free construction of Duff and others, "Building an Orthonormal Basis, Revisited",
/// 2017.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::basis;
///
/// #[kernel(workgroup_size(1))]
/// fn around(z: Vec3<f32>, y: &mut [Vec3<f32>]) {
///     let (a, b) = basis(z);
///     y[0] = a;
///     y[1] = b;
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(2)?;
/// around::launch(&device, 1, Vec3::new(0.0, 0.0, 1.0), &mut y)?;
/// assert_eq!(y.read()?, [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn basis(z: Vec3<f32>) -> (Vec3<f32>, Vec3<f32>) {
    let sign = 1.0f32.copysign(z.z);
    let a = -1.0 / (sign + z.z);
    let b = z.x * z.y * a;
    let x = Vec3::new(1.0 + sign * z.x * z.x * a, sign * b, -sign * z.x);
    let y = Vec3::new(b, sign + z.y * z.y * a, -z.y);
    (x, y)
}
