//! The product of two matrices. Each rank has some rows of either factor and of the product.
//!
//! The ranks hand their rows of the right factor to all others, one rank after the other, so no rank ever holds the whole
//! factor. All add the products of the same rows at the same time. In a ring, in which each rank begins with its own
//! rows, there would be less waiting, but the order of each sum, and so its bits, would depend on the number of ranks.

use crate::number;
use crate::ranks::Ranks;
use samebits::prelude::*;
use std::error;

/// Adds to `c`, of `rows` rows, what `depth` columns of `a` from `first` on, of `inner` in all, make with as many rows of
/// the right factor.
#[kernel(workgroup_size(16, 16))]
fn add(rows: usize, inner: usize, columns: usize, first: usize, depth: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    #[shared]
    let left: [[f32; 16]; 16];
    #[shared]
    let right: [[f32; 16]; 16];

    let (column, row) = (global_id().x, global_id().y);
    let (x, y) = (local_id().x, local_id().y);
    let is_inside = row < rows && column < columns;
    let mut sum = if is_inside { c[row * columns + column] } else { 0.0 };
    let mut start = 0;
    while start < depth {
        left[y][x] = if row < rows && start + x < depth { a[row * inner + first + start + x] } else { 0.0 };
        right[y][x] = if start + y < depth && column < columns { b[(start + y) * columns + column] } else { 0.0 };
        workgroup_barrier();
        for k in 0..16 {
            // A sum that began with zero is never -0.0, so the zeros behind the last row leave it as it is.
            sum += left[y][k] * right[k][x];
        }
        workgroup_barrier();
        start += 16;
    }
    if is_inside {
        c[row * columns + column] = sum;
    }
}

/// An element of the left factor, which has `inner` columns.
///
/// ```
/// use samebits_cluster::product::{left, right};
/// assert_ne!(left(8, 1, 2), right(8, 1, 2));
/// ```
pub fn left(inner: usize, row: usize, column: usize) -> f32 {
    number(7, row * inner + column)
}

/// An element of the right factor, which has `columns` columns.
///
/// ```
/// use samebits_cluster::product::right;
/// assert_eq!(right(8, 1, 2), right(8, 1, 2));
/// ```
pub fn right(columns: usize, row: usize, column: usize) -> f32 {
    number(11, row * columns + column)
}

/// The product of a matrix of `rows` rows and `inner` columns and one of `inner` rows and `columns` columns, on rank 0.
pub fn run(
    ranks: &Ranks,
    device: &Device,
    (rows, inner, columns): (usize, usize, usize),
) -> Result<Option<Vec<f32>>, Box<dyn error::Error>> {
    // The right factor and the product have rows of one width.
    let (of_left, of_right, of_product) =
        (ranks.rows(rows, inner)?, ranks.rows(inner, columns)?, ranks.rows(rows, columns)?);
    let own = of_left.own();
    let a: Vec<f32> = own.clone().flat_map(|row| (0..inner).map(move |column| left(inner, row, column))).collect();
    let a = device.upload(&a)?;
    let mut c = device.zeros::<f32>(own.len() * columns)?;
    for (from, part) in of_right.all().iter().enumerate() {
        let mut b: Vec<f32> = if from == ranks.rank() {
            part.clone().flat_map(|row| (0..columns).map(move |column| right(columns, row, column))).collect()
        } else {
            vec![0.0; part.len() * columns]
        };
        ranks.broadcast(from, &mut b);
        let b = device.upload(&b)?;
        let grid = (columns, own.len());
        add::launch(device, grid, own.len(), inner, columns, part.start, part.len(), &a, &b, &mut c)?;
    }
    Ok(ranks.gather_first(&of_product, &c.read()?))
}
