//! A function of one's own without `#[device]`, called by a kernel.
use samebits::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = square(y[0]);
//~        ^ V016
}

fn main() {
    square(1.0);
}
