//! What a kernel asks to be warned of. The lint that carries the warnings is denied here, so that they are errors.

#![deny(deprecated)]

use samebits::prelude::*;

#[kernel(warn(strides))]
fn rows(x: &[f32], y: &mut [f32]) {
    let row = global_id().x;
    let mut sum = 0.0;
    for k in 0..64 {
        sum += x[row * 64 + k];
//~            ^ V320
    }
    y[row] = sum;
}

#[kernel(warn(strides))]
fn columns(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i * n];
//~        ^ V320
}

#[kernel(workgroup_size(32), warn(banks))]
fn tile(x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 32]; 32];
    let lane = local_index();
    for row in 0..32 {
        tile[row][lane] = x[row * 32 + lane];
    }
    workgroup_barrier();
    for row in 0..32 {
        y[row * 32 + lane] = tile[lane][row];
//~                          ^ V321
    }
}

#[kernel(warn(contention, doubles))]
fn count(x: &[u32], total: &[Atomic<u32>]) {
    total[0].fetch_add(x[global_id().x]);
//~ ^ V322
}

#[kernel(warn(all))]
fn waits(x: &[f32], y: &mut [f32]) {
    let value = x[global_id().x];
    workgroup_barrier();
//~ ^ V323
    y[global_id().x] = value;
}

#[kernel(warn(loops))]
fn collatz(x: &[u32], y: &mut [u32]) {
    let mut value = x[global_id().x];
    while value != 1 {
//~ ^ V324
        value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
    }
    y[global_id().x] = value;
}

#[kernel(features(f64), warn(doubles))]
fn exact(x: &[f64], y: &mut [f64]) {
    y[global_id().x] = x[global_id().x] * 2.0;
//~                    ^ V325
}

/// One instance has neighbours that are neighbours.
#[kernel(instances(N = [1, 16, 32]), warn(strides))]
fn apart<const N: usize>(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i * N];
//~        ^ V320
}

/// It asks for nothing, so nothing is said.
#[kernel]
fn quiet(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i * n];
}

fn main() {}
