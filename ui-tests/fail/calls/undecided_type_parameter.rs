//! Nothing says what a type parameter is where the helper's body has to know.

use samebits::prelude::*;

#[device]
fn least<T: Float>(count: u32, f: impl Fn(u32) -> T) -> T {
    let mut found = T::INFINITY;
    for i in 0..count {
        found = found.min(f(i));
    }
    found
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = least(4, |i| i as f32);
//~        ^ V202
    y[1] = least::<f32>(4, |i| i as f32);
}

fn main() {}
