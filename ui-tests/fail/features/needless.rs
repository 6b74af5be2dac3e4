//! Features that a kernel does not use, or that there are not.
use samebits::prelude::*;

#[kernel(workgroup_size(1), features(f64))]
//~                                  ^ V605
fn unused(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(workgroup_size(1), features(f64, float_atomics, atomic64))]
//~                                       ^ V605
//~                                                      ^ V605
fn partly(x: &[u64], y: &mut [f64]) {
    y[0] = x[0] as f64;
}

#[kernel(features(f32))]
//~               ^ V101
fn unknown(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(features(atomics64))]
//~               ^ V101
fn misspelled(y: &[Atomic<u64>]) {
    y[0].fetch_add(1);
}

#[kernel(features(f64, f64))]
//~                    ^ V101
fn twice(y: &mut [f64]) {
    y[0] = 1.0;
}

#[kernel(features("f64"))]
//~      ^ V101
fn no_name(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(features)]
//~      ^ V101
fn no_list(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
