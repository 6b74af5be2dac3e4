//! Helpers, structs and constants stand in any order, also after what uses them.
#![deny(warnings)]
use samebits::prelude::*;

#[kernel(workgroup_size(SIZE))]
fn k(p: Pair, y: &mut [f32]) {
    y[global_id().x] = outer(p) + Pair::new(1.0).a;
}

#[device]
fn outer(p: Pair) -> f32 {
    inner(p.sum())
}

#[device]
impl Pair {
    fn sum(self) -> f32 {
        inner(self.a) + self.b
    }

    fn new(a: f32) -> Self {
        Self { a, b: 0.0 }
    }
}

#[device]
const SIZE: usize = HALF * 2;

#[device]
fn inner(x: f32) -> f32 {
    x * 2.0
}

#[device]
const HALF: usize = 2;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair {
    a: f32,
    b: f32,
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(4)?;
    k::launch(&device, 4, Pair { a: 1.0, b: 3.0 }, &mut y)?;
    assert_eq!(y.read()?, [11.0; 4]);
    Ok(())
}
