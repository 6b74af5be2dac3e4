//! A kernel that is right in one instance and wrong in another.
use samebits::prelude::*;

#[kernel(workgroup_size(1), instances(T = [f32, u32]))]
fn k<T: Number>(x: T, y: &mut [T]) {
    y[0] = -x;
//~        ^ V021
}

#[kernel(workgroup_size(1), instances(N = [4, 2]))]
fn length<const N: usize>(y: &mut [u32]) {
    let a = [1u32; N];
    y[0] = a[3];
//~        ^ V300
}

fn main() {}
