//! Adds up many numbers in a tree, and compares the sums with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example reduce`

use samebits::prelude::*;
use samebits_examples::{cli, reduce, saxpy};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: reduce [--count N]

Adds up N words and N floats (1000000) in a tree of workgroups.
The last line shows that the order matters to floats: it is the sum from left to right.

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let count = args.number("--count", 1_000_000, 1 << 28)?;
        args.finish()?;

        let floats = saxpy::numbers(5, count);
        let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
        let device = Device::best()?;
        let start = Instant::now();
        let word = reduce::words_on(&device, &words)?;
        let float = reduce::floats_on(&device, &floats)?;
        eprintln!("{count} words and floats on {} in {:.1?}", cli::way(&device), start.elapsed());
        println!("words:         {word}");
        println!("floats:        {float:?} = {:#010x}", float.to_bits());
        let left_to_right = floats.iter().fold(0.0, |sum, float| sum + float);
        println!("left to right: {left_to_right:?} = {:#010x}", left_to_right.to_bits());
        if word != reduce::words_plain(&words) || float.to_bits() != reduce::floats_plain(&floats).to_bits() {
            return Err("a sum differs from plain Rust".into());
        }
        Ok(())
    })
}
