//! An argument that `#[kernel]` does not have.
use samebits::prelude::*;

#[kernel(group = 64)]
//~      ^ V101
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
