//! A lane beyond the end of a vector.
use samebits::prelude::*;

#[kernel]
fn k(x: &[Vec2<f32>], y: &mut [f32]) {
    y[0] = x[0][2];
//~        ^ V301
    y[1] = x[0].z;
//~             ^ V203
}

fn main() {}
