//! A struct whose fields Rust may order as it likes.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
struct Ray {
//~    ^ V207
    origin: Vec3<f32>,
    dir: Vec3<f32>,
}

#[kernel]
fn k(rays: &[Ray], y: &mut [f32]) {
    y[0] = rays[0].origin.x + rays[0].dir.x;
}

fn main() {
    let _ = Ray { origin: Vec3::new(1.0, 2.0, 3.0), dir: Vec3::new(1.0, 2.0, 3.0) };
}
