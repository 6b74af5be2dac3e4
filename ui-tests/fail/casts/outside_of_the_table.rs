//! Casts that do not exist.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], w: &[u64], y: &mut [u32]) {
    let a = x[0] as bool;
//~         ^ V012
    let b = w[0] as Vec4<u32>;
//~         ^ V012
    let c = w[0] as usize + 1;
//~         ^ V012
    let d = y[0] as bool;
//~         ^ V012
    y[0] = 1;
}

fn main() {}
