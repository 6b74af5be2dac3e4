//! A launch with other structs than the kernel takes.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Metres {
    a: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Feet {
    a: f32,
}

#[kernel(workgroup_size(1))]
fn k(m: Metres, x: &[Metres], y: &mut [f32]) {
    y[0] = m.a + x[0].a;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let feet = device.upload(&[Feet { a: 1.0 }])?;
    let metres = device.upload(&[Metres { a: 1.0 }])?;
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Metres { a: 1.0 }, &feet, &mut y)?;
//~                                          ^ E0277
    k::launch(&device, 1, Feet { a: 1.0 }, &metres, &mut y)
//~                       ^ E0308
}
