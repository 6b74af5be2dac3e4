//! Prints a verdict on a device, to share: `cargo run --release -p samebits-tests --bin conform`.

use samebits::prelude::*;
use samebits_tests::verdict::{Effort, of};
use std::process::ExitCode;

const HELP: &str = "\
usage: conform [DEVICE]

Tries whether a device gives the right bits, and prints a verdict on it: ops on edge values and on random ones, atomics,
subgroups, expressions, two hundred random kernels, and how fast it is. DEVICE is as in SAMEBITS_DEVICE: `wgpu`, `cpu`, or
a part of a device's name. Without it, the device is the one that programs get.

SAMEBITS_CONFORMANCE=1 tries each op on each type in each form, which takes hours on software devices.
The exit code is 0 if every result is right, 1 if not, and 2 if there is no such device.";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let word = words.next();
    if matches!(word.as_deref(), Some("--help" | "-h")) {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if words.next().is_some() {
        eprintln!("{HELP}");
        return ExitCode::from(2);
    }
    let effort = Effort { tuples: 2_000, kernels: 200 };
    let device = word.map_or_else(Device::best, |name| Device::named(&name));
    match device.and_then(|device| of(&device, effort, |what| eprintln!("trying {what} …"))) {
        Ok(verdict) => {
            print!("{}", verdict.text);
            ExitCode::from(u8::from(!verdict.conforms))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
