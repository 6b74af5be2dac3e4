//! A bitonic sort: steps within workgroups, and steps across the grid.

use crate::measure::{Case, Step, Unit, differ};
use crate::peer::{Lines, outputs, versions, words};
use rayon::prelude::*;
use samebits::prelude::*;

// Runs of 256, up and down in turn.
#[kernel(workgroup_size(256), requires(x.len() >= y.len()))]
fn sorting(x: &[u32], y: &mut [u32]) {
    #[shared]
    let tile: [u32; 256];
    let (i, lane) = (global_id().x, local_index());
    if i < y.len() {
        tile[lane] = x[i];
    }
    workgroup_barrier();
    let mut run = 2;
    while run <= 256 {
        let mut step = run / 2;
        while step > 0 {
            let other = lane ^ step;
            if other > lane {
                let (a, b) = (tile[lane], tile[other]);
                if (a > b) == (i & run == 0) {
                    tile[lane] = b;
                    tile[other] = a;
                }
            }
            workgroup_barrier();
            step /= 2;
        }
        run *= 2;
    }
    if i < y.len() {
        y[i] = tile[lane];
    }
}

// A step across the grid.
#[kernel(workgroup_size(256))]
fn stepping(run: usize, step: usize, y: &mut [u32]) {
    let i = global_id().x;
    let other = i ^ step;
    if other > i && other < y.len() {
        let (a, b) = (y[i], y[other]);
        if (a > b) == (i & run == 0) {
            y[i] = b;
            y[other] = a;
        }
    }
}

// The last eight steps of a run, which stay in a workgroup.
#[kernel(workgroup_size(256))]
fn merging(run: usize, y: &mut [u32]) {
    #[shared]
    let tile: [u32; 256];
    let (i, lane) = (global_id().x, local_index());
    if i < y.len() {
        tile[lane] = y[i];
    }
    workgroup_barrier();
    let mut step = 128;
    while step > 0 {
        let other = lane ^ step;
        if other > lane {
            let (a, b) = (tile[lane], tile[other]);
            if (a > b) == (i & run == 0) {
                tile[lane] = b;
                tile[other] = a;
            }
        }
        workgroup_barrier();
        step /= 2;
    }
    if i < y.len() {
        y[i] = tile[lane];
    }
}

/// Puts pairs in order, the lesser first or last.
#[inline(always)]
fn order(low: &mut [u32], high: &mut [u32], up: bool) {
    for (low, high) in low.iter_mut().zip(high) {
        let (least, most) = ((*low).min(*high), (*low).max(*high));
        (*low, *high) = if up { (least, most) } else { (most, least) };
    }
}

/// A step within 256 keys.
#[inline(always)]
fn step_of<const STEP: usize>(keys: &mut [u32; 256], up: impl Fn(usize) -> bool) {
    for (at, pair) in keys.chunks_exact_mut(2 * STEP).enumerate() {
        let (low, high) = pair.split_at_mut(STEP);
        order(low, high, up(at * 2 * STEP));
    }
}

/// A step within 16 keys, which LLVM turns into shuffles.
#[inline(always)]
fn short_step<const STEP: usize>(keys: &mut [u32; 16], up: impl Fn(usize) -> bool) {
    let before = *keys;
    for i in 0..16 {
        let (a, b) = (before[i], before[i ^ STEP]);
        keys[i] = if (i & STEP == 0) == up(i) { a.min(b) } else { a.max(b) };
    }
}

/// The steps from 128 down that runs of this length have.
#[inline(always)]
fn steps_of<const RUN: usize>(keys: &mut [u32; 256], up: impl Fn(usize) -> bool + Copy) {
    macro_rules! steps {
        ($kind:ident, $keys:expr, $up:expr, $($step:literal)*) => {
            $(if RUN >= 2 * $step { $kind::<$step>($keys, $up); })*
        };
    }
    steps!(step_of, keys, up, 128 64 32 16);
    for (at, keys) in keys.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // Or LLVM makes vectors across these, by gathers.
        let keys = std::hint::black_box(keys);
        let mut sorted = *keys;
        steps!(short_step, &mut sorted, |i| up(at * 16 + i), 8 4 2 1);
        *keys = sorted;
    }
}

