//! A store through a reference that only reads, and to a parameter that is not `mut`.
use samebits::prelude::*;

#[device]
fn set(x: &f32) {
    *x = 1.0;
//~ ^ V005
}

#[device]
fn clear(x: &[f32]) {
    x[0] = 0.0;
//~ ^ V005
}

#[device]
fn count(n: u32) -> u32 {
    n += 1;
//~ ^ V008
    n
}

#[kernel]
fn k(y: &mut [f32]) {
    set(&y[0]);
    clear(y);
    y[1] = count(2) as f32;
}

fn main() {}
