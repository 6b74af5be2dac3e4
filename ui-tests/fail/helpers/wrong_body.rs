//! A helper whose body has another type than it says. Its calls are no further mistakes.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> u32 {
    x * x
//~ ^ V200
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = square(2.0);
    y[1] = square(3.0) + 1;
}

#[kernel]
fn other(y: &mut [u32]) {
    y[0] = square(4.0);
}

fn main() {}
