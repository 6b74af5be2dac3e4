//! A value where the helper takes a reference.
use samebits::prelude::*;

#[device]
fn square(x: &f32) -> f32 {
    *x * *x
}

#[device]
fn sum(a: &[f32; 2]) -> f32 {
    a[0] + a[1]
}

#[device]
fn count(c: &Atomic<u32>) {
    c.fetch_add(1);
}

#[kernel]
fn k(c: &[Atomic<u32>], y: &mut [f32]) {
    let a = [1.0, 2.0];
    y[0] = square(3.0);
//~               ^ V200
    y[1] = square(y[0]);
//~               ^ V200
    y[2] = sum(a);
//~            ^ V200
    y[3] = sum([1.0, 2.0]);
//~            ^ V200
    count(c[0]);
//~       ^ V200
}

fn main() {}
