//! An ordinary constant where a kernel must know its value.
use samebits::prelude::*;

const PLAIN: usize = 4;

#[kernel]
fn array(y: &mut [u32]) {
    let a = [1u32; PLAIN];
//~                ^ V201
    y[0] = a[0];
}

#[kernel(workgroup_size(PLAIN))]
//~                     ^ no code
fn size(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
