//! `break` and `continue` without a loop, or with a label that is not there.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    if y[0] == 1 {
        break;
//~     ^ V104
    }
    loop {
        continue 'outer;
//~     ^ V104
    }
}

fn main() {}
