//! Draws the Mandelbrot set into a PNG, and compares its pixels with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example mandelbrot`

use samebits::prelude::*;
use samebits_examples::cli;
use samebits_examples::mandelbrot::{self, View};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: mandelbrot [OPTION]...

Draws a part of the Mandelbrot set into a PNG.

  --size WxH    pixels (640x400)
  --re NUMBER   real part of the middle (-0.7435)
  --im NUMBER   imaginary part of the middle (0.1312)
  --width W     width of the part (0.006)
  --limit N     steps that a point has to escape (1000)
  --out FILE    (mandelbrot.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let View { size, middle: [re, im], width, limit } = View::DEFAULT;
        let view = View {
            size: args.option("--size", size)?,
            middle: [args.option("--re", re)?, args.option("--im", im)?],
            width: args.option("--width", width)?,
            limit: args.option("--limit", limit)?,
        };
        let path: PathBuf = args.option("--out", "mandelbrot.png".into())?;
        args.finish()?;

        let device = Device::best()?;
        let start = Instant::now();
        let picture = mandelbrot::on(&device, &view)?;
        eprintln!("{} pixels on {} in {:.1?}", view.size, cli::way(&device), start.elapsed());
        picture.write(&path)?;
        println!("{}: {}, checksum {:08x}", path.display(), view.size, picture.checksum());
        if picture != mandelbrot::plain(&view) {
            return Err("the picture differs from plain Rust".into());
        }
        Ok(())
    })
}
