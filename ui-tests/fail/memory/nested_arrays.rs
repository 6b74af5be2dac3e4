//! A constant index past the end of a row.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let m = [[1u32, 2], [3, 4], [5, 6]];
    y[0] = m[0][2];
//~        ^ V300
    y[1] = m[3][0];
//~        ^ V300
}

fn main() {}
