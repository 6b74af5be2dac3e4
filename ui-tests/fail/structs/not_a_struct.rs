//! A union, which is no element.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
union Word {
//~   ^ V207
    a: u32,
    b: f32,
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
