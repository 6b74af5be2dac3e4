//! A helper sees its own names and not those of its caller.
use samebits::prelude::*;

#[device]
fn offset(x: f32) -> f32 {
    x + origin
//~     ^ V006
}

#[kernel]
fn k(y: &mut [f32]) {
    let origin = 1.0;
    y[0] = offset(2.0) + origin;
}

fn main() {}
