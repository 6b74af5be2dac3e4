//! Typed memory on a device.
//!
//! Invariants: a buffer has fewer than 2³² elements and no more bytes than its device
//! allows; its memory is never empty, so that it can always be bound; it holds its device
//! open. Work that is queued keeps the memory that it uses, so a buffer may be dropped at
//! any time.

use crate::backend::Memory;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

/// Bytes of an empty buffer's memory: enough for an element of any type.
const SMALLEST: u64 = 256;

/// Elements in the memory of a device.
///
/// ```
/// use samebits::prelude::*;
/// let device = Device::interpreter();
/// let mut buffer = device.zeros::<u32>(4)?;
/// buffer.write(1, &[7, 8])?;
/// assert_eq!(buffer.read()?, [0, 7, 8, 0]);
/// # Ok::<(), Error>(())
/// ```
pub struct Buffer<T: Element> {
    // Before the device: memory goes before its device is closed.
    memory: Arc<Memory>,
    device: Device,
    len: u32,
    element: PhantomData<T>,
}

impl Device {
    /// A buffer that holds a copy of the elements.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let buffer = Device::interpreter().upload(&[1i32, -2, 3])?;
    /// assert_eq!(buffer.len(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, Error> {
        let mut buffer = self.zeros(elements.len())?;
        buffer.write(0, elements)?;
        Ok(buffer)
    }

    /// A buffer of this many elements, all of whose bytes are zero.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let buffer = Device::interpreter().zeros::<u32>(3)?;
    /// assert_eq!(buffer.read()?, [0, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        let asked = len as u128 * size_of::<T>() as u128;
        let allowed = self.limits().buffer_bytes;
        let too_large = || Error::BufferTooLarge { device: self.name().to_owned(), asked, allowed };
        let bytes = u64::try_from(asked).ok().filter(|bytes| *bytes <= allowed).ok_or_else(too_large)?;
        let len = u32::try_from(len).map_err(|_| too_large())?;
        let memory = Arc::new(self.backend().zeros(self.name(), bytes.max(SMALLEST))?);
        Ok(Buffer { device: self.clone(), memory, len, element: PhantomData })
    }
}

impl<T: Element> Buffer<T> {
    /// The number of elements.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().zeros::<u64>(5)?.len(), 5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(Device::interpreter().zeros::<u64>(0)?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that the buffer belongs to.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// assert_eq!(device.zeros::<u32>(1)?.device().name(), device.name());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The elements, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().upload(&[1u64, 2])?.read()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read(&self) -> Result<Vec<T>, Error> {
        self.read_range(..)
    }

    /// Some of the elements, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().upload(&[1u32, 2, 3])?.read_range(1..)?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>, Error> {
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => self.len(),
        };
        if start > end || end > self.len() {
            return Err(Error::Range { start, end, len: self.len() });
        }
        let mut elements = Vec::new();
        let full = || Error::OutOfMemory { device: "host".to_owned(), asked: Some(self.offset(end - start)) };
        elements.try_reserve_exact(end - start).map_err(|_| full())?;
        elements.resize(end - start, T::zeroed());
        if !elements.is_empty() {
            let bytes = bytemuck::cast_slice_mut(&mut elements);
            self.device.backend().read(self.device.name(), &self.memory, self.offset(start), bytes)?;
        }
        Ok(elements)
    }

    /// Overwrites elements from `offset` on, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().zeros::<u32>(2)?;
    /// let error = buffer.write(1, &[5, 6]).unwrap_err();
    /// assert_eq!(error.to_string(), "elements 1..3 asked of a buffer of 2 elements");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write(&mut self, offset: usize, elements: &[T]) -> Result<(), Error> {
        let end = offset.saturating_add(elements.len());
        if end > self.len() {
            return Err(Error::Range { start: offset, end, len: self.len() });
        }
        if elements.is_empty() {
            return Ok(());
        }
        let bytes = bytemuck::cast_slice(elements);
        self.device.backend().write(self.device.name(), &self.memory, self.offset(offset), bytes)
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(crate) fn count(&self) -> u32 {
        self.len
    }

    /// Where the element of an index begins, in bytes.
    fn offset(&self, index: usize) -> u64 {
        index as u64 * size_of::<T>() as u64
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("device", &self.device).field("len", &self.len).finish_non_exhaustive()
    }
}
