//! A workgroup size that is no number.
use samebits::prelude::*;

#[kernel(workgroup_size("x"))]
//~                     ^ V101
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
