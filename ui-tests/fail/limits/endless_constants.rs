//! Constants whose values never come to an end.
use samebits::prelude::*;

#[kernel]
fn in_a_body(y: &mut [u32]) {
    const ENDLESS: u32 = {
//~       ^ V019
        let mut n = 0u32;
        while n < 2 {
            n ^= 1;
        }
        n
    };
    y[0] = ENDLESS;
}

#[kernel]
fn a_table(y: &mut [u32]) {
    const TABLE: [u32; 2] = {
//~       ^ V019
        let mut t = [0u32; 2];
        while true {
            t[0] += 1;
        }
        t
    };
    y[0] = TABLE[y.len() % 2];
}

fn main() {}
