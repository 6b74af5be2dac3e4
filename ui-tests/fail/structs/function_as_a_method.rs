//! A function called as a method.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl Ray {
    fn new(x: f32) -> Self {
        Self { origin: Vec3::splat(x) }
    }
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].new(1.0).origin.x;
//~             ^ V203
}

fn main() {}
