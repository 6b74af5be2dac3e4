//! Variables and buffers that cannot be changed, lent to a helper that changes them.
use samebits::prelude::*;

#[device]
fn bump(x: &mut u32) {
    *x += 1;
}

#[device]
fn clear(x: &mut [u32]) {
    x[0] = 0;
}

#[device]
fn through(x: &u32, n: u32) {
    bump(&mut *x);
//~      ^ V005
    bump(&mut n);
//~      ^ V008
}

#[kernel]
fn k(n: u32, x: &[u32], y: &mut [u32]) {
    let a = 1;
    bump(&mut a);
//~      ^ V008
    bump(&mut n);
//~      ^ V008
    bump(&mut x[0]);
//~      ^ V005
    clear(x);
//~       ^ V005
    through(&a, n);
    y[0] = a;
}

fn main() {}
