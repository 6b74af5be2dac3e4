//! More workgroup memory than every device has, than is declared, and than any has.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn undeclared(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 4097];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

#[kernel(workgroup_size(64), limits(workgroup_memory = 20000))]
fn declared_as_less(y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 64]; 80];
//~     ^ V601
    tile[local_id().x][0] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0][0];
}

#[kernel(workgroup_size(64))]
fn never(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 60000];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

#[kernel(workgroup_size(64), instances(N = [64, 8192]))]
fn in_one_instance<const N: usize>(y: &mut [f32]) {
    #[shared]
    let tile: [f32; N];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

fn main() {}
