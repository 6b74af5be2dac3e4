//! Products of square matrices: one element a lane, tiles of 16 × 16, and 4 × 4 elements a lane.

use crate::measure::{Case, Step, Unit, far};
use crate::peer::{Lines, numbers, outputs, versions};
use rayon::prelude::*;
use samebits::prelude::*;

#[kernel(workgroup_size(16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn naively(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (i, j) = (global_id().x, global_id().y);
    if i < n && j < n {
        let mut sum = 0.0f32;
        for k in 0..n {
            sum += a[j * n + k] * b[k * n + i];
        }
        c[j * n + i] = sum;
    }
}

#[kernel(workgroup_size(16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn in_tiles(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    #[shared]
    let left: [[f32; 16]; 16];
    #[shared]
    let right: [[f32; 16]; 16];
    let (x, y) = (local_id().x, local_id().y);
    let (i, j) = (global_id().x, global_id().y);
    let mut sum = 0.0f32;
    for step in 0..n / 16 {
        left[y][x] = a[j * n + step * 16 + x];
        right[y][x] = b[(step * 16 + y) * n + i];
        workgroup_barrier();
        #[unroll]
        for k in 0..16 {
            sum = left[y][k].mul_add(right[k][x], sum);
        }
        workgroup_barrier();
    }
    c[j * n + i] = sum;
}

