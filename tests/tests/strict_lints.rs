//! Clippy at its strictest says nothing about expansions: CI's run of it over this file is the test, and what runs
//! here only shows that the items are used.
#![warn(missing_docs, unreachable_pub, clippy::pedantic, clippy::nursery)]
#![warn(
    clippy::absolute_paths,
    clippy::as_conversions,
    clippy::impl_trait_in_params,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    clippy::missing_inline_in_public_items,
    clippy::multiple_inherent_impl,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::std_instead_of_core,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used
)]

use samebits::prelude::{Atomic, Device, Element, Error, Float, Number, Vec2, Vec3, device, kernel};

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    /// Where it begins.
    origin: Vec3<f32>,
    /// Where it goes.
    dir: Vec3<f32>,
    /// More of it.
    parts: [f32; 2],
}

/// Methods.
#[device]
impl Ray {
    /// Nothing is nearer.
    const NEAR: f32 = 0.5;

    /// A point on the ray.
    fn at(&self, t: f32) -> Vec3<f32> {
        self.origin + self.dir * t.max(Self::NEAR)
    }

    /// Generic, with a constant from outside.
    fn scaled<T: Float>(self, t: T) -> T {
        t * SCALE as T
    }
}

/// A pair.
#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(f32, u32);

/// The number of rays.
#[device]
const RAYS: usize = 4;

/// A table.
#[device]
const TABLE: [f32; 3] = [1.0, 2.0, 3.0];

/// From outside.
const SCALE: f32 = 2.0;

/// A number times a constant from outside.
#[device]
fn scaled(x: f32) -> f32 {
    x * SCALE + TABLE[1]
}

/// `a` to `b`, by `t`.
#[device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T
where
    T: Copy,
{
    a + (b - a) * t
}

/// A function twice.
#[device]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

/// Adds to a number.
#[device]
fn bump<F: Fn(f32) -> f32, const N: usize>(x: &mut f32, by: &[f32; N], f: F) {
    *x += f(by[0]);
}

/// Looks along rays.
#[kernel(workgroup_size(RAYS), requires(y.len() >= rays.len()))]
fn look(rays: &[Ray], up: Ray, pair: Pair, bins: &[Atomic<u32>], xy: Vec2<f32>, flags: [u32; 2], y: &mut [f32]) {
    let i = global_id().x;
    let by = [1.0; RAYS];
    if i < rays.len() {
        y[i] = lerp(rays[i].at(1.0).x, up.dir.y, 0.5) + twice(|x| scaled(x), 1.0);
        y[i] += up.scaled(2.0f32) + xy.x + flags[1] as f32 + pair.0;
        bump(&mut y[i], &by, |x| x + SCALE);
        bins[pair.1 as usize].fetch_add(1);
    }
}

/// For types, and more invocations than every device has.
#[kernel(workgroup_size(512), limits(invocations = 512), instances(T = [f32, u32], N = [2, 3]))]
fn fill<T: Number, const N: usize>(x: T, y: &mut [T]) {
    y[global_id().x] = x * N as T;
}

/// With a feature, and a parameter that is not there.
#[kernel(workgroup_size(1), features(f64), deny(guards), fast_math)]
fn wide(y: &mut [f64], #[cfg(any())] z: f32) {
    y[0] = 1.0;
}

/// Makes a kernel in which two variables have one name.
macro_rules! made {
    ($name:ident, $x:ident, $e:expr) => {
        /// Made by a macro.
        #[kernel(workgroup_size(1))]
        fn $name(y: &mut [f32]) {
            let $x = 1.0f32;
            let x = 2.0f32;
            y[0] = $e * x;
        }
    };
}
made!(made, x, x + 1.0);

#[test]
fn strictly_linted_items_run() -> Result<(), Error> {
    /// A helper in a function.
    #[device]
    fn inner(x: f32) -> f32 {
        x
    }

    /// A kernel in a function.
    #[kernel(workgroup_size(1))]
    fn within(y: &mut [f32]) {
        y[0] = inner(2.0);
    }

    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    within::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [2.0]);
    made::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [4.0]);
    fill::launch::<_, 3>(&device, 1, 1.5, &mut y)?;
    assert_eq!(y.read()?, [4.5]);
    let mut z = device.zeros::<f64>(1)?;
    wide::launch(&device, 1, &mut z)?;
    assert_eq!(z.read()?, [1.0]);
    let up = Ray { origin: Vec3::new(1.0, 2.0, 3.0), dir: Vec3::new(1.0, 2.0, 3.0), parts: [0.0; 2] };
    let (rays, mut bins) = (device.upload(&[up])?, device.zeros::<u32>(1)?);
    look::launch(&device, 1, &rays, up, Pair(1.0, 0), &mut bins, Vec2::new(1.0, 1.0), [0, 1], &mut y)?;
    // lerp(2, 2, ½) + (1·2 + 2)·2 + 2, then 2·2 + 1 + 1 + 1, then 1 + 2.
    assert_eq!((y.read()?, bins.read()?), (vec![2.0 + 10.0 + 7.0 + 3.0], vec![1]));
    Ok(())
}
