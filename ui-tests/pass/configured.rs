//! Helpers, structs and constants that a `cfg` takes away, and those that take their places.
#![deny(warnings)]
use samebits::prelude::*;

#[cfg(any())]
#[device]
fn number() -> f32 {
    missing()
}

#[cfg(not(any()))]
#[device]
fn number() -> f32 {
    1.0
}

#[device]
#[cfg(any())]
fn absent() -> f32 {
    1.0
}

#[device]
#[cfg_attr(all(), doc = "documented")]
fn present() -> f32 {
    2.0
}

#[cfg(any())]
#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: Missing,
}

#[derive(Clone, Copy, Element)]
#[cfg(not(any()))]
#[repr(C)]
struct Pair {
    a: f32,
    #[cfg(any())]
    b: u8,
}

#[device]
#[cfg(any())]
const SIZE: usize = 5;

#[device]
#[cfg(all())]
const SIZE: usize = 3;

#[kernel(workgroup_size(1))]
fn k(p: Pair, y: &mut [f32]) {
    let a = [p.a; SIZE];
    y[0] = number() + present() + a[SIZE - 1];
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Pair { a: 10.0 }, &mut y)?;
    assert_eq!(y.read()?, [13.0]);
    Ok(())
}
