//! A blur of any picture: three passes of a mean along rows and columns come close to a
//! Gaussian. All in integers, and a pixel counts as much as it hides.

use crate::cli::Size;
use crate::picture::{Picture, opaque};
use samebits::prelude::*;

/// Passes along both directions; more than three are not seen.
const PASSES: usize = 3;
/// The largest radius for which sums stay within 32 bits.
pub const MAX_RADIUS: usize = 10_000;

/// The mean of the pixels up to `radius` away along a line of `length` pixels, which are
/// `step` apart in memory; past the ends of the line there is nothing to count.
#[kernel(workgroup_size(256))]
pub(crate) fn mean(length: usize, step: usize, radius: usize, from: &[u32], to: &mut [u32]) {
    let i = global_id().x;
    if i < from.len() {
        let place = i / step % length;
        let before = place.min(radius);
        let after = (length - 1 - place).min(radius);
        let first = i - before * step;
        let count = (before + after + 1) as u32;
        let (mut red, mut green, mut blue, mut alpha) = (0, 0, 0, 0);
        for k in 0..count as usize {
            let pixel = from[first + k * step];
            let weight = pixel >> 24;
            red += (pixel & 255) * weight;
            green += (pixel >> 8 & 255) * weight;
            blue += (pixel >> 16 & 255) * weight;
            alpha += weight;
        }
        // Nothing but transparent pixels: the weight 0 leaves black, as `x / 0` is 0.
        red = (red + alpha / 2) / alpha;
        green = (green + alpha / 2) / alpha;
        blue = (blue + alpha / 2) / alpha;
        alpha = (alpha + count / 2) / count;
        to[i] = alpha << 24 | blue << 16 | green << 8 | red;
    }
}

/// The blurred picture, computed on a device.
pub fn on(device: &Device, picture: &Picture, radius: usize) -> Result<Picture, Error> {
    let Size { width, height } = picture.size;
    let mut pixels = device.upload(&picture.pixels)?;
    let mut scratch = device.zeros(pixels.len())?;
    for _ in 0..PASSES {
        mean::launch(device, pixels.len(), width, 1, radius, &pixels, &mut scratch)?;
        mean::launch(device, pixels.len(), height, width, radius, &scratch, &mut pixels)?;
    }
    Ok(Picture { size: picture.size, pixels: pixels.read()? })
}

/// The same in plain Rust, with sums that slide along each line.
pub fn plain(picture: &Picture, radius: usize) -> Picture {
    let Size { width, height } = picture.size;
    let mut pixels = picture.pixels.clone();
    for _ in 0..PASSES {
        for row in 0..height {
            slide(&mut pixels, row * width, 1, width, radius);
        }
        for column in 0..width {
            slide(&mut pixels, column, width, height, radius);
        }
    }
    Picture { size: picture.size, pixels }
}

/// Replaces a line's pixels by the means around them.
fn slide(pixels: &mut [u32], first: usize, step: usize, length: usize, radius: usize) {
    let line: Vec<[u32; 4]> = (0..length).map(|k| pixels[first + k * step].to_le_bytes().map(u32::from)).collect();
    let (mut sums, mut count) = ([0; 4], 0u32);
    let mut count_in = |sums: &mut [u32; 4], place: usize, sign: u32| {
        if let Some(&[red, green, blue, alpha]) = line.get(place) {
            for (sum, part) in sums.iter_mut().zip([red * alpha, green * alpha, blue * alpha, alpha]) {
                *sum = sum.wrapping_add(part.wrapping_mul(sign));
            }
            count = count.wrapping_add(sign);
        }
        count
    };
    (0..radius.min(length)).for_each(|place| {
        count_in(&mut sums, place, 1);
    });
    for place in 0..length {
        let mut n = count_in(&mut sums, place + radius, 1);
        if let Some(gone) = place.checked_sub(radius + 1) {
            n = count_in(&mut sums, gone, u32::MAX);
        }
        let [red, green, blue, alpha] = sums;
        let colour = |sum: u32| (sum + alpha / 2).checked_div(alpha).unwrap_or(0) as u8;
        let bytes = [colour(red), colour(green), colour(blue), ((alpha + n / 2) / n) as u8];
        pixels[first + place * step] = u32::from_le_bytes(bytes);
    }
}

/// A picture for those who have none: discs of paint on a checked cloth.
pub fn built_in(size: Size) -> Picture {
    const PAINT: [u32; 6] = [
        opaque(230, 57, 70),
        opaque(244, 162, 40),
        opaque(42, 157, 143),
        opaque(29, 53, 87),
        opaque(131, 56, 236),
        opaque(255, 225, 120),
    ];
    let unit = size.height.max(16) / 8;
    let check = |x: usize, y: usize| {
        let dark = (x * 2 / unit + y * 2 / unit).is_multiple_of(2);
        if dark { opaque(222, 226, 230) } else { opaque(248, 249, 250) }
    };
    let rows = (0..size.height).flat_map(|y| (0..size.width).map(move |x| check(x, y)));
    let mut pixels: Vec<u32> = rows.collect();
    let mut state = 7u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below.max(1)
    };
    for disc in 0..28 {
        let (x, y) = (next(size.width), next(size.height));
        let radius = unit / 3 + next(unit);
        let hole = if disc % 3 == 0 { radius * 2 / 3 } else { 0 };
        for row in y.saturating_sub(radius)..(y + radius).min(size.height) {
            for column in x.saturating_sub(radius)..(x + radius).min(size.width) {
                let square = row.abs_diff(y).pow(2) + column.abs_diff(x).pow(2);
                if (hole * hole..radius * radius).contains(&square) {
                    pixels[row * size.width + column] = PAINT[disc % PAINT.len()];
                }
            }
        }
    }
    Picture { size, pixels }
}

/// The left half of one picture beside the right half of another of the same size.
pub fn beside(left: &Picture, right: &Picture) -> Picture {
    let width = left.size.width;
    let pixels = left.pixels.iter().zip(&right.pixels).enumerate();
    let half = |(i, (left, right)): (usize, (&u32, &u32))| if i % width < width / 2 { *left } else { *right };
    Picture { size: left.size, pixels: pixels.map(half).collect() }
}
