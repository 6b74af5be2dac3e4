//! Two workgroup sizes.
use samebits::prelude::*;

#[kernel(workgroup_size(64), workgroup_size(32))]
//~                          ^ V101
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
