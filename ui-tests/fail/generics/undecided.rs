//! A type parameter that nothing in the call decides.
use samebits::prelude::*;

#[device]
fn unused<T: Float>(a: f32) -> f32 {
    a
}

#[kernel]
fn k(y: &mut [f32]) {
    y[1] = unused(1.0);
//~        ^ V202
}

fn main() {}
