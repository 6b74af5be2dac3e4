//! Helpers that use their closure otherwise than its type says.
use samebits::prelude::*;

#[device]
fn few(f: impl Fn(f32, f32) -> f32, x: f32) -> f32 {
    f(x)
//~ ^ V204
}

#[device]
fn other(f: impl Fn(f32) -> f32, x: u32) -> f32 {
    f(x)
//~   ^ V200
}

#[device]
fn result(f: impl Fn(f32) -> u32, x: f32) -> f32 {
    f(x)
//~ ^ V200
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = few(|a, b| a + b, 1.0) + other(|a| a, 1) + result(|a| a as u32, 1.0);
}

fn main() {}
