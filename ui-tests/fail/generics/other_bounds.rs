//! Bounds that are no classes.
use samebits::prelude::*;

#[device]
fn double<T: std::ops::Add + Copy>(x: T) -> T {
//~       ^ V102
    x
}

#[device]
fn low<T: Float + std::ops::BitAnd<Output = T>>(x: T) -> T {
//~    ^ V102
    x
}

#[device]
fn both<T: Float + Int>(x: T) -> T {
//~     ^ V102
    x
}

#[device]
fn later<T>(x: T) -> T
//~      ^ V102
where
    T: Default,
{
    x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = double(1.0) + low(1.0) + both(1.0) + later(1.0);
}

fn main() {}
