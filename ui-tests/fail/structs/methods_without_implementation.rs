//! `#[element(methods)]` without a `#[device] impl`.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
//~    ^ E0277
    origin: Vec3<f32>,
}

fn main() {
    let _ = Ray { origin: Vec3::new(1.0, 2.0, 3.0) };
}
