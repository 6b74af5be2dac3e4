//! A `#[device] impl` of a struct that does not say `#[element(methods)]`.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl Ray {
//~  ^ V102
    fn first(self) -> f32 {
        self.origin.x
    }
}

#[kernel(workgroup_size(1))]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].origin.x;
}

fn main() {}
