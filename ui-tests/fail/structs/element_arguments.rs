//! Arguments of `#[element]` that there are not.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(method)]
//~       ^ V101
#[repr(C)]
struct Ray {
    origin: f32,
}

#[kernel]
fn k(x: Ray, y: &mut [Ray]) {
    y[0] = x;
}

fn main() {}
