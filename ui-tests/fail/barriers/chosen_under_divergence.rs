//! A flag that only some invocations set.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut found = false;
    if x[i] == 7 {
        found = true;
    }
    if found {
        workgroup_barrier();
//~     ^ V010
    }
    y[i] = 1;
}

fn main() {}
