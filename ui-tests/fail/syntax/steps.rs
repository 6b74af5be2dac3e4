//! Steps that are zero, and steps of another type.
use samebits::prelude::*;

const NONE: usize = 0;

#[device]
const ZERO: usize = 4 / 8;

#[device]
fn count<const N: usize>(n: u8) -> u32 {
    let mut r = 0;
    for _ in (0..n).step_by(N) {
        r += 1;
    }
    r
}

#[kernel]
fn k(n: u8, y: &mut [u32]) {
    const OWN: usize = 0;
    for _ in (0..n).step_by(0) {
//~                         ^ V015
        y[0] += 1;
    }
    for _ in (0..n).step_by(OWN * 3) {
//~                         ^ V015
        y[0] += 1;
    }
    for _ in (0..n).step_by(n) {
//~                         ^ V200
        y[0] += 1;
    }
    y[1] = count::<0>(n);
//~        ^ V015
}

#[kernel(workgroup_size(1))]
fn outer(n: u64, y: &mut [u32]) {
    for _ in (0..n).step_by(NONE) {
//~                         ^ E0080
        y[0] += 1;
    }
    for _ in (0..n).rev().step_by(ZERO) {
//~                               ^ E0080
        y[0] += 1;
    }
}

fn main() {}
