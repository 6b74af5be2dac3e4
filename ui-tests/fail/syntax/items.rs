//! Items inside of a kernel.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    static S: u32 = 1;
//~ ^ V100
    fn inner() {}
//~ ^ V100
    use std::cmp::max;
//~ ^ V100
    y[0] = 1;
}

fn main() {}
