//! Moves particles by a kernel, draws them by a render pass of wgpu's, and compares the picture with plain Rust.
//!
//! `cargo run --release -p samebits-examples --features wgpu --example particles`

use samebits_examples::cli::{self, Size};
use samebits_examples::particles::stage::Stage;
use samebits_examples::particles::{self, Swarm};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: particles [OPTION]...

Draws the trails of particles that circle a heavy middle into a PNG.

  --size WxH    pixels (448x280)
  --count N     particles (3000)
  --steps N     steps of time, each of which is drawn (160)
  --time T      how long a step is (0.15)
  --seed N      where chance starts (1)
  --out FILE    (particles.png)

It runs on the first device that wgpu finds.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let size = args.option("--size", Size { width: 448, height: 280 })?;
        let count = args.number("--count", 3000, 1 << 24)?;
        let steps = args.number("--steps", 160, 1 << 20)?;
        let time = args.option("--time", 0.15)?;
        let seed = args.option("--seed", 1)?;
        let path: PathBuf = args.option("--out", "particles.png".into())?;
        args.finish()?;

        let stage = Stage::all().into_iter().next().ok_or("wgpu finds no device that draws")?;
        let swarm = Swarm::new(size, count, seed);
        let start = Instant::now();
        let picture = stage.draw(&swarm, steps, time)?;
        eprintln!("{steps} steps of {count} particles on {} in {:.1?}", stage.device().name(), start.elapsed());
        picture.write(&path)?;
        println!("{}: {size}, checksum {:08x}", path.display(), picture.checksum());
        if picture != particles::plain(&swarm, steps, time) {
            return Err("the picture differs from plain Rust".into());
        }
        Ok(())
    })
}
