//! A generic kernel.
use samebits::prelude::*;

#[kernel]
fn k<const N: u32>(y: &mut [u32]) {
//~ ^ V102
    y[global_id().x] = 1;
}

fn main() {}
