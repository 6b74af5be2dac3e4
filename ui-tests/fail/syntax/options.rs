//! `Option` and `if let`.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    if let Some(v) = x.get(0) {
//~    ^ V100
        y[0] = 1;
    }
    let w = x.first().unwrap();
//~           ^ V203
}

fn main() {}
