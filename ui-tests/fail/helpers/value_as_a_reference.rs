//! `*` before what is no reference.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    *x * 2.0
//~ ^ V200
}

#[device]
fn set(x: f32, y: &mut f32) {
    let mut a = x;
    *a = 1.0;
//~ ^ V200
    *y = a;
}

#[kernel]
fn k(n: u32, y: &mut [f32]) {
    y[0] = square(2.0);
    let m = *n + 1;
//~         ^ V200
    y[1] = *y[0] + m as f32;
//~        ^ V200
    set(1.0, &mut y[2]);
}

fn main() {}
