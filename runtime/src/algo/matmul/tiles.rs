//! Kernels of matrix products: a family in tiles for GPUs, rows side by side for processors, and rows that are made
//! longer.
//!
//! Invariant: each element of a product is one chain of `mul_add` in which `k` ascends, whatever the tile. So all kernels
//! give the same bits. A tile behind the edge of a matrix loads its last row or column once more and stores nothing, so
//! that the loops have no test.

use crate::prelude::*;

/// A product in tiles of `BM` rows and `BN` columns, each by a workgroup, which takes `BK` columns of `a` at a time into
/// workgroup memory. An invocation has `TM` rows and `TN` columns of the tile, in pieces of 4 × 4 that lie apart as far
/// as all invocations reach. The 32 invocations of a subgroup lie in four rows of eight.
///
/// `deep` is how many quads a row of `a` has, and `width` how many one of `b` has. Two parts of `a` and `b` have memory of
/// their own and take turns, so that one barrier is enough for each; while one is multiplied, the next is on its way to
/// registers. `rounds` says how often both have a turn. If `OPEN` is 1, what is left of `deep` then comes after that, with
/// tests, and is filled with what adds nothing; and where `adds` is 1, the product is added to what `c` has. If `OPEN` is 0, nothing may
/// be left and nothing is added: without the code for both, a large tile has enough registers.
macro_rules! tiles {
    ($($name:ident: $bm:literal $bn:literal $bk:literal $tm:literal $tn:literal $open:tt;)*) => {$(
        #[kernel(
            workgroup_size(8, 4, BM / TM * BN / TN / 32),
            instances(BM = [$bm], BN = [$bn], BK = [$bk], TM = [$tm], TN = [$tn], OPEN = $open),
            requires(
                (a.len() + deep) * 4 >= rows * deep * 4 + rounds * BK * 2,
                b.len() >= rounds * BK * 2 * width,
                a.len() >= rows * deep,
                b.len() >= deep * 4 * width,
                c.len() >= rows * width,
                rows >= 1,
                width >= 1
            ),
            deny(guards)
        )]
        pub(super) fn $name<
            const BM: usize,
            const BN: usize,
            const BK: usize,
            const TM: usize,
            const TN: usize,
            const OPEN: usize,
        >(
            adds: u32,
            rows: usize,
            width: usize,
            deep: usize,
            rounds: usize,
            a: &[Vec4<f32>],
            b: &[Vec4<f32>],
            c: &mut [Vec4<f32>],
        ) {
            // Parts of `a` lie on their sides, so that four rows of a column are a quad.
            #[shared]
            let left: [f32; BK * BM];
            #[shared]
            let right: [Vec4<f32>; BK * BN / 4];
            #[shared]
            let other_left: [f32; BK * BM];
            #[shared]
            let other_right: [Vec4<f32>; BK * BN / 4];
            let (i, lanes) = (local_index(), BM / TM * (BN / TN));
            let x = local_id().z % (BN / TN / 8) * 8 + local_id().x;
            let y = local_id().z / (BN / TN / 8) * 4 + local_id().y;
            let (top, start) = (workgroup_id().y * BM, workgroup_id().x * (BN / 4));

            let mut sums = [Vec4::splat(0.0f32); TM * TN / 4];
            if OPEN == 1 && adds == 1 {
                #[unroll]
                for q in 0..TM / 4 {
                    #[unroll]
                    for j in 0..TN / 4 {
                        let (row, column) = (top + q * (BM / TM * 4) + y * 4, start + j * (BN / TN) + x);
                        if row < rows && column < width {
                            sums[q * TN + j] = c[row * width + column];
                        }
                        if row + 1 < rows && column < width {
                            sums[q * TN + TN / 4 + j] = c[(row + 1) * width + column];
                        }
                        if row + 2 < rows && column < width {
                            sums[q * TN + TN / 2 + j] = c[(row + 2) * width + column];
                        }
                        if row + 3 < rows && column < width {
                            sums[q * TN + TN / 4 * 3 + j] = c[(row + 3) * width + column];
                        }
                    }
                }
            }

            let mut next_left = [Vec4::splat(0.0f32); BK * TM * TN / 4 / BN];
            let mut next_right = [Vec4::splat(0.0f32); BK * TM * TN / 4 / BM];
            if rounds >= 1 {
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BN {
                    let at = e * lanes + i;
                    let row = (top + at / (BK / 4)).min(rows - 1);
                    next_left[e] = a[row * deep + 0 * (BK / 4) + at % (BK / 4)];
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BM {
                    let at = e * lanes + i;
                    let column = (start + at % (BN / 4)).min(width - 1);
                    next_right[e] = b[(0 * BK + at / (BN / 4)) * width + column];
                }
            }
            for round in 0..rounds {
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BN {
                    let at = e * lanes + i;
                    let to = at % (BK / 4) * (4 * BM) + at / (BK / 4);
                    left[to] = next_left[e].x;
                    left[to + BM] = next_left[e].y;
                    left[to + BM * 2] = next_left[e].z;
                    left[to + BM * 3] = next_left[e].w;
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BM {
                    right[e * lanes + i] = next_right[e];
                }
                workgroup_barrier();
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BN {
                    let at = e * lanes + i;
                    let row = (top + at / (BK / 4)).min(rows - 1);
                    next_left[e] = a[row * deep + (round * 2 + 1) * (BK / 4) + at % (BK / 4)];
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BM {
                    let at = e * lanes + i;
                    let column = (start + at % (BN / 4)).min(width - 1);
                    next_right[e] = b[((round * 2 + 1) * BK + at / (BN / 4)) * width + column];
                }
                #[unroll]
                for k in 0..BK {
                    #[unroll]
                    for r in 0..TM {
                        let factor = Vec4::splat(left[k * BM + r / 4 * (BM / TM * 4) + y * 4 + r % 4]);
                        #[unroll]
                        for j in 0..TN / 4 {
                            let quad = right[k * (BN / 4) + j * (BN / TN) + x];
                            sums[r * (TN / 4) + j] = quad.mul_add(factor, sums[r * (TN / 4) + j]);
                        }
                    }
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BN {
                    let at = e * lanes + i;
                    let to = at % (BK / 4) * (4 * BM) + at / (BK / 4);
                    other_left[to] = next_left[e].x;
                    other_left[to + BM] = next_left[e].y;
                    other_left[to + BM * 2] = next_left[e].z;
                    other_left[to + BM * 3] = next_left[e].w;
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BM {
                    other_right[e * lanes + i] = next_right[e];
                }
                workgroup_barrier();
                if round + 1 < rounds {
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BN {
                    let at = e * lanes + i;
                    let row = (top + at / (BK / 4)).min(rows - 1);
                    next_left[e] = a[row * deep + (round * 2 + 2) * (BK / 4) + at % (BK / 4)];
                }
                #[unroll]
                for e in 0..BK * TM * TN / 4 / BM {
                    let at = e * lanes + i;
                    let column = (start + at % (BN / 4)).min(width - 1);
                    next_right[e] = b[((round * 2 + 2) * BK + at / (BN / 4)) * width + column];
                }
                }
                #[unroll]
                for k in 0..BK {
                    #[unroll]
                    for r in 0..TM {
                        let factor = Vec4::splat(other_left[k * BM + r / 4 * (BM / TM * 4) + y * 4 + r % 4]);
                        #[unroll]
                        for j in 0..TN / 4 {
                            let quad = other_right[k * (BN / 4) + j * (BN / TN) + x];
                            sums[r * (TN / 4) + j] = quad.mul_add(factor, sums[r * (TN / 4) + j]);
                        }
                    }
                }
            }
            if OPEN == 1 {
                for done in (rounds * (BK / 2)..deep).step_by(BK / 4) {
                    #[unroll]
                    for e in 0..BK * TM * TN / 4 / BN {
                        let at = e * lanes + i;
                        let (row, quad) = ((top + at / (BK / 4)).min(rows - 1), done + at % (BK / 4));
                        next_left[e] = Vec4::splat(-0.0f32);
                        if quad < deep {
                            next_left[e] = a[row * deep + quad];
                        }
                    }
                    #[unroll]
                    for e in 0..BK * TM * TN / 4 / BM {
                        let at = e * lanes + i;
                        let (row, column) = (done * 4 + at / (BN / 4), (start + at % (BN / 4)).min(width - 1));
                        next_right[e] = Vec4::splat(0.0f32);
                        if row < deep * 4 {
                            next_right[e] = b[row * width + column];
                        }
                    }
                    #[unroll]
                    for e in 0..BK * TM * TN / 4 / BN {
                        let at = e * lanes + i;
                        let to = at % (BK / 4) * (4 * BM) + at / (BK / 4);
                        left[to] = next_left[e].x;
                        left[to + BM] = next_left[e].y;
                        left[to + BM * 2] = next_left[e].z;
                        left[to + BM * 3] = next_left[e].w;
                    }
                    #[unroll]
                    for e in 0..BK * TM * TN / 4 / BM {
                        right[e * lanes + i] = next_right[e];
                    }
                    workgroup_barrier();
                    #[unroll]
                    for k in 0..BK {
                        #[unroll]
                        for r in 0..TM {
                            let factor = Vec4::splat(left[k * BM + r / 4 * (BM / TM * 4) + y * 4 + r % 4]);
                            #[unroll]
                            for j in 0..TN / 4 {
                                let quad = right[k * (BN / 4) + j * (BN / TN) + x];
                                sums[r * (TN / 4) + j] = quad.mul_add(factor, sums[r * (TN / 4) + j]);
                            }
                        }
                    }
                    workgroup_barrier();
                }
            }
            // One row after the other, since a loop over rows is too much for the proof that invocations keep apart.
            #[unroll]
            for q in 0..TM / 4 {
                #[unroll]
                for j in 0..TN / 4 {
                    let (row, column) = (top + q * (BM / TM * 4) + y * 4, start + j * (BN / TN) + x);
                    if row < rows && column < width {
                        c[row * width + column] = sums[q * TN + j];
                    }
                    if row + 1 < rows && column < width {
                        c[(row + 1) * width + column] = sums[q * TN + TN / 4 + j];
                    }
                    if row + 2 < rows && column < width {
                        c[(row + 2) * width + column] = sums[q * TN + TN / 2 + j];
                    }
                    if row + 3 < rows && column < width {
                        c[(row + 3) * width + column] = sums[q * TN + TN / 4 * 3 + j];
                    }
                }
            }
        }
    )*};
}
tiles! {
    product_128: 128 128 8 8 8 [0];
    product_64: 64 64 8 8 4 [0, 1];
    product_32: 32 64 8 8 4 [1];
    product_32_by_more: 32 64 16 4 4 [1];
}

/// Rows that an invocation of [`product_in_rows`] has.
#[device]
pub(super) const ROWS: usize = 8;

/// A product for processors: neighbours have neighbouring columns, and each `ROWS` rows of one. It needs no workgroup
/// memory, as what it reads again is in the processor's cache.
#[kernel(
    workgroup_size(64),
    requires(rows >= 1, a.len() >= rows * depth, b.len() >= depth * columns, c.len() >= rows * columns),
    deny(guards)
)]
pub(super) fn product_in_rows(
    adds: u32,
    rows: usize,
    depth: usize,
    columns: usize,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
) {
    let (top, column) = (workgroup_id().y * ROWS, global_id().x);
    if column < columns {
        let mut sums = [0.0f32; ROWS];
        if adds == 1 {
            for r in 0..ROWS {
                if top + r < rows {
                    sums[r] = c[(top + r) * columns + column];
                }
            }
        }
        for k in 0..depth {
            let other = b[k * columns + column];
            for r in 0..ROWS {
                sums[r] = other.mul_add(a[(top + r).min(rows - 1) * depth + k], sums[r]);
            }
        }
        for r in 0..ROWS {
            if top + r < rows {
                c[(top + r) * columns + column] = sums[r];
            }
        }
    }
}

/// Rows of `width` numbers become rows of `wider` numbers: what is missing is `fill`, in rows behind the last one too,
/// and what is too much is left out.
#[kernel(workgroup_size(64, 4), requires(from.len() >= rows * width, to.len() >= taller * wider), deny(guards))]
pub(super) fn fit(rows: usize, width: usize, taller: usize, wider: usize, fill: f32, from: &[f32], to: &mut [f32]) {
    let (row, column) = (global_id().y, global_id().x);
    if row < taller && column < wider {
        let mut value = fill;
        if row < rows && column < width {
            value = from[row * width + column];
        }
        to[row * wider + column] = value;
    }
}
