//! Multiplies two matrices in tiles, and compares every bit with plain Rust.
//!
//! `cargo run --release -p samebits-examples --example matmul`

use samebits::prelude::*;
use samebits_examples::cli::{self, Size};
use samebits_examples::matmul::{self, Matrix};
use samebits_examples::picture::checksum;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "
usage: matmul [--size WxH] [--inner N]

Multiplies a matrix of H rows and N columns by one of N rows and W columns;
all three are 256 if nothing else is said.

SAMEBITS_DEVICE picks the device: cpu, wgpu, or a part of a device's name.";

fn main() -> ExitCode {
    cli::run(HELP, |args| {
        let Size { width, height } = args.option("--size", Size { width: 256, height: 256 })?;
        let inner = args.number("--inner", 256, 1 << 14)?;
        args.finish()?;

        let (a, b) = (Matrix::of_numbers(1, height, inner), Matrix::of_numbers(2, inner, width));
        let device = Device::best()?;
        let start = Instant::now();
        let product = matmul::on(&device, &a, &b)?;
        eprintln!("{height}x{inner} by {inner}x{width} on {} in {:.1?}", cli::way(&device), start.elapsed());
        println!("row 0: {:?}", &product.elements[..width.min(4)]);
        println!("checksum {:08x}", checksum(&product.bits()));
        if product.bits() != matmul::plain(&a, &b).bits() {
            return Err("the product differs from plain Rust".into());
        }
        Ok(())
    })
}
