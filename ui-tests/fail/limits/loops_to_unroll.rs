//! Loops that cannot be unrolled.
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn unknown(n: u32, y: &mut [u32]) {
    #[unroll]
//~ ^ V109
    for i in 0..n {
        y[0] += i;
    }
    #[unroll]
    for i in 0..4 {
        #[unroll(never)]
        while y[i] > 1 {
            y[i] -= 1;
        }
    }
}

#[kernel(workgroup_size(1))]
fn data(y: &mut [u32]) {
    let mut at = y[0];
    #[unroll]
//~ ^ V109
    while at != 0 {
        at /= 2;
    }
    y[1] = at;
}

#[kernel(workgroup_size(1))]
fn many(y: &mut [u32]) {
    #[unroll]
//~ ^ V109
    for i in 0..1_000_000 {
        y[i] = 1;
    }
}

fn main() {}
