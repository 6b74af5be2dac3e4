//! An index that is beyond the end for one constant of two.
use samebits::prelude::*;

#[kernel(instances(N = [4, 3]))]
fn k<const N: usize>(y: &mut [u32]) {
    let a = [7u32; N];
    y[0] = a[3];
    y[1] = a[N];
//~        ^ V300
}

fn main() {}
