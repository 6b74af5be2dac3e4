//! A label that is not there.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    'outer: for i in 0..4 {
        for j in 0..4 {
            break 'inner;
//~         ^ V104
        }
    }
    y[0] = 1;
}

fn main() {}
