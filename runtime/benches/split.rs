//! A stencil on one GPU and on all of them.
//!
//! `cargo bench -p samebits --bench split [-- full]`. A grid of heat takes 64 steps on the first GPU alone, and with its rows
//! split among all GPUs, with an exchange of 8 rows after every 8 steps. With one GPU the split is in two on that one, which
//! shows what the exchange costs. Both leave the same bytes. Without `full` the grid is small, for software.
#![allow(missing_docs)]

use samebits::prelude::*;
use samebits::split::{Rows, Split};
use std::time::Instant;

const HALO: usize = 8;
const STEPS: usize = 64;
const ROUNDS: usize = 5;

/// A step of heat; the rim of the grid and of what a device holds stays as it is.
#[kernel(workgroup_size(64, 4))]
fn heat(width: usize, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    let i = y * width + x;
    if x < width && i < from.len() && i < to.len() {
        let mut next = from[i];
        if x > 0 && x + 1 < width && y > 0 && i + width < from.len() {
            let around = from[i - 1] + from[i + 1] + (from[i - width] + from[i + width]);
            next = from[i] + 0.2 * (around - 4.0 * from[i]);
        }
        to[i] = next;
    }
}

/// The seconds of all steps, the least of some rounds, and the grid after the last one.
fn time(split: &Split, width: usize, start: &[f32]) -> Result<(f64, Vec<f32>), Error> {
    let (mut best, mut last) = (f64::INFINITY, Vec::new());
    for _ in 0..ROUNDS {
        let mut from = split.upload(width, start)?;
        let mut to: Rows<f32> = split.upload(width, start)?;
        for part in split.parts() {
            part.device().wait()?;
        }
        let clock = Instant::now();
        for step in 1..=STEPS {
            from.step(&mut to, |part, from, to| {
                heat::launch(part.device(), (width, part.held().len()), width, from, to)
            })?;
            if step % HALO == 0 {
                to.exchange()?;
            }
            std::mem::swap(&mut from, &mut to);
        }
        for part in split.parts() {
            part.device().wait()?;
        }
        best = best.min(clock.elapsed().as_secs_f64());
        last = from.read()?;
    }
    Ok((best, last))
}

fn main() -> Result<(), Error> {
    let side = if std::env::args().any(|word| word == "full") { 16_384 } else { 512 };
    let mut gpus: Vec<Device> = Device::all().into_iter().filter(|device| device.is_gpu()).collect();
    let Some(first) = gpus.first().cloned() else {
        println!("there is no GPU");
        return Ok(());
    };
    if gpus.len() == 1 {
        gpus.push(first.clone());
    }
    let start: Vec<f32> = (0..side * side).map(|i| (i * 37 % 101) as f32).collect();
    let (alone, expected) = time(&Split::evenly(&[first], side, HALO)?, side, &start)?;
    let (together, found) = time(&Split::evenly(&gpus, side, HALO)?, side, &start)?;
    assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "the bytes differ");
    let names: Vec<&str> = gpus.iter().map(Device::name).collect();
    println!("{side} x {side}, {STEPS} steps, on {}", names.join(" and "));
    println!(
        "one: {:.2} ms; {}: {:.2} ms; {:.2} times as fast",
        alone * 1e3,
        gpus.len(),
        together * 1e3,
        alone / together
    );
    Ok(())
}
