//! Arguments of other types than the helper takes.
use samebits::prelude::*;

#[device]
fn scale(x: f32, n: u32) -> f32 {
    x * n as f32
}

#[device]
fn first(a: [u32; 2]) -> u32 {
    a[0]
}

#[kernel]
fn k(x: &[i32], n: u32, y: &mut [f32]) {
    y[0] = scale(x[0], 1);
//~              ^ V200
    y[1] = scale(1.0, true);
//~                   ^ V200
    y[2] = scale(1.0, y.len());
//~                   ^ V200
    y[3] = first([n, n, n]) as f32;
//~              ^ V200
    y[4] = scale(1, n);
//~              ^ V200
}

fn main() {}
