//! A workgroup of nobody.
use samebits::prelude::*;

#[kernel(workgroup_size(8, 0))]
//~                        ^ V003
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
