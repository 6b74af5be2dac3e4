//! An index that wraps around in every launch.
use samebits::prelude::*;

#[kernel]
fn scatter(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i * 0x4000_0001] = x[i];
//~ ^ V501
}

fn main() {}
