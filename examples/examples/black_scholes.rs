//! Values a million options, and compares the bits with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example black_scholes`

use samebits::prelude::*;
use samebits_examples::black_scholes::Options;
use samebits_examples::cli;
use samebits_examples::picture::checksum;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: black_scholes [OPTION]...

Values options to buy and to sell a share.

  --count N     options of each kind (1000000)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let count = args.number("--count", 1_000_000, 1 << 26)?;
        args.finish()?;

        let options = Options::many(count);
        let device = Device::best()?;
        let start = Instant::now();
        let [calls, puts] = options.on(&device)?;
        eprintln!("{count} options on {} in {:.1?}", cli::way(&device), start.elapsed());
        println!("strike  years    call     put");
        for i in (0..count).step_by((count / 8).max(1)) {
            println!("{:6.1}  {:5.2}  {:6.2}  {:6.2}", options.strikes[i], options.years[i], calls[i], puts[i]);
        }
        let words = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        println!("checksum {:08x}", checksum(&[words(&calls), words(&puts)].concat()));
        let plain = options.plain();
        if plain.iter().zip([&calls, &puts]).any(|(plain, values)| words(plain) != words(values)) {
            return Err("the values differ from plain Rust".into());
        }
        Ok(())
    })
}
