//! Launches whose arguments do not fit the kernel; rustc says so.
use samebits::prelude::*;

#[kernel]
fn k(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = a * x[i];
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let x = device.upload(&[1.0f32])?;
    let mut y = device.zeros::<f32>(1)?;
    let words = device.upload(&[1u32])?;
    k::launch(&device, 1, 2.0, &words, &mut y)?;
//~                            ^ E0277
    k::launch(&device, 1, 2.0, &x, &y)?;
//~                                ^ E0308
    k::launch(&device, 1, &x, &mut y)?;
//~ ^ E0061
    k::launch(&device, -1, 2.0, &x, &mut y)?;
//~                    ^ E0277
    Ok(())
}
