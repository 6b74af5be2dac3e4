//! A crate that there is not.
use samebits::prelude::*;

#[device(crate = nowhere)]
//~              ^ E0433
fn square(x: f32) -> f32 {
    x * twice(x)
}

#[device]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn main() {}
