//! A barrier in a loop that some invocations have left.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    for round in 0..8 {
        workgroup_barrier();
//~     ^ V010
        if x[i] == round {
            break;
        }
    }
    y[i] = 1;
}

fn main() {}
