//! Arguments of `#[device]` that there are not.
use samebits::prelude::*;

#[device(inline)]
//~      ^ V101
fn square(x: f32) -> f32 {
    x * x
}

#[device(crate = "samebits")]
//~      ^ V101
fn cube(x: f32) -> f32 {
    x * x * x
}

#[device(workgroup_size(64))]
//~      ^ V101
fn fourth(x: f32) -> f32 {
    x * x * x * x
}

fn main() {}
