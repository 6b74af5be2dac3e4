//! Marble: gradient noise after Perlin, whose gradients are directions on a circle, and a sine of what octaves of it
//! add up to.

use crate::cli::Size;
use crate::picture::Picture;
use samebits::math;
use samebits::prelude::*;

/// Octaves of noise, each of half the size.
#[device]
const OCTAVES: u32 = 6;

/// An angle, as a part of a half circle, for a point of the lattice.
#[device]
fn angle(x: i32, y: i32, seed: u32) -> f32 {
    let mut h = x as u32 * 0x9e37_79b1 ^ y as u32 * 0x85eb_ca6b ^ seed;
    h = (h ^ h >> 15) * 0x2c1b_3c6d;
    h = (h ^ h >> 12) * 0x297a_2d39;
    (h >> 8) as f32 / 8_388_608.0
}

/// How far a point is along the gradient of a point of the lattice.
#[device]
fn along(x: i32, y: i32, seed: u32, dx: f32, dy: f32) -> f32 {
    let turn = angle(x, y, seed);
    cos_pi(turn) * dx + sin_pi(turn) * dy
}

/// Gradient noise at a point, between -1 and 1.
#[device]
fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (i, j) = (left as i32, top as i32);
    let (dx, dy) = (x - left, y - top);
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (fade(dx), fade(dy));
    let above = along(i, j, seed, dx, dy) * (1.0 - u) + along(i + 1, j, seed, dx - 1.0, dy) * u;
    let under = along(i, j + 1, seed, dx, dy - 1.0) * (1.0 - u) + along(i + 1, j + 1, seed, dx - 1.0, dy - 1.0) * u;
    above * (1.0 - v) + under * v
}

#[kernel(workgroup_size(16, 16))]
pub(crate) fn polish(width: usize, height: usize, seed: u32, pixels: &mut [u32]) {
    let (column, row) = (global_id().x, global_id().y);
    let i = row * width + column;
    if column < width && row < height && i < pixels.len() {
        let (x, y) = (column as f32 / 64.0, row as f32 / 64.0);
        let (mut sum, mut size) = (0.0, 1.0);
        for octave in 0..OCTAVES {
            sum += noise(x * size, y * size, seed + octave).abs() / size;
            size *= 2.0;
        }
        // Veins are where the sine turns.
        let light = (0.5 + 0.5 * sin_pi(x * 0.4 + y * 0.25 + 2.2 * sum)).powf(0.6);
        let red = (60.0 + 185.0 * light) as u32;
        let green = (66.0 + 174.0 * light) as u32;
        let blue = (84.0 + 150.0 * light) as u32;
        pixels[i] = 255 << 24 | blue << 16 | green << 8 | red;
    }
}

/// The picture, computed on a device.
pub fn on(device: &Device, size: Size, seed: u32) -> Result<Picture, Error> {
    let mut pixels = device.zeros(size.width * size.height)?;
    polish::launch(device, (size.width, size.height), size.width, size.height, seed, &mut pixels)?;
    Ok(Picture { size, pixels: pixels.read()? })
}

/// A pixel of it in plain Rust.
pub fn plain_pixel(column: usize, row: usize, seed: u32) -> u32 {
    let angle = |x: i32, y: i32, seed: u32| {
        let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca6b) ^ seed;
        h = (h ^ h >> 15).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ h >> 12).wrapping_mul(0x297a_2d39);
        (h >> 8) as f32 / 8_388_608.0
    };
    let along = |x: i32, y: i32, seed: u32, dx: f32, dy: f32| {
        let turn = angle(x, y, seed);
        math::cos_pi(turn) * dx + math::sin_pi(turn) * dy
    };
    let noise = |x: f32, y: f32, seed: u32| {
        let (left, top) = (x.floor(), y.floor());
        let (i, j) = (left as i32, top as i32);
        let (dx, dy) = (x - left, y - top);
        let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (u, v) = (fade(dx), fade(dy));
        let above = along(i, j, seed, dx, dy) * (1.0 - u) + along(i + 1, j, seed, dx - 1.0, dy) * u;
        let under = along(i, j + 1, seed, dx, dy - 1.0) * (1.0 - u) + along(i + 1, j + 1, seed, dx - 1.0, dy - 1.0) * u;
        above * (1.0 - v) + under * v
    };
    let (x, y) = (column as f32 / 64.0, row as f32 / 64.0);
    let (mut sum, mut size) = (0.0f32, 1.0f32);
    for octave in 0..OCTAVES {
        sum += noise(x * size, y * size, seed + octave).abs() / size;
        size *= 2.0;
    }
    let light = math::powf(0.5 + 0.5 * math::sin_pi(x * 0.4 + y * 0.25 + 2.2 * sum), 0.6);
    let (red, green, blue) = (60.0 + 185.0 * light, 66.0 + 174.0 * light, 84.0 + 150.0 * light);
    255 << 24 | (blue as u32) << 16 | (green as u32) << 8 | red as u32
}
