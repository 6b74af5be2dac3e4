//! A barrier in one of many arms.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    let i = local_id().x;
    match i % 4 {
        0 => y[i] = 1,
        1 => {
            workgroup_barrier();
//~         ^ V010
        }
        2 => y[i] = 3,
        _ => y[i] = 4,
    }
}

fn main() {}
