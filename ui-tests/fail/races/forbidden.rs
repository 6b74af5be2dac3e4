//! A crate that forbids `unsafe` has none in kernels.
#![forbid(unsafe_code)]

use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn all_store(y: &mut [u32]) {
    unsafe {
//~ ^ no code
        y[0] = 1;
    }
}

fn main() {}
