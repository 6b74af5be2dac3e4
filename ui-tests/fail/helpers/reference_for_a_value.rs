//! A reference where the helper takes a value.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let mut a = 3.0;
    y[0] = square(&a);
//~               ^ V200
    y[1] = square(&x[0]);
//~               ^ V200
    y[2] = square(&mut a);
//~               ^ V200
    y[3] = square(x);
//~               ^ V100
}

fn main() {}
