//! An element that is not `Copy`.
use samebits::prelude::*;

#[derive(Element)]
#[repr(C)]
struct Ray {
//~    ^ E0277
//~    ^ E0277
//~    ^ E0277
//~    ^ E0277
    origin: Vec3<f32>,
}

#[kernel(workgroup_size(1))]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].origin.x;
}

fn main() {}
