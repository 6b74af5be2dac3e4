//! The functions of a `#[device] impl`, called by the host.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: f32,
}

#[device]
impl Ray {
    const UP: f32 = 1.0;

    fn new(origin: f32) -> Self {
        Self { origin }
    }
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [Ray]) {
    y[0] = Ray::new(Ray::UP);
}

fn main() {
    let _ = Ray::new(Ray::UP);
//~              ^ E0599
}
