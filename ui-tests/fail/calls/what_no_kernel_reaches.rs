//! Kernels, constants in small letters, and variables in constants.
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn first(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel]
fn second(y: &mut [u32]) {
    first(y);
//~ ^ V016
}

#[allow(non_upper_case_globals, dead_code)]
const count: u32 = 4;

#[kernel]
fn small(y: &mut [u32]) {
    y[0] = count;
//~        ^ V006
}

#[kernel]
fn argument(y: &mut [u32], n: u32) {
    const C: u32 = n + 1;
//~                ^ V006
    y[0] = C;
}

#[kernel]
fn element(x: &[u32], y: &mut [u32]) {
    const C: u32 = x[0];
//~                ^ V006
    y[0] = C;
}

#[device]
fn dynamic(f: &dyn Fn(u32) -> u32) -> u32 {
//~           ^ V201
    f(1)
}

fn main() {}
