//! A comparison stored as a number.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] > 3;
//~        ^ V200
}

fn main() {}
