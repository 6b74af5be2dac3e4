//! A float where an integer belongs.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    y[global_id().x] = 1.5;
//~                    ^ V200
}

fn main() {}
