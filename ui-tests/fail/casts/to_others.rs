//! Casts to what is no value.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let a = x[0] as String;
//~                 ^ V201
    let b = x[0] as (u32, u32);
//~                 ^ V012
    let c = x[0] as Vec3<u32>;
//~         ^ V012
    let d = x as u32;
//~         ^ V100
}

fn main() {}
