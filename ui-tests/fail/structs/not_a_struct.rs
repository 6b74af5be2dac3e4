//! Enums and unions, which are no elements.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Kind {
//~  ^ V207
    Air,
    Water,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
union Word {
//~   ^ V207
    a: u32,
    b: f32,
}

#[kernel]
fn k(x: &[Kind], y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
