//! Primitive arrays of Arrow: columns of numbers, some of which may be null.
//!
//! A buffer has no nulls. So [`upload`] takes arrays without one, and [`upload_with_nulls`] also says which numbers are
//! there, in a second buffer: number `i` is null unless bit `i % 32` of word `i / 32` is set.
//!
//! ```
//! use arrow_array::Float32Array;
//! use arrow_array::types::Float32Type;
//! use samebits::data;
//! use samebits::prelude::*;
//!
//! /// Each number's square; a null stays null.
//! #[kernel]
//! fn squares(x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] = x[i] * x[i];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let column = Float32Array::from(vec![Some(1.5), None, Some(-2.0)]);
//! let (x, there) = data::arrow::upload_with_nulls(&device, &column)?;
//! let mut y = device.zeros(x.len())?;
//! squares::launch(&device, x.len(), &x, &mut y)?;
//! let column = data::arrow::read_with_nulls::<Float32Type>(&y, &there)?;
//! assert_eq!(column, Float32Array::from(vec![Some(2.25), None, Some(4.0)]));
//! # Ok::<(), Error>(())
//! ```

use super::refused;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::view::Readable;
use ::arrow_array::types::ArrowPrimitiveType;
use ::arrow_array::{Array, PrimitiveArray};
use ::arrow_buffer::{NullBuffer, ScalarBuffer};

/// The crate arrow-array, of the version that these functions speak of.
pub use ::arrow_array;
/// The crate arrow-buffer, of the version that these functions speak of.
pub use ::arrow_buffer;

/// How many numbers a word says of whether they are there.
const BITS: usize = 32;

/// A buffer that holds a copy of the numbers of an array without nulls.
///
/// # Errors
///
/// [`Error::Data`] if a number is null.
///
/// ```
/// use arrow_array::Int64Array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let device = Device::interpreter();
/// let column = Int64Array::from(vec![3, -4, 5]);
/// assert_eq!(data::arrow::upload(&device, &column.slice(1, 2))?.read()?, [-4, 5]);
/// let error = data::arrow::upload(&device, &Int64Array::from(vec![Some(1), None])).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "1 of the 2 numbers of an array is null; fill it in first, or use `upload_with_nulls`"
/// );
/// # Ok::<(), Error>(())
/// ```
pub fn upload<P: ArrowPrimitiveType<Native: Element>>(
    device: &Device,
    array: &PrimitiveArray<P>,
) -> Result<Buffer<P::Native>, Error> {
    match array.null_count() {
        0 => device.upload(array.values()),
        nulls => {
            let (verb, which) = if nulls == 1 { ("is", "it") } else { ("are", "them") };
            Err(refused(format!(
                "{nulls} of the {} numbers of an array {verb} null; fill {which} in first, or use `upload_with_nulls`",
                array.len()
            )))
        }
    }
}

/// A buffer of an array's numbers, with a zero for each null, and a buffer that says which are there: number `i` is null
/// unless bit `i % 32` of word `i / 32` is set. Bits behind the last number are not set.
///
/// ```
/// use arrow_array::UInt8Array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let column = UInt8Array::from(vec![None, Some(7), Some(0)]);
/// let (numbers, there) = data::arrow::upload_with_nulls(&Device::interpreter(), &column)?;
/// assert_eq!((numbers.read()?, there.read()?), (vec![0, 7, 0], vec![0b110]));
/// # Ok::<(), Error>(())
/// ```
pub fn upload_with_nulls<P: ArrowPrimitiveType<Native: Element>>(
    device: &Device,
    array: &PrimitiveArray<P>,
) -> Result<(Buffer<P::Native>, Buffer<u32>), Error> {
    let mut words = vec![0u32; array.len().div_ceil(BITS)];
    for i in (0..array.len()).filter(|i| array.is_valid(*i)) {
        words[i / BITS] |= 1 << (i % BITS);
    }
    let numbers = if array.null_count() == 0 {
        device.upload(array.values())?
    } else {
        // Arrow leaves any bytes where a number is null, and the bits of a result must not depend on them.
        let numbers = array.iter().map(|number| number.unwrap_or_default());
        device.upload_vec(numbers.collect())?
    };
    Ok((numbers, device.upload_vec(words)?))
}

/// The numbers of a buffer or a view as an array without nulls.
///
/// ```
/// use arrow_array::Float64Array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let buffer = Device::interpreter().upload(&[0.5, 1.5])?;
/// let column: Float64Array = data::arrow::read(&buffer)?;
/// assert_eq!(column, Float64Array::from(vec![0.5, 1.5]));
/// # Ok::<(), Error>(())
/// ```
pub fn read<P: ArrowPrimitiveType<Native: Element>>(
    buffer: &impl Readable<P::Native>,
) -> Result<PrimitiveArray<P>, Error> {
    Ok(PrimitiveArray::new(ScalarBuffer::from(buffer.as_view().read()?), None))
}

/// The numbers of a buffer or a view as an array, of which `there` says which are not null, as
/// [`upload_with_nulls`] does.
///
/// # Errors
///
/// [`Error::Data`] if `there` has not a word for each 32 numbers, and what a [read](Buffer::read) may fail with.
///
/// ```
/// use arrow_array::UInt32Array;
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let device = Device::interpreter();
/// let (numbers, there) = (device.upload(&[7u32, 8, 9])?, device.upload(&[0b101u32])?);
/// let column: UInt32Array = data::arrow::read_with_nulls(&numbers, &there)?;
/// assert_eq!(column, UInt32Array::from(vec![Some(7), None, Some(9)]));
/// # Ok::<(), Error>(())
/// ```
pub fn read_with_nulls<P: ArrowPrimitiveType<Native: Element>>(
    buffer: &impl Readable<P::Native>,
    there: &impl Readable<u32>,
) -> Result<PrimitiveArray<P>, Error> {
    let (numbers, there) = (buffer.as_view(), there.as_view());
    let len = numbers.len();
    if there.len() != len.div_ceil(BITS) {
        let (words, needed) = (there.len(), len.div_ceil(BITS));
        return Err(refused(format!("{words} words cannot say which of {len} numbers are null; {needed} are needed")));
    }
    let words = there.read()?;
    let nulls = NullBuffer::from_iter((0..len).map(|i| words[i / BITS] >> (i % BITS) & 1 == 1));
    // An array without a null has no list of them.
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    Ok(PrimitiveArray::new(ScalarBuffer::from(numbers.read()?), nulls))
}
