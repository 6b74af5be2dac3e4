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

/// A half of anything is below 2147483648, which no launch could require.
#[kernel(deny(guards), requires(y.len() >= q.len()))]
fn found_by_halving(x: &[u32], q: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i >= q.len() {
        return;
    }
    let (mut low, mut high) = (0, x.len());
    while low < high {
        let middle = (low + high) / 2;
        if x[middle] < q[i] {
//~        ^ V304
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    y[i] = low as u32;
}

#[kernel(deny(guards))]
fn sparse(start: &[u32], column: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        let mut sum = 0.0f32;
        for j in start[i]..start[i + 1] {
            sum += x[column[j as usize] as usize];
//~                ^ V304
//~                  ^ V304
        }
        y[i] = sum;
    }
}

#[device]
fn first(part: &[f32], n: usize) -> f32 {
    let mut sum = 0.0;
    for k in 0..n {
        sum += part[k];
    }
    sum
}

#[kernel(deny(guards))]
fn of_a_part(x: &[f32], from: usize, to: usize, sums: &mut [f32]) {
    sums[global_id().x] = first(&x[from..to], to);
//~                       ^ V304
}

fn main() {}
