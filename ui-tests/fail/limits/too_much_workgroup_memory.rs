//! More workgroup memory than there is everywhere.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 4097];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

fn main() {}
