//! A workgroup size that is no number.
use samebits::prelude::*;

#[kernel(workgroup_size("x"))]
//~                     ^ V101
fn k(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(workgroup_size(2 * n))]
//~                         ^ V101
fn of_an_argument(n: usize, y: &mut [u32]) {
    y[n] = 1;
}

fn main() {}
