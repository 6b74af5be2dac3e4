//! A function without `#[device]`, called by a helper. What it lacks is also missed by the
//! kernel, whose own chain cannot get past the helper.
use samebits::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn length2(v: Vec2<f32>) -> f32 {
    square(v.x) + square(v.y)
//~ ^ V016
}

#[kernel]
fn k(v: Vec2<f32>, y: &mut [f32]) {
    y[0] = length2(v);
}

fn main() -> Result<(), Error> {
    square(1.0);
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Vec2::new(1.0, 2.0), &mut y)
}
