//! Accesses that the memory does not allow.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], bins: &[Atomic<u32>], y: &mut [u32]) {
    x[0] = 1.0;
//~ ^ V005
    y[0] = bins[0];
//~        ^ V025
    bins[0] = 1;
//~ ^ V025
    y[0].fetch_add(1);
//~      ^ V009
    bins[0].fetch_mul(1);
//~         ^ V203
    y[0] = x;
//~        ^ V100
}

fn main() {}