versions! {
    /// Runs of 256, from the first of `keys` on.
    fn sort_runs(x: &[u32], keys: &mut [u32]) {
        keys.copy_from_slice(x);
        for (at, keys) in keys.as_chunks_mut::<256>().0.iter_mut().enumerate() {
            macro_rules! runs {
                ($($run:literal)*) => {
                    $(steps_of::<$run>(keys, |i| i & $run == 0);)*
                };
            }
            runs!(2 4 8 16 32 64 128);
            if at % 2 == 0 { steps_of::<256>(keys, |_| true) } else { steps_of::<256>(keys, |_| false) }
        }
    }
}

versions! {
    /// The last eight steps, of keys that all go up or all go down.
    fn merge(keys: &mut [u32], up: bool) {
        for keys in keys.as_chunks_mut::<256>().0 {
            if up { steps_of::<256>(keys, |_| true) } else { steps_of::<256>(keys, |_| false) }
        }
    }
}

versions! {
    fn step_across(low: &mut [u32], high: &mut [u32], up: bool) {
        if up { order(low, high, true) } else { order(low, high, false) }
    }
}

/// The hand-written sort, with the kernel's steps.
fn sort_by_peer(x: &[u32], keys: &mut [u32]) {
    const TASK: usize = 1 << 13;
    keys.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).for_each(|(keys, x)| sort_runs(x, keys));
    let mut run = 512;
    while run <= keys.len() {
        let mut step = run / 2;
        while step >= 256 {
            keys.par_chunks_mut(2 * step).with_min_len(TASK / (2 * step)).enumerate().for_each(|(at, pair)| {
                let up = (at * 2 * step) & run == 0;
                let (low, high) = pair.split_at_mut(step);
                let parts = low.par_chunks_mut(TASK).zip(high.par_chunks_mut(TASK));
                if step <= TASK {
                    step_across(low, high, up);
                } else {
                    parts.for_each(|(low, high)| step_across(low, high, up));
                }
            });
            step /= 2;
        }
        let part = run.min(TASK);
        keys.par_chunks_mut(part).with_min_len(TASK / part).enumerate().for_each(|(at, keys)| {
            merge(keys, (at * part) & run == 0);
        });
        run *= 2;
    }
}

/// The plain sort.
fn sort_plainly(keys: &mut [u32]) {
    let mut run = 2;
    while run <= keys.len() {
        let mut step = run / 2;
        while step > 0 {
            for i in 0..keys.len() {
                if i & step == 0 && (keys[i] > keys[i | step]) == (i & run == 0) {
                    keys.swap(i, i | step);
                }
            }
            step /= 2;
        }
        run *= 2;
    }
}

pub fn bitonic(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n: usize = if small { 1 << 13 } else { 1 << 20 };
    let x = Lines::of(&words(n, 1));
    let [mut by_peer, mut by_plain] = outputs(n);
    let (dx, mut dy) = (device.upload(&x)?, device.zeros::<u32>(n)?);
    let steps = n.ilog2() * (n.ilog2() + 1) / 2;
    Ok(Case::new((n / 2) as f64 * f64::from(steps), Unit::Items("pairs"), move |run_of| {
        if run_of.has(Step::Kernel) {
            sorting::launch(device, n, &dx, &mut dy)?;
            let mut run = 512;
            while run <= n {
                let mut step = run / 2;
                while step >= 256 {
                    stepping::launch(device, n, run, step, &mut dy)?;
                    step /= 2;
                }
                merging::launch(device, n, run, &mut dy)?;
                run *= 2;
            }
            device.wait()?;
        }
        if run_of.has(Step::Peer) {
            sort_by_peer(&x, &mut by_peer);
        }
        if run_of.has(Step::Plain) {
            by_plain.copy_from_slice(&x);
            sort_plainly(&mut by_plain);
        }
        if run_of != Step::Check {
            return Ok(0.0);
        }
        let sorted = by_peer.is_sorted();
        Ok(differ(&dy.read()?, &by_peer) + differ(&by_plain, &by_peer) + f64::from(u8::from(!sorted)))
    }))
}
