//! Uses of a place while a variable borrows it.
use samebits::prelude::*;

#[device]
fn set(t: &mut [u32], v: u32) {
    t[0] = v;
}

#[device]
fn get(t: &[u32]) -> u32 {
    t[0]
}

#[kernel]
fn straight(x: &[u32], y: &mut [u32]) {
    let mut t = [0u32; 8];
    let part = &t[1..];
    t[0] = 1;
//~ ^ V206
    y[0] = part[0];
    let r = &mut t[0];
    y[1] = t[1];
//~        ^ V206
    *r = 2;
    let a = &mut t[..4];
    let b = &mut t[4..];
//~         ^ V206
    a[0] = b[0];
    let c = &mut t;
    set(&mut t, 1);
//~     ^ V206
    c[1] = 1;
    let d = &mut t;
    y[2] = get(&t);
//~            ^ V206
    set(d, 3);
    let e = &t[2];
    t[2] += 1;
//~ ^ V206
    y[3] = *e;
    let mut n = x[0];
    let m = &mut n;
    y[4] = n;
//~        ^ V206
    *m += 1;
    let o = &n;
    n = 5;
//~ ^ V206
    y[5] = *o;
}

#[kernel]
fn ways(x: &[u32], y: &mut [u32]) {
    let mut t = [0u32; 8];
    let r = &mut t[0];
    for i in 0..4 {
        *r += 1;
        t[1] = i;
//~     ^ V206
    }
    let s = &mut t[0];
    if x[0] > 1 {
        t[2] = 1;
//~     ^ V206
    }
    *s = 1;
    let u = &t;
    while u[0] < 3 {
        t[3] += 1;
//~     ^ V206
    }
    let outer = &mut t;
    let inner = &mut outer[1..];
    outer[0] = 1;
//~ ^ V206
    inner[0] = 2;
    let len = &t[..4];
    t[7] = 1;
//~ ^ V206
    y[0] = len.len() as u32;
}

#[kernel]
fn closures(y: &mut [u32]) {
    let mut t = [0u32; 8];
    let r = &mut t[0];
    let f = |i: usize| t[i];
//~                    ^ V206
    y[0] = f(1);
    *r = 1;
}

fn main() {}
