//! Constants that do not exist, or are of another type than their use.
use samebits::prelude::*;

const SIZE: usize = 4;

#[kernel]
fn k(y: &mut [u32]) {
    const N: usize = SIZE;
    let b = [0u32; N];
//~                ^ V201
    y[0] = u32::NONE;
//~        ^ V006
    y[1] = lower_case::path;
//~        ^ V006
}

fn main() {}
