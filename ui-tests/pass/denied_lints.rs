//! Helpers, structs, methods and constants raise no warning under the strictest lints.
#![deny(warnings, missing_docs, unused, unreachable_pub, missing_debug_implementations, missing_copy_implementations)]
#![deny(rust_2018_idioms, single_use_lifetimes, trivial_casts, trivial_numeric_casts, unused_qualifications)]
#![deny(macro_use_extern_crate, let_underscore_drop, non_ascii_idents, unused_results, variant_size_differences)]
#![forbid(unsafe_code)]

use samebits::prelude::*;

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vec3<f32>,
    /// Where it goes.
    pub dir: Vec3<f32>,
}

#[device]
impl Ray {
    /// Nothing is nearer.
    pub const NEAR: f32 = 0.5;

    /// A point on the ray.
    fn at(&self, t: f32) -> Vec3<f32> {
        self.origin + self.dir * t.max(Self::NEAR)
    }
}

/// The number of rays.
#[device]
pub const RAYS: usize = 4;

const SCALE: f32 = 2.0;

/// A number times a constant from outside.
#[device]
pub fn scaled(x: f32) -> f32 {
    x * SCALE
}

/// `a` to `b`, by `t`.
#[device]
pub fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

/// A function twice.
#[device]
pub fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

/// Adds to a number.
#[device]
pub fn bump(x: &mut f32, by: &[f32; RAYS]) {
    *x += by[0];
}

/// Looks along rays.
#[kernel(workgroup_size(RAYS))]
pub fn look(rays: &[Ray], up: Ray, y: &mut [f32]) {
    let i = global_id().x;
    let by = [1.0; RAYS];
    y[i] = lerp(rays[i].at(1.0).x, up.dir.y, 0.5) + twice(|x| scaled(x), 1.0);
    bump(&mut y[i], &by);
}

/// A kernel for types.
#[kernel(instances(T = [f32, u32], N = [2, 3]))]
pub fn fill<T: Number, const N: usize>(x: T, y: &mut [T]) {
    y[global_id().x] = x * N as T;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    fill::launch::<_, 2>(&device, 1, 1.5, &mut y)?;
    assert_eq!(y.read()?, [3.0]);
    let v = Vec3::new(1.0, 2.0, 3.0);
    let rays = device.upload(&[Ray { origin: v, dir: v }])?;
    let mut y = device.zeros::<f32>(1)?;
    look::launch(&device, Grid::groups(1, 1, 1), &rays, Ray { origin: v, dir: v }, &mut y)?;
    // lerp(1 + 1 · 1, 2, ½) + 1 · 2 · 2, and then 1.
    assert_eq!(y.read()?, [2.0 + 4.0 + 1.0]);
    Ok(())
}
