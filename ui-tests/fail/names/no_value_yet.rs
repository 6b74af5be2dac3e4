//! Variables that are declared without a value, and used without one, or given two.
use samebits::prelude::*;

#[device]
fn twice(n: u32) -> u32 {
    2 * n
}

#[device]
fn bump(n: &mut u32) {
    *n += 1;
}

#[device]
fn of_helper(n: u32) -> u32 {
    let v;
    if n > 1 {
        v = 1;
    }
    v
//~ ^ V209
}

#[kernel]
fn uses(x: &[u32], y: &mut [u32]) {
    let a: u32;
    y[0] = a;
//~        ^ V209
    let b;
    while y[1] > 3 {
        b = 1;
        break;
    }
    y[1] = twice(b);
//~              ^ V209
    let mut c: u32;
    c += 1;
//~ ^ V209
    let mut d: [u32; 2];
    d[0] = 1;
//~ ^ V209
    let mut e: u32;
    bump(&mut e);
//~      ^ V209
    let f: u32;
    let g = |n: u32| n + f;
//~                      ^ V209
    f = 1;
    y[2] = g(f);
    let h;
    match x[0] {
        0 => h = 1,
        1 => return,
        _ => {}
    }
    y[3] = h;
//~        ^ V209
    let t: (u32, u32);
    t.0 = 1;
//~ ^ V008
    let i;
//~     ^ V202
}

#[kernel]
fn twice_given(x: &[u32], y: &mut [u32]) {
    let a;
    a = 1;
    a = 2;
//~ ^ V008
    let b;
    for i in 0..3 {
        b = i;
//~     ^ V008
    }
    let c;
    if x[0] > 1 {
        c = 1;
    }
    c = 2;
//~ ^ V008
    let d;
    d = 1;
    d += 1;
//~ ^ V008
    let e: u32;
    e = 1.5;
//~     ^ V200
    y[0] = a + c + d + e;
}

fn main() {}
