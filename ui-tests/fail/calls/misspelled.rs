//! Methods that are nearly right, and methods written as functions.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f64], n: u32, c: &[Atomic<u32>], y: &mut [u32]) {
    y[1] = n.saturating_ad(1);
//~          ^ V203
    y[3] = n.sat_add(1);
//~          ^ V203
    let a = u64::wrapping_add(1, 2);
//~         ^ V016
    let b = u64::isqrt(3);
//~         ^ V016
    let d = i32::max_value();
//~         ^ V016
    Atomic::fetch_add(c[0], 1);
//~ ^ V016
    y[4] = bit_extract(x[0], 1, 2) as u32;
//~        ^ V021
}

fn main() {}
