//! Too few and too many arguments.
use samebits::prelude::*;

#[device]
fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[device]
fn twice(x: f32) -> f32 {
    mix(x, x) + 1.0
//~ ^ V204
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = mix(1.0, 2.0);
//~        ^ V204
    y[1] = mix(1.0, 2.0, 3.0, 4.0);
//~        ^ V204
    y[2] = mix();
//~        ^ V204
    y[3] = twice(1.0);
}

fn main() {}
