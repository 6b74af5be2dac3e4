//! The kernel, and how it is launched: the same on the web and elsewhere.

use samebits::prelude::*;

/// What a picture shows of the plane.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The number in the middle of the picture, its real and imaginary part.
    pub middle: [f32; 2],
    /// The width of the picture in the plane.
    pub span: f32,
    /// How many steps a point has to escape.
    pub limit: u32,
}

/// How far a point has to be from zero to count as escaped, squared.
const ESCAPED: f32 = 256.0;

#[kernel(workgroup_size(8, 8))]
fn mandelbrot(width: usize, height: usize, left: f32, top: f32, step: f32, limit: u32, picture: &mut [u32]) {
    let x = global_id().x;
    let y = global_id().y;
    if x < width && y < height {
        let re = left + x as f32 * step;
        let im = top - y as f32 * step;
        let (mut zr, mut zi) = (0.0, 0.0);
        let (mut size, mut n) = (0.0, 0);
        while n < limit && size < ESCAPED {
            (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
            size = zr * zr + zi * zi;
            n += 1;
        }
        // A point that stays is black. Others get a colour by how soon they left.
        let mut colour = 0xff00_0000u32;
        if size >= ESCAPED {
            let red = (n * 5 & 511).abs_diff(255);
            let green = (n * 3 & 511).abs_diff(255);
            let blue = (n * 2 & 511).abs_diff(255);
            colour = 0xff00_0000 | blue.min(255) << 16 | green.min(255) << 8 | red.min(255);
        }
        picture[y * width + x] = colour;
    }
}

/// Queues the picture of a view: a word of red, green, blue and opacity for each pixel, in rows from the top.
///
/// # Errors
///
/// That of the launch.
pub fn paint(
    device: &Device,
    [width, height]: [usize; 2],
    view: &View,
    picture: &mut Buffer<u32>,
) -> Result<(), Error> {
    let step = view.span / width as f32;
    let left = view.middle[0] - 0.5 * view.span;
    let top = view.middle[1] + 0.5 * step * height as f32;
    mandelbrot::launch(device, (width, height), width, height, left, top, step, view.limit, picture)
}
