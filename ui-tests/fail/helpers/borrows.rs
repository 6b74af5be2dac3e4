//! What rustc does not borrow either.
use samebits::prelude::*;

#[device]
fn put(t: &mut [u32], i: usize, v: u32) {
    t[i] = v;
}

#[device]
fn two(a: &mut [u32], b: &[u32]) {
    a[0] = b[0];
}

#[device]
fn four(t: &[u32; 4]) -> u32 {
    t[3]
}

#[device]
fn fill(t: &mut [u32], s: &[u32]) {
    put(&mut t, 0, 1);
//~     ^ V008
    put(&t, 0, 1);
//~     ^ V200
    put(&*t, 0, 1);
//~     ^ V200
    put(s, 0, 1);
//~     ^ V005
    two(t, t);
//~        ^ V206
    two(&mut *t, &t[..]);
//~              ^ V206
    put(*t, 0, 1);
//~     ^ V200
    put(&t[1..], 0, 1);
//~     ^ V200
    put(&mut s[1..], 0, 1);
//~     ^ V005
    two(&mut t[..2], &t[2..]);
//~                  ^ V206
}

#[device]
fn bump(x: &mut u32) {
    *x += 1;
}

#[device]
fn scalar(x: &mut u32) {
    bump(&mut x);
//~      ^ V008
}

#[kernel]
fn k(y: &mut [u32]) {
    let mut t = [0u32; 4];
    put(&mut y, 0, 1);
//~     ^ V008
    let n = four(y);
//~              ^ V200
    let m = four(&t[..]);
//~              ^ V200
    let m = four(&t[..4]);
//~              ^ V200
    let whole = t[..];
//~             ^ V100
    put(t, 0, 1);
//~     ^ V200
}

fn main() {}
