//! `broadcast` of something else than workgroup memory.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    #[shared]
    let cell: u32;
    y[0] = broadcast(cell);
//~                  ^ V204
    y[1] = broadcast(&x[0]);
//~                  ^ V204
    y[2] = broadcast();
//~        ^ V204
}

fn main() {}
