//! A literal that no index of 32 bits reaches.
use samebits::prelude::*;

#[kernel]
fn k(v: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = v[i + 0x1_0000_0000];
//~              ^ V103
}

fn main() {}
