//! Iterators of slices.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    for (i, v) in x.iter().enumerate() {
//~               ^ V100
        y[0] = 1;
    }
    for v in 0..x.len().min(4) {
        y[v] = 2;
    }
    let s = x.iter().sum();
//~           ^ V203
}

fn main() {}
