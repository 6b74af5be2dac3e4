//! Values of another type than their place.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], n: u32, y: &mut [f32]) {
    let i = global_id().x;
    y[i] = n;
//~        ^ V200
    y[i] = 1;
//~        ^ V200
    let a: u32 = x[i];
//~              ^ V200
    let b = if n == 0 { 1u32 } else { 2.0f32 };
//~                                 ^ V200
    let c = n.min(1.0f32);
//~               ^ V200
    if n {
//~    ^ V022
        y[0] = 1.0;
    }
}

fn main() {}
