//! Animates the Game of Life as a PNG, and compares every cell with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example game_of_life`

use samebits::prelude::*;
use samebits_examples::cli::{self, Progress, Size};
use samebits_examples::game_of_life::{self, World};
use samebits_examples::picture::{checksum, write_file};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: game_of_life [OPTION]...

Animates the Game of Life into a PNG that browsers play.

  --size WxH    cells (96x96)
  --frames N    pictures (90)
  --every N     generations between two pictures (1)
  --scale N     pixels along a side of a cell (3)
  --seed N      where chance starts (5)
  --out FILE    (game_of_life.png)

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let size = args.option("--size", Size { width: 96, height: 96 })?;
        let frames = args.number("--frames", 90, 10_000)?;
        let every = args.number("--every", 1, 1 << 20)?;
        let scale = args.number("--scale", 3, 64)?;
        let seed = args.option("--seed", 5)?;
        let path: PathBuf = args.option("--out", "game_of_life.png".into())?;
        args.finish()?;

        let world = World::symmetric(size, seed);
        let device = Device::best()?;
        let progress = Progress::new(frames);
        let start = Instant::now();
        let worlds = game_of_life::on(&device, &world, frames, every, |done| progress.show(done))?;
        eprintln!("{frames} frames of {size} cells on {} in {:.1?}", cli::way(&device), start.elapsed());
        write_file(&path, &game_of_life::animation(&worlds, scale)?)?;
        let (living, sum) = worlds.last().map_or((0, 0), |last| (last.living(), checksum(&last.cells)));
        println!("{}: {living} cells live in the end, checksum {sum:08x}", path.display());
        if worlds != game_of_life::plain(&world, frames, every) {
            return Err("the cells differ from plain Rust".into());
        }
        Ok(())
    })
}
