//! Closures that give another type than the helper takes.
use samebits::prelude::*;

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x) + f(x + 1.0)
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = apply(|x| x < 1.0, 2.0);
//~                  ^ V200
    y[1] = apply(|x| x as u32, 2.0);
//~                  ^ V200
    y[2] = apply(|x| { let z = x; }, 2.0);
//~                  ^ V200
    y[3] = apply(|x| -> u32 { 1 }, 2.0);
//~                     ^ V200
}

fn main() {}
