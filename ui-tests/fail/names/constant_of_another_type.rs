//! What only rustc can see: the constant's own type.
use samebits::prelude::*;

const SIZE: usize = 4;

#[kernel(workgroup_size(1))]
fn k(y: &mut [u32]) {
    y[0] = SIZE;
//~        ^ E0308
}

fn main() {}
