//! A device's own functions take `f32`.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, x: &[f32], y: &mut [f32]) {
    y[0] = approx::exp(n);
//~                    ^ V200
    y[1] = approx::powf(x[0]);
//~        ^ V204
    y[2] = approx::sin(x[1]).cos();
}

fn main() {}
