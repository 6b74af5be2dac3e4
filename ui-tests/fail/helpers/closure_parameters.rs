//! Closures with other parameters than the helper gives them.
use samebits::prelude::*;

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[device]
fn twice<F: Fn(f32, u32) -> f32>(f: F) -> f32 {
    f(1.0, 2) + f(3.0, 4)
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = apply(|| 1.0, 2.0);
//~              ^ V204
    y[1] = apply(|a, b| a + b, 2.0);
//~              ^ V204
    y[2] = apply(|n: u32| n as f32, 2.0);
//~               ^ V200
    y[3] = twice(|a| a);
//~              ^ V204
}

fn main() {}
