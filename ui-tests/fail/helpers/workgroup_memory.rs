//! Workgroup memory of helpers: what is too much for a kernel, races in it, and what it cannot be.
use samebits::prelude::*;

#[device]
fn reversed(x: f32) -> f32 {
    #[shared]
    let tile: [f32; 2048];
    let lane = local_index();
    tile[lane] = x;
    workgroup_barrier();
    tile[63 - lane]
}

/// Each call has its own, and the third is too much.
#[kernel]
fn three_calls(y: &mut [f32]) {
    let i = global_id().x;
    let sum = reversed(1.0) + reversed(2.0) + reversed(3.0);
//~                                           ^ V601
    y[i] = sum;
}

#[device]
fn without_a_barrier(x: f32) -> f32 {
    #[shared]
    let tile: [f32; 64];
    tile[local_index()] = x;
    tile[63 - local_index()]
}

#[kernel]
fn at_once(y: &mut [f32]) {
    y[global_id().x] = without_a_barrier(1.0);
//~                    ^ V500
}

#[device]
fn in_rounds(x: f32) -> f32 {
    #[shared]
    let tile: [f32; 64];
    tile[local_index()] = x;
    workgroup_barrier();
    tile[63 - local_index()]
}

/// The rounds of a loop have one memory, and nothing waits between two of them.
#[kernel]
fn round_after_round(y: &mut [f32]) {
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += in_rounds(sum);
//~            ^ V500
    }
    y[global_id().x] = sum;
}

#[device]
fn not_the_same_for_all(n: usize) -> u32 {
    #[shared]
    let tile: [u32; n];
//~           ^ V201
    tile[0]
}

fn main() {}
