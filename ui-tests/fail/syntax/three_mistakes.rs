//! Three unrelated mistakes are three errors.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    y[0] = missing;
//~        ^ V006
    let a: u32 = 1.0f32;
//~              ^ V200
    x[0] = 1.0;
//~ ^ V005
}

fn main() {}
