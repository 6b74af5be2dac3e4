//! Products of matrices by `samebits::algo`, in each of its tiles and in the one that tuning chooses, by the device's
//! clock, and beside cuBLAS.
//!
//! `cargo bench -p samebits --features algo --bench matmul [-- WORD…]`, where a word is a part of a device's name (`wgpu`
//! without one), `full` for the sizes of a GPU, `tiles` to time each tile, or `beside=FILE`, a table to compare with.
//! A table has lines of `m`, `k` and `n` and the µs; `cublas.cu` prints one. Some elements of each product are
//! compared with a plain chain, to the bit.
#![allow(missing_docs)]

use samebits::algo::Scratch;
use samebits::prelude::*;
use std::collections::HashMap;

/// Rows of the left matrix, its columns, and the columns of the right one.
type Sizes = [usize; 3];

const SMALL: [Sizes; 2] = [[128, 128, 128], [65, 37, 130]];
const FULL: [Sizes; 8] = [
    [4096, 4096, 4096],
    [2048, 2048, 2048],
    [8192, 8192, 8192],
    [1000, 1000, 1000],
    [4000, 4001, 4003],
    [512, 512, 512],
    [1536, 1540, 1532],
    [256, 4096, 4096],
];
const ROUNDS: usize = 7;
/// So many seconds at least a round lasts, if a product takes as long as at 40 TFLOP/s.
const ROUND: f64 = 0.01;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is = |wanted: &str| words.iter().any(|word| word == wanted);
    let tables: Vec<_> =
        words.iter().filter_map(|word| word.strip_prefix("beside=")).map(|file| (file, table(file))).collect();
    let wanted = words.iter().find(|word| !["full", "tiles"].contains(&word.as_str()) && !word.contains('='));
    let device = match Device::named(wanted.map_or("wgpu", String::as_str)) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}", device.name());
    for &sizes in if is("full") { &FULL[..] } else { &SMALL } {
        let [m, k, n] = sizes;
        let host = [numbers(m * k, 7), numbers(k * n, 11)];
        let (a, b) = (device.upload(&host[0])?, device.upload(&host[1])?);
        let mut c = device.zeros::<f32>(m * n)?;
        let mut scratch = Scratch::new(&device);
        let runs = if is("full") { (ROUND * 40e12 / flops(sizes)).clamp(1.0, 100.0) as usize } else { 1 };
        let show = |name: &str, c: &Buffer<f32>, micros: f64| -> Result<(), Error> {
            let rate = flops(sizes) / micros / 1e6;
            print!("{m} {k} {n} {micros:.1} µs {rate:.2} TFLOP/s, {name}");
            for (file, table) in &tables {
                if let Some(other) = table.get(&sizes) {
                    print!(", {:.3} of the rate in {file}", other / micros);
                }
            }
            let wrong = wrong(sizes, &host, &c.read()?);
            println!("{}", if wrong > 0 { format!(", WRONG in {wrong} places") } else { String::new() });
            Ok(())
        };
        for tile in 0.. {
            if !is("tiles") {
                break;
            }
            let mut name = None;
            let micros = micros(&device, runs, || {
                name = scratch.matmul_in_tile(tile, sizes, &a, &b, &mut c)?;
                Ok(())
            })?;
            let Some(name) = name else { break };
            show(name, &c, micros)?;
        }
        let time = micros(&device, runs, || scratch.matmul(sizes, &a, &b, &mut c))?;
        show("matmul", &c, time)?;
        let time = micros(&device, runs, || scratch.matmul_tuned(sizes, &a, &b, &mut c))?;
        show("matmul_tuned", &c, time)?;
    }
    Ok(())
}

fn flops([m, k, n]: Sizes) -> f64 {
    2.0 * m as f64 * k as f64 * n as f64
}

/// The median µs of a run, from the beginning of its first launch to the end of its last one.
fn micros(device: &Device, runs: usize, mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    // The first run compiles, and it may choose.
    run()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (done, profile) = device.profile(|| (0..runs).try_for_each(|_| run()))?;
        let () = done;
        let begin = profile.launches().iter().map(|launch| launch.begin()).min().unwrap_or_default();
        let end = profile.launches().iter().map(|launch| launch.end()).max().unwrap_or_default();
        times.push((end - begin).as_secs_f64() * 1e6 / runs as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Numbers between -1 and 1.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as i32 as f32 / 2_147_483_648.0
    };
    (0..count).map(|_| next()).collect()
}

/// How many of some elements are not what a plain chain gives.
fn wrong([m, k, n]: Sizes, host: &[Vec<f32>; 2], c: &[f32]) -> usize {
    let corners = [0, n - 1, (m - 1) * n, m * n - 1];
    let places = (0..48).map(|i| (i * 7_919_333 + 17) % (m * n)).chain(corners);
    let is_wrong = |&at: &usize| {
        let (row, column) = (at / n, at % n);
        let sum = (0..k).fold(0.0f32, |sum, i| host[0][row * k + i].mul_add(host[1][i * n + column], sum));
        sum.to_bits() != c[at].to_bits()
    };
    places.filter(is_wrong).count()
}

/// The µs of each product in a file.
fn table(file: &str) -> HashMap<Sizes, f64> {
    let Ok(text) = std::fs::read_to_string(file).map_err(|error| println!("{file}: {error}")) else {
        return HashMap::new();
    };
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[m, k, n, micros, ..] = words.as_slice() else { return None };
        Some(([m.parse().ok()?, k.parse().ok()?, n.parse().ok()?], micros.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}
