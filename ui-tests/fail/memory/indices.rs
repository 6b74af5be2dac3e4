//! Indices of a wrong type.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], n: u32, y: &mut [f32]) {
    y[n] = 1.0;
//~   ^ V301
    y[0] = x[-1i32];
//~          ^ V301
    y[1] = n[0];
//~        ^ V301
    y[2] = x[0..2];
//~        ^ V100
}

fn main() {}
