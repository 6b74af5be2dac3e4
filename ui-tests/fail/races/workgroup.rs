//! Accesses of invocations of one workgroup that meet.

use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn all_store_to_one_place(y: &mut [u32]) {
    y[0] = local_index() as u32;
//~ ^ V500
}

#[kernel(workgroup_size(64))]
fn a_barrier_is_missing(x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [f32; 64];
    let (i, l) = (global_id().x, local_index());
    if i < x.len() && i < y.len() {
        tile[l] = x[i];
//~     ^ V500
        y[i] = tile[63 - l];
    }
}

#[kernel(workgroup_size(64))]
fn the_next_round_stores_before_all_have_read(x: &[u32], y: &mut [u32]) {
    #[shared]
    let tile: [u32; 64];
    let l = local_index();
    let mut sum = 0;
    for round in 0..4 {
        tile[l] = x[64 * round + l];
//~     ^ V500
        workgroup_barrier();
        sum += tile[63 - l];
    }
    y[global_id().x] = sum;
}

#[kernel(workgroup_size(64))]
fn a_stride_is_too_small(y: &mut [u32]) {
    let i = global_id().x;
    y[2 * i] = 1;
//~ ^ V500
    y[2 * i + 2] = 2;
}

#[kernel(workgroup_size(64))]
fn neighbours_are_read_in_place(y: &mut [u32]) {
    let i = global_id().x;
    if i >= 1 && i < y.len() {
        y[i] = y[i - 1] + 1;
//~     ^ V500
    }
}

fn main() {}
