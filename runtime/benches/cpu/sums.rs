//! What adds up: a reduction, a scan, a histogram and a sparse matrix times a vector.

use crate::measure::{Case, Step, Unit, differ, far};
use crate::peer::{Lines, numbers, outputs, versions, words};
use rayon::prelude::*;
use samebits::prelude::*;

/// The rows of 256 that a workgroup reads.
#[device]
const ROWS: usize = 64;

/// The elements that a workgroup reads.
const PART: usize = ROWS * 256;

/// The rows of 256 whose elements a workgroup counts: so many that merging the counts takes little of the time.
#[device]
const COUNTED: usize = 512;

#[kernel(workgroup_size(256), requires(sums.len() * 16384 == x.len()))]
fn reducing(x: &[f32], sums: &mut [f32]) {
    #[shared]
    let tile: [f32; 256];
    let lane = local_index();
    let first = workgroup_id().x * (ROWS * 256) + lane;
    let mut sum = 0.0f32;
    for row in 0..ROWS {
        sum += x[first + row * 256];
    }
    tile[lane] = sum;
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] += tile[lane + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if lane == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

// Each workgroup of its own; the last of each are scanned next. Before the first lane lie zeros, as memory of a
// workgroup begins.
#[kernel(workgroup_size(256))]
fn scanning(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
    #[shared]
    let tile: [[u32; 384]; 2];
    let (i, lane) = (global_id().x, local_index());
    tile[0][128 + lane] = if i < x.len() { x[i] } else { 0 };
    workgroup_barrier();
    #[unroll]
    for round in 0..8 {
        let from = round % 2;
        tile[1 - from][128 + lane] = tile[from][128 + lane] + tile[from][128 - (1 << round) + lane];
        workgroup_barrier();
    }
    let sum = tile[0][128 + lane];
    if i < y.len() {
        y[i] = sum;
    }
    if lane == 255 {
        sums[workgroup_id().x] = sum;
    }
}

// What the workgroups before have, to all of a workgroup.
#[kernel(workgroup_size(256))]
fn raising(sums: &[u32], y: &mut [u32]) {
    let (i, group) = (global_id().x, workgroup_id().x);
    if i < y.len() && group > 0 {
        y[i] += sums[group - 1];
    }
}

#[kernel(workgroup_size(256), requires(bins.len() >= 256))]
fn counting(x: &[u32], bins: &[Atomic<u32>]) {
    #[shared]
    let counts: [Atomic<u32>; 256];
    let lane = local_index();
    for row in 0..COUNTED {
        let i = (workgroup_id().x * COUNTED + row) * 256 + lane;
        if i < x.len() {
            counts[(x[i] >> 24) as usize].fetch_add(1);
        }
    }
    workgroup_barrier();
    bins[lane].fetch_add(counts[lane].load());
}

#[kernel(workgroup_size(256), requires(starts.len() >= y.len() + 1, columns.len() >= values.len()))]
fn multiplying(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x;
    if row < y.len() {
        let mut sum = 0.0f32;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum = values[k].mul_add(x[columns[k] as usize], sum);
        }
        y[row] = sum;
    }
}

versions! {
    /// The sums of a row's 256 columns, then the tree, in the order of the kernel.
    fn sum_of(x: &[f32], out: &mut f32) {
        let mut tile = [0.0f32; 256];
        for row in x.chunks_exact(256) {
            for (sum, x) in tile.iter_mut().zip(row) {
                *sum += x;
            }
        }
        let mut half = 128;
        while half > 0 {
            let (low, high) = tile.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                *low += *high;
            }
            half /= 2;
        }
        *out = tile[0];
    }
}

