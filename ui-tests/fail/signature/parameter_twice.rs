//! Two parameters of one name.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], x: &mut [u32]) {
//~             ^ V001
}

fn main() {}
