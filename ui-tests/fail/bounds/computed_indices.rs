//! Indices beyond the end of an array that only computing them shows.
use samebits::prelude::*;

#[device]
fn before<const N: usize>(values: &[u32; N]) -> u32 {
    if N > 4 { values[N - 5] } else { values[N - 1] }
}

#[kernel]
fn named(y: &mut [u32]) {
    const NEXT: usize = 4;
    let a = [1u32, 2, 3, 4];
    y[0] = a[NEXT];
//~        ^ V300
    let i = 4;
    y[1] = a[i];
//~        ^ V300
    y[2] = a[NEXT - 1];
}

#[kernel]
fn computed(y: &mut [u32]) {
    const LAST: usize = 3;
    #[shared]
    let tile: [[u32; 4]; 2];
    let a = [1u32, 2, 3, 4];
    let j = 2 * 2;
    y[0] = a[LAST + 1];
//~        ^ V300
    y[1] = a[j + 1];
//~        ^ V300
    y[2] = a[2 - 3];
//~        ^ V300
    y[3] = a[(2u32 - 3) as usize];
//~        ^ V300
    tile[1][LAST * 2 - 2] += 1;
//~ ^ V300
    y[4] = before(&a);
    for k in 0..5 {
        y[5] += a[k];
    }
    if LAST > 3 {
        y[6] = a[LAST + 1];
    }
}

#[kernel(instances(N = [1, 4]))]
fn generic<const N: usize>(y: &mut [u32]) {
    let a = [7u32; N];
    if N > 1 {
        y[0] = a[N - 2];
    }
    y[1] = a[N + 2 - 2];
//~        ^ V300
}

fn main() {}
