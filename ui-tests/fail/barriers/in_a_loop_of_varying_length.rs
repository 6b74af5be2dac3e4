//! A barrier in a loop that each invocation leaves after a number of rounds of its own.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    for _ in 0..x[i] {
        workgroup_barrier();
//~     ^ V010
    }
    y[i] = 1;
}

fn main() {}
