//! A variable that gets its value later.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let v;
//~ ^ V100
    if x[0] > 1 {
        v = 1;
    } else {
        v = 2;
    }
    y[0] = v;
}

fn main() {}
