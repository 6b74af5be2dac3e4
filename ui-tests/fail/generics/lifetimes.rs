//! Lifetimes, of which helpers have none.
use samebits::prelude::*;

#[device]
fn first<'a>(x: &'a [f32]) -> f32 {
//~      ^ V102
    x[0]
}

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    y[0] = first(x);
}

fn main() {}
