//! Closures for methods of numbers, which take none.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, x: &[f32], y: &mut [u32]) {
    y[0] = n.then(|| 1).unwrap_or(0);
//~          ^ V203
    y[1] = x[0].map(|v| v + 1.0) as u32;
//~             ^ V203
}

fn main() {}
