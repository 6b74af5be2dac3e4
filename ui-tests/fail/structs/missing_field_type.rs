//! A field of a type that there is not.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Point,
//~         ^ E0425
//~         ^ E0425
//~         ^ no code
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
//~       ^ no code
    y[0] = 1.0;
}

fn main() {}
