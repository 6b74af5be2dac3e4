//! A helper's result where another type belongs.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = square(2.0);
//~        ^ V200
    let n: u32 = square(3.0);
//~              ^ V200
    y[1] = n;
}

fn main() {}
