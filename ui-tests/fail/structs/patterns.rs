//! Patterns that leave fields out, have too many, or are of another struct.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    a: f32,
    b: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(f32, f32);

#[kernel]
fn k(x: &[Ray], p: Pair, y: &mut [f32]) {
    let Ray { a } = x[0];
//~     ^ V204
    y[0] = a;
    let Pair(b) = p;
//~     ^ V204
    y[1] = b;
    let Pair(c, d, e) = p;
//~     ^ V204
    y[2] = c + d + e;
    let Pair(f, g) = x[1];
//~     ^ V200
    y[3] = f + g;
    let Ray { a: h, b: i } = y[4];
//~     ^ V200
    y[4] = h + i;
}

fn main() {}
