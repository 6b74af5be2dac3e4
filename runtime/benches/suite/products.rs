//! Products of square matrices in tiles: the suite's kernels whose sizes are constants, so that
//! loops over tiles unroll and sums stay in registers.

use crate::kernels::both;

/// The products of `$size` rows and columns, of `f64` of `$double`.
macro_rules! products {
    ($size:literal, $double:literal) => {
        // 64 × 64 × 16, 4 × 4 elements an invocation.
        both! {
            [workgroup_size(16, 16)]
            sgemm_64(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
                const ROW: usize = $size / 4;
                #[shared]
                let left: [f32; 1024];
                #[shared]
                let right: [Vec4<f32>; 256];
                let (x, y, i) = (local_id().x, local_id().y, local_index());
                let (row, column) = (workgroup_id().y * 64, workgroup_id().x * 16);
                let mut sums = [Vec4::splat(0.0f32); 4];
                for step in 0..ROW / 4 {
                    let v = a[(row + i / 4) * ROW + step * 4 + i % 4];
                    left[(i % 4) * 256 + i / 4] = v.x;
                    left[(i % 4) * 256 + 64 + i / 4] = v.y;
                    left[(i % 4) * 256 + 128 + i / 4] = v.z;
                    left[(i % 4) * 256 + 192 + i / 4] = v.w;
                    right[i] = b[(step * 16 + i / 16) * ROW + column + i % 16];
                    workgroup_barrier();
                    for k in 0..16 {
                        let v = right[k * 16 + x];
                        for r in 0..4 {
                            sums[r] = v.mul_add(Vec4::splat(left[k * 64 + y * 4 + r]), sums[r]);
                        }
                    }
                    workgroup_barrier();
                }
                for r in 0..4 {
                    c[(row + y * 4 + r) * ROW + column + x] = sums[r];
                }
            }
        }
        // The same without `mul_add`.
        both! {
            [workgroup_size(16, 16)]
            sgemm_64_unfused(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
                const ROW: usize = $size / 4;
                #[shared]
                let left: [f32; 1024];
                #[shared]
                let right: [Vec4<f32>; 256];
                let (x, y, i) = (local_id().x, local_id().y, local_index());
                let (row, column) = (workgroup_id().y * 64, workgroup_id().x * 16);
                let mut sums = [Vec4::splat(0.0f32); 4];
                for step in 0..ROW / 4 {
                    let v = a[(row + i / 4) * ROW + step * 4 + i % 4];
                    left[(i % 4) * 256 + i / 4] = v.x;
                    left[(i % 4) * 256 + 64 + i / 4] = v.y;
                    left[(i % 4) * 256 + 128 + i / 4] = v.z;
                    left[(i % 4) * 256 + 192 + i / 4] = v.w;
                    right[i] = b[(step * 16 + i / 16) * ROW + column + i % 16];
                    workgroup_barrier();
                    for k in 0..16 {
                        let v = right[k * 16 + x];
                        for r in 0..4 {
                            sums[r] = v * left[k * 64 + y * 4 + r] + sums[r];
                        }
                    }
                    workgroup_barrier();
                }
                for r in 0..4 {
                    c[(row + y * 4 + r) * ROW + column + x] = sums[r];
                }
            }
        }
        // 128 × 128 × 8, 8 × 8 elements an invocation in quads; 32 neighbours make 8 × 4 of them.
        // The next tile is on its way while this one is multiplied.
        both! {
            [workgroup_size(256)]
            sgemm_128(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
                const ROW: usize = $size / 4;
                #[shared]
                let left: [f32; 1024];
                #[shared]
                let right: [Vec4<f32>; 256];
                let i = local_index();
                let (x, y) = (i / 32 % 2 * 8 + i % 8, i / 64 * 4 + i % 32 / 8);
                let (row, column) = (workgroup_id().y * 128, workgroup_id().x * 32);
                let mut sums = [Vec4::splat(0.0f32); 16];
                let mut next_left = a[(row + i / 2) * ROW + i % 2];
                let mut next_right = b[i / 32 * ROW + column + i % 32];
                for step in 0..ROW / 2 {
                    left[(i % 2) * 512 + i / 2] = next_left.x;
                    left[(i % 2) * 512 + 128 + i / 2] = next_left.y;
                    left[(i % 2) * 512 + 256 + i / 2] = next_left.z;
                    left[(i % 2) * 512 + 384 + i / 2] = next_left.w;
                    right[i] = next_right;
                    workgroup_barrier();
                    if step + 1 < ROW / 2 {
                        next_left = a[(row + i / 2) * ROW + (step + 1) * 2 + i % 2];
                        next_right = b[((step + 1) * 8 + i / 32) * ROW + column + i % 32];
                    }
                    for k in 0..8 {
                        let near = right[k * 32 + x];
                        let far = right[k * 32 + 16 + x];
                        for r in 0..8 {
                            let factor = Vec4::splat(left[k * 128 + r / 4 * 64 + y * 4 + r % 4]);
                            sums[r * 2] = near.mul_add(factor, sums[r * 2]);
                            sums[r * 2 + 1] = far.mul_add(factor, sums[r * 2 + 1]);
                        }
                    }
                    workgroup_barrier();
                }
                for r in 0..8 {
                    let at = (row + r / 4 * 64 + y * 4 + r % 4) * ROW + column + x;
                    c[at] = sums[r * 2];
                    c[at + 16] = sums[r * 2 + 1];
                }
            }
        }
        // The same tile with 16 × 8 elements an invocation.
        both! {
            [workgroup_size(128)]
            sgemm_128_deep(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
                const ROW: usize = $size / 4;
                #[shared]
                let left: [f32; 1024];
                #[shared]
                let right: [Vec4<f32>; 256];
                let i = local_index();
                let (x, y) = (i / 32 % 2 * 8 + i % 8, i / 64 * 4 + i % 32 / 8);
                let (row, column) = (workgroup_id().y * 128, workgroup_id().x * 32);
                let mut sums = [Vec4::splat(0.0f32); 32];
                let mut next_left = [Vec4::splat(0.0f32); 2];
                let mut next_right = [Vec4::splat(0.0f32); 2];
                for e in 0..2 {
                    next_left[e] = a[(row + e * 64 + i / 2) * ROW + i % 2];
                    next_right[e] = b[(e * 4 + i / 32) * ROW + column + i % 32];
                }
                for step in 0..ROW / 2 {
                    for e in 0..2 {
                        let at = (i % 2) * 512 + e * 64 + i / 2;
                        left[at] = next_left[e].x;
                        left[at + 128] = next_left[e].y;
                        left[at + 256] = next_left[e].z;
                        left[at + 384] = next_left[e].w;
                        right[e * 128 + i] = next_right[e];
                    }
                    workgroup_barrier();
                    if step + 1 < ROW / 2 {
                        for e in 0..2 {
                            next_left[e] = a[(row + e * 64 + i / 2) * ROW + (step + 1) * 2 + i % 2];
                            next_right[e] = b[((step + 1) * 8 + e * 4 + i / 32) * ROW + column + i % 32];
                        }
                    }
                    for k in 0..8 {
                        let near = right[k * 32 + x];
                        let far = right[k * 32 + 16 + x];
                        for r in 0..16 {
                            let factor = Vec4::splat(left[k * 128 + r / 4 * 32 + y * 4 + r % 4]);
                            sums[r * 2] = near.mul_add(factor, sums[r * 2]);
                            sums[r * 2 + 1] = far.mul_add(factor, sums[r * 2 + 1]);
                        }
                    }
                    workgroup_barrier();
                }
                for r in 0..16 {
                    let at = (row + r / 4 * 32 + y * 4 + r % 4) * ROW + column + x;
                    c[at] = sums[r * 2];
                    c[at + 16] = sums[r * 2 + 1];
                }
            }
        }
        // 32 × 32 × 32, one element an invocation.
        both! {
            [workgroup_size(32, 32), limits(invocations = 1024)]
            sgemm_tile(a: &[f32], b: &[f32], c: &mut [f32]) {
                const ROW: usize = $size;
                #[shared]
                let left: [[f32; 32]; 32];
                #[shared]
                let right: [[f32; 32]; 32];
                let (x, y) = (local_id().x, local_id().y);
                let (i, j) = (global_id().x, global_id().y);
                let mut sum = 0.0f32;
                for step in 0..ROW / 32 {
                    left[y][x] = a[j * ROW + step * 32 + x];
                    right[y][x] = b[(step * 32 + y) * ROW + i];
                    workgroup_barrier();
                    for k in 0..32 {
                        sum = left[y][k].mul_add(right[k][x], sum);
                    }
                    workgroup_barrier();
                }
                c[j * ROW + i] = sum;
            }
        }
        // 64 × 64 × 16, 4 × 4 elements an invocation, 16 apart.
        both! {
            [workgroup_size(16, 16), features(f64)]
            dgemm(a: &[f64], b: &[f64], c: &mut [f64]) {
                const ROW: usize = $double;
                #[shared]
                let left: [f64; 1024];
                #[shared]
                let right: [f64; 1024];
                let (x, y, i) = (local_id().x, local_id().y, local_index());
                let (row, column) = (workgroup_id().y * 64, workgroup_id().x * 64);
                let mut sums = [0.0f64; 16];
                for step in 0..ROW / 16 {
                    for e in 0..4 {
                        left[i % 16 * 64 + e * 16 + i / 16] = a[(row + e * 16 + i / 16) * ROW + step * 16 + i % 16];
                        right[e * 256 + i] = b[(step * 16 + e * 4 + i / 64) * ROW + column + i % 64];
                    }
                    workgroup_barrier();
                    #[unroll]
                    for k in 0..16 {
                        for r in 0..4 {
                            for q in 0..4 {
                                let sum = sums[r * 4 + q];
                                sums[r * 4 + q] = left[k * 64 + r * 16 + y].mul_add(right[k * 64 + q * 16 + x], sum);
                            }
                        }
                    }
                    workgroup_barrier();
                }
                for r in 0..4 {
                    for q in 0..4 {
                        c[(row + r * 16 + y) * ROW + column + q * 16 + x] = sums[r * 4 + q];
                    }
                }
            }
        }
    };
}

pub mod small {
    use super::both;
    products!(256, 128);
}
pub mod full {
    use super::both;
    products!(4096, 1024);
}
