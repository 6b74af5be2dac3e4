//! Guards that stay inside of loops, with what is missing.
use samebits::prelude::*;

#[device]
fn at(values: &[f32], i: usize) -> f32 {
    values[i]
}

#[kernel(deny(guards))]
fn lengths(x: &[f32], y: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..x.len() {
        sum += x[k] * y[k];
//~                   ^ V304
    }
    sums[global_id().x] = sum;
}

#[kernel(deny(guards))]
fn argument(n: i32, x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..n {
        sum += x[k as usize];
//~            ^ V304
    }
    sums[global_id().x] = sum;
}

#[kernel(deny(guards))]
fn gathered(order: &[u32], x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..order.len() {
        let from = order[k] as usize;
        sum += x[from];
//~            ^ V304
    }
    sums[global_id().x] = sum;
}

#[kernel(deny(guards))]
fn in_a_helper(n: usize, x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..n {
        sum += at(x, k);
//~            ^ V304
    }
    sums[global_id().x] = sum;
}

#[kernel(deny(guards))]
fn four_copies(order: &[u32], x: &[f32], sums: &mut [f32]) {
    let mut sum = 0.0;
    #[unroll(4)]
    for k in 0..order.len() {
        sum += x[order[k] as usize];
//~            ^ V304
    }
    sums[global_id().x] = sum;
}

#[kernel(deny(guards))]
fn local(order: &[u32], sums: &mut [u32]) {
    let mut counts = [0u32; 16];
    for k in 0..order.len() {
        let bin = order[k] as usize;
        counts[bin] += 1;
//~     ^ V304
    }
    sums[global_id().x] = counts[0];
}

fn main() {}
