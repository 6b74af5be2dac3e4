//! A value that ends a kernel.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    y[0] = 1;
    x[0]
//~ ^ V200
}

fn main() {}
