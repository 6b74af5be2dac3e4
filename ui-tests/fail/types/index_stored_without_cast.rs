//! A `usize` stored to a buffer of `u32`.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = i;
//~        ^ V200
}

fn main() {}
