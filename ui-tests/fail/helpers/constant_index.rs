//! An index beyond an array that a helper is given: it is the call that is wrong.
use samebits::prelude::*;

#[device]
fn third<const N: usize>(a: &[u32; N]) -> u32 {
    a[3]
}

#[kernel]
fn k(y: &mut [u32]) {
    let a = [1, 2, 3];
    y[0] = third(&a);
//~        ^ V300
    y[1] = third(&[1, 2, 3, 4]);
}

fn main() {}
