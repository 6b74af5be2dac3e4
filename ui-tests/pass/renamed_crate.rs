//! samebits under another name: `crate = path` on each attribute.
#![deny(warnings)]

mod inner {
    pub(crate) extern crate samebits as sb;
}

use inner::sb::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods, crate = crate::inner::sb)]
#[repr(C)]
struct Ray {
    a: f32,
}

#[device(crate = crate::inner::sb)]
impl Ray {
    fn first(self) -> f32 {
        square(self.a)
    }
}

#[device(crate = crate::inner::sb)]
fn square(x: f32) -> f32 {
    x * x
}

#[device(crate = crate::inner::sb)]
const SIZE: usize = 1;

#[kernel(crate = crate::inner::sb, workgroup_size(SIZE))]
fn k(r: Ray, y: &mut [f32]) {
    y[0] = r.first();
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Ray { a: 3.0 }, &mut y)?;
    assert_eq!(y.read()?, [9.0]);
    Ok(())
}
