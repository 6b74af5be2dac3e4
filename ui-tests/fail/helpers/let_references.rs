//! References as variables, where they cannot be.
use samebits::prelude::*;

#[device]
fn set(t: &mut [u32]) {
    t[0] = 1;
}

#[kernel]
fn k(x: &[u32], n: u32, y: &mut [u32]) {
    let t = [n, 2, 3];
    let a = &mut t[1..];
//~         ^ V008
    let b = &mut x[1..];
//~         ^ V005
    let mut u = [n, 2, 3];
    let c = &mut u[..2];
    let d = c;
//~         ^ V100
    set(c);
    let e = &u;
    set(e);
//~     ^ V005
    e[0] = 1;
//~ ^ V005
    let f: &[f32] = &u;
//~                 ^ V200
    let g: u32 = &n;
//~        ^ V200
    let h = { &x[1..] };
//~           ^ V100
    let i = (&x[1..], 1);
//~          ^ V100
    let mut j = &x[1..];
    let k = j;
    y[2] = k[0];
    y[1] = j;
//~        ^ V100
}

fn main() {}
