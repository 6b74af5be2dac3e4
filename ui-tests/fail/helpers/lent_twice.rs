//! One place lent twice in one call, of which one may change it.
use samebits::prelude::*;

#[device]
fn trade(a: &mut u32, b: &mut u32) {
    let c = *a;
    *a = *b;
    *b = c;
}

#[device]
fn copy(from: &[u32], to: &mut [u32]) {
    to[0] = from[0];
}

#[kernel]
fn k(n: usize, y: &mut [u32]) {
    let mut a = [1, 2];
    let mut m = 1;
    trade(&mut m, &mut m);
//~               ^ V206
    trade(&mut a[0], &mut a[1]);
//~                  ^ V206
    trade(&mut y[n], &mut y[1]);
//~                  ^ V206
    copy(y, y);
//~         ^ V206
    y[0] = m + a[0];
}

fn main() {}
