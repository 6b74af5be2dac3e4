//! Kernels on this CPU beside what a good engineer writes by hand for it.
//!
//! `cargo bench -p samebits --no-default-features --features native,f16 --bench cpu [-- NAME…]`; a `NAME` is a part
//! of a case's. In one run, of the same inputs:
//!
//! - the kernel on `Device::cpu()`;
//! - a loop for rayon with the same algorithm and the same tiles, in a version for each set of instructions
//!   (`peer.rs`), with floats as strict as the kernel's, except that a NaN may be any;
//! - a plain loop on one thread, in the build's instructions;
//! - the kernel on the interpreter and, with the feature `wgpu`, on llvmpipe. The interpreter's time is that of a
//!   smaller size, scaled by the amounts.
//!
//! Results must be those of the hand-written loop, to the bit. Only plain loops may add in another order or unfused,
//! where `sums.rs`, `products.rs` and `compute.rs` say so; they are not compared then.
#![allow(missing_docs)]

mod compute;
mod measure;
mod peer;
mod products;
mod sort;
mod stream;
mod sums;

use measure::{Case, Step, Unit, best, fma_peak, memcpy_peak};
use samebits::{Device, Error};

/// Makes a case on a device, in its size or a small one.
type Make = fn(&Device, bool) -> Result<Case<'_>, Error>;

const CASES: [(&str, Make); 16] = [
    ("copy", stream::copy),
    ("saxpy", stream::saxpy),
    ("reduce", sums::reduce),
    ("scan", sums::scan),
    ("histogram", sums::histogram),
    ("transpose", stream::transpose),
    ("sgemm_naive", products::sgemm_naive),
    ("sgemm_tiled", products::sgemm_tiled),
    ("sgemm_blocked", products::sgemm_blocked),
    ("sgemm_loops", products::sgemm_loops),
    ("stencil", stream::stencil),
    ("nbody", compute::nbody),
    ("mandelbrot", compute::mandelbrot),
    ("sha256", compute::sha256),
    ("bitonic", sort::bitonic),
    ("spmv", sums::spmv),
];

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (cpu, interpreter) = (Device::cpu(), Device::interpreter());
    println!(
        "{}, {} threads, hand-written loops for {}",
        cpu.name(),
        rayon::current_num_threads(),
        peer::level().name()
    );
    let (bytes, flops) = (memcpy_peak(), fma_peak());
    println!("at most {:.1} GB/s (memcpy) and {:.1} GFLOP/s (fused, in registers)", bytes / 1e9, flops / 1e9);
    println!(
        "{:14}{:>10}{:>10}{:>8}{:>10}{:>13}{:>10}  {:22}of the most",
        "case", "kernel", "rayon", "ratio", "plain", "interpreter", "llvmpipe", "kernel's rate"
    );
    let mut ratios = Vec::new();
    for (name, make) in CASES {
        if !names.is_empty() && !names.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let mut case = make(&cpu, false)?;
        let off = (case.run)(Step::Check)?;
        assert!(off == 0.0, "{name}: results are off by {off}");
        let [kernel, peer, plain] = best(&mut case)?;
        let (rate, most) = match case.unit {
            Unit::Bytes => ("GB/s".to_owned(), Some(bytes)),
            Unit::Flops => ("GFLOP/s".to_owned(), Some(flops)),
            Unit::Items(items) => (format!("G {items}/s"), None),
        };
        let part = most.map_or("-".to_owned(), |most| format!("{:.2}", case.amount / kernel / most));
        println!(
            "{name:14}{}{}{:>8.2}{}{}{}  {:22}{part}",
            ms(Some(kernel), 10),
            ms(Some(peer), 10),
            kernel / peer,
            ms(Some(plain), 10),
            ms(Some(scaled(&interpreter, make, case.amount)?), 13),
            ms(on_llvmpipe(make)?, 10),
            format!("{:.2} {rate}", case.amount / kernel / 1e9),
        );
        ratios.push(kernel / peer);
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("geometric mean of kernel / rayon: {mean:.3} of {}", ratios.len());
    }
    Ok(())
}

/// Milliseconds in a column.
fn ms(seconds: Option<f64>, width: usize) -> String {
    seconds.map_or_else(|| format!("{:>width$}", "-"), |seconds| format!("{:>width$.2}", seconds * 1e3))
}

/// The seconds that a device would take for an amount, by those for a small size.
fn scaled(device: &Device, make: Make, amount: f64) -> Result<f64, Error> {
    let mut case = make(device, true)?;
    let seconds = case.time(Step::Kernel)?.min(case.time(Step::Kernel)?);
    Ok(seconds * amount / case.amount)
}

/// The seconds on Mesa's software Vulkan, if it is there.
#[cfg(feature = "wgpu")]
fn on_llvmpipe(make: Make) -> Result<Option<f64>, Error> {
    let Ok(device) = Device::named("llvmpipe") else { return Ok(None) };
    let mut case = make(&device, false)?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        best = best.min(case.time(Step::Kernel)?);
    }
    Ok(Some(best))
}

/// Without the feature there is none.
#[cfg(not(feature = "wgpu"))]
fn on_llvmpipe(_make: Make) -> Result<Option<f64>, Error> {
    Ok(None)
}
