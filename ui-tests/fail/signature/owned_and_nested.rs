//! Parameters that are neither buffers nor scalars.
use samebits::prelude::*;

#[kernel]
fn k(a: Vec<f32>, b: &f32, c: &[&[f32]], e: &mut Vec<u32>, y: &mut [u32]) {
//~     ^ V201
//~                  ^ V201
//~                           ^ V201
//~                                         ^ V201
    y[0] = 1;
}

fn main() {}
