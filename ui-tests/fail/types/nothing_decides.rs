//! Types that nothing determines.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let f = 2.5;
//~         ^ V202
    let m = 5.min(3);
//~           ^ V202
    y[0] = 1;
}

fn main() {}
