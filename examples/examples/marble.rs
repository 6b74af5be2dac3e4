//! Draws marble into a PNG, and compares some of its pixels with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example marble`

use samebits::prelude::*;
use samebits_examples::cli::{self, Size};
use samebits_examples::marble;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: marble [OPTION]...

Draws marble into a PNG: octaves of gradient noise.

  --size WxH    pixels (640x400)
  --seed N      another piece of marble (1)
  --out FILE    (marble.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let size = args.option("--size", Size { width: 640, height: 400 })?;
        let seed = args.option("--seed", 1u32)?;
        let path: PathBuf = args.option("--out", "marble.png".into())?;
        args.finish()?;

        let device = Device::best()?;
        let start = Instant::now();
        let picture = marble::on(&device, size, seed)?;
        eprintln!("{size} pixels on {} in {:.1?}", cli::way(&device), start.elapsed());
        picture.write(&path)?;
        println!("{}: {size}, checksum {:08x}", path.display(), picture.checksum());
        for i in (0..picture.pixels.len()).step_by(61) {
            if picture.pixels[i] != marble::plain_pixel(i % size.width, i / size.width, seed) {
                return Err("the picture differs from plain Rust".into());
            }
        }
        Ok(())
    })
}
