//! Prints how often each byte occurs in a file, and compares with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example histogram -- Cargo.lock`

use samebits::prelude::*;
use samebits_examples::histogram;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: histogram FILE");
        return Ok(ExitCode::FAILURE);
    };
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let device = Device::best()?;
    let start = Instant::now();
    let counts = histogram::on(&device, &bytes)?;
    eprintln!("{} bytes on {} in {:.1?}", bytes.len(), device.name(), start.elapsed());
    print!("{}", histogram::table(&counts));
    if counts != histogram::plain(&bytes) {
        eprintln!("the counts differ from plain Rust");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
