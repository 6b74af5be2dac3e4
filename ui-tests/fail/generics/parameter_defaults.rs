//! What else stands between the angle brackets of other functions.
use samebits::prelude::*;

#[device]
fn twice<T: Float, T: Float>(a: T) -> T {
    a
}

#[device]
fn unused<T: Float>(a: f32) -> f32 {
    a
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = twice(1.0);
    y[1] = unused(1.0);
}

fn main() {}
