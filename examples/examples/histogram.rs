//! Prints how often each byte occurs in a file, and compares with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example histogram -- Cargo.lock`

use samebits::prelude::*;
use samebits_examples::{cli, histogram};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: histogram FILE

Prints how often each byte occurs in FILE.

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let path = args.required_path("FILE")?;
        args.finish()?;

        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let device = Device::best()?;
        let start = Instant::now();
        let counts = histogram::on(&device, &bytes)?;
        eprintln!("{} bytes on {} in {:.1?}", bytes.len(), cli::way(&device), start.elapsed());
        print!("{}", histogram::table(&counts));
        if counts != histogram::plain(&bytes) {
            return Err("the counts differ from plain Rust".into());
        }
        Ok(())
    })
}
