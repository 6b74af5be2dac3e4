//! Values that nothing reads, and `mut` where nothing changes.
#![deny(warnings)]
use samebits::prelude::*;

#[device]
fn helper(mut x: f32, mut y: f32) -> f32 {
//~       ^ no code
    y += x;
    y
}

#[kernel(workgroup_size(1))]
fn k(n: u32, y: &mut [u32]) {
    let mut a = 0;
//~             ^ no code
    a = n;
    let mut b = a + 1;
    y[0] = b;
    b = 3;
//~ ^ no code
    let mut c = b_of(n);
//~     ^ no code
    y[1] = c;
    for mut i in 0..n {
//~     ^ no code
        y[2] = i;
    }
    let mut rounds = 0;
    while rounds < n {
        rounds += 1;
        if rounds == 7 {
            rounds = 9;
//~         ^ no code
            break;
        }
    }
    let pick = |mut v: u32| v + 1;
//~             ^ no code
    y[3] = pick(helper(1.0, 2.0) as u32);
}

#[device]
fn b_of(n: u32) -> u32 {
    n
}

fn main() {}
