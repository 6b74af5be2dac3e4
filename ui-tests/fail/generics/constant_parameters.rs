//! Constant parameters of other types than `usize`.
use samebits::prelude::*;

#[device]
fn power<const N: u32>(x: f32) -> f32 {
//~      ^ V102
    let mut y = 1.0;
    for _ in 0..N {
        y *= x;
    }
    y
}

#[device]
fn sign<const UP: bool>(x: f32) -> f32 {
//~     ^ V102
    if UP { x } else { -x }
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = power::<3>(2.0) + sign::<true>(1.0);
}

fn main() {}
