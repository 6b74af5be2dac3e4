//! Interpolation of floats of any width.
//!
//! Invariant: each function is generic over `Float`, and so means the same for `f16`, `f32` and
//! `f64`.

use samebits::prelude::*;

/// The float that is `t` of the way from `a` to `b`: `a` at 0, beyond them outside of 0 to 1.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::lerp;
///
/// #[kernel]
/// fn between(y: &mut [f32]) {
///     let i = global_id().x;
///     y[i] = lerp(2.0, 4.0, i as f32 * 0.25);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(5)?;
/// between::launch(&device, y.len(), &mut y)?;
/// assert_eq!(y.read()?, [2.0, 2.5, 3.0, 3.5, 4.0]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

/// How far from `a` to `b` the float `x` lies: 0 at `a` and 1 at `b`.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::inverse_lerp;
///
/// #[kernel(workgroup_size(1), features(f64))]
/// fn place(y: &mut [f64]) {
///     y[0] = inverse_lerp(2.0, 4.0, 3.5);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// place::launch(&device, 1, &mut y)?;
/// assert_eq!(y.read()?, [0.75]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn inverse_lerp<T: Float>(a: T, b: T, x: T) -> T {
    (x - a) / (b - a)
}

/// The place in the range `to` that `x` has in the range `from`.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::remap;
///
/// #[kernel(workgroup_size(1))]
/// fn to_degrees(y: &mut [f32]) {
///     // A hundred gradians are ninety degrees.
///     y[0] = remap(50.0, (0.0, 100.0), (0.0, 90.0));
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(1)?;
/// to_degrees::launch(&device, 1, &mut y)?;
/// assert_eq!(y.read()?, [45.0]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn remap<T: Float>(x: T, from: (T, T), to: (T, T)) -> T {
    lerp(to.0, to.1, inverse_lerp(from.0, from.1, x))
}

/// 0 up to `low`, 1 from `high` on, and a smooth step between them, which begins and ends level.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::smoothstep;
///
/// #[kernel]
/// fn steps(y: &mut [f32]) {
///     let i = global_id().x;
///     y[i] = smoothstep(1.0, 3.0, i as f32);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(5)?;
/// steps::launch(&device, y.len(), &mut y)?;
/// assert_eq!(y.read()?, [0.0, 0.0, 0.5, 1.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn smoothstep<T: Float>(low: T, high: T, x: T) -> T {
    let t = saturate(inverse_lerp(low, high, x));
    t * t * (3.0 - 2.0 * t)
}
