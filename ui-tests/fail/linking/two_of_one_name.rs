//! Two helpers of one name.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn square(x: u32) -> u32 {
    x * x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = square(y[0]);
}

fn main() {}
