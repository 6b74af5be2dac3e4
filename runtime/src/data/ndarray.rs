//! Arrays of the crate ndarray. A buffer has the elements in the order of the array's standard layout: the last index
//! runs fastest.
//!
//! ```
//! use ndarray::array;
//! use samebits::data;
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn transpose(rows: usize, columns: usize, x: &[f32], y: &mut [f32]) {
//!     let (row, column) = (global_id().y, global_id().x);
//!     if row < rows && column < columns {
//!         y[column * rows + row] = x[row * columns + column];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let array = array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! let x = data::ndarray::upload(&device, &array)?;
//! let mut y = device.zeros(x.len())?;
//! transpose::launch(&device, (3, 2), 2, 3, &x, &mut y)?;
//! assert_eq!(data::ndarray::read(&y, (3, 2))?, array.t());
//! # Ok::<(), Error>(())
//! ```

use super::refused;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::view::{Readable, Writable};
use ::ndarray::{Array, ArrayRef, Dimension, IntoDimension};

/// The crate ndarray, of the version that these functions speak of.
pub use ::ndarray;

/// A buffer that holds a copy of an array's elements.
///
/// # Errors
///
/// [`Error::Data`] if the array is not in standard layout, as a transposed one or one of every second row is.
///
/// ```
/// use ndarray::{Array2, s};
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let device = Device::interpreter();
/// let array = Array2::<u32>::from_shape_fn((4, 3), |(row, column)| (10 * row + column) as u32);
/// let rows = data::ndarray::upload(&device, &array.slice(s![1..3, ..]))?;
/// assert_eq!(rows.read()?, [10, 11, 12, 20, 21, 22]);
///
/// let columns = array.slice(s![.., 1..]);
/// assert!(data::ndarray::upload(&device, &columns).is_err());
/// let columns = data::ndarray::upload(&device, &columns.as_standard_layout())?;
/// assert_eq!(columns.read()?, [1, 2, 11, 12, 21, 22, 31, 32]);
/// # Ok::<(), Error>(())
/// ```
pub fn upload<T: Element, D: Dimension>(device: &Device, array: &ArrayRef<T, D>) -> Result<Buffer<T>, Error> {
    device.upload(elements(array)?)
}

/// The elements of a buffer or a view as an array of this shape, such as `(rows, columns)`.
///
/// # Errors
///
/// [`Error::Data`] if the shape has another number of elements, and what a [read](Buffer::read) may fail with.
///
/// ```
/// use ndarray::array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let buffer = Device::interpreter().upload(&[1u8, 2, 3, 4, 5, 6])?;
/// assert_eq!(data::ndarray::read(&buffer, (2, 3))?, array![[1, 2, 3], [4, 5, 6]]);
/// let error = data::ndarray::read(&buffer, (2, 2)).unwrap_err();
/// assert_eq!(error.to_string(), "an array of shape [2, 2] is not made of 6 elements");
/// # Ok::<(), Error>(())
/// ```
pub fn read<T: Element, I: IntoDimension>(buffer: &impl Readable<T>, shape: I) -> Result<Array<T, I::Dim>, Error> {
    let (view, shape) = (buffer.as_view(), shape.into_dimension());
    // Before the device is waited for.
    let sides = shape.slice();
    let wrong = || refused(format!("an array of shape {sides:?} is not made of {} elements", view.len()));
    if sides.iter().try_fold(1usize, |product, side| product.checked_mul(*side)) != Some(view.len()) {
        return Err(wrong());
    }
    Array::from_shape_vec(shape.clone(), view.read()?).map_err(|_| wrong())
}

/// Copies the elements of a buffer or a view over those of an array.
///
/// # Errors
///
/// [`Error::Data`] if the array is not in standard layout, and what [`read_into`](Buffer::read_into) may fail with, such as
/// another number of elements.
///
/// ```
/// use ndarray::Array2;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let buffer = Device::interpreter().upload(&[1i32, 2, 3, 4])?;
/// let mut array = Array2::zeros((2, 2));
/// data::ndarray::read_into(&buffer, &mut array)?;
/// assert_eq!(array[(1, 0)], 3);
/// # Ok::<(), Error>(())
/// ```
pub fn read_into<T: Element, D: Dimension>(buffer: &impl Readable<T>, array: &mut ArrayRef<T, D>) -> Result<(), Error> {
    let shape = array.shape().to_vec();
    buffer.as_view().read_into(array.as_slice_mut().ok_or_else(|| strided(&shape))?)
}

/// Copies an array's elements to a buffer or a view, from its element `offset` on.
///
/// # Errors
///
/// [`Error::Data`] if the array is not in standard layout, and what a [write](Buffer::write) may fail with.
///
/// ```
/// use ndarray::array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let mut buffer = Device::interpreter().zeros::<u16>(6)?;
/// data::ndarray::write(&mut buffer, 2, &array![[1, 2], [3, 4]])?;
/// assert_eq!(buffer.read()?, [0, 0, 1, 2, 3, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn write<T: Element, D: Dimension>(
    buffer: &mut impl Writable<T>,
    offset: usize,
    array: &ArrayRef<T, D>,
) -> Result<(), Error> {
    buffer.as_view_mut().write(offset, elements(array)?)
}

fn elements<T, D: Dimension>(array: &ArrayRef<T, D>) -> Result<&[T], Error> {
    array.as_slice().ok_or_else(|| strided(array.shape()))
}

fn strided(shape: &[usize]) -> Error {
    refused(format!(
        "an array of shape {shape:?} is not in standard layout, in which the last index runs fastest and no element is left out; copy it with `as_standard_layout()`"
    ))
}
