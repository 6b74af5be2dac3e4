//! Workgroup memory that is declared in another way.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    #[shared]
    let a = [0u32; 64];
//~         ^ V100
    #[shared]
    let d;
//~     ^ V202
    #[shared]
    let b: (u32, u32);
//~        ^ V201
    #[shared]
    let c: [u32; 0];
//~        ^ V024
    y[0] = 1;
}

fn main() {}