pub fn reduce(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 1 << 18 } else { 1 << 24 };
    let x = Lines::of(&numbers(n, 1));
    let [mut by_peer, mut by_plain] = outputs(n / PART);
    let (dx, mut sums) = (device.upload(&x)?, device.zeros::<f32>(n / PART)?);
    Ok(Case::new(4.0 * n as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            reducing::launch(device, Grid::groups(n / PART, 1, 1), &dx, &mut sums)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            by_peer.par_iter_mut().zip(x.par_chunks(PART)).for_each(|(sum, x)| sum_of(x, sum));
        }
        if step.has(Step::Plain) {
            // In the order of the source, which is not the kernel's.
            for (sum, x) in by_plain.iter_mut().zip(x.chunks(PART)) {
                *sum = x.iter().sum();
            }
        }
        if step == Step::Check { Ok(far(&sums.read()?, &by_peer)) } else { Ok(0.0) }
    }))
}

versions! {
    /// Sums up to each place, in parts of 256.
    fn scan_parts(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
        for ((x, y), total) in x.chunks(256).zip(y.chunks_mut(256)).zip(sums) {
            let mut sum = 0u32;
            for (x, y) in x.iter().zip(y) {
                sum = sum.wrapping_add(*x);
                *y = sum;
            }
            *total = sum;
        }
    }
}

versions! {
    fn raise_parts(sums: &[u32], y: &mut [u32]) {
        for (sum, y) in sums.iter().zip(y.chunks_mut(256)) {
            for y in y {
                *y = y.wrapping_add(*sum);
            }
        }
    }
}

/// The hand-written scan: parts, their sums by this thread, and these to the parts.
fn scan_by_peer(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
    const PARTS: usize = 128;
    let (tasks, sums_of_tasks) = (y.par_chunks_mut(PARTS * 256), sums.par_chunks_mut(PARTS));
    tasks.zip(x.par_chunks(PARTS * 256)).zip(sums_of_tasks).for_each(|((y, x), sums)| scan_parts(x, y, sums));
    let mut before = 0u32;
    for sum in &mut *sums {
        before = before.wrapping_add(std::mem::replace(sum, before));
    }
    y.par_chunks_mut(PARTS * 256).zip(sums.par_chunks(PARTS)).for_each(|(y, sums)| raise_parts(sums, y));
}

