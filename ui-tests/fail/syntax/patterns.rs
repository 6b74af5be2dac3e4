//! Patterns and parts that do not fit.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let (a, b) = (1, 2, 3);
//~     ^ V200
    let [c, d] = [1, 2u32];
    let t = (x[0], 2.0f32);
    y[0] = t.2;
//~          ^ V203
    y[1] = t.1;
//~        ^ V200
    (y[2], _) = (1.0f32, 2);
//~             ^ V200
    t.0 = 5;
//~ ^ V008
    let &e = x[0];
//~     ^ V100
    let f = if x[0] > 1 { (1, 2) } else { (1, 2, 3) };
//~                                     ^ V200
    y[3] = c + d;
}

fn main() {}
