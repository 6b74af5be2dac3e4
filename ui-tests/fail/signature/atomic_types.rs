//! Types without atomics, and methods that an atomic does not have.
use samebits::prelude::*;

#[kernel]
fn truth(found: &[Atomic<bool>]) {
//~             ^ V014
    found[0].store(true);
}

#[kernel]
fn index(last: &[Atomic<usize>]) {
//~            ^ V014
    last[0].store(1);
}

#[kernel]
fn vector(sum: &[Atomic<Vec2<f32>>]) {
//~            ^ V014
    sum[0].load();
}

#[kernel]
fn bits(sum: &[Atomic<f32>], low: &[Atomic<i8>]) {
    sum[0].fetch_and(1.0);
//~        ^ V203
    low[0].fetch_inc_wrap(1);
//~        ^ V203
}

fn main() {}
