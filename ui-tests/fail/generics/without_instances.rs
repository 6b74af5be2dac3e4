//! Instances that are missing are shown for the parameters that there are.
use samebits::prelude::*;

#[kernel]
fn float<T: Float>(y: &mut [T]) {
//~     ^ V101
    y[0] = y[1];
}

#[kernel]
fn int<A: Int, const W: usize>(y: &mut [A]) {
//~   ^ V101
    y[W] = y[0];
}

#[kernel(instances(T = [f32], N = [4]))]
//~                ^ V101
fn one<T: Float>(y: &mut [T]) {
    y[0] = y[1];
}

fn main() {}
