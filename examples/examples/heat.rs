//! Spreads heat in a plate that is split over all devices, and compares every bit with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example heat`

use samebits::prelude::*;
use samebits_examples::cli::{self, Size};
use samebits_examples::heat;
use samebits_examples::picture::checksum;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: heat [OPTION]...

Spreads heat in a plate, whose rows are split over the device that SAMEBITS_DEVICE picks and this CPU.

  --size WxH    cells (640x480)
  --steps N     steps (100)";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let size = args.option("--size", Size { width: 640, height: 480 })?;
        let steps = args.number("--steps", 100, 1 << 20)?;
        args.finish()?;

        // A launch on this CPU is over when its call returns, so it comes last.
        let devices = [Device::best()?, Device::cpu()];
        let plate = heat::plate(size);
        let start = Instant::now();
        let spread = heat::on(&devices, size, steps, &plate)?;
        let names = devices.each_ref().map(cli::way);
        eprintln!("{steps} steps of {size} cells on {} in {:.1?}", names.join(" and "), start.elapsed());
        let bits = |heat: &[f32]| heat.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        println!("checksum {:08x}", checksum(&bits(&spread)));
        if bits(&spread) != bits(&heat::plain(size, steps, &plate)) {
            return Err("the heat differs from plain Rust".into());
        }
        Ok(())
    })
}
