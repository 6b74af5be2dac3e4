//! References and dereferences.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let a = &y[0];
//~         ^ V100
    let b = *x;
//~         ^ V100
    let c = &mut y[0];
//~         ^ V100
}

fn main() {}
