//! Plain operators on atomics, and atomic methods on plain memory.
use samebits::prelude::*;

#[kernel]
fn k(c: &[Atomic<u32>], f: &[Atomic<f32>], n: &mut [u64]) {
    c[0] += 1;
//~ ^ V025
    c[0] -= 1;
//~ ^ V025
    c[0] &= 1;
//~ ^ V025
    c[0] |= 1;
//~ ^ V025
    c[0] ^= 1;
//~ ^ V025
    c[0] *= 2;
//~ ^ V025
    c[0] = 2;
//~ ^ V025
    f[0] += 1.0;
//~ ^ V025
    n[0].fetch_add(1);
//~      ^ V009
    #[shared]
    let total: i32;
    total.fetch_add(1);
//~       ^ V009
}

fn main() {}
