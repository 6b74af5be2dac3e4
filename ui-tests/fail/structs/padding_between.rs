//! Padding between fields.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Cell {
    kind: u8,
    value: f32,
//~ ^ V207
}

#[kernel]
fn k(x: &[Cell], y: &mut [f32]) {
    y[0] = x[0].value;
}

fn main() {
    let _ = Cell { kind: 1, value: 2.0 };
}
