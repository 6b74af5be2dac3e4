//! A variable that is no function, called.
use samebits::prelude::*;

#[device]
fn called(f: f32) -> f32 {
    f(1.0)
//~ ^ V016
}

#[kernel]
fn k(y: &mut [f32]) {
    let g = y[0];
    y[0] = called(1.0);
    y[1] = g(2.0);
//~        ^ V016
}

fn main() {}
