//! References and dereferences.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let a = (&y[0], 1);
//~          ^ V100
    let b = *x;
//~         ^ V100
    y[0] = &y[1];
//~        ^ V100
}

fn main() {}
