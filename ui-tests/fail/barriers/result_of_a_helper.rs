//! A condition on what a helper makes of an id.
use samebits::prelude::*;

#[device]
fn is_odd(i: usize) -> bool {
    i % 2 == 1
}

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    if is_odd(local_id().x) {
        workgroup_barrier();
//~     ^ V010
    }
    y[global_id().x] = 1;
}

fn main() {}
