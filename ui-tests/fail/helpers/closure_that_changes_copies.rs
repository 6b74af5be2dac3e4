//! A `move` closure that counts, given away: what it has counted would be copied.
use samebits::prelude::*;

#[device]
fn twice(mut f: impl FnMut() -> u32) -> u32 {
    f() + f()
}

#[kernel]
fn k(y: &mut [u32]) {
    let mut n = 0;
    let count = move || {
        n += 1;
        n
    };
    y[0] = twice(count);
//~              ^ V100
}

fn main() {}
