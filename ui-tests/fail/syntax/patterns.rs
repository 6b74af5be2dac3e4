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
    let (0, g) = (x[0], 1);
//~              ^ V105
    let (h, h) = (1, 2);
//~         ^ V001
    let (m, ..) = x[0];
//~     ^ V200
    let (1, n) = (x[0], x[1]) else { y[3] = 1 };
//~                                ^ V200
    let ((n, 1) | (1, o)) = (x[0], x[1]) else { return };
//~       ^ V100
//~                   ^ V100
    let [q, ..] = (1, 2);
//~     ^ V200
    let (p, .., ..) = (1, 2);
//~             ^ V100
    let f = if x[0] > 1 { (1, 2) } else { (1, 2, 3) };
//~                                     ^ V200
    y[3] = c + d;
}

fn main() {}
