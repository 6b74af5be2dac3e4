//! A `while` that each invocation leaves when its own work is done.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut left = x[i];
    while left > 0 {
        left /= 2;
        y[i] += 1;
        workgroup_barrier();
//~     ^ V010
    }
}

fn main() {}
