//! Assignments to what is not `mut`.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    let a = 1;
    a = 2;
//~ ^ V008
    n += 1;
//~ ^ V008
    for i in 0..4 {
        i = 5;
//~     ^ V011
    }
    let tab = [1u32, 2];
    tab[0] = 3;
//~ ^ V008
    y[0] = a;
}

fn main() {}
