//! Transposition, in tiles of workgroup memory, so that rows are read and written as they lie.

use super::scratch::{Scratch, addressable};
use crate::prelude::*;
use crate::view::{Readable, Writable};

/// A tile of 32 rows and columns each workgroup, four rows each invocation. Rows of the tile are longer by an element, so
/// that a column lies in different banks.
#[kernel(workgroup_size(32, 8), instances(T = [u32, Vec2<u32>]))]
fn transpose_tiles<T: Element>(rows: usize, columns: usize, x: &[T], y: &mut [T]) {
    #[shared]
    let tile: [[T; 33]; 32];
    let (i, j) = (local_id().x, local_id().y);
    let (left, top) = (workgroup_id().x * 32, workgroup_id().y * 32);
    #[unroll]
    for k in 0..4 {
        let (row, column) = (top + j + 8 * k, left + i);
        if row < rows && column < columns {
            tile[j + 8 * k][i] = x[row * columns + column];
        }
    }
    workgroup_barrier();
    #[unroll]
    for k in 0..4 {
        let (row, column) = (left + j + 8 * k, top + i);
        if row < columns && column < rows {
            y[row * rows + column] = tile[i][j + 8 * k];
        }
    }
}

/// Writes a matrix of so many rows, which lie one after the other in `x`, to `y` with rows and columns exchanged.
///
/// - *Elements*: of any type of 4 or 8 bytes.
/// - *Time*: reads and writes each element once.
/// - *Temporary memory*: none.
/// - *Determinism*: the same bits on every device.
/// - *Errors*: [`Error::Lengths`] unless `x` is a whole number of columns long, and `y` as long;
///   [`Error::Reinterpreted`] for elements of another size; [`Error::TooManyElements`] for 2³¹ and more;
///   those of a launch.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut y = device.zeros::<f32>(6)?;
/// algo::transpose(&device, 2, &x, &mut y)?; // two rows of three
/// assert_eq!(y.read()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn transpose<T: Element>(
    device: &Device,
    rows: usize,
    x: &impl Readable<T>,
    y: &mut impl Writable<T>,
) -> Result<(), Error> {
    Scratch::new(device).transpose(rows, x, y)
}

impl Scratch {
    /// Transposes as [`transpose`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, mut y) = (device.upload(&[1u64, 2, 3, 4])?, device.zeros::<u64>(4)?);
    /// Scratch::new(&device).transpose(2, &x, &mut y)?;
    /// assert_eq!(y.read()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn transpose<T: Element>(
        &mut self,
        rows: usize,
        x: &impl Readable<T>,
        y: &mut impl Writable<T>,
    ) -> Result<(), Error> {
        let (x, mut y) = (x.as_view(), y.as_view_mut());
        let len = addressable(x.len())?;
        let columns = len.checked_div(rows).unwrap_or(0);
        if columns * rows != len {
            return Err(Error::Lengths { from: len, to: columns * rows });
        }
        if len != y.len() {
            return Err(Error::Lengths { from: len, to: y.len() });
        }
        if len == 0 {
            return Ok(());
        }
        let grid = Grid::groups(columns.div_ceil(32), rows.div_ceil(32), 1);
        let device = &self.device;
        match size_of::<T>() {
            4 => transpose_tiles::launch(device, grid, rows, columns, &x.view::<u32>()?, &mut y.view_mut::<u32>()?),
            8 => {
                let (x, mut y) = (x.view::<Vec2<u32>>()?, y.view_mut::<Vec2<u32>>()?);
                transpose_tiles::launch(device, grid, rows, columns, &x, &mut y)
            }
            element => Err(Error::Reinterpreted { bytes: len as u64 * element as u64, element: 8 }),
        }
    }
}
