//! Helpers, structs and constants inside of functions.
#![deny(warnings)]
use samebits::prelude::*;

fn first(device: &Device) -> Result<Vec<f32>, Error> {
    #[device]
    fn number() -> f32 {
        1.0
    }

    #[kernel(workgroup_size(1))]
    fn k(y: &mut [f32]) {
        y[0] = number();
    }

    let mut y = device.zeros::<f32>(1)?;
    k::launch(device, 1, &mut y)?;
    y.read()
}

fn second(device: &Device) -> Result<Vec<f32>, Error> {
    #[device]
    fn number() -> f32 {
        2.0
    }

    #[device]
    const SIZE: usize = 3;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Pair(f32, f32);

    #[kernel(workgroup_size(1))]
    fn inner(p: Pair, y: &mut [f32]) {
        let a = [p.1; SIZE];
        y[0] = number() + p.0 + a[SIZE - 1];
    }

    let mut y = device.zeros::<f32>(1)?;
    inner::launch(device, 1, Pair(10.0, 100.0), &mut y)?;
    y.read()
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    assert_eq!(first(&device)?, [1.0]);
    assert_eq!(second(&device)?, [112.0]);
    Ok(())
}
