//! A field of a type that there is not, and one of a type that is no element.
use samebits::prelude::*;

#[derive(Clone, Copy)]
struct Plain {
    a: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Plain,
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].origin.a;
}

fn main() {}
