//! A field of a type that there is not.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Point,
//~         ^ V207
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
