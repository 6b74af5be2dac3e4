//! Ranges that a kernel's `for` does not take.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    for i in ..4 {
//~          ^ V100
        y[0] = i;
    }
    for i in 0u32..4i32 {
//~                ^ V015
        y[0] = 1;
    }
    for i in 0.0..4.0f32 {
//~          ^ V015
        y[0] = 1;
    }
}

fn main() {}
