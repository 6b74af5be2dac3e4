//! Computes `a * x + y` over a million floats and compares every bit with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example saxpy`

use samebits::prelude::*;
use samebits_examples::{cli, saxpy};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: saxpy [--count N]

Computes `a * x + y` over N floats (1048576).

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let n = args.number("--count", 1 << 20, 1 << 28)?;
        args.finish()?;

        let a = 1.1;
        let (x, y) = (saxpy::numbers(1, n), saxpy::numbers(2, n));
        let device = Device::best()?;
        let start = Instant::now();
        let answer = saxpy::on(&device, a, &x, &y)?;
        eprintln!("{n} elements on {} in {:.1?}", cli::way(&device), start.elapsed());
        println!("y[0..4] = {:?}", &answer[..n.min(4)]);
        let expected = saxpy::plain(a, &x, &y);
        let wrong = answer.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        if wrong > 0 || answer.len() != n {
            return Err(format!("{wrong} elements differ from plain Rust").into());
        }
        Ok(())
    })
}
