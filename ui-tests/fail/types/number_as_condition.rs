//! C's truth.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    while x[i] {
//~       ^ V022
        y[i] = 1;
    }
    y[i] = if !x[i] { 1 } else { 2 };
//~           ^ V022
}

fn main() {}
