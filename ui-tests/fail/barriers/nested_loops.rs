//! An inner loop that is as long as the invocation's place says.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: u32, y: &mut [u32]) {
    let i = local_id().x;
    for _ in 0..n {
        for round in 0..i {
            y[i] += round as u32;
            workgroup_barrier();
//~         ^ V010
        }
    }
}

fn main() {}
