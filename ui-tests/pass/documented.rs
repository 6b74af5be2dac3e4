//! Documentation reaches what the host sees of helpers, structs and constants.
#![deny(warnings, missing_docs, rustdoc::all)]
use samebits::prelude::*;

/// The square of a number.
///
/// ```text
/// square(3.0) == 9.0
/// ```
#[device]
#[inline]
#[must_use]
pub fn square(x: f32) -> f32 {
    x * x
}

/** A pair. */
#[derive(Clone, Copy, Debug, Element)]
#[doc(alias = "two")]
#[repr(C)]
pub struct Pair {
    /// The first.
    pub first: f32,
}

#[device]
#[doc = "How many."]
pub const COUNT: usize = 3;

#[device]
#[deprecated(note = "use `square`")]
#[allow(missing_docs)]
pub fn power(x: f32) -> f32 {
    square(x)
}

/// A kernel.
#[kernel(workgroup_size(1))]
pub fn k(p: Pair, y: &mut [f32]) {
    y[0] = square(p.first);
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(COUNT)?;
    k::launch(&device, 1, Pair { first: 3.0 }, &mut y)?;
    assert_eq!(y.read()?, [9.0, 0.0, 0.0]);
    Ok(())
}
