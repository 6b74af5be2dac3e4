//! More invocations than a workgroup can have.
use samebits::prelude::*;

#[kernel(workgroup_size(64, 64))]
//~                     ^ V600
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
