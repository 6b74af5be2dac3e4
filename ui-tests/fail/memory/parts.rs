//! Ranges that Rust would refuse, or of which it is known that they would panic.
use samebits::prelude::*;

#[device]
fn sum(t: &[u32]) -> u32 {
    t[0]
}

#[device]
fn set(t: &mut [u32]) {
    t[0] = 1;
}

#[kernel]
fn ranges(x: &[u32], n: u32, y: &mut [u32]) {
    let t = [n, 2, 3, 4];
    y[0] = sum(&t[3..2]);
//~               ^ V300
    y[1] = sum(&t[2..5]);
//~               ^ V300
    y[2] = sum(&t[5..]);
//~               ^ V300
    y[3] = sum(&t[0..=4]);
//~               ^ V300
    y[4] = sum(&x[7..3]);
//~               ^ V300
    y[5] = sum(&x[0..n]);
//~                  ^ V301
    y[6] = sum(&x[-1i32..]);
//~               ^ V301
    y[7] = sum(&n[1..]);
//~             ^ V301
    y[8] = sum(&t[1..3][2..3]);
//~                     ^ V300
}

#[kernel]
fn places(x: &[u32], y: &mut [u32]) {
    let t = [y[0], 2, 3, 4];
    set(&mut t[1..]);
//~     ^ V008
    set(&mut x[1..]);
//~     ^ V005
    set(&y[1..]);
//~     ^ V200
    set(y[1..]);
//~     ^ V200
    y[1..] = 5;
//~ ^ V100
    let part = x[1..2];
//~            ^ V100
    y[1] = x[1..2] + 1;
//~        ^ V100
}

#[kernel]
fn indices(y: &mut [u32]) {
    let t = [y[0], 2, 3, 4];
    y[9] = t[1..3][2];
//~        ^ V300
}

fn main() {}
