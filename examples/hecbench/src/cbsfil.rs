//! The filter before interpolation by cubic splines: it turns the pixels of a picture into the coefficients of splines that
//! meet them.
//!
//! The filter is recursive, forward and back along a line. One launch filters each row, by one invocation, and another
//! each column. Beyond the edges the picture is constant.
//!
//! Sizes: 8192 × 8192 pixels of `f32`.
//! What differs: rows follow each other without a pitch; workgroups always have 64 invocations.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The pole of the cubic spline.
#[device]
fn pole() -> f32 {
    3.0f32.sqrt() - 2.0
}

/// Filters `n` pixels, of which the first is at `start` and each next one `step` further.
#[device]
fn to_coefficients(pixels: &mut [f32], start: usize, n: usize, step: usize) {
    let pole = pole();
    let gain = (1.0 - pole) * (1.0 - 1.0 / pole);
    // Each invocation stays in its own line, which is not proven for a loop that goes back.
    unsafe {
        // The sum over the constant beyond the edge and the first pixels.
        let mut sum = pixels[start];
        let mut power = pole;
        for i in 0..n.min(12) {
            sum += power * pixels[start + i * step];
            power *= pole;
        }
        let mut last = gain * sum;
        pixels[start] = last;
        for i in 1..n {
            let at = start + i * step;
            last = gain * pixels[at] + pole * last;
            pixels[at] = last;
        }
        last *= pole / (pole - 1.0);
        pixels[start + (n - 1) * step] = last;
        for i in (0..n - 1).rev() {
            let at = start + i * step;
            last = pole * (last - pixels[at]);
            pixels[at] = last;
        }
    }
}

#[kernel]
pub(crate) fn filter_rows(width: usize, height: usize, pixels: &mut [f32]) {
    let y = global_id().x;
    if y < height {
        to_coefficients(pixels, y * width, width, 1);
    }
}

#[kernel]
pub(crate) fn filter_columns(width: usize, height: usize, pixels: &mut [f32]) {
    let x = global_id().x;
    if x < width {
        to_coefficients(pixels, x, height, width);
    }
}

fn inputs(scale: Scale) -> ([usize; 2], Vec<f32>) {
    let size @ [width, height] = scale.of([21, 9], [8192, 8192]);
    let mut random = Random::new(123);
    (size, (0..width * height).map(|_| random.normal()).collect())
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let ([width, height], pixels) = inputs(scale);
    let mut pixels = device.upload(&pixels)?;
    Ok(Job::new(["rows", "columns"], move |ask| match ask {
        Ask::Step(0) => filter_rows::launch(device, height, width, height, &mut pixels),
        Ask::Step(_) => filter_columns::launch(device, width, width, height, &mut pixels),
        Ask::Answer(answer) => {
            answer.add("coefficients", &pixels.read()?);
            Ok(())
        }
    }))
}

/// The coefficients of a line.
fn filtered(line: &[f32]) -> Vec<f32> {
    let z = 3f32.sqrt() - 2.0;
    let powers = std::iter::successors(Some(z), |power| Some(power * z));
    let first = line.iter().zip(powers).take(12).fold(line[0], |sum, (pixel, power)| sum + power * pixel);
    let gain = (1.0 - z) * (1.0 - 1.0 / z);
    let mut causal = vec![gain * first];
    for pixel in &line[1..] {
        causal.push(gain * pixel + z * causal[causal.len() - 1]);
    }
    let mut result = vec![z / (z - 1.0) * causal[causal.len() - 1]];
    for pixel in causal.iter().rev().skip(1) {
        result.push(z * (result[result.len() - 1] - pixel));
    }
    result.reverse();
    result
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let ([width, height], pixels) = inputs(scale);
    let rows: Vec<f32> = pixels.chunks(width).flat_map(filtered).collect();
    let columns = (0..width).map(|x| filtered(&rows.iter().skip(x).step_by(width).copied().collect::<Vec<_>>()));
    let columns: Vec<_> = columns.collect();
    let coefficients: Vec<f32> = (0..height).flat_map(|y| columns.iter().map(move |column| column[y])).collect();
    let mut answer = Answer::default();
    answer.add("coefficients", &coefficients);
    answer
}
