//! Blurs a PNG, and compares the pixels with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example blur -- photo.png`

use samebits::prelude::*;
use samebits_examples::blur;
use samebits_examples::cli::{self, Size};
use samebits_examples::picture::Picture;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: blur [OPTION]... [FILE]

Blurs FILE, a PNG of any kind and size.
Without FILE there is a picture of its own.

  --radius N    pixels that a pass spreads to each side (6)
  --half        leave the left half sharp
  --size WxH    pixels of the picture without FILE (640x400)
  --out FILE    (blur.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let radius = args.number("--radius", 6, blur::MAX_RADIUS)?;
        let size = args.option("--size", Size { width: 640, height: 400 })?;
        let half = args.flag("--half");
        let to: PathBuf = args.option("--out", "blur.png".into())?;
        let from = args.path();
        args.finish()?;

        let sharp = match &from {
            Some(path) => Picture::read(path)?,
            None => blur::built_in(size),
        };
        let device = Device::best()?;
        let start = Instant::now();
        let blurred = blur::on(&device, &sharp, radius)?;
        eprintln!("{} pixels on {} in {:.1?}", sharp.size, cli::way(&device), start.elapsed());
        let shown = if half { &blur::beside(&sharp, &blurred) } else { &blurred };
        shown.write(&to)?;
        println!("{}: {}, checksum {:08x}", to.display(), shown.size, shown.checksum());
        if blurred != blur::plain(&sharp, radius) {
            return Err("the picture differs from plain Rust".into());
        }
        Ok(())
    })
}
