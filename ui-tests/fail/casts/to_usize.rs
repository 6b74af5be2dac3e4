//! Casts of 64 bits to `usize` that might cut.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u64], j: i64, y: &mut [u32]) {
    let a = x[0] as usize;
//~         ^ V012
    let b = (x[0] & 0xffff_ffff_ff) as usize;
//~         ^ V012
    let c = (j % 8) as usize;
//~         ^ V012
    let d = (x[0] >> 31) as usize;
//~         ^ V012
    let mut m = 3u64;
    m *= x[1];
    let e = m as usize;
//~         ^ V012
    for k in 0..x[2] {
        y[k as usize] = 1;
//~       ^ V012
    }
    y[j] = 1;
//~   ^ V301
    let f: usize = x[3];
//~                ^ V200
    let g = (x[0] >> j as u32) as usize;
//~         ^ V012
    let h = x[0].max(5) as usize;
//~         ^ V012
    // What the help says.
    y[x[0] as u32 as usize] = 1;
    y[x[0].min(255) as usize] = 1;
}

#[kernel]
fn untold(x: u64, y: &mut [u32]) {
    let a = x as _;
//~         ^ V202
    y[0] = 1;
}

fn main() {}
