//! A helper without a result where a value belongs, and one that returns a value anyway.
use samebits::prelude::*;

#[device]
fn put(y: &mut [f32], i: usize) {
    y[i] = 1.0;
}

#[device]
fn returns(x: f32) {
    x * 2.0
//~ ^ V200
}

#[kernel]
fn k(y: &mut [f32]) {
    let a = 1.0 + put(y, 1);
//~             ^ V021
    y[0] = a;
    returns(3.0);
}

fn main() {}
