//! Helpers, structs, constants, kernels and imports that nothing uses raise no warning.
#![deny(warnings, unused)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    a: f32,
}

#[device]
const COUNT: usize = 4;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

mod math {
    use samebits::prelude::*;

    #[device]
    pub(crate) fn cube(x: f32) -> f32 {
        x * x * x
    }

    #[device]
    fn fourth(x: f32) -> f32 {
        cube(x) * x
    }
}

#[kernel(workgroup_size(1))]
fn k(r: Ray, y: &mut [f32]) {
    y[0] = r.a;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Ray { a: 3.0 }, &mut y)?;
    assert_eq!(y.read()?, [3.0]);
    Ok(())
}
