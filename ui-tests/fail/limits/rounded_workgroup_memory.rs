//! Two arrays that fit by their sum, but not after each is rounded up to 16 bytes.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    #[shared]
    let a: [f32; 4095];
    #[shared]
    let b: [f32; 1];
//~     ^ V601
    a[local_id().x] = 1.0;
    b[0] = 2.0;
    workgroup_barrier();
    y[global_id().x] = a[0] + b[0];
}

fn main() {}
