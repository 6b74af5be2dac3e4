//! A generic element.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair<T> {
//~        ^ V207
    a: T,
    b: T,
}

#[kernel]
fn k(x: &[Pair<f32>], y: &mut [f32]) {
    y[0] = x[0].a + x[0].b;
}

fn main() {}
