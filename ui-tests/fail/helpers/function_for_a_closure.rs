//! What is no closure where the helper takes a function.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = apply(square, 2.0);
//~              ^ V200
    y[1] = apply(3.0, 2.0);
//~              ^ V200
    let a = 1.0;
    y[3] = apply(a, 2.0);
//~              ^ V200
}

fn main() {}
