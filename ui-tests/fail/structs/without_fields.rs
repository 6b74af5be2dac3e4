//! Structs without fields.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Unit;
//~    ^ V207

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Empty {}
//~    ^ V207

#[kernel]
fn k(x: &[Unit], e: Empty, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