pub fn scan(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n: usize = if small { 1 << 18 } else { 1 << 22 };
    let x = Lines::of(&words(n, 1));
    let [mut by_peer, mut by_plain] = outputs(n);
    let mut sums_by_peer = vec![0u32; n / 256];
    // Sums of workgroups, and sums up to each of these, level by level.
    let (mut levels, mut len) = (Vec::new(), n);
    while len > 1 {
        len = len.div_ceil(256);
        levels.push((device.zeros::<u32>(len)?, device.zeros::<u32>(len)?));
    }
    let (dx, mut dy) = (device.upload(&x)?, device.zeros::<u32>(n)?);
    // Both passes, of what is loaded and stored.
    Ok(Case::new(16.0 * n as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            let [(sums, _), ..] = &mut levels[..] else { return Ok(0.0) };
            scanning::launch(device, n, &dx, &mut dy, sums)?;
            for at in 1..levels.len() {
                let (before, after) = levels.split_at_mut(at);
                let (x, y) = &mut before[at - 1];
                scanning::launch(device, x.len(), &*x, y, &mut after[0].0)?;
            }
            for at in (1..levels.len() - 1).rev() {
                let (before, after) = levels.split_at_mut(at);
                raising::launch(device, before[at - 1].1.len(), &after[0].1, &mut before[at - 1].1)?;
            }
            raising::launch(device, n, &levels[0].1, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            scan_by_peer(&x, &mut by_peer, &mut sums_by_peer);
        }
        if step.has(Step::Plain) {
            let mut sum = 0u32;
            for (x, y) in x.iter().zip(&mut *by_plain) {
                sum = sum.wrapping_add(*x);
                *y = sum;
            }
        }
        if step == Step::Check { Ok(differ(&dy.read()?, &by_peer) + differ(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

/// Counts of a part. Neighbours count in different arrays, so that equal ones do not wait for each other.
fn count_part(x: &[u32]) -> [u32; 256] {
    let mut counts = [[0u32; 256]; 4];
    let (quads, rest) = x.as_chunks::<4>();
    for quad in quads {
        for (counts, x) in counts.iter_mut().zip(quad) {
            counts[(x >> 24) as usize] += 1;
        }
    }
    for x in rest {
        counts[0][(x >> 24) as usize] += 1;
    }
    std::array::from_fn(|bin| counts.iter().map(|counts| counts[bin]).sum())
}

pub fn histogram(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 1 << 18 } else { 1 << 24 };
    let x = Lines::of(&words(n, 1));
    let [mut by_peer, mut by_plain] = [[0u32; 256]; 2];
    let (dx, mut bins) = (device.upload(&x)?, device.zeros::<u32>(256)?);
    Ok(Case::new(4.0 * n as f64, Unit::Bytes, move |step| {
        if step.has(Step::Kernel) {
            bins.fill(0)?;
            counting::launch(device, Grid::groups(n / (COUNTED * 256), 1, 1), &dx, &mut bins)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            let sum = |a: [u32; 256], b: [u32; 256]| std::array::from_fn(|bin| a[bin] + b[bin]);
            by_peer = x.par_chunks(COUNTED * 256).map(count_part).reduce(|| [0; 256], sum);
        }
        if step.has(Step::Plain) {
            by_plain = [0; 256];
            for x in &*x {
                by_plain[(x >> 24) as usize] += 1;
            }
        }
        if step == Step::Check { Ok(differ(&bins.read()?, &by_peer) + differ(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

versions! {
    /// Some rows, of which the starts are given. A row's products are added in its order.
    fn multiply_rows(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
        for (row, y) in starts.windows(2).zip(y) {
            let entries = row[0] as usize..row[1] as usize;
            let mut sum = 0.0f32;
            for (column, value) in columns[entries.clone()].iter().zip(&values[entries]) {
                sum = value.mul_add(x[*column as usize], sum);
            }
            *y = sum;
        }
    }
}

pub fn spmv(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    const ENTRIES: usize = 16;
    const ROWS_OF_TASK: usize = 2048;
    let n = if small { 1 << 13 } else { 1 << 18 };
    let starts: Vec<u32> = (0..=n).map(|row| (row * ENTRIES) as u32).collect();
    let columns: Vec<u32> = words(n * ENTRIES, 1).iter().map(|word| word % n as u32).collect();
    let (starts, columns) = (Lines::of(&starts), Lines::of(&columns));
    let (values, x) = (Lines::of(&numbers(n * ENTRIES, 2)), Lines::of(&numbers(n, 3)));
    let [mut by_peer, mut by_plain] = outputs(n);
    let (dstarts, dcolumns) = (device.upload(&starts)?, device.upload(&columns)?);
    let (dvalues, dx, mut dy) = (device.upload(&values)?, device.upload(&x)?, device.zeros::<f32>(n)?);
    Ok(Case::new(2.0 * (n * ENTRIES) as f64, Unit::Flops, move |step| {
        if step.has(Step::Kernel) {
            multiplying::launch(device, n, &dstarts, &dcolumns, &dvalues, &dx, &mut dy)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            by_peer.par_chunks_mut(ROWS_OF_TASK).enumerate().for_each(|(task, y)| {
                let first = task * ROWS_OF_TASK;
                multiply_rows(&starts[first..=first + y.len()], &columns, &values, &x, y);
            });
        }
        if step.has(Step::Plain) {
            // `mul_add` would be a call of the C library.
            for (row, y) in starts.windows(2).zip(&mut *by_plain) {
                *y = (row[0] as usize..row[1] as usize).map(|k| values[k] * x[columns[k] as usize]).sum();
            }
        }
        if step == Step::Check { Ok(far(&dy.read()?, &by_peer)) } else { Ok(0.0) }
    }))
}
