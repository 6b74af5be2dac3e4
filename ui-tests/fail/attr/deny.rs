//! What a kernel cannot deny.
use samebits::prelude::*;

#[kernel(deny(loops, guards))]
//~           ^ V101
fn unknown(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(deny())]
//~      ^ V101
fn nothing(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(deny(guards), deny(guards))]
//~                    ^ V101
fn twice(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(deny = guards)]
//~      ^ V101
fn written_differently(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {}
