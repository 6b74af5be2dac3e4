//! Parameters of a generic kernel that no instance can have.
use samebits::prelude::*;

#[kernel(workgroup_size(1), instances(T = [f32]))]
fn unbounded<T>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(N = [1]))]
fn other<const N: u32>(y: &mut [u32]) {
//~      ^ V102
    y[0] = N;
}

#[kernel]
fn lifetime<'a>(y: &'a mut [u32]) {
//~        ^ V102
    y[0] = 1;
}

#[kernel]
fn function(f: impl Fn(u32) -> u32, y: &mut [u32]) {
//~            ^ V201
    y[0] = f(1);
}

fn main() {}