/// A tile of 64 × 64, of which a lane has 4 × 4 elements that lie 16 apart. `$unroll` is before the loops over these.
macro_rules! in_blocks {
    ($name:ident, $(#[$unroll:meta])?) => {
        #[kernel(workgroup_size(16, 16), requires(a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
        fn $name(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
            #[shared]
            let left: [f32; 1024];
            #[shared]
            let right: [f32; 1024];
            let (x, y, i) = (local_id().x, local_id().y, local_index());
            let (row, column) = (workgroup_id().y * 64, workgroup_id().x * 64);
            let mut sums = [0.0f32; 16];
            for step in 0..n / 16 {
                $(#[$unroll])?
                for e in 0..4 {
                    left[i % 16 * 64 + e * 16 + i / 16] = a[(row + e * 16 + i / 16) * n + step * 16 + i % 16];
                    right[e * 256 + i] = b[(step * 16 + e * 4 + i / 64) * n + column + i % 64];
                }
                workgroup_barrier();
                #[unroll]
                for k in 0..16 {
                    $(#[$unroll])?
                    for r in 0..4 {
                        $(#[$unroll])?
                        for q in 0..4 {
                            let sum = sums[r * 4 + q];
                            sums[r * 4 + q] = left[k * 64 + r * 16 + y].mul_add(right[k * 64 + q * 16 + x], sum);
                        }
                    }
                }
                workgroup_barrier();
            }
            $(#[$unroll])?
            for r in 0..4 {
                $(#[$unroll])?
                for q in 0..4 {
                    c[(row + r * 16 + y) * n + column + q * 16 + x] = sums[r * 4 + q];
                }
            }
        }
    };
}
in_blocks!(in_blocks, #[unroll]);
in_blocks!(in_blocks_of_loops,);

/// A case: the kernel, the hand-written loop for `$edge` rows, the size, and the edge of a workgroup's tile.
macro_rules! product {
    ($name:ident, $kernel:ident, $peer:ident, $n:literal, $edge:literal, $tile:literal) => {
        pub fn $name(device: &Device, small: bool) -> Result<Case<'_>, Error> {
            let n = if small { 128 } else { $n };
            let (a, b) = (Lines::of(&numbers(n * n, 1)), Lines::of(&numbers(n * n, 2)));
            let [mut by_peer, mut by_plain] = outputs(n * n);
            let (da, db, mut dc) = (device.upload(&a)?, device.upload(&b)?, device.zeros::<f32>(n * n)?);
            Ok(Case::new(2.0 * (n as f64).powi(3), Unit::Flops, move |step| {
                if step.has(Step::Kernel) {
                    $kernel::launch(device, Grid::groups(n / $tile, n / $tile, 1), n, &da, &db, &mut dc)?;
                    device.wait()?;
                }
                if step.has(Step::Peer) {
                    by_peer.par_chunks_mut($edge * n).enumerate().for_each(|(at, c)| {
                        $peer(n, &a[at * $edge * n..][..$edge * n], &b, c);
                    });
                }
                if step.has(Step::Plain) {
                    plainly(n, &a, &b, &mut by_plain);
                }
                if step == Step::Check { Ok(far(&dc.read()?, &by_peer)) } else { Ok(0.0) }
            }))
        }
    };
}
product!(sgemm_naive, naively, rows, 512, 4, 16);
product!(sgemm_tiled, in_tiles, tiles, 512, 16, 16);
product!(sgemm_blocked, in_blocks, blocks, 1024, 64, 64);
// What a GPU's compiler unrolls by itself.
product!(sgemm_loops, in_blocks_of_loops, blocks, 512, 64, 64);

/// Three loops, unfused, in the order in which the memory of `b` lies.
fn plainly(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    for (a, c) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        c.fill(0.0);
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
}

/// `$rows` × `$columns` elements in registers: `$steps` steps of sums that `$add` adds to. `a` begins with the
/// first row and `b` with the first column.
macro_rules! in_registers {
    ($name:ident, |$a:ident, $b:ident, $sum:ident| $add:expr) => {
        #[inline(always)]
        fn $name<const ROWS: usize, const COLUMNS: usize>(
            steps: usize,
            (a, a_row, a_step): (&[f32], usize, usize),
            (b, b_row): (&[f32], usize),
            (c, c_row): (&mut [f32], usize),
        ) {
            let mut sums = [[0.0f32; COLUMNS]; ROWS];
            for (r, sums) in sums.iter_mut().enumerate() {
                sums.copy_from_slice(&c[r * c_row..][..COLUMNS]);
            }
            assert!(steps > 0 && (steps - 1) * a_step + (ROWS - 1) * a_row < a.len());
            for k in 0..steps {
                let mut right = [0.0f32; COLUMNS];
                right.copy_from_slice(&b[k * b_row..][..COLUMNS]);
                for (r, sums) in sums.iter_mut().enumerate() {
                    let $a = a[k * a_step + r * a_row];
                    for ($sum, $b) in sums.iter_mut().zip(right) {
                        *$sum = $add;
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                c[r * c_row..][..COLUMNS].copy_from_slice(sums);
            }
        }
    };
}
in_registers!(unfused, |a, b, sum| *sum + a * b);
in_registers!(fused, |a, b, sum| a.mul_add(b, *sum));

versions! {
    /// Four rows by as many columns as registers hold, along all of `k`; nothing is copied.
    fn rows(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        c.fill(0.0);
        let width = if LANES == 16 { 64 } else { 16 };
        for column in (0..n).step_by(width) {
            let (a, b, c) = ((a, n, 1), (&b[column..], n), (&mut c[column..], n));
            if LANES == 16 { unfused::<4, 64>(n, a, b, c) } else { unfused::<4, 16>(n, a, b, c) }
        }
    }
}

versions! {
    /// A row of tiles of 16 × 16, both operands' tiles copied first.
    fn tiles(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        let (mut left, mut right) = ([0.0f32; 256], [0.0f32; 256]);
        // LLVM makes vectors along these steps, by gathers, if it knows how many there are.
        let steps = std::hint::black_box(16);
        for column in (0..n).step_by(16) {
            let mut sums = [0.0f32; 256];
            for step in (0..n).step_by(16) {
                for y in 0..16 {
                    left[y * 16..][..16].copy_from_slice(&a[y * n + step..][..16]);
                    right[y * 16..][..16].copy_from_slice(&b[(step + y) * n + column..][..16]);
                }
                // As many rows at once as hide the time of a sum.
                if LANES == 16 {
                    for y in (0..256).step_by(128) {
                        fused::<8, 16>(steps, (&left[y..], 16, 1), (&right, 16), (&mut sums[y..], 16));
                    }
                } else {
                    for y in (0..256).step_by(64) {
                        fused::<4, 16>(steps, (&left[y..], 16, 1), (&right, 16), (&mut sums[y..], 16));
                    }
                }
            }
            for (y, sums) in sums.chunks_exact(16).enumerate() {
                c[y * n + column..][..16].copy_from_slice(sums);
            }
        }
    }
}

versions! {
    /// A row of tiles of 64 × 64. The tile of `a` is turned round, so that a column lies together.
    fn blocks(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        const DEEP: usize = 128;
        let (mut left, mut right) = (vec![0.0f32; 64 * n], [0.0f32; 64 * DEEP]);
        for (y, row) in a.chunks_exact(n).enumerate() {
            for (k, a) in row.iter().enumerate() {
                left[k * 64 + y] = *a;
            }
        }
        c.fill(0.0);
        for column in (0..n).step_by(64) {
            for step in (0..n).step_by(DEEP) {
                let deep = DEEP.min(n - step);
                for k in 0..deep {
                    right[k * 64..][..64].copy_from_slice(&b[(step + k) * n + column..][..64]);
                }
                let height = if LANES == 16 { 8 } else { 4 };
                let width = if LANES == 16 { 32 } else { 16 };
                for y in (0..64).step_by(height) {
                    for x in (0..64).step_by(width) {
                        let (a, b) = ((&left[step * 64 + y..], 1, 64), (&right[x..], 64));
                        let c = (&mut c[y * n + column + x..], n);
                        if LANES == 16 { fused::<8, 32>(deep, a, b, c) } else { fused::<4, 16>(deep, a, b, c) }
                    }
                }
            }
        }
    }
}
