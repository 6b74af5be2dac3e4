//! Instances that do not fit the kernel's parameters.
use samebits::prelude::*;

#[kernel(instances(T = [f32]))]
fn missing<T: Number, const N: usize>(x: T, y: &mut [T]) {
//~                   ^ V101
    y[0] = x;
}

#[kernel(instances(T = [f32], U = [u32]))]
//~                ^ V101
fn unknown<T: Number>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(T = [f32, u32]))]
//~                ^ V205
fn outside<T: Float>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(T = [2]))]
//~                ^ V101
fn value<T: Float>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(N = [f32]))]
//~                ^ V101
fn ty<const N: usize>(y: &mut [u32]) {
    y[0] = N as u32;
}

#[kernel(instances(T = f32))]
//~                ^ V101
fn alone<T: Float>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(T = []))]
//~                ^ V101
fn none<T: Float>(x: T, y: &mut [T]) {
    y[0] = x;
}

#[kernel(instances(T = [f32]))]
//~                ^ V101
fn plain(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(instances(T = [f32, f32]))]
//~                ^ V101
fn twice<T: Float>(x: T, y: &mut [T]) {
    y[0] = x;
}

fn main() {}
