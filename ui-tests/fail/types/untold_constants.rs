//! Constants whose type only rustc knows, and which is wrong here.
use samebits::prelude::*;

const A: u32 = 5;
const B: i64 = 6;
const TEXT: &str = "";
const HALF: f64 = 0.5;

#[kernel(workgroup_size(1))]
fn two(y: &mut [f32]) {
    for i in 0..A {
        y[0] += i as f32;
    }
    for i in 0..B {
//~             ^ E0080
        y[1] += i as f32;
    }
}

#[kernel(workgroup_size(1))]
fn negated(y: &mut [f32]) {
    let n = -A;
//~          ^ E0080
    y[0] = n as f32;
}

#[kernel(workgroup_size(1))]
fn double(y: &mut [u32]) {
    y[0] = (HALF * 2.0) as u32;
//~         ^ E0080
}

#[kernel(workgroup_size(1))]
fn right(y: &mut [f32]) {
    let n = -B;
    y[0] = n as f32;
}

fn main() {}
