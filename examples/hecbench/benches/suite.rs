//! Each program at the suite's size on one device: the median of a step's time.
//!
//! `cargo bench -p samebits-hecbench -- NAME…`; a `NAME` is a part of a program's. `SAMEBITS_DEVICE` picks the device.

use samebits::prelude::*;
use samebits_hecbench::job::{Job, Scale};
use samebits_hecbench::{PROGRAMS, Program};
use std::time::{Duration, Instant};

/// Rounds of a step, at least.
const ROUNDS: usize = 5;
/// Rounds go on for about so long.
const LONG: Duration = Duration::from_millis(500);

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let device = Device::best()?;
    println!("{}", device.name());
    println!("{:<26} {:<26} {:>7} {:>12}", "program", "step", "rounds", "median");
    for program in PROGRAMS {
        if names.is_empty() || names.iter().any(|name| program.name.contains(name.as_str())) {
            // What does not fit a device is no reason to leave out the others.
            if let Err(error) = measure(&device, program) {
                println!("{:<26} {error}", program.name);
            }
        }
    }
    Ok(())
}

fn measure(device: &Device, program: &Program) -> Result<(), Error> {
    let mut job = (program.start)(device, Scale::Suite)?;
    for (step, name) in job.steps().to_vec().into_iter().enumerate() {
        // The first round compiles.
        time(device, &mut job, step)?;
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < ROUNDS || start.elapsed() < LONG {
            times.push(time(device, &mut job, step)?);
        }
        times.sort_unstable();
        let median = times[times.len() / 2].as_secs_f64() * 1e3;
        println!("{:<26} {name:<26} {:>7} {median:>9.3} ms", program.name, times.len());
    }
    Ok(())
}

fn time(device: &Device, job: &mut Job, step: usize) -> Result<Duration, Error> {
    let start = Instant::now();
    job.step(step)?;
    device.wait()?;
    Ok(start.elapsed())
}
