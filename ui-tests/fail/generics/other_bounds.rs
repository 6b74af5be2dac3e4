//! Bounds that are no classes.
use samebits::prelude::*;
use std::ops::Add;

#[device]
fn double<T: Add<Output = T> + Copy>(x: T) -> T {
    x + x
}

#[device]
fn both<T: Float + Int>(x: T) -> T {
    x
}

#[device]
fn later<T>(x: T) -> T
where
    T: Default,
{
    x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = double(1.0) + both(1.0) + later(1.0);
}

fn main() {}
