//! A barrier that only some invocations reach.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    if local_id().x < 32 {
        workgroup_barrier();
//~     ^ V010
    }
    y[global_id().x] = 1;
}

fn main() {}
