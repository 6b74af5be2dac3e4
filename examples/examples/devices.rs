//! Prints every device of this machine and how it computes.
//!
//! `cargo run --release -p samebits-examples --example devices`

use samebits::prelude::*;
use samebits_examples::cli;
use std::process::ExitCode;

const HELP: &str = "
usage: devices

Prints every device of this machine: its driver, how kernels reach it, and for each
group of ops the form in which the device computes it.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        args.finish()?;
        for device in Device::all() {
            println!("{}", device.report());
        }
        Ok(())
    })
}
