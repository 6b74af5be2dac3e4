//! Buffers with a bound hold `u32`, only what was looked at is passed, and only they have a bound.

use samebits::prelude::*;

#[kernel]
fn of_floats(x: Below<'_, f32>, y: &mut [f32]) {
//~             ^ V201
    y[global_id().x] = x[0];
}

#[kernel]
fn of_nothing(x: Below, y: &mut [u32]) {
//~              ^ V201
    y[global_id().x] = x[0];
}

#[kernel]
fn written(x: Below<'_, u32>) {
    x[global_id().x] = 1;
//~ ^ V005
}

#[kernel(requires(y.len() >= x.bound()))]
//~                            ^ V203
fn without(x: &[u32], y: &mut [u32]) {
    y[global_id().x] = x[0];
}

#[kernel(deny(guards))]
fn in_a_loop(x: Below<'_, u32>, y: &[u32], z: &mut [u32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += y[x[i] as usize];
//~            ^ V304
    }
    z[global_id().x] = sum;
}

#[kernel]
fn pick(x: Below<'_, u32>, y: &[u32], z: &mut [u32]) {
    let i = global_id().x;
    z[i] = y[x[i] as usize];
}

fn main() {
    let device = Device::interpreter();
    let x = device.upload(&[1u32]).unwrap();
    let mut z = device.upload(&[1u32]).unwrap();
    pick::launch(&device, 1, &x, &x, &mut z).unwrap();
//~                          ^ E0308
}
