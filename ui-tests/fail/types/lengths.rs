//! Lengths that are no `usize`, and constants of another type than what they are matched with.
use samebits::prelude::*;

#[device]
const FOUR: u32 = 4;

#[device]
const FIVE: usize = 5;

#[kernel]
fn k(x: i32, y: &mut [u32]) {
    const N: u8 = 3;
    let a = [0u32; 4u32];
//~                ^ V200
    let b: [u32; N] = [0; 3];
//~        ^ V200
    let c = [0u32; FOUR];
//~                ^ V200
    let d = [0u32; FIVE - 1];
    let e = [0u32; FOUR as usize];
    match x {
        FIVE => y[0] = 1,
//~     ^ V200
        _ => y[0] = 2,
    }
}

fn main() {}
