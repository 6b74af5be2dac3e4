//! Closures that take references, given or written as something else.
use samebits::prelude::*;

#[device]
fn apply(f: impl Fn(&[u32], u32) -> u32, x: &[u32]) -> u32 {
    f(&x[1..], 2)
}

#[device]
fn change(mut f: impl FnMut(&mut [u32]), t: &mut [u32]) {
    f(&mut t[..2]);
    f(&t[..2]);
//~   ^ V200
    f(5);
//~   ^ V200
}

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    y[0] = apply(|s: &[f32], n: u32| n, x);
//~               ^ V200
    y[1] = apply(|s: &mut [u32], n: u32| n, x);
//~               ^ V200
    y[2] = apply(|s: u32, n: u32| n, x);
//~               ^ V200
    y[3] = apply(|&s, n: u32| n, x);
//~               ^ V100
    let set = |t: &mut [u32], v: u32| t[0] = v;
    set(&x[1..], 1);
//~     ^ V200
    set(y[1], 1);
//~     ^ V200
}

fn main() {}
