//! Generic arguments of another type, and where nothing takes any.
use samebits::prelude::*;

#[device]
fn plain(x: u32) -> u32 {
    x
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    a: f32,
}

#[device]
impl Ray {
    const ONE: f32 = 1.0;

    fn new(a: f32) -> Ray {
        Ray { a }
    }
}

#[kernel]
fn vectors(x: f32, y: &mut [f32]) {
    let v = Vec2::<u32>::splat(x);
//~                            ^ V200
    let w = Vec3::<usize>::new(1, 2, 3);
//~             ^ V201
    let z = Vec2::<f32, f32>::splat(x);
//~             ^ V204
    y[0] = v.x as f32 + w.x + z.x;
}

#[kernel]
fn functions(y: &mut [u32]) {
    workgroup_barrier::<7>();
//~ ^ V204
    y[0] = mul_hi::<u64>(y[0], 2);
//~        ^ V204
    y[1] = plain::<u32>(1);
//~        ^ V204
    y[2] = f32::from_bits::<u32>(3) as u32;
//~        ^ V204
    y[3] = u32::<u8>::MAX;
//~        ^ V204
    y[4] = <u32 as Number>::MAX;
//~        ^ V100
    y[5] = other::global_id().x as u32;
//~        ^ V016
}

#[kernel]
fn structs(r: &[Ray<u32>], y: &mut [f32]) {
//~             ^ E0107
    y[0] = 1.0;
}

#[kernel]
fn members(y: &mut [f32]) {
    y[0] = Ray::<u32>::new(1.0).a;
//~        ^ V204
    y[1] = Ray::<u32>::ONE;
//~        ^ V204
    let ray = Ray::<u32> { a: 1.0 };
//~           ^ V204
    y[2] = ray.a;
}

fn main() {}
