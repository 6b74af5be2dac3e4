//! A type parameter of which nothing is said.
use samebits::prelude::*;

#[device]
fn double<T>(x: T) -> T {
//~       ^ V102
    x + x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = double(1.0);
}

fn main() {}
