//! Workgroup memory in a helper.
use samebits::prelude::*;

#[device]
fn sum(x: f32) -> f32 {
    #[shared]
    let tile: [f32; 64];
//~     ^ V108
    tile[local_id().x] = x;
    workgroup_barrier();
    tile[0]
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = sum(1.0);
}

fn main() {}
