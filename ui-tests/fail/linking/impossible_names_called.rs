//! Calls of helpers whose names are impossible: what they are taken for is said at the call.
use samebits::prelude::*;

#[device]
fn vec(x: f32) -> f32 {
//~^ V110
    x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = vec(1.0);
}

#[kernel]
fn without(y: &mut [f32]) {
    assert(y[0] > 1.0);
//~ ^ V016
    inline(1.0);
//~ ^ V016
    panic(1);
//~ ^ V016
}

fn main() {}
