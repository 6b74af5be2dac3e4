//! Functions of the language that are nearly right: they might be helpers, so rustc looks for those.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    y[0] = bit_extrct(n, 1, 2);
//~        ^ V016
}

#[kernel]
fn j(n: u32, y: &mut [u32]) {
    y[0] = dot4(n, n);
//~        ^ V016
}

fn main() {}
