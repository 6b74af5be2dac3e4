//! Padding after the last field.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Cell {
//~    ^ V207
    value: f64,
    kind: u16,
}

#[kernel]
fn k(x: &[Cell], y: &mut [f64]) {
    y[0] = x[0].value;
}

fn main() {
    let _ = Cell { kind: 1, value: 2.0 };
}
