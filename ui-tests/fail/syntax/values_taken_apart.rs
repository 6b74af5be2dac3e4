//! Values that an assignment cannot take apart so.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Two(u32, u32);

#[kernel]
fn k(p: Pair, t: Two, y: &mut [u32]) {
    let (mut a, mut b, mut c) = (0, 0, 0);
    Pair { a } = p;
//~ ^ V204
    Pair { a, x: b, .. } = p;
//~           ^ V203
    Two(a, b, c) = t;
//~ ^ V200
    Two(a) = t;
//~ ^ V200
    [a, .., b] = [1];
//~ ^ V200
    (a, .., b, .., c) = (1, 2, 3);
//~            ^ V100
    (a, b) = (1, 2, 3);
//~          ^ V200
    Pair { a, b } = t;
//~ ^ V200
    (a, [b, p.a]) = (1, [2, 3]);
//~         ^ V008
    y[0] = a + b + c;
}

fn main() {}
