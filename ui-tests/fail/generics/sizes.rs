//! Sizes of workgroups that an instance states, wrong in one of them.
use samebits::prelude::*;

#[kernel(workgroup_size(BS), instances(BS = [64, 512]))]
//~                     ^ V600
fn too_large<const BS: usize>(y: &mut [u32]) {
    y[global_id().x] = BS as u32;
}

#[kernel(workgroup_size(BS - 64), instances(BS = [128, 64]))]
//~                     ^ V003
fn none<const BS: usize>(y: &mut [u32]) {
    y[global_id().x] = BS as u32;
}

#[kernel(workgroup_size(BS), instances(BS = [64, 256]))]
fn too_much_memory<const BS: usize>(y: &mut [u32]) {
    #[shared]
    let tile: [u32; BS * 64];
//~     ^ V601
    tile[local_index()] = 1;
    y[global_id().x] = tile[local_index()];
}

#[kernel(workgroup_size(64), instances(N = [64, 128]))]
fn a_race_in_one<const N: usize>(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 128];
    tile[local_index() * 64 % N] = 1;
//~ ^ V500
    workgroup_barrier();
    y[global_id().x] = tile[local_index()];
}

fn main() {}
