//! A barrier that some skip in some rounds.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    for round in 0..n {
        if x[i] < round {
            continue;
        }
        y[i] += 1;
        workgroup_barrier();
//~     ^ V010
    }
}

fn main() {}
