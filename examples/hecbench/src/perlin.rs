//! Perlin's gradient noise as a grey picture, of several octaves.
//!
//! An invocation computes a pixel: for each octave it hashes the corners of the pixel's cell, which gives each a
//! gradient, and mixes what these say. A launch paints a band of rows.
//!
//! Sizes: 1280 × 720 pixels of four bytes, in four bands; three octaves, 250 pixels to a cell. Floats are `f32`.
//! What differs: the suite's picture has 61440 × 34560 pixels, more than 2 GiB; the table of hashes is a permutation of our own, which the compiler shuffles; bands follow each other, as
//! there is one queue and not several streams.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

/// A permutation of the numbers below 256.
#[device]
const HASHES: [u8; 256] = {
    let mut hashes = [0; 256];
    let mut i = 0;
    let mut state = 1u32;
    while i < 256 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let j = (state >> 8) as usize % (i + 1);
        hashes[i] = hashes[j];
        hashes[j] = i as u8;
        i += 1;
    }
    hashes
};

#[device]
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Along the axes and the diagonals.
#[device]
const GRADIENTS: [[f32; 2]; 8] = [
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.0, 1.0],
    [0.0, -1.0],
    [DIAGONAL, DIAGONAL],
    [-DIAGONAL, DIAGONAL],
    [DIAGONAL, -DIAGONAL],
    [-DIAGONAL, -DIAGONAL],
];

#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
struct Noise {
    /// Pixels of a cell.
    cell: f32,
    seed: u32,
    octaves: u32,
    lacunarity: f32,
    persistence: f32,
}

#[device]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + t * (b - a)
}

/// From 0 to 1, with slopes and curvatures of 0 at both ends.
#[device]
fn smooth(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[device]
fn noise_at(x: f32, y: f32, seed: u32) -> f32 {
    let (cell_x, cell_y) = (x as u32, y as u32);
    let (x, y) = (x - cell_x as f32, y - cell_y as f32);
    // What the gradient of a corner says of this place.
    let corner = |right: u32, down: u32| {
        let (column, row) = (cell_x + right & 255, cell_y + down & 255);
        let hash = HASHES[(HASHES[column as usize] as u32 + row & 255) as usize] as u32;
        let [gx, gy] = GRADIENTS[((hash + seed) % 8) as usize];
        gx * (x - right as f32) + gy * (y - down as f32)
    };
    let left = lerp(corner(0, 0), corner(0, 1), smooth(y));
    let right = lerp(corner(1, 0), corner(1, 1), smooth(y));
    (lerp(left, right, smooth(x)) + 1.0) * 0.5
}

#[kernel(workgroup_size(16, 16))]
pub(crate) fn paint(noise: Noise, width: usize, first_row: usize, rows: usize, pixels: &mut [[u8; 4]]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= width || y >= rows {
        return;
    }
    let y = first_row + y;
    let (place_x, place_y) = (x as f32 / noise.cell, y as f32 / noise.cell);
    let mut sum = noise_at(place_x, place_y, noise.seed);
    let (mut frequency, mut amplitude, mut range) = (1.0, 1.0, 1.0);
    for _ in 1..noise.octaves {
        frequency *= noise.lacunarity;
        amplitude *= noise.persistence;
        range += amplitude;
        sum += amplitude * noise_at(place_x * frequency, place_y * frequency, noise.seed);
    }
    let grey = (sum / range * 255.0) as u8;
    pixels[y * width + x] = [grey, grey, grey, 255];
}

const BANDS: usize = 4;

fn inputs(scale: Scale) -> (Noise, usize, usize) {
    let (width, height, cell) = scale.of((40, 24, 7.0), (1280, 720, 250.0));
    (Noise { cell, seed: 0, octaves: 3, lacunarity: 2.0, persistence: 0.5 }, width, height)
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (noise, width, height) = inputs(scale);
    let mut pixels = device.zeros(width * height)?;
    Ok(Job::new(["paint"], move |ask| {
        match ask {
            Ask::Step(_) => {
                let rows = height / BANDS;
                for band in 0..BANDS {
                    paint::launch(device, (width, rows), noise, width, band * rows, rows, &mut pixels)?;
                }
            }
            Ask::Answer(answer) => answer.add("picture", &pixels.read()?),
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (noise, width, height) = inputs(scale);
    let mut hashes: Vec<usize> = Vec::new();
    let mut state = 1u32;
    for i in 0..256 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        hashes.push(i);
        hashes.swap(i, (state >> 8) as usize % (i + 1));
    }
    let gradient = |hash: usize| match hash % 8 {
        hash @ 0..2 => [1.0 - 2.0 * hash as f32, 0.0],
        hash @ 2..4 => [0.0, 5.0 - 2.0 * hash as f32],
        hash => {
            let sign = |bit: usize| if hash & bit == 0 { 1.0 } else { -1.0 };
            [sign(1), sign(2)].map(|sign| sign * std::f32::consts::FRAC_1_SQRT_2)
        }
    };
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let one = |place: [f32; 2]| {
        let cell = place.map(|x| x as usize);
        let within = [place[0] - cell[0] as f32, place[1] - cell[1] as f32];
        let dot = |corner: [usize; 2]| {
            let hash = hashes[(hashes[(cell[0] + corner[0]) % 256] + (cell[1] + corner[1]) % 256) % 256];
            let [x, y] = gradient(hash + noise.seed as usize);
            x * (within[0] - corner[0] as f32) + y * (within[1] - corner[1] as f32)
        };
        let side = |x| dot([x, 0]) + fade(within[1]) * (dot([x, 1]) - dot([x, 0]));
        (side(0) + fade(within[0]) * (side(1) - side(0)) + 1.0) * 0.5
    };
    let pixel = |i: usize| {
        let place = [i % width, i / width].map(|x| x as f32 / noise.cell);
        let (mut sum, mut range, mut frequency, mut amplitude) = (one(place), 1.0, 1.0, 1.0);
        for _ in 1..noise.octaves {
            frequency *= noise.lacunarity;
            amplitude *= noise.persistence;
            range += amplitude;
            sum += amplitude * one(place.map(|x| x * frequency));
        }
        let grey = (sum / range * 255.0) as u8;
        [grey, grey, grey, 255]
    };
    let mut answer = Answer::default();
    answer.add("picture", &(0..width * height).map(pixel).collect::<Vec<_>>());
    answer
}
