//! A loop whose bound is read at an index of each invocation's own.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(steps: &[u32], y: &mut [u32]) {
    for _ in 0..steps[local_id().x] {
        workgroup_barrier();
//~     ^ V010
    }
    y[global_id().x] = 1;
}

fn main() {}
