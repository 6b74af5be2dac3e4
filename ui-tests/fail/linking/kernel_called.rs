//! A kernel called by a kernel and by a helper.
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn first(y: &mut [f32]) {
    y[0] = 1.0;
}

#[device]
fn helper(y: &mut [f32]) {
    first(y);
//~ ^ V016
}

#[kernel(workgroup_size(1))]
fn second(y: &mut [f32]) {
    first(y);
//~ ^ V016
}

fn main() {}
