//! An `if` without `else` as a value.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let v = if x[i] > 1 { 5u32 };
//~                       ^ V200
    y[i] = 1;
}

fn main() {}
