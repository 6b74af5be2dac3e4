//! The primitives of `samebits::algo`, each beside a copy of as many words in the same run, checked against the CPU, and
//! beside what other programs measured.
//!
//! `cargo bench -p samebits --features algo --bench algo [-- WORD…]`, where a word is a part of a device's name (`wgpu`
//! without one), `full` for 2²⁶ elements instead of 2¹⁶, `len=N` for N, `only=NAME,NAME` for the cases whose names contain
//! one of these, `save=FILE` to write the table to a file, or `beside=FILE`, a table to compare with, of lines with a name and
//! microseconds; `twins_algo.cu` prints one.
#![allow(missing_docs)]

mod cases;

use cases::{CASES, Case, copy};
use samebits::{Device, Error};
use std::collections::HashMap;
use std::time::Instant;

/// A turn lasts about so long, in seconds.
const TURN: f64 = 0.02;
/// Before the first turn, a case runs for so long.
const WARM: f64 = 0.5;
/// At most so many runs are a turn.
const MOST: usize = 200;
const ROUNDS: usize = 9;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let options = |key: &str| words.iter().filter_map(|word| word.strip_prefix(key)).collect::<Vec<_>>();
    let full = words.iter().any(|word| word == "full");
    let only: Vec<&str> = options("only=").iter().flat_map(|names| names.split(',')).collect();
    let len = options("len=").first().and_then(|len| len.parse().ok()).unwrap_or(if full { 1 << 26 } else { 1 << 16 });
    let wanted = words.iter().find(|word| *word != "full" && !word.contains('=')).map_or("wgpu", String::as_str);
    let device = match Device::named(wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    let tables: Vec<(&str, HashMap<String, f64>)> =
        options("beside=").into_iter().filter_map(|file| Some((file, table(file)?))).collect();
    println!("{}, {len} elements", device.name());
    let mut copied = copy(&device, len)?;
    let mut saved = String::new();
    let mut ratios = vec![Vec::new(); tables.len()];
    for (name, make) in CASES {
        if !only.is_empty() && !only.iter().any(|part| name.contains(part)) {
            continue;
        }
        let measured = make(&device, len).and_then(|mut case| {
            let [run, restore, copy] = measure(&device, &mut case, &mut copied)?;
            (case.run)()?;
            (case.check)()?;
            Ok((run - restore, copy))
        });
        let (run, copy) = match measured {
            Ok(times) => times,
            Err(error) => {
                println!("{name:16}{error}");
                continue;
            }
        };
        print!("{name:16}{:>11.1} µs{:>8.2} G/s{:>8.2} copies", run * 1e6, len as f64 / run / 1e9, run / copy);
        for ((file, table), ratios) in tables.iter().zip(&mut ratios) {
            if let Some(other) = table.get(name) {
                ratios.push(run * 1e6 / other);
                print!("{:>8.3} × {file}", run * 1e6 / other);
            }
        }
        println!();
        saved += &format!("{name} {:.2}\n", run * 1e6);
    }
    for ((file, _), ratios) in tables.iter().zip(&ratios) {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
        println!("beside {file}: {mean:.3}, the geometric mean of {}", ratios.len());
    }
    for file in options("save=") {
        if let Err(error) = std::fs::write(file, &saved) {
            println!("{file}: {error}");
        }
    }
    Ok(())
}

/// Reads a table.
fn table(file: &str) -> Option<HashMap<String, f64>> {
    let text = std::fs::read_to_string(file).map_err(|error| println!("{file}: {error}")).ok()?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
    };
    Some(text.lines().filter_map(line).collect())
}

/// The median seconds of a run, of what restores its input, and of a copy, which take turns.
fn measure<'a>(device: &Device, case: &mut Case<'a>, copied: &mut Case<'a>) -> Result<[f64; 3], Error> {
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < WARM {
        turn(device, &mut case.run, 1)?;
        turn(device, &mut copied.run, 1)?;
    }
    let mut works = [&mut case.run, &mut case.restore, &mut copied.run];
    let mut runs = [1; 3];
    for (work, runs) in works.iter_mut().zip(&mut runs) {
        while *runs < MOST && turn(device, work, *runs)? < TURN / 2.0 {
            *runs = (*runs * 2).min(MOST);
        }
    }
    let mut turns = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for ((work, runs), turns) in works.iter_mut().zip(runs).zip(&mut turns) {
            turns.push(turn(device, work, runs)? / runs as f64);
        }
    }
    Ok(turns.map(|mut turns| {
        turns.sort_by(f64::total_cmp);
        turns[turns.len() / 2]
    }))
}

/// The seconds of some runs and a wait.
fn turn(device: &Device, work: &mut cases::Work<'_>, runs: usize) -> Result<f64, Error> {
    let start = Instant::now();
    for _ in 0..runs {
        work()?;
    }
    device.wait()?;
    Ok(start.elapsed().as_secs_f64())
}
