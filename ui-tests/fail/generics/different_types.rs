//! Two types for one parameter.
use samebits::prelude::*;

#[device]
fn larger<T: Number>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[device]
fn same<const N: usize>(a: [u32; N], b: [u32; N]) -> u32 {
    a[0] + b[0] + N as u32
}

#[kernel]
fn k(n: u32, x: f32, y: &mut [f32]) {
    y[0] = larger(x, n);
//~                  ^ V200
    y[1] = larger(n, n);
//~        ^ V200
    y[2] = same([n, n], [n, n, n]) as f32;
//~                     ^ V200
}

fn main() {}
