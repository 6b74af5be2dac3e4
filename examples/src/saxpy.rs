//! `y = a * x + y`, the same bits on every device.

use samebits::prelude::*;

#[kernel(workgroup_size(256))]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `a * x + y` for each element, computed on a device.
pub fn on(device: &Device, a: f32, x: &[f32], y: &[f32]) -> Result<Vec<f32>, Error> {
    let x = device.upload(x)?;
    let mut y = device.upload(y)?;
    saxpy::launch(device, y.len(), a, &x, &mut y)?;
    y.read()
}

/// The same in plain Rust: a product and a sum, each rounded.
pub fn plain(a: f32, x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| a * x + y).collect()
}

/// `n` floats of many magnitudes and both signs, the same ones for each seed.
pub fn numbers(seed: u32, n: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    // A sign, an exponent from 2^-20 to 2^11, and 23 bits of fraction.
    (0..n).map(|_| f32::from_bits((next() & 1) << 31 | (107 + next() % 32) << 23 | next() & 0x7f_ffff)).collect()
}
