//! Attributes that mean nothing on a helper.
use samebits::prelude::*;

#[device]
#[no_mangle]
fn named(x: f32) -> f32 {
    x
}

#[device]
#[target_feature(enable = "avx2")]
fn wide(x: f32) -> f32 {
    x
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = named(1.0) + wide(1.0);
}

fn main() {}
