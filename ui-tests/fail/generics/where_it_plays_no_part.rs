//! A generic helper that is wrong for whatever its parameter is, and for structs alone.
use samebits::prelude::*;

#[device]
fn anyway<T: Element>(x: T, y: u32) -> f32 {
    y
//~ ^ V200
}

#[device]
fn shuffled<T: Element>(x: T) -> T {
    subgroup_shuffle(x, 1)
//~                  ^ V021
}

fn main() {}
