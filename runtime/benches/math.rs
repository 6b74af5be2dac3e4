//! Mathematical functions of `f32` on this CPU, beside the C library and SLEEF.
//!
//! `cargo bench -p samebits --no-default-features --features native --bench math [-- NAME…]`. In one run, of the same
//! 2^20 arguments, which are uniform in a range, on all threads:
//!
//! - the kernel on `Device::cpu()`, whose results are correctly rounded;
//! - a loop that calls the C library's function, as Rust's `f32::exp` does;
//! - SLEEF's function for eight numbers at a time, which is off by up to one unit in the last place, if its shared library
//!   (`libsleef3` of Debian) and AVX2 are there.
//!
//! Those that are compared take turns, and the best turn of each counts. Results have to be within two units of ours.
#![allow(missing_docs)]

use libloading::Library;
use rayon::prelude::*;
use samebits::prelude::*;
use std::time::Instant;

/// As many arguments.
const COUNT: usize = 1 << 20;
/// What a thread takes at a time in the hand-written loops.
const PART: usize = 1 << 12;
/// The turns of each.
const ROUNDS: usize = 60;

type Launch = fn(&Device, &Buffer<f32>, &mut Buffer<f32>) -> Result<(), Error>;

/// A function with its peers.
struct Function {
    name: &'static str,
    range: [f32; 2],
    launch: Launch,
    plain: fn(f32) -> f32,
    sleef: &'static str,
}

macro_rules! functions {
    ($($name:ident($x:ident) = $ours:expr, $range:expr, $plain:expr, $sleef:literal;)*) => {
        mod kernels {
            use samebits::prelude::*;
            $(
                #[kernel(workgroup_size(256))]
                pub fn $name(x: &[f32], y: &mut [f32]) {
                    let i = global_id().x;
                    if i < x.len() && i < y.len() {
                        let $x = x[i];
                        y[i] = $ours;
                    }
                }
            )*
        }

        const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            range: $range,
            launch: |device, x, y| kernels::$name::launch(device, x.len(), x, y),
            plain: $plain,
            sleef: $sleef,
        },)*];
    };
}
functions! {
    exp(x) = x.exp(), [-80.0, 80.0], f32::exp, "Sleef_expf8_u10avx2";
    exp2(x) = x.exp2(), [-120.0, 120.0], f32::exp2, "Sleef_exp2f8_u10avx2";
    ln(x) = x.ln(), [1e-3, 1e3], f32::ln, "Sleef_logf8_u10avx2";
    log2(x) = x.log2(), [1e-3, 1e3], f32::log2, "Sleef_log2f8_u10avx2";
    sin(x) = x.sin(), [-100.0, 100.0], f32::sin, "Sleef_sinf8_u10avx2";
    cos(x) = x.cos(), [-100.0, 100.0], f32::cos, "Sleef_cosf8_u10avx2";
    tan(x) = x.tan(), [-100.0, 100.0], f32::tan, "Sleef_tanf8_u10avx2";
    atan(x) = x.atan(), [-10.0, 10.0], f32::atan, "Sleef_atanf8_u10avx2";
    tanh(x) = x.tanh(), [-5.0, 5.0], f32::tanh, "Sleef_tanhf8_u10avx2";
    cbrt(x) = x.cbrt(), [-1e3, 1e3], f32::cbrt, "Sleef_cbrtf8_u10avx2";
    erf(x) = erf(x), [-3.0, 3.0], libm_erf, "Sleef_erff8_u10avx2";
}

unsafe extern "C" {
    fn erff(x: f32) -> f32;
}

fn libm_erf(x: f32) -> f32 {
    // SAFETY: the C library's function takes and gives a number, and no memory.
    unsafe { erff(x) }
}

/// A function of SLEEF's.
#[cfg(target_arch = "x86_64")]
#[expect(improper_ctypes_definitions, reason = "the C type of these registers is the same")]
type Eight = unsafe extern "C" fn(std::arch::x86_64::__m256) -> std::arch::x86_64::__m256;

/// Applies it to a slice, whose length is a multiple of eight.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn eight_by_eight(function: Eight, x: &[f32], y: &mut [f32]) {
    use std::arch::x86_64::{_mm256_loadu_ps, _mm256_storeu_ps};
    for (x, y) in x.as_chunks::<8>().0.iter().zip(y.as_chunks_mut::<8>().0) {
        // SAFETY: both have eight numbers; the function is SLEEF's for just these registers.
        unsafe { _mm256_storeu_ps(y.as_mut_ptr(), function(_mm256_loadu_ps(x.as_ptr()))) };
    }
}

