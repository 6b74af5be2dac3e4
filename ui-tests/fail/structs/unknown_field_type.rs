//! A field of a struct that is no element. The struct is then unknown to kernels as well.
use samebits::prelude::*;

#[derive(Clone, Copy)]
struct Plain {
    a: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Plain,
//~         ^ V207
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].origin.a;
}

fn main() {}
