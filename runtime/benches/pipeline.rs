//! What it takes to make a pipeline of a kernel, by SPIR-V of our own and by naga.
//!
//! `cargo bench -p samebits --bench pipeline [-- DEVICE]`, with a part of a device's name. Each
//! round compiles the kernel with another literal in it, which no cache of a driver knows, and
//! queues a first launch. The two ways take turns; shown are medians up to the queued launch and up
//! to its result, which with some drivers is when they compile.
#![allow(missing_docs)]

use samebits::__private::ir::{text, wire};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use std::time::Instant;

/// The literal of each kernel that each round replaces.
const MARK: usize = 987_654_321;
const ROUNDS: u32 = 15;
const LEN: usize = 4096;

#[kernel(workgroup_size(64))]
fn saxpy(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() && i != 987_654_321 {
        y[i] = 1.5 * x[i % x.len()] + y[i];
    }
}

#[kernel(workgroup_size(64))]
fn bodies(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i >= y.len() || i == 987_654_321 {
        return;
    }
    let mut sum = 0.5;
    for j in 0..x.len() / 2 {
        let d = x[2 * j] - y[i];
        let e = x[2 * j + 1] - y[i];
        sum += d / (d * d + e * e + 0.01).sqrt();
    }
    y[i] = sum;
}

#[kernel(workgroup_size(64))]
fn tiles(x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [f32; 1024];
    let i = global_id().x;
    let l = local_id().x;
    let mut sums = [if i == 987_654_321 { 1.0 } else { 0.0 }; 16];
    for k in 0..16 {
        tile[k * 64 + l] = x[(i + k) % x.len()];
    }
    workgroup_barrier();
    for k in 0..16 {
        for n in 0..16 {
            sums[n] = tile[k * 64 + n].mul_add(tile[n * 64 + l], sums[n]);
        }
    }
    for n in 0..16 {
        if i * 16 + n < y.len() {
            y[i * 16 + n] = sums[n];
        }
    }
}

/// Microseconds of a round on a device: up to the queued launch, and up to the result.
fn round(device: &Device, source: &str, number: u32) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let module = text::parse(&source.replace(&MARK.to_string(), &number.to_string())).map_err(|_| "no module")?;
    let (x, mut y) = (device.zeros::<f32>(LEN)?, device.zeros::<f32>(LEN)?);
    device.wait()?;
    let kernel = Kernel::from_module(&module, 0)?;
    let start = Instant::now();
    kernel.launch(device, LEN, &[Arg::buffer(&x), Arg::buffer_mut(&mut y)])?;
    let queued = start.elapsed();
    y.read_range(0..1)?;
    Ok([queued, start.elapsed()].map(|time| time.as_secs_f64() * 1e6))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_else(|| "wgpu".to_owned());
    let spirv = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    let Some(naga) = spirv.other_way().transpose()? else {
        println!("nothing to compare: kernels reach {} in one way only", spirv.name());
        return Ok(());
    };
    println!("{}", spirv.name());
    let mut number = 1_000_000_000;
    for (name, kernel) in [("saxpy", &saxpy::KERNEL), ("bodies", &bodies::KERNEL), ("tiles", &tiles::KERNEL)] {
        let source = text::print(&wire::decode(kernel.image()).map_err(|_| "no image")?);
        assert!(source.contains(&MARK.to_string()), "{name} has the literal");
        let mut times: [Vec<[f64; 2]>; 2] = Default::default();
        for _ in 0..ROUNDS {
            for (times, device) in times.iter_mut().zip([&spirv, &naga]) {
                number += 1;
                times.push(round(device, &source, number)?);
            }
        }
        for (at, what) in ["queued", "result"].into_iter().enumerate() {
            let [ours, theirs] = [0, 1].map(|way| median(times[way].iter().map(|time| time[at]).collect()));
            println!("{name:>8} {what}: SPIR-V {ours:>9.0} µs, naga {theirs:>9.0} µs, ratio {:.2}", ours / theirs);
        }
    }
    Ok(())
}
