//! Buffers without equal elements hold `u32`, and only what was looked at is passed.

use samebits::prelude::*;

#[kernel]
fn of_floats(x: Distinct<'_, f32>, y: &mut [f32]) {
//~             ^ V201
    y[global_id().x] = x[0];
}

#[kernel]
fn of_nothing(x: Distinct, y: &mut [u32]) {
//~              ^ V201
    y[global_id().x] = x[0];
}

#[kernel]
fn written(x: Distinct<'_, u32>) {
    x[global_id().x] = 1;
//~ ^ V005
}

#[kernel]
fn twice(x: Distinct<'_, u32>, y: &mut [u32]) {
    let i = global_id().x;
    y[x[i / 2] as usize] = 1;
//~ ^ V501
}

#[kernel]
fn scatter(x: Distinct<'_, u32>, y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        y[x[i] as usize] = i as u32;
    }
}

fn main() {
    let device = Device::interpreter();
    let x = device.upload(&[1u32]).unwrap();
    let mut y = device.upload(&[1u32]).unwrap();
    scatter::launch(&device, 1, &x, &mut y).unwrap();
//~                             ^ E0308
}
