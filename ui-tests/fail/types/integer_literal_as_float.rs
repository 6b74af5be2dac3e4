//! An integer literal where a float belongs.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    y[global_id().x] = 2;
//~                    ^ V200
}

fn main() {}
