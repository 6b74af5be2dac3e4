//! A helper and a kernel of one name.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn square(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
