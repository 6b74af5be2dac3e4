//! A constant index past the end of an array.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let tab = [1u32, 2, 3, 4];
    y[0] = tab[4];
//~        ^ V300
}

fn main() {}
