//! The expansions name nothing of Rust's prelude.
#![no_implicit_prelude]
#![deny(warnings)]

use ::samebits::prelude::{Element, Number, device, kernel};
use ::std::clone::Clone;
use ::std::marker::Copy;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    a: f32,
}

#[device]
impl Ray {
    const UP: f32 = 1.0;

    fn first(self) -> f32 {
        self.a + Self::UP
    }
}

#[device]
const SIZE: usize = 2;

const SCALE: f32 = 10.0;

#[device]
fn scaled(x: f32) -> f32 {
    x * SCALE
}

#[kernel(workgroup_size(SIZE))]
fn k(r: Ray, y: &mut [f32]) {
    y[global_id().x] = scaled(r.first());
}

#[kernel(instances(T = [f32, u32]))]
fn fill<T: Number>(x: T, y: &mut [T]) {
    y[global_id().x] = x;
}

fn main() -> ::std::result::Result<(), ::samebits::Error> {
    let device = ::samebits::Device::interpreter();
    let mut y = device.zeros::<f32>(2)?;
    k::launch(&device, 2, Ray { a: 3.0 }, &mut y)?;
    ::std::assert_eq!(y.read()?, [40.0, 40.0]);
    fill::launch(&device, 2, 5.0, &mut y)?;
    ::std::assert_eq!(y.read()?, [5.0, 5.0]);
    ::std::result::Result::Ok(())
}
