//! A condition on an array of which each invocation has its own.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    let mut digits = [0u32; 4];
    digits[1] = local_id().x as u32;
    if digits[1] == 0 {
        workgroup_barrier();
//~     ^ V010
    }
    y[global_id().x] = digits[1];
}

fn main() {}
