//! A product of square matrices as libraries compute it: each workgroup makes a tile of
//! 64 × 64 elements, each invocation 4 × 4 of them, out of tiles that the workgroup loads
//! together.
//!
//! The sizes are constants, so that the compiler unrolls the loops inside of a tile, keeps
//! the sums in registers, and leaves one condition on the lengths of the buffers, which a
//! launch looks at.

use samebits::prelude::*;

/// Rows and columns.
pub const SIZE: usize = 256;

/// `c = a · b` for matrices of `SIZE` rows of `SIZE / 4` vectors.
#[kernel(workgroup_size(16, 16))]
pub fn sgemm(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
    const ROW: usize = 256 / 4;
    // The tile of `a` on its side: 16 columns of 64 elements.
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

/// The product of two matrices of [`SIZE`] rows and columns, row by row, on a device.
pub fn on(device: &Device, left: &[f32], right: &[f32]) -> Result<Vec<f32>, Error> {
    let (a, b) = (device.upload(left)?, device.upload(right)?);
    let mut c = device.zeros::<f32>(SIZE * SIZE)?;
    let grid = Grid::groups(SIZE / 64, SIZE / 64, 1);
    sgemm::launch(device, grid, &a.view()?, &b.view()?, &mut c.view_mut()?)?;
    c.read()
}

/// The same in plain Rust, with sums in the same order.
pub fn plain(left: &[f32], right: &[f32]) -> Vec<f32> {
    let mut product = vec![0.0f32; SIZE * SIZE];
    for (sums, left) in product.chunks_mut(SIZE).zip(left.chunks(SIZE)) {
        for (&factor, right) in left.iter().zip(right.chunks(SIZE)) {
            for (sum, &other) in sums.iter_mut().zip(right) {
                *sum = other.mul_add(factor, *sum);
            }
        }
    }
    product
}
