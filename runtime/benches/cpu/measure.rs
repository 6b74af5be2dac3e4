//! Cases and how they are timed, and what the machine can do at most.
//!
//! Those that are compared take turns, in an order that changes, and the best turn of each counts: whatever else
//! the machine does can only make a turn longer.

use crate::peer::{Lines, versions};
use rayon::prelude::*;
use samebits::Error;
use std::hint::black_box;
use std::time::Instant;

/// What a case is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The kernel, with a wait.
    Kernel,
    /// The hand-written loop on all threads.
    Peer,
    /// The plain loop on this thread.
    Plain,
    /// All three from the same state; gives how far results are from those of the hand-written loop.
    Check,
}

impl Step {
    /// Whether a step is part of this one.
    pub fn has(self, part: Self) -> bool {
        self == part || self == Self::Check
    }
}

/// What an amount counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes that are loaded and stored at least.
    Bytes,
    /// Operations of floats; a fused one counts two.
    Flops,
    /// What the name says.
    Items(&'static str),
}

/// A kernel with its peers.
pub struct Case<'a> {
    /// How much a run does, in what `unit` counts.
    pub amount: f64,
    pub unit: Unit,
    pub run: Box<dyn FnMut(Step) -> Result<f64, Error> + 'a>,
}

impl<'a> Case<'a> {
    pub fn new(amount: f64, unit: Unit, run: impl FnMut(Step) -> Result<f64, Error> + 'a) -> Self {
        Self { amount, unit, run: Box::new(run) }
    }

    /// The seconds of a run.
    pub fn time(&mut self, step: Step) -> Result<f64, Error> {
        let start = Instant::now();
        (self.run)(step)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Turns of each that is compared, at least.
const ROUNDS: usize = 15;
/// Rounds go on for about so many seconds.
const LONG: f64 = 1.5;
/// Turns of what runs for long.
const FEW: usize = 2;

/// The best seconds of the kernel, the hand-written loop and the plain loop.
pub fn best(case: &mut Case) -> Result<[f64; 3], Error> {
    let mut best = [f64::INFINITY; 3];
    for step in [Step::Kernel, Step::Peer, Step::Kernel, Step::Peer] {
        case.time(step)?;
    }
    let start = Instant::now();
    let mut round = 0;
    while round < ROUNDS || start.elapsed().as_secs_f64() < LONG && round < 20 * ROUNDS {
        let order = if round % 2 == 0 { [Step::Kernel, Step::Peer] } else { [Step::Peer, Step::Kernel] };
        for step in order {
            let time = case.time(step)?;
            best[step as usize] = best[step as usize].min(time);
        }
        round += 1;
    }
    for _ in 0..FEW {
        best[2] = best[2].min(case.time(Step::Plain)?);
    }
    Ok(best)
}

/// How far numbers are from the expected ones, relative to these; infinitely if there are fewer.
pub fn far(got: &[f32], expected: &[f32]) -> f64 {
    if got.len() != expected.len() {
        return f64::INFINITY;
    }
    got.iter().zip(expected).fold(0.0, |most, (got, expected)| {
        let off = f64::from((got - expected).abs() / expected.abs().max(1e-6));
        // A NaN is infinitely far.
        if got.to_bits() == expected.to_bits() {
            most
        } else {
            f64::max(most, if off.is_nan() { f64::INFINITY } else { off })
        }
    })
}

/// How many words differ.
pub fn differ(got: &[u32], expected: &[u32]) -> f64 {
    let pairs = got.iter().zip(expected).filter(|(got, expected)| got != expected).count();
    (pairs + got.len().abs_diff(expected.len())) as f64
}

/// The bytes a second, loaded and stored, of the C library's copy on all threads.
pub fn memcpy_peak() -> f64 {
    let from = Lines::of(&vec![1u32; 1 << 24]);
    let mut to = Lines::<u32>::zeros(1 << 24);
    let part = from.len().div_ceil(rayon::current_num_threads());
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
        best = best.min(start.elapsed().as_secs_f64());
        black_box(&mut to);
    }
    8.0 * from.len() as f64 / best
}

versions! {
    /// Sums in registers only: as many as hide the time of an addition.
    fn fuse(rounds: usize, out: &mut [f32; 192]) {
        #[inline(always)]
        fn sums<const N: usize>(rounds: usize, out: &mut [f32]) {
            let mut sums = [1.0f32; N];
            for _ in 0..rounds {
                for sum in &mut sums {
                    *sum = sum.mul_add(0.999, 0.001);
                }
            }
            out[..N].copy_from_slice(&sums);
        }
        match LANES {
            16 => sums::<192>(rounds, out),
            8 => sums::<96>(rounds, out),
            _ => sums::<48>(rounds, out),
        }
    }
}

/// The operations of floats a second that all threads reach by fused ones in registers.
pub fn fma_peak() -> f64 {
    let sums = 12
        * match crate::peer::level() {
            crate::peer::Level::Avx512 => 16,
            crate::peer::Level::Avx2 => 8,
            crate::peer::Level::Baseline => 4,
        };
    let (rounds, tasks) = (100_000, 4 * rayon::current_num_threads());
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        (0..tasks).into_par_iter().for_each(|_| {
            let mut out = [0.0; 192];
            fuse(black_box(rounds), &mut out);
            black_box(&mut out);
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    (2 * sums * rounds * tasks) as f64 / best
}
