//! The suite: kernels strict and under `fast_math`, in one run, each checked against the CPU, and
//! beside what other programs measured.
//!
//! `cargo bench -p samebits --bench suite [-- WORD…]`, where a word is a part of a device's name
//! (`wgpu` without one), `full` for the sizes of a GPU, `only=NAME,NAME` for the cases that have one of
//! these names, or contain it where none has it, `together` for cases that take turns with each other,
//! `arm=strict` or `arm=fast` for one of the two, `save=FILE` to write the table to a file, or
//! `beside=FILE`, a table to compare with. A table has lines of a name, the µs of the strict kernel, and
//! perhaps those of the fast one; `twins.cu` prints one.
//!
//! Cases that are compared with each other take turns, with rests between them: a GPU that computes for long at its limit
//! of power lowers its clock, and then a case is not measured as the one before it was.
#![allow(missing_docs)]

mod cases;
mod integers;
mod kernels;
mod measure;
mod products;

use cases::CASES;
use measure::{ARMS, Arm, Case, Times, measure};
use samebits::{Device, Error};
use std::collections::HashMap;

/// A table to compare with: its file's name, and the µs of each case, strict and fast.
type Table = (String, HashMap<String, [Option<f64>; 2]>);

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let options = |key: &str| words.iter().filter_map(|word| word.strip_prefix(key)).collect::<Vec<_>>();
    let [full, together] = ["full", "together"].map(|flag| words.iter().any(|word| word == flag));
    let only: Vec<&str> = options("only=").iter().flat_map(|names| names.split(',')).collect();
    let asked = options("arm=");
    let arms: Vec<Arm> =
        ARMS.iter().filter(|(_, name)| asked.is_empty() || asked.contains(name)).map(|(arm, _)| *arm).collect();
    let tables: Vec<Table> = options("beside=").into_iter().filter_map(table).collect();
    let wanted = words
        .iter()
        .find(|word| !["full", "together"].contains(&word.as_str()) && !word.contains('='))
        .map_or("wgpu", String::as_str);
    let device = match Device::named(wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}, {} sizes", device.name(), if full { "full" } else { "small" });
    let mut ratios = Vec::new();
    let mut beside = vec![[const { Vec::new() }; 2]; tables.len()];
    let mut saved = String::new();
    let is_named = |part: &str| CASES.iter().any(|(name, _)| *name == part);
    let is_asked = |name: &str| only.iter().any(|part| *part == name || !is_named(part) && name.contains(part));
    let asked: Vec<_> = CASES.iter().filter(|(name, _)| only.is_empty() || is_asked(name)).collect();
    let at_once = if together { asked.len().max(1) } else { 1 };
    for part in asked.chunks(at_once) {
        let (mut names, mut cases) = (Vec::new(), Vec::new());
        for (name, make) in part {
            match make(&device, full) {
                Ok(case) => {
                    names.push(*name);
                    cases.push(case);
                }
                Err(error) => println!("{name:18}{error}"),
            }
        }
        let measured = match measure(&device, &mut cases, &arms) {
            Ok(measured) => measured,
            Err(error) => {
                println!("{:18}{error}", names.join(" "));
                continue;
            }
        };
        for ((name, case), measured) in names.iter().zip(&cases).zip(&measured) {
            print_case(name, case, measured);
            let micros = measured.map(|times| times.map(|times| times.run * 1e6));
            if let [Some(strict), Some(fast)] = micros {
                ratios.push(strict / fast);
                println!("{:18}strict / fast {:.3}", "", strict / fast);
            }
            let [strict, fast] = micros.map(|micros| micros.map_or("-".to_owned(), |micros| format!("{micros:.2}")));
            saved += &format!("{name} {strict} {fast}\n");
            for ((file, table), lists) in tables.iter().zip(&mut beside) {
                let Some(others) = table.get(*name) else { continue };
                for (arm, name) in ARMS {
                    if let (Some(micros), Some(other)) = (micros[arm as usize], others[arm as usize]) {
                        lists[arm as usize].push(micros / other);
                        println!("{:18}{name} / {file} {:.3}", "", micros / other);
                    }
                }
            }
        }
    }
    println!("geometric means: strict / fast {}", mean(&ratios));
    for ((file, _), [strict, fast]) in tables.iter().zip(&beside) {
        println!("beside {file}: strict {}, fast {}", mean(strict), mean(fast));
    }
    for file in options("save=") {
        if let Err(error) = std::fs::write(file, &saved) {
            println!("{file}: {error}");
        }
    }
    Ok(())
}

fn print_case(name: &str, case: &Case, measured: &[Option<Times>; 2]) {
    for (arm, arm_name) in ARMS {
        let Some(Times { run, first, off }) = measured[arm as usize] else { continue };
        let rate = case.amount / run;
        println!(
            "{name:18}{arm_name:7}{:>11.1} µs{rate:>10.1} {:8}first run{:>9.1} ms, off by {off:.0e}",
            run * 1e6,
            format!("{}/s", case.unit),
            first * 1e3
        );
    }
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
