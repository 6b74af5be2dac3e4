//! A struct in itself.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Node {
    value: f32,
    next: [Node; 2],
}

#[kernel]
fn k(x: &[Node], y: &mut [f32]) {
    y[0] = x[0].value;
}

fn main() {}
