//! The product of two matrices, in tiles of 16 by 16 that a workgroup holds in its memory.
//!
//! Each element is a sum in the order of plain Rust's innermost loop, so that it has the
//! same bits.

use samebits::prelude::*;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// How many rows it has.
    pub rows: usize,
    /// How many columns it has.
    pub columns: usize,
    /// Its elements, `rows * columns` of them.
    pub elements: Vec<f32>,
}

impl Matrix {
    /// A matrix of small numbers of both signs, the same ones for each seed.
    pub fn of_numbers(seed: u32, rows: usize, columns: usize) -> Self {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        Self { rows, columns, elements: (0..rows * columns).map(|_| next()).collect() }
    }

    /// The bits of the elements; equal bits are more than equal numbers.
    pub fn bits(&self) -> Vec<u32> {
        self.elements.iter().map(|element| element.to_bits()).collect()
    }
}

/// `c = a * b`, `a` having `rows` rows and `inner` columns, and `b` having `columns` columns.
#[kernel(workgroup_size(16, 16))]
pub(crate) fn multiply(rows: usize, inner: usize, columns: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    #[shared]
    let left: [[f32; 16]; 16];
    #[shared]
    let right: [[f32; 16]; 16];

    let row = global_id().y;
    let column = global_id().x;
    let y = local_id().y;
    let x = local_id().x;
    let mut sum = 0.0;
    let mut first = 0;
    while first < inner {
        // Outside of the matrices there are zeros, which leave the sum as it is.
        left[y][x] = if row < rows && first + x < inner { a[row * inner + first + x] } else { 0.0 };
        right[y][x] = if first + y < inner && column < columns { b[(first + y) * columns + column] } else { 0.0 };
        workgroup_barrier();
        for k in 0..16 {
            sum += left[y][k] * right[k][x];
        }
        workgroup_barrier();
        first += 16;
    }
    if row < rows && column < columns {
        c[row * columns + column] = sum;
    }
}

/// The product, computed on a device.
///
/// `left` must have as many columns as `right` has rows.
pub fn on(device: &Device, left: &Matrix, right: &Matrix) -> Result<Matrix, Error> {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    let a = device.upload(&left.elements)?;
    let b = device.upload(&right.elements)?;
    let mut c = device.zeros(rows * columns)?;
    multiply::launch(device, (columns, rows), rows, inner, columns, &a, &b, &mut c)?;
    Ok(Matrix { rows, columns, elements: c.read()? })
}

/// The same in plain Rust.
pub fn plain(left: &Matrix, right: &Matrix) -> Matrix {
    let (rows, inner, columns) = (left.rows, left.columns, right.columns);
    let mut elements = vec![0.0f32; rows * columns];
    for row in 0..rows {
        // The innermost loop runs along rows, which is quick; each sum still grows with `k`.
        for k in 0..inner {
            for column in 0..columns {
                elements[row * columns + column] +=
                    left.elements[row * inner + k] * right.elements[k * columns + column];
            }
        }
    }
    Matrix { rows, columns, elements }
}
