//! What moves memory: a copy, saxpy, a stencil and a transposition.

use crate::measure::{Case, Step, Unit, far};
use crate::peer::{Lines, numbers, outputs, versions};
use rayon::prelude::*;
use samebits::prelude::*;

#[kernel(workgroup_size(256), requires(x.len() >= y.len()))]
fn copying(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(workgroup_size(256), requires(x.len() >= y.len()))]
fn adding(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(workgroup_size(32, 8), requires(x.len() >= n * n, y.len() >= n * n))]
fn smoothing(n: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (global_id().x, global_id().y);
    if i > 0 && i + 1 < n && j > 0 && j + 1 < n {
        let at = j * n + i;
        y[at] = 0.2 * (x[at] + ((x[at - 1] + x[at + 1]) + (x[at - n] + x[at + n])));
    }
}

#[kernel(workgroup_size(32, 8), requires(x.len() >= n * n, y.len() >= n * n))]
fn turning(n: usize, x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 33]; 32];
    let (i, j) = (local_id().x, local_id().y);
    let (column, row) = (workgroup_id().x * 32, workgroup_id().y * 32);
    for r in 0..4 {
        tile[j + r * 8][i] = x[(row + j + r * 8) * n + column + i];
    }
    workgroup_barrier();
    for r in 0..4 {
        y[(column + j + r * 8) * n + row + i] = tile[i][j + r * 8];
    }
}

/// How many elements a task of the hand-written loops takes.
const TASK: usize = 1 << 15;

