//! A helper that is right for some types of its class and wrong for others.
use samebits::prelude::*;

#[device]
fn negative<T: Number>(x: T) -> T {
    -x
//~ ^ V021
}

#[device]
fn root<T: Number>(x: T) -> T {
    x.sqrt()
//~   ^ V203
}

#[device]
fn third<T: Element, const N: usize>(x: [T; N]) -> T {
    x[7]
//~ ^ V300
}

#[device]
fn sum<T: Element>(a: T, b: T) -> T {
    a + b
//~   ^ V021
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = negative(1.0) + root(2.0) + third([1.0; 8]) + sum(1.0, 2.0);
}

fn main() {}
