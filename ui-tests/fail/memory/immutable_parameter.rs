//! A scalar parameter that is changed.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    while n > 0 {
        n -= 1;
//~     ^ V008
    }
    y[0] = n;
}

fn main() {}
