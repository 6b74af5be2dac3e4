//! An array that no device has registers for.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let mut table = [0u32; 16385];
//~                 ^ V602
    for i in 0..16385 {
        table[i] = i as u32;
    }
    y[global_id().x] = table[y.len()];
}

fn main() {}
