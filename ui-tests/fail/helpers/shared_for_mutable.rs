//! `&` where the helper takes `&mut`.
use samebits::prelude::*;

#[device]
fn bump(x: &mut u32) {
    *x += 1;
}

#[kernel]
fn k(y: &mut [u32]) {
    let mut a = 1;
    bump(&a);
//~      ^ V200
    bump(&y[0]);
//~      ^ V200
    let mut b = 1u32;
    bump(b);
//~      ^ V200
    b += 1;
    y[1] = a + b;
}

fn main() {}
