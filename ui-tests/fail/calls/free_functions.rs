//! Methods called as functions, and functions that there are not yet.
use samebits::prelude::*;
#[allow(unused_imports)]
use std::mem::swap;

#[kernel]
fn k(v: f32, n: u32, x: &[f32], y: &mut [f32]) {
    let a = sqrt(v);
//~         ^ V016
    let b = max(2, n);
//~         ^ V016
    let c = clamp(v + 1.0, 0.0, 1.0);
//~         ^ V016
    let d = f32::max(v, x[0]);
//~         ^ V016
    let e = sin(v);
//~         ^ V016
    let f = powf(v, 2.0);
//~         ^ V016
    let g = f32::sin(v);
//~         ^ V016
    let h = mix(v, x[0], 0.5);
//~         ^ V016
    let (mut i, mut j) = (n, 2);
    swap(&mut i, &mut j);
//~ ^ V016
    let l = std::mem::replace(&mut i, 3);
//~         ^ V016
    let m = std::cmp::min(n, 3);
//~         ^ V016
}

fn main() {}
