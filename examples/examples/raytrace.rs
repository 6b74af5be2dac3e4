//! Draws balls of paint, metal and glass into a PNG, and compares its pixels with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example raytrace`

use samebits::prelude::*;
use samebits_examples::cli;
use samebits_examples::raytrace::{self, View};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: raytrace [OPTION]...

Draws balls of paint, metal and glass on a chequered floor into a PNG.

  --size WxH    pixels (640x400)
  --side N      rows and columns of samples in each pixel, at most 64 (8)
  --out FILE    (raytrace.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let View { size, side } = View::DEFAULT;
        let size = args.option("--size", size)?;
        let side = args.number("--side", side as usize, 64)? as u32;
        let path: PathBuf = args.option("--out", "raytrace.png".into())?;
        args.finish()?;

        let view = View { size, side };
        let device = Device::best()?;
        let start = Instant::now();
        let picture = raytrace::on(&device, &view)?;
        eprintln!("{} pixels on {} in {:.1?}", view.size, cli::way(&device), start.elapsed());
        picture.write(&path)?;
        println!("{}: {}, checksum {:08x}", path.display(), view.size, picture.checksum());
        if picture != raytrace::plain(&view) {
            return Err("the picture differs from plain Rust".into());
        }
        Ok(())
    })
}
