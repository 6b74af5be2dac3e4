//! Arguments of `#[device]` that there are not.
use samebits::prelude::*;

#[device(inline)]
fn square(x: f32) -> f32 {
    x * x
}

#[device(crate = "samebits")]
fn cube(x: f32) -> f32 {
    x * x * x
}

#[device(workgroup_size(64))]
fn fourth(x: f32) -> f32 {
    x * x * x * x
}

fn main() {}
