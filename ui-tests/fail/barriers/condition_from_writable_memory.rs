//! A condition that another invocation may have changed.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(steps: &mut [u32]) {
    for _ in 0..steps[0] {
        workgroup_barrier();
//~     ^ V010
    }
}

fn main() {}