pub fn copy(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 1 << 18 } else { 1 << 24 };
    let x = Lines::of(&numbers(n, 1));
    let [mut by_peer, mut by_plain] = outputs(n);
    let (dx, mut dy) = (device.upload(&x)?, device.zeros::<f32>(n)?);
    Ok(Case::new(8.0 * n as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            copying::launch(device, n, &dx, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            // Parts so large that the C library goes round the caches.
            let part = n.div_ceil(rayon::current_num_threads());
            by_peer.par_chunks_mut(part).zip(x.par_chunks(part)).for_each(|(y, x)| y.copy_from_slice(x));
        }
        if step.has(Step::Plain) {
            by_plain.copy_from_slice(&x);
        }
        if step == Step::Check { Ok(far(&dy.read()?, &by_peer) + far(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

versions! {
    fn add(a: f32, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += a * x;
        }
    }
}

pub fn saxpy(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 1 << 18 } else { 1 << 24 };
    let a = 0.001;
    let (x, y) = (Lines::of(&numbers(n, 1)), numbers(n, 2));
    let [mut by_peer, mut by_plain] = [Lines::of(&y), Lines::of(&y)];
    let (dx, mut dy) = (device.upload(&x)?, device.upload(&y)?);
    Ok(Case::new(12.0 * n as f64, Unit::Bytes, move |step| {
        if step == Step::Check {
            by_peer.copy_from_slice(&y);
            by_plain.copy_from_slice(&y);
            dy.write(0, &y)?;
        }
        if step.has(Step::Kernel) {
            adding::launch(device, n, a, &dx, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            by_peer.par_chunks_mut(TASK).zip(x.par_chunks(TASK)).for_each(|(y, x)| add(a, x, y));
        }
        if step.has(Step::Plain) {
            for (y, x) in by_plain.iter_mut().zip(&*x) {
                *y += a * x;
            }
        }
        if step == Step::Check { Ok(far(&dy.read()?, &by_peer) + far(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

versions! {
    /// A row without its ends, of the rows above, at and below it.
    fn smooth(above: &[f32], at: &[f32], below: &[f32], out: &mut [f32]) {
        let n = out.len();
        let (above, at, below, out) = (&above[1..n - 1], &at[..n], &below[1..n - 1], &mut out[1..n - 1]);
        for i in 0..n - 2 {
            out[i] = 0.2 * (at[i + 1] + ((at[i] + at[i + 2]) + (above[i] + below[i])));
        }
    }
}

pub fn stencil(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 512 } else { 4096 };
    let x = Lines::of(&numbers(n * n, 1));
    let [mut by_peer, mut by_plain] = outputs(n * n);
    let (dx, mut dy) = (device.upload(&x)?, device.zeros::<f32>(n * n)?);
    Ok(Case::new(8.0 * (n * n) as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            smoothing::launch(device, (n, n), n, &dx, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            by_peer[n..n * n - n].par_chunks_mut(n).with_min_len(8).enumerate().for_each(|(row, out)| {
                let rows = &x[row * n..(row + 3) * n];
                smooth(&rows[..n], &rows[n..2 * n], &rows[2 * n..], out);
            });
        }
        if step.has(Step::Plain) {
            for j in 1..n - 1 {
                for at in j * n + 1..j * n + n - 1 {
                    by_plain[at] = 0.2 * (x[at] + ((x[at - 1] + x[at + 1]) + (x[at - n] + x[at + n])));
                }
            }
        }
        if step == Step::Check { Ok(far(&dy.read()?, &by_peer) + far(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

/// Turns 4 × 4 elements of `x` round, by shuffles.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turn_quad(x: [&[f32; 4]; 4], out: [&mut [f32; 4]; 4]) {
    use std::arch::x86_64::*;
    // SAFETY: every machine of the target has these instructions, and each array has the bytes of a register.
    unsafe {
        let [a, b, c, d] = x.map(|x| _mm_loadu_ps(x.as_ptr()));
        let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        let turned = [
            _mm_movelh_ps(ab, cd),
            _mm_movehl_ps(cd, ab),
            _mm_movelh_ps(ab_high, cd_high),
            _mm_movehl_ps(cd_high, ab_high),
        ];
        for (out, turned) in out.into_iter().zip(turned) {
            _mm_storeu_ps(out.as_mut_ptr(), turned);
        }
    }
}

/// Turns 4 × 4 elements of `x` round.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn turn_quad(x: [&[f32; 4]; 4], out: [&mut [f32; 4]; 4]) {
    for (i, out) in out.into_iter().enumerate() {
        *out = x.map(|x| x[i]);
    }
}

/// A row of tiles: 32 columns of `x` become the rows of `out`. Each tile is turned on its way to memory that is small,
/// and goes on in whole cache lines.
fn turn(n: usize, column: usize, x: &[f32], out: &mut [f32]) {
    let mut tile = [[[0.0f32; 4]; 8]; 32];
    for row in (0..n).step_by(32) {
        for j in 0..8 {
            let x: [&[[f32; 4]]; 4] = std::array::from_fn(|k| x[(row + 4 * j + k) * n + column..][..32].as_chunks().0);
            for (i, tile) in tile.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                turn_quad(x.map(|x| &x[i]), tile.each_mut().map(|line| &mut line[j]));
            }
        }
        for (tile, out) in tile.iter().zip(out.chunks_exact_mut(n)) {
            out[row..row + 32].copy_from_slice(tile.as_flattened());
        }
    }
}

pub fn transpose(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 512 } else { 2048 };
    let x = Lines::of(&numbers(n * n, 1));
    let [mut by_peer, mut by_plain] = outputs(n * n);
    let (dx, mut dy) = (device.upload(&x)?, device.zeros::<f32>(n * n)?);
    Ok(Case::new(8.0 * (n * n) as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            turning::launch(device, Grid::groups(n / 32, n / 32, 1), n, &dx, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            by_peer.par_chunks_mut(32 * n).enumerate().for_each(|(tile, out)| turn(n, tile * 32, &x, out));
        }
        if step.has(Step::Plain) {
            for i in 0..n {
                for j in 0..n {
                    by_plain[i * n + j] = x[j * n + i];
                }
            }
        }
        if step == Step::Check { Ok(far(&dy.read()?, &by_peer) + far(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}
