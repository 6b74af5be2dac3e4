//! Helpers that promise a value and end without one.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
//~                  ^ V200
    x * x;
}

#[device]
fn sign(x: f32) -> f32 {
    if x < 0.0 {
//~ ^ V200
        return -1.0;
    }
}

#[device]
fn early(x: f32) -> f32 {
    if x < 0.0 {
        return;
//~     ^ V200
    }
    x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = square(2.0) + sign(3.0) + early(4.0);
}

fn main() {}
