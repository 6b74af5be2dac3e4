//! The edges of a picture: the lengths of Sobel's gradients, for each channel.
//!
//! An invocation has one pixel and looks at the eight around it. Pixels at the edge stay as they are.
//!
//! Sizes: 512 × 512 pixels of four bytes; floats are `f32`.
//! What differs: the picture is made of random bytes.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

#[device]
fn to_floats(pixel: [u8; 4]) -> Vec4<f32> {
    Vec4::new(pixel[0] as f32, pixel[1] as f32, pixel[2] as f32, pixel[3] as f32)
}

#[device]
fn to_bytes(pixel: Vec4<f32>) -> [u8; 4] {
    // A cast takes the nearest byte that there is.
    [pixel.x as u8, pixel.y as u8, pixel.z as u8, pixel.w as u8]
}

#[kernel(workgroup_size(16, 16))]
pub(crate) fn edges(width: usize, height: usize, from: &[[u8; 4]], to: &mut [[u8; 4]]) {
    let (x, y) = (global_id().x, global_id().y);
    if x >= 1 && x < width - 1 && y >= 1 && y < height - 1 {
        let i = y * width + x;
        let pixel = |at: usize| to_floats(from[at]);
        let (a, b, c) = (pixel(i - 1 - width), pixel(i - width), pixel(i + 1 - width));
        let (d, e) = (pixel(i - 1), pixel(i + 1));
        let (f, g, h) = (pixel(i - 1 + width), pixel(i + width), pixel(i + 1 + width));
        let across = a + 2.0 * d + f - c - 2.0 * e - h;
        let down = a - f + 2.0 * b - 2.0 * g + c - h;
        to[i] = to_bytes((across * across + down * down).sqrt() / 2.0);
    }
}

fn inputs(scale: Scale) -> ([usize; 2], Vec<[u8; 4]>) {
    let size @ [width, height] = scale.of([33, 19], [512, 512]);
    let mut random = Random::new(3);
    (size, (0..width * height).map(|_| std::array::from_fn(|_| random.below(256) as u8)).collect())
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let ([width, height], pixels) = inputs(scale);
    let from = device.upload(&pixels)?;
    let mut to = device.zeros(pixels.len())?;
    Ok(Job::new(["edges"], move |ask| match ask {
        Ask::Step(_) => edges::launch(device, (width, height), width, height, &from, &mut to),
        Ask::Answer(answer) => {
            answer.add("edges", &to.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let ([width, height], pixels) = inputs(scale);
    let mut edges = vec![[0; 4]; pixels.len()];
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            for channel in 0..4 {
                // All sums are of small whole numbers, and so exact in any order.
                let at = |dx: usize, dy: usize| i32::from(pixels[(y + dy - 1) * width + x + dx - 1][channel]);
                let column = |dx| at(dx, 0) + 2 * at(dx, 1) + at(dx, 2);
                let row = |dy| at(0, dy) + 2 * at(1, dy) + at(2, dy);
                let (across, down) = (column(0) - column(2), row(0) - row(2));
                let length = ((across * across + down * down) as f32).sqrt();
                edges[y * width + x][channel] = (length / 2.0).min(255.0) as u8;
            }
        }
    }
    let mut answer = Answer::default();
    answer.add("edges", &edges);
    answer
}
