//! A closure where the helper takes a value.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn size(x: &[f32]) -> u32 {
    x.len() as u32
}

#[kernel]
fn k(y: &mut [f32]) {
    let f = |x| x + 1.0;
    y[0] = square(|x| x);
//~               ^ V200
    y[1] = square(f);
//~               ^ V200
    y[2] = f(1.0);
    y[3] = size(|x| x) as f32;
//~             ^ V200
}

fn main() {}
