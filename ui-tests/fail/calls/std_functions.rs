//! Functions of std and constructors.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = std::cmp::max(1, 2);
//~        ^ V016
    let v = Vec::new();
//~         ^ V016
    let s = Err(1);
//~         ^ V016
    workgroup_barrier(1);
//~ ^ V204
    let g = global_id(0);
//~         ^ V204
}

fn main() {}
