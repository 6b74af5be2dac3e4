//! The fast Fourier transform of complex numbers, as many as a power of two: Stockham's form, which needs no
//! reordering. The twiddle factors are computed where they are needed, by `sin_pi` and `cos_pi`, which are exact at
//! the quarters of a circle.

use samebits::math;
use samebits::prelude::*;

/// One pass: sums and differences of numbers that are half of all apart, turned by their angle. `part` is the number of
/// transforms that this pass makes of twice as many.
#[kernel(workgroup_size(64), requires(to.len() >= from.len()))]
pub(crate) fn pass(part: usize, from: &[[f32; 2]], to: &mut [[f32; 2]]) {
    let i = global_id().x;
    let half = from.len() / 2;
    if i < half {
        // Number `at` of the transform, and which transform.
        let (at, which) = (i / part, i % part);
        let (a, b) = (from[i], from[i + half]);
        let turn = -((at * part) as f32) / half as f32;
        let (c, s) = (cos_pi(turn), sin_pi(turn));
        let difference = [a[0] - b[0], a[1] - b[1]];
        to[2 * at * part + which] = [a[0] + b[0], a[1] + b[1]];
        to[2 * at * part + part + which] =
            [difference[0] * c - difference[1] * s, difference[0] * s + difference[1] * c];
    }
}

/// The transform, computed on a device.
///
/// # Panics
///
/// If the length is no power of two.
pub fn on(device: &Device, x: &[[f32; 2]]) -> Result<Vec<[f32; 2]>, Error> {
    assert!(x.len().is_power_of_two(), "the length is a power of two");
    let (mut from, mut to) = (device.upload(x)?, device.zeros(x.len())?);
    let mut part = 1;
    while part < x.len() {
        pass::launch(device, x.len() / 2, part, &from, &mut to)?;
        std::mem::swap(&mut from, &mut to);
        part *= 2;
    }
    from.read()
}

/// The same passes in plain Rust.
pub fn plain(x: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let (mut from, mut to) = (x.to_vec(), x.to_vec());
    let half = x.len() / 2;
    let mut part = 1;
    while part < x.len() {
        for i in 0..half {
            let (at, which) = (i / part, i % part);
            let (a, b) = (from[i], from[i + half]);
            let turn = -((at * part) as f32) / half as f32;
            let (c, s) = (math::cos_pi(turn), math::sin_pi(turn));
            let difference = [a[0] - b[0], a[1] - b[1]];
            to[2 * at * part + which] = [a[0] + b[0], a[1] + b[1]];
            to[2 * at * part + part + which] =
                [difference[0] * c - difference[1] * s, difference[0] * s + difference[1] * c];
        }
        std::mem::swap(&mut from, &mut to);
        part *= 2;
    }
    from
}
