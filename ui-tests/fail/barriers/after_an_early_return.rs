//! A barrier after some invocations have left.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: usize, x: &[u32], y: &mut [u32]) {
    #[shared]
    let tile: [u32; 64];
    let i = global_id().x;
    if i >= n {
        return;
    }
    tile[local_id().x] = x[i];
    workgroup_barrier();
//~ ^ V010
    y[i] = tile[0];
}

fn main() {}
