//! Casts of 64 bits to `usize` that might lose some, and where that would show.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u64], j: i64, y: &mut [u32]) {
    let a = x[0] as usize + 1;
//~         ^ V012
    let b = ((x[0] & 0xffff_ffff_ff) as usize).min(3);
//~         ^ V012
    let c = [(j % 8) as usize; 2];
//~          ^ V012
    let d = ((x[0] >> 31) as usize, 1);
//~          ^ V012
    let mut m = 3u64;
    m *= x[1];
    let mut e = m as usize;
//~             ^ V012
    for k in 0..x[2] {
        y[k as usize * 2] = 1;
//~       ^ V012
    }
    y[j] = 1;
//~   ^ V301
    let f: usize = x[3];
//~                ^ V200
    for k in x[3] as usize..x[4] as usize {
//~          ^ V012
//~                         ^ V012
        y[k] = 1;
    }
    // What the help says.
    y[(x[0] + 1) as usize] = 1;
    y[x[0] as u32 as usize] = 1;
    y[x[0].min(255) as usize] = 1;
    for k in x[3]..x[4] {
        y[k as usize] = 1;
    }
}

#[device]
fn after(x: &[u32], i: usize) -> u32 {
    x[i + 1]
}

#[kernel]
fn variables(x: &[u32], at: &[u64], y: &mut [u32]) {
    let i = at[0] as usize;
    let n = x.len() - i;
//~                   ^ V012
    let same = i;
    y[same] = x[same - 1];
//~             ^ V012
    if i < x.len() && same >= i {
        y[i] = x[same];
    }
    y[1] = i as u32;
//~        ^ V012
    y[2] = after(x, at[1] as usize);
//~        ^ V012
    let next = |k: usize| k + 1;
//~                       ^ V012
    y[3] = next(i) as u32;
}

#[kernel]
fn untold(x: u64, y: &mut [u32]) {
    let a = x as _;
//~         ^ V202
    y[0] = 1;
}

fn main() {}
