//! Computes `a * x + y` over a million floats and compares every bit with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example saxpy`

use samebits::prelude::*;
use samebits_examples::saxpy;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let (a, n) = (1.1, 1 << 20);
    let (x, y) = (saxpy::numbers(1, n), saxpy::numbers(2, n));
    let device = Device::best()?;
    let start = Instant::now();
    let answer = saxpy::on(&device, a, &x, &y)?;
    eprintln!("{n} elements on {} in {:.1?}", device.name(), start.elapsed());
    let expected = saxpy::plain(a, &x, &y);
    let wrong = answer.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    if wrong > 0 || answer.len() != n {
        eprintln!("{wrong} elements differ from plain Rust");
        return Ok(ExitCode::FAILURE);
    }
    println!("y[0..4] = {:?}", &answer[..4]);
    Ok(ExitCode::SUCCESS)
}
