//! `#[unroll]` in wrong places, with wrong arguments, and too often.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    #[unroll]
//~ ^ V100
    if n > 3 {
        y[0] = n;
    }
    #[unroll]
//~ ^ V100
    let a = n;
    #[unroll(0)]
//~ ^ V101
    for i in 0..4 {
        y[i] = a;
    }
    #[unroll(always)]
//~ ^ V101
    while y[0] > 1 {
        y[0] -= 1;
    }
    #[unroll = 4]
//~ ^ V101
    loop {
        break;
    }
    #[unroll]
    #[unroll(4)]
//~ ^ V101
    for i in 0..4 {
        y[i] = a;
    }
}

fn main() {}
