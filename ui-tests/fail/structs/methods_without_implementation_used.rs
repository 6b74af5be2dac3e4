//! `#[element(methods)]` without a `#[device] impl`, and a kernel that uses the struct.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
//~    ^ E0277
    origin: Vec3<f32>,
}

impl Ray {
    fn length(&self) -> f32 {
        self.origin.x
    }
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
//~       ^ no code
    y[0] = x[0].length();
}

fn main() {}
