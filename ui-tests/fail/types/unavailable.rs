//! Types that a kernel cannot have.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let a: u128 = 1;
//~        ^ V201
    let b: String = y[0];
//~        ^ V201
    let c = y[0] as char;
//~                 ^ V201
    let d = [0u32; 0];
//~                ^ V024
}

fn main() {}
