//! An index beyond the array that a helper takes, whatever it is called with.
use samebits::prelude::*;

#[device]
fn fourth(a: &[u32; 4]) -> u32 {
    a[4]
//~ ^ V300
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = fourth(&[1, 2, 3, 4]);
    y[1] = fourth(&[5, 6, 7, 8]);
}

fn main() {}
