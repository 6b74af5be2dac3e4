//! The Mandelbrot set with smooth colours and light from the side.
//!
//! Logarithms would be needed for the colours; the kernel makes its own from the bits of a
//! float and a polynomial, so that every operation is exact or correctly rounded, and the
//! picture has the same bytes on every device.

use crate::cli::Size;
use crate::picture::{Picture, opaque};
use samebits::prelude::*;

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The picture's size.
    pub size: Size,
    /// The number in the middle of the picture, its real and imaginary part.
    pub middle: [f32; 2],
    /// The width of the picture in the plane.
    pub width: f32,
    /// How many steps a point has to escape.
    pub limit: u32,
}

impl View {
    /// The seahorses' valley.
    pub const DEFAULT: Self =
        Self { size: Size { width: 640, height: 400 }, middle: [-0.743_5, 0.131_2], width: 0.006, limit: 1000 };

    /// The top left corner, and how far pixels are apart.
    fn corner(&self) -> (f32, f32, f32) {
        let step = self.width / self.size.width as f32;
        let left = self.middle[0] - 0.5 * self.width;
        let top = self.middle[1] + 0.5 * step * self.size.height as f32;
        (left, top, step)
    }
}

/// The square of the distance from which on a point has escaped; the colours need it large.
const ESCAPED: f32 = 65536.0;
/// How quickly the colours change.
const DENSITY: f32 = 1000.0;

#[kernel(workgroup_size(8, 8))]
pub(crate) fn paint(
    width: usize,
    height: usize,
    left: f32,
    top: f32,
    step: f32,
    limit: u32,
    palette: &[u32],
    picture: &mut [u32],
) {
    let x = global_id().x;
    let y = global_id().y;
    if x < width && y < height {
        let (mut red, mut green, mut blue) = (0.0, 0.0, 0.0);
        // Four samples a pixel.
        for sample in 0..4u32 {
            let re = left + (x as f32 + 0.5 * (sample & 1) as f32) * step;
            let im = top - (y as f32 + 0.5 * (sample >> 1) as f32) * step;
            // The orbit, and its derivative in `re + im i`.
            let (mut zr, mut zi) = (0.0, 0.0);
            let (mut dr, mut di) = (0.0, 0.0);
            let (mut size, mut n) = (0.0, 0);
            while n < limit && size < ESCAPED {
                (dr, di) = (2.0 * (zr * dr - zi * di) + 1.0, 2.0 * (zr * di + zi * dr));
                (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
                size = zr * zr + zi * zi;
                n += 1;
            }
            if size >= ESCAPED {
                // The logarithm to the base 2, twice: the exponent, and a polynomial of the fraction.
                let mut log = size;
                for _ in 0..2 {
                    let bits = log.to_bits();
                    let f = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000) - 1.0;
                    log = (bits >> 23) as f32 - 127.0 + f * (1.422_865_3 - f * (0.582_085_4 - f * 0.159_220_1));
                }
                let steps = n as f32 + 4.0 - log;
                let colour = palette[(steps.sqrt().sqrt() * DENSITY) as usize % palette.len()];
                // How much the slope of the potential faces the light.
                let ur = zr * dr + zi * di;
                let ui = zi * dr - zr * di;
                let slope = (0.6 * ur + 0.8 * ui) / (ur * ur + ui * ui).sqrt();
                let light = (slope * 0.45 + 0.75).clamp(0.0, 1.1);
                red += light * (colour & 255) as f32;
                green += light * (colour >> 8 & 255) as f32;
                blue += light * (colour >> 16 & 255) as f32;
            }
        }
        let red = (red * 0.25).min(255.0) as u32;
        let green = (green * 0.25).min(255.0) as u32;
        let blue = (blue * 0.25).min(255.0) as u32;
        picture[y * width + x] = 0xff00_0000 | blue << 16 | green << 8 | red;
    }
}

/// The picture, computed on a device.
pub fn on(device: &Device, view: &View) -> Result<Picture, Error> {
    let Size { width, height } = view.size;
    let (left, top, step) = view.corner();
    let palette = device.upload(&palette())?;
    let mut picture = device.zeros::<u32>(width * height)?;
    let grid = (width, height);
    paint::launch(device, grid, width, height, left, top, step, view.limit, &palette, &mut picture)?;
    Ok(Picture { size: view.size, pixels: picture.read()? })
}

/// The same in plain Rust.
pub fn plain(view: &View) -> Picture {
    let (left, top, step) = view.corner();
    let palette = palette();
    let pixel = |x: usize, y: usize| {
        let mut sum = [0.0; 3];
        for [right, down] in [[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5]] {
            let point = [left + (x as f32 + right) * step, top - (y as f32 + down) * step];
            if let Some((colour, light)) = sample(point, view.limit, &palette) {
                for (sum, channel) in sum.iter_mut().zip(colour.to_le_bytes()) {
                    *sum += light * f32::from(channel);
                }
            }
        }
        let [red, green, blue] = sum.map(|sum| (sum * 0.25).min(255.0) as u8);
        opaque(red, green, blue)
    };
    let rows = (0..view.size.height).flat_map(|y| (0..view.size.width).map(move |x| (x, y)));
    Picture { size: view.size, pixels: rows.map(|(x, y)| pixel(x, y)).collect() }
}

/// The colour and the light of a point that escapes.
fn sample([re, im]: [f32; 2], limit: u32, palette: &[u32]) -> Option<(u32, f32)> {
    let ([mut zr, mut zi], [mut dr, mut di]) = ([0.0f32; 2], [0.0f32; 2]);
    for n in 1..=limit {
        (dr, di) = (2.0 * (zr * dr - zi * di) + 1.0, 2.0 * (zr * di + zi * dr));
        (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
        let size = zr * zr + zi * zi;
        if size >= ESCAPED {
            let steps = n as f32 + 4.0 - log2(log2(size));
            let colour = palette[(steps.sqrt().sqrt() * DENSITY) as usize % palette.len()];
            let (ur, ui) = (zr * dr + zi * di, zi * dr - zr * di);
            let slope = (0.6 * ur + 0.8 * ui) / (ur * ur + ui * ui).sqrt();
            return Some((colour, (slope * 0.45 + 0.75).clamp(0.0, 1.1)));
        }
    }
    None
}

/// About the logarithm to the base 2, off by less than a thousandth.
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let f = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000) - 1.0;
    (bits >> 23) as f32 - 127.0 + f * (1.422_865_3 - f * (0.582_085_4 - f * 0.159_220_1))
}

/// A ring of colours: night, sky, snow, sand, rust, and night again.
fn palette() -> Vec<u32> {
    const STOPS: [[i32; 3]; 6] =
        [[8, 12, 60], [24, 92, 190], [236, 250, 255], [255, 190, 60], [150, 40, 20], [8, 12, 60]];
    const BETWEEN: i32 = 200;
    let between = |from: [i32; 3], to: [i32; 3], i: i32| {
        let [red, green, blue] = [0, 1, 2].map(|c| (from[c] + (to[c] - from[c]) * i / BETWEEN) as u8);
        opaque(red, green, blue)
    };
    STOPS.windows(2).flat_map(|pair| (0..BETWEEN).map(move |i| between(pair[0], pair[1], i))).collect()
}
