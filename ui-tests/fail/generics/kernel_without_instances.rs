//! A generic kernel that does not say for what it is compiled.
use samebits::prelude::*;

#[kernel]
fn types<T: Number>(x: T, y: &mut [T]) {
//~     ^ V101
    y[0] = x;
}

#[kernel(workgroup_size(64))]
fn lengths<const N: usize>(y: &mut [u32]) {
//~       ^ V101
    y[0] = N as u32;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<u32>(1)?;
    types::launch(&device, 1, 1, &mut y)?;
    lengths::launch(&device, 1, &mut y)
}
