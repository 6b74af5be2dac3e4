//! A buffer of `usize`.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [usize]) {
//~     ^ V201
    y[0] = 1;
}

fn main() {}
