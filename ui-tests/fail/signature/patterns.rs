//! A parameter that is no plain name.
use samebits::prelude::*;

#[kernel]
fn k((a, b): (u32, u32), y: &mut [u32]) {
//~  ^ V102
    y[0] = 1;
}

fn main() {}
