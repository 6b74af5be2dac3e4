//! A helper with a barrier, called where not all invocations go.
use samebits::prelude::*;

#[device]
fn wait(cell: &mut [f32; 64], i: usize) -> f32 {
    cell[i] = 1.0;
    workgroup_barrier();
    cell[63 - i]
}

#[device]
fn outer(cell: &mut [f32; 64], i: usize) -> f32 {
    wait(cell, i) + 1.0
}

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 64];
    let i = local_id().x;
    if i < 32 {
        y[i] = wait(&mut tile, i);
//~            ^ V010
    }
}

#[kernel(workgroup_size(64))]
fn two_levels(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 64];
    let i = local_id().x;
    if i < 32 {
        y[i] = outer(&mut tile, i);
//~            ^ V010
    }
}

fn main() {}
