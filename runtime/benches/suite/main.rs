//! The suite: kernels strict and under `fast_math`, in one run, each checked against the CPU, and
//! beside what other programs measured.
//!
//! `cargo bench -p samebits --bench suite [-- WORD…]`, where a word is a part of a device's name
//! (`wgpu` without one), `full` for the sizes of a GPU, `only=NAME,NAME` for the cases whose names
//! contain one of these, `save=FILE` to write the table there too, or `beside=FILE`, a table to
//! compare with. A table has lines of a name, the µs of the strict kernel, and perhaps those of the
//! fast one; `twins.cu` prints one.
#![allow(missing_docs)]

mod cases;
mod kernels;
mod measure;
mod products;

use cases::CASES;
use measure::{Times, measure};
use samebits::{Device, Error};
use std::collections::HashMap;

/// A table to compare with: its file's name, and the µs of each case, strict and fast.
type Table = (String, HashMap<String, [Option<f64>; 2]>);

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let options = |key: &str| words.iter().filter_map(|word| word.strip_prefix(key)).collect::<Vec<_>>();
    let full = words.iter().any(|word| word == "full");
    let only: Vec<&str> = options("only=").iter().flat_map(|names| names.split(',')).collect();
    let tables: Vec<Table> = options("beside=").into_iter().filter_map(table).collect();
    let wanted = words.iter().find(|word| *word != "full" && !word.contains('=')).map_or("wgpu", String::as_str);
    let device = match Device::named(wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}, {} sizes; strict, fast_math and their ratio", device.name(), if full { "full" } else { "small" });
    println!(
        "{:18}{:>12}{:>12}{:>7}{:>17}{:>19}",
        "", "strict µs", "fast µs", "ratio", "strict rate", "first runs, ms"
    );
    let (mut ratios, mut beside, mut saved) =
        (Vec::new(), vec![[const { Vec::new() }; 2]; tables.len()], String::new());
    for (name, make) in CASES {
        if !only.is_empty() && !only.iter().any(|part| name.contains(part)) {
            continue;
        }
        let times = make(&device, full).and_then(|mut case| {
            assert_eq!(case.name, name);
            let times = measure(&device, &mut case)?;
            print_line(name, &times, case.amount, case.unit);
            Ok(times)
        });
        let Times { run: [strict, fast], .. } = match times {
            Ok(times) => times,
            Err(error) => {
                println!("{name:18} {error}");
                continue;
            }
        };
        ratios.push(strict / fast);
        saved += &format!("{name} {:.2} {:.2}\n", strict * 1e6, fast * 1e6);
        for ((file, table), lists) in tables.iter().zip(&mut beside) {
            let Some(other) = table.get(name) else { continue };
            for (at, (arm, time)) in [("strict", strict), ("fast", fast)].into_iter().enumerate() {
                if let Some(micros) = other[at] {
                    lists[at].push(time * 1e6 / micros);
                    println!("{:18}   {arm} {:.3} × {file} ({micros:.1} µs)", "", time * 1e6 / micros);
                }
            }
        }
    }
    println!("geometric means: strict / fast_math {}", mean(&ratios));
    for ((file, _), [strict, fast]) in tables.iter().zip(&beside) {
        println!("beside {file}: strict {}, fast_math {}", mean(strict), mean(fast));
    }
    for file in options("save=") {
        if let Err(error) = std::fs::write(file, &saved) {
            println!("{file}: {error}");
        }
    }
    Ok(())
}

fn print_line(name: &str, times: &Times, amount: f64, unit: &str) {
    let [strict, fast] = times.run;
    println!(
        "{name:18}{:>12.1}{:>12.1}{:>7.3}{:>10.1} {unit}/s{:>10.1}{:>9.1}   fast off by {:.1e}",
        strict * 1e6,
        fast * 1e6,
        strict / fast,
        amount / strict,
        times.first[0] * 1e3,
        times.first[1] * 1e3,
        times.off
    );
}

/// Reads a table.
fn table(file: &str) -> Option<Table> {
    let text = std::fs::read_to_string(file).map_err(|error| println!("{file}: {error}")).ok()?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let mut micros = || words.next().and_then(|word| word.parse().ok());
        Some((name, [micros(), micros()]))
    };
    Some((file.to_owned(), text.lines().filter_map(line).collect()))
}

/// The geometric mean and the largest of some ratios.
fn mean(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "-".to_owned();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    format!("{mean:.3} of {}, at most {:.3}", ratios.len(), ratios.iter().copied().fold(0.0, f64::max))
}
