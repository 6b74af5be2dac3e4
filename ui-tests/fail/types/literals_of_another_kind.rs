//! A float literal where an integer is asked, and a negative one where none can be.
use samebits::prelude::*;

#[kernel]
fn whole(y: &mut [u32], n: u32) {
    y[0] = n.min(2.0);
//~              ^ V200
}

#[kernel]
fn too_large(y: &mut [i8]) {
    y[0] = 1000.0;
//~        ^ V200
}

#[kernel]
fn added(y: &mut [u32]) {
    y[0] += 3.0;
//~      ^ V021
}

#[kernel]
fn negative(y: &mut [u32]) {
    y[0] = -1;
//~        ^ V021
}

#[kernel]
fn further(y: &mut [u16]) {
    y[0] = y[1] + -3;
//~               ^ V021
}

#[kernel]
fn neighbours(x: &[u32], y: &mut [u32]) {
    let i = global_id().x as usize;
    for d in -1..=1 {
//~          ^ V021
        y[i] += x[i + d];
    }
}

#[kernel]
fn joined(y: &mut [u32], n: u32, s: u32) {
    if n && s {
//~    ^ V200
        y[0] = 1;
    }
}

fn main() {}
