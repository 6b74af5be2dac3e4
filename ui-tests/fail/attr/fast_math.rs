//! `fast_math` with a value, and twice.
use samebits::prelude::*;

#[kernel(fast_math = true)]
//~      ^ V101
fn with_a_value(y: &mut [f32]) {
    y[global_id().x] = 1.0;
}

#[kernel(fast_math, fast_math)]
//~                 ^ V101
fn twice(y: &mut [f32]) {
    y[global_id().x] = 1.0;
}

fn main() {}
