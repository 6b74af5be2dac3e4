//! Lets a column of water fall, draws it into a PNG, and compares its first steps with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example water`

use samebits::prelude::*;
use samebits_examples::cli::{self, Size};
use samebits_examples::water::Water;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: water [OPTION]...

Lets a column of water fall and draws it into a PNG.

  --steps N     steps of 2 ms (400)
  --size WxH    pixels (400x400)
  --out FILE    (water.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let steps = args.number("--steps", 400, 1_000_000)?;
        let size = args.option("--size", Size { width: 400, height: 400 })?;
        let path: PathBuf = args.option("--out", "water.png".into())?;
        args.finish()?;

        let water = Water::column(20, 45);
        let device = Device::best()?;
        let start = Instant::now();
        let fallen = water.on(&device, steps)?;
        eprintln!(
            "{steps} steps of {} particles on {} in {:.1?}",
            water.places.len(),
            cli::way(&device),
            start.elapsed()
        );
        let picture = fallen.picture(size);
        picture.write(&path)?;
        println!("{}: {size}, checksum {:08x}", path.display(), picture.checksum());
        if water.on(&device, 3)? != water.plain(3) {
            return Err("the water differs from plain Rust".into());
        }
        Ok(())
    })
}
