//! A cell that is written again before all have read it.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    #[shared]
    let cell: u32;
    let i = local_id().x;
    for round in 0..4 {
        if i == 0 {
            cell = x[round];
        }
        workgroup_barrier();
//~     ^ V010
        if cell == 0 {
            break;
        }
        y[i] += 1;
    }
}

fn main() {}
