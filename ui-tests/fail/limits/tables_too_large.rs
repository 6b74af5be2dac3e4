//! A table that no device has constant memory for, and two that have too much together.
use samebits::prelude::*;

#[kernel]
fn one(y: &mut [u32]) {
    const TABLE: [u32; 16385] = [7; 16385];
//~       ^ V607
    let i = global_id().x;
    y[i] = TABLE[i];
}

#[kernel]
fn two(y: &mut [u32]) {
    const FIRST: [[u8; 256]; 129] = [[1; 256]; 129];
    const SECOND: [[u8; 256]; 129] = [[2; 256]; 129];
//~       ^ V607
    let i = global_id().x;
    y[i] = FIRST[i][0] as u32 + SECOND[i][1] as u32;
}

fn main() {}
