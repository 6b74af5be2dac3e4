//! A type without atomics.
use samebits::prelude::*;

#[kernel]
fn k(sum: &[Atomic<f32>]) {
//~       ^ V014
    sum[0].fetch_add(1.0);
}

fn main() {}
