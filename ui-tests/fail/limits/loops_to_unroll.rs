//! Loops that cannot be unrolled.
use samebits::prelude::*;

#[kernel]
fn unknown(n: u32, y: &mut [u32]) {
    #[unroll]
//~ ^ V109
    for i in 0..n {
        y[i] = i;
    }
    #[unroll]
    for i in 0..4u32 {
        // What is inside is unrolled first, and `i` is no constant yet.
        #[unroll(never)]
        while y[i] > i {
            y[i] -= 1;
        }
    }
}

#[kernel]
fn data(y: &mut [u32]) {
    let mut at = 3;
    #[unroll]
//~ ^ V109
    while at != 0 {
        at = y[at];
    }
}

#[kernel]
fn many(y: &mut [u32]) {
    #[unroll]
//~ ^ V109
    for i in 0..1_000_000u32 {
        y[i] = i;
    }
}

#[kernel]
fn skipping(y: &mut [u32]) {
    let i = local_id().x;
    #[unroll]
//~ ^ V109
    for j in 0..4u32 {
        if y[i] == j {
            continue;
        }
        y[i] += j;
    }
    workgroup_barrier();
}

fn main() {}
