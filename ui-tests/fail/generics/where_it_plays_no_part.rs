//! A generic helper that is wrong for whatever its parameter is, and for structs alone.
use samebits::prelude::*;

#[device]
fn anyway<T: Element>(x: T, y: u32) -> f32 {
    y
//~ ^ V200
}

#[device]
fn summed<T: Element>(x: T) -> T {
    subgroup_add(x)
//~              ^ V021
}

fn main() {}
