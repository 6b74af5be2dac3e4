//! What is deprecated warns where it is used, and not where it is defined.
#![deny(warnings)]
use samebits::prelude::*;

/// The square.
#[deprecated(note = "multiply")]
#[device]
pub fn square(x: u32) -> u32 {
    x * x
}

/// Squares all.
#[deprecated(note = "use another one")]
#[kernel]
pub fn squares(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] *= y[i];
    }
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.upload(&[3])?;
    #[allow(deprecated)]
    squares::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [9]);
    Ok(())
}
