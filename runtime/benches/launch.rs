//! What a typed launch costs the host, beside wgpu by hand with everything cached.
//!
//! `cargo bench -p samebits --bench launch [-- DEVICE]`; a device is a part of a name, as in
//! `SAMEBITS_DEVICE`, and `wgpu` without one. The two ways take turns, and the median of
//! the rounds counts, so that what else the machine does disturbs both alike. The ratio of the times that a tenth of the rounds
//! are below is what a machine would show that does nothing else.
#![allow(missing_docs)]

#[path = "../tests/raw/mod.rs"]
mod raw;

use raw::Raw;
use samebits::graph::Graph;
use samebits::prelude::*;
use std::time::{Duration, Instant};

#[kernel(workgroup_size(64))]
fn multiply(a: &[u32], out: &mut [u32], factor: u32) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = a[i] * factor;
    }
}

/// Words of a buffer.
const LEN: u32 = 64;
/// Launches that are only recorded: fewer than a batch has.
const RECORDED: u32 = 60;
/// Launches of which each 64 are submitted.
const MANY: u32 = 1920;
/// Launches that are submitted together.
const BATCH: u32 = 64;
/// Launches before a read.
const FEW: u32 = 10;
const ROUNDS: usize = 101;

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_else(|| "wgpu".to_owned());
    let device = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => return println!("nothing to measure: {error}"),
    };
    println!("launches on {}, host time of each; medians of {ROUNDS} rounds", device.name());
    println!("{:40}{:>12}{:>12}{:>12}{:>8}{:>8}", "", "typed", "raw wgpu", "difference", "ratio", "quiet");
    let words: Vec<u32> = (0..LEN).collect();
    let a = device.upload(&words).expect("upload");
    let mut out = device.zeros::<u32>(LEN as usize).expect("memory");
    let mut raw = Raw::new(device.name(), multiply::KERNEL, LEN);
    raw.write(&words);
    let typed = |out: &mut Buffer<u32>, i| multiply::launch(&device, LEN as usize, &a, out, i).expect("launch");

    row("enqueue", RECORDED, || {
        let typed = timed(|| (0..RECORDED).for_each(|i| typed(&mut out, i)));
        device.wait().expect("wait");
        let raw_time = timed(|| (0..RECORDED).for_each(|i| raw.launch(i)));
        raw.wait();
        [typed, raw_time]
    });
    row("enqueue and submit, 64 at once, wait", MANY, || {
        let typed = timed(|| {
            (0..MANY).for_each(|i| typed(&mut out, i));
            device.wait().expect("wait");
        });
        let raw_time = timed(|| {
            (0..MANY).for_each(|i| raw.launch(i));
            raw.wait();
        });
        [typed, raw_time]
    });
    let mut graph = Graph::new(&device);
    let (slot, mut result) = (graph.buffer::<u32>(), graph.buffer::<u32>());
    for i in 0..BATCH {
        multiply::record(&mut graph, LEN as usize, &slot, &mut result, i).expect("a recorded launch");
    }
    row("64 recorded launches, replayed", BATCH, || {
        device.wait().expect("wait");
        let typed = timed(|| graph.replay([slot.lend(&a), result.bind(&mut out)]).expect("a replay"));
        device.wait().expect("wait");
        let raw_time = timed(|| (0..BATCH).for_each(|i| raw.launch(i)));
        raw.wait();
        [typed, raw_time]
    });
    let factor = graph_of_values(&device);
    row("the same with another value each time", BATCH, || {
        device.wait().expect("wait");
        let typed = timed(|| factor(&a, &mut out));
        device.wait().expect("wait");
        let raw_time = timed(|| (0..BATCH).for_each(|i| raw.launch(i)));
        raw.wait();
        [typed, raw_time]
    });
    row("ten launches and a read", FEW, || {
        let mut results = [Vec::new(), Vec::new()];
        let typed = timed(|| {
            (0..FEW).for_each(|i| typed(&mut out, i));
            results[0] = out.read().expect("read");
        });
        let raw_time = timed(|| {
            (0..FEW).for_each(|i| raw.launch(i));
            results[1] = raw.read();
        });
        assert!(results.iter().all(|result| result.iter().zip(&words).all(|(x, word)| *x == word * (FEW - 1))));
        [typed, raw_time]
    });
    row("a launch and a wait", 1, || {
        let typed = timed(|| {
            typed(&mut out, 3);
            device.wait().expect("wait");
        });
        let raw_time = timed(|| {
            raw.launch(3);
            raw.wait();
        });
        [typed, raw_time]
    });
    row("a launch and a read", 1, || {
        let typed = timed(|| {
            typed(&mut out, 3);
            out.read().expect("read");
        });
        let raw_time = timed(|| {
            raw.launch(3);
            raw.read();
        });
        [typed, raw_time]
    });
}

/// Replays 64 launches, each with a factor that is another one at each replay.
fn graph_of_values(device: &Device) -> impl Fn(&Buffer<u32>, &mut Buffer<u32>) {
    let mut graph = Graph::new(device);
    let (slot, mut result, factor) = (graph.buffer::<u32>(), graph.buffer::<u32>(), graph.value::<u32>());
    for _ in 0..BATCH {
        multiply::record(&mut graph, LEN as usize, &slot, &mut result, factor).expect("a recorded launch");
    }
    let number = std::cell::Cell::new(0);
    move |a, out| {
        number.set(number.get() + 1);
        graph.replay([slot.lend(a), result.bind(out), factor.bind(number.get())]).expect("a replay");
    }
}

fn timed(f: impl FnOnce()) -> Duration {
    let start = Instant::now();
    f();
    start.elapsed()
}

/// Prints the medians of both ways, for each of `launches`.
fn row(what: &str, launches: u32, mut round: impl FnMut() -> [Duration; 2]) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, time) in times.iter_mut().zip(round()) {
            times.push(time.as_secs_f64() * 1e6 / f64::from(launches));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let [[typed, raw], [quiet, quiet_raw]] = [ROUNDS / 2, ROUNDS / 10].map(|at| [times[0][at], times[1][at]]);
    let (difference, ratio, quiet) = (typed - raw, typed / raw, quiet / quiet_raw);
    println!("{what:40}{typed:>9.2} µs{raw:>9.2} µs{difference:>+9.2} µs{ratio:>8.2}{quiet:>8.2}");
}
