//! A buffer of `bool`, and its use at a launch: one mistake, one error.
use samebits::prelude::*;

#[kernel]
fn k(m: &[bool], y: &mut [u32]) {
//~     ^ V201
    y[global_id().x] = m[0] as u32;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let m = device.upload(&[1u32])?;
    let mut y = device.zeros::<u32>(1)?;
    k::launch(&device, 1, &m, &mut y)
}
