//! Too many, too few and other generic arguments than a helper has.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn scale<T: Number, const N: usize>(x: T) -> T {
    x * N as T
}

#[kernel]
fn k(n: usize, y: &mut [f32]) {
    y[0] = square::<f32>(1.0);
//~        ^ V204
    y[1] = scale::<f32>(1.0);
//~        ^ V204
    y[2] = scale::<f32, 3, 4>(1.0);
//~        ^ V204
    y[4] = scale::<u32, 3>(1.0);
//~                        ^ V200
    y[5] = scale::<f32, n>(1.0);
//~                     ^ V100
    y[6] = scale::<String, 3>(1.0);
//~                ^ V201
}

fn main() {}
