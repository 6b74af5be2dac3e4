//! Atomics behind `&mut`.
use samebits::prelude::*;

#[kernel]
fn k(bins: &mut [Atomic<u32>]) {
//~        ^ V201
    bins[0].fetch_add(1);
}

fn main() {}