/// A run of SLEEF's function on all threads.
type Run = Box<dyn Fn(&[f32], &mut [f32])>;

/// SLEEF's function of a name, if it and what it needs are there.
#[cfg(target_arch = "x86_64")]
fn sleef(library: Option<&'static Library>, name: &str) -> Option<Run> {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return None;
    }
    // SAFETY: the names that are asked for are functions of this type in every version of SLEEF.
    let function: Eight = *unsafe { library?.get::<Eight>(name.as_bytes()) }.ok()?;
    Some(Box::new(move |x, y| {
        x.par_chunks(PART).zip(y.par_chunks_mut(PART)).for_each(|(x, y)| {
            // SAFETY: the machine has these instructions, as was asked above.
            unsafe { eight_by_eight(function, x, y) }
        });
    }))
}

#[cfg(not(target_arch = "x86_64"))]
fn sleef(_library: Option<&'static Library>, _name: &str) -> Option<Run> {
    None
}

/// How many units in the last place the farthest of two results are apart.
fn apart(a: &[f32], b: &[f32]) -> u32 {
    let ordered = |x: f32| (x.to_bits() as i32) ^ (((x.to_bits() as i32) >> 31) & 0x7fff_ffff);
    a.iter().zip(b).map(|(&a, &b)| ordered(a).abs_diff(ordered(b))).max().unwrap_or(0)
}

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let cpu = Device::cpu();
    // SAFETY: loading this library runs no code of its own.
    let library = unsafe { Library::new("libsleef.so.3") }.ok().map(|library| &*Box::leak(Box::new(library)));
    println!("{}, {} threads; ns a number on all of them", cpu.name(), rayon::current_num_threads());
    println!(
        "{:8}{:>10}{:>12}{:>10}{:>14}{:>12}",
        "function", "kernel", "C library", "SLEEF", "C / kernel", "kernel / SLEEF"
    );
    for function in FUNCTIONS {
        if !names.is_empty() && !names.iter().any(|name| name == function.name) {
            continue;
        }
        let [low, high] = function.range;
        let mut state = 1u32;
        let x: Vec<f32> = (0..COUNT)
            .map(|_| {
                state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                low + (high - low) * ((state >> 8) as f32 / 16_777_216.0)
            })
            .collect();
        let (input, mut output) = (cpu.upload(&x)?, cpu.zeros::<f32>(COUNT)?);
        let (mut plain, mut eight) = (vec![0f32; COUNT], vec![0f32; COUNT]);
        let sleef = sleef(library, function.sleef);
        let mut best = [f64::INFINITY; 3];
        for _ in 0..ROUNDS {
            let mut turn = |which: usize, run: &mut dyn FnMut() -> Result<(), Error>| {
                let start = Instant::now();
                run()?;
                best[which] = best[which].min(start.elapsed().as_secs_f64());
                Ok::<(), Error>(())
            };
            turn(0, &mut || {
                (function.launch)(&cpu, &input, &mut output)?;
                cpu.wait()
            })?;
            turn(1, &mut || {
                let parts = x.par_chunks(PART).zip(plain.par_chunks_mut(PART));
                parts.for_each(|(x, y)| x.iter().zip(y).for_each(|(&x, y)| *y = (function.plain)(x)));
                Ok(())
            })?;
            if let Some(run) = &sleef {
                turn(2, &mut || {
                    run(&x, &mut eight);
                    Ok(())
                })?;
            }
        }
        let ours = output.read()?;
        assert!(apart(&ours, &plain) <= 2, "{}: the C library is {} units off", function.name, apart(&ours, &plain));
        assert!(
            sleef.is_none() || apart(&ours, &eight) <= 2,
            "{}: SLEEF is {} units off",
            function.name,
            apart(&ours, &eight)
        );
        let ns = |seconds: f64| seconds * 1e9 / COUNT as f64;
        let [kernel, c, eight] = best;
        let of_sleef = |value: f64| sleef.as_ref().map_or("-".to_owned(), |_| format!("{value:.2}"));
        println!(
            "{:8}{:>10.2}{:>12.2}{:>10}{:>14.2}{:>12}",
            function.name,
            ns(kernel),
            ns(c),
            of_sleef(ns(eight)),
            c / kernel,
            of_sleef(kernel / eight),
        );
    }
    Ok(())
}
