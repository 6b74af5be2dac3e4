//! Parameters that nothing decides.
use samebits::prelude::*;

#[device]
fn ramp<const N: usize>(x: f32) -> f32 {
    x * N as f32
}

#[device]
fn zero<T: Number>() -> T {
    0 as T
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = ramp(1.0);
//~        ^ V202
    let z = zero();
//~         ^ V202
    y[1] = 2.0;
}

fn main() {}
