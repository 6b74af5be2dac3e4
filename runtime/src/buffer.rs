//! Typed memory on a device. Parts of it are [views](View).
//!
//! Invariants:
//!
//! - A buffer has fewer than 2³² elements and no more bytes than its device allows.
//! - It keeps its device open.
//! - It has one handle, so that a mutable borrow of the handle is exclusive access.
//! - Queued work keeps the memory that it uses, so a buffer may be dropped at any time.

use crate::argument::Arg;
use crate::backend::{HostMemory, Memory};
use crate::device::Device;
use crate::element::{Element, bytes_of, is_sound};
use crate::error::Error;
use crate::later::Later;
use crate::span::Span;
use crate::view::{Readable, View, ViewMut, Writable, sealed::Sealed};
use samebits_ir::ir::Access;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

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
    memory: Memory,
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
        self.holding(elements.len(), bytes_of(elements))
    }

    /// A buffer of so many elements that these bytes are.
    fn holding<T: Element>(&self, len: usize, bytes: &[u8]) -> Result<Buffer<T>, Error> {
        let (len, room) = self.allowed::<T>(len)?;
        let memory = self.any().uninitialised(room)?;
        let buffer = Buffer { device: self.clone(), memory, len, element: PhantomData };
        // The last word is the buffer's alone, also where its elements end within it.
        let (words, rest) = bytes.as_chunks::<4>();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.as_flattened();
        for (offset, bytes) in [(0, words), (words.len() as u64, if rest.is_empty() { &[] } else { &last[..] })] {
            if !bytes.is_empty() {
                self.any().write(&buffer.memory, offset, bytes)?;
            }
        }
        Ok(buffer)
    }

    /// A buffer of the elements of a vector. A device that computes in the host's memory takes the vector over if
    /// it begins at a multiple of eight bytes and has whole words of 32 bits; others copy the elements.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let buffer = Device::cpu().upload_vec(vec![1u64, 2, 3])?; // nothing is copied
    /// assert_eq!(buffer.read()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn upload_vec<T: Element>(&self, elements: Vec<T>) -> Result<Buffer<T>, Error> {
        let (len, _) = self.allowed::<T>(elements.len())?;
        // SAFETY: `allowed` has asserted that an element has no padding.
        match unsafe { HostMemory::of_vec(elements) }.map(|memory| self.any().adopt(memory)) {
            Ok(Ok(memory)) => Ok(Buffer { device: self.clone(), memory, len, element: PhantomData }),
            // SAFETY: nobody else has the memory.
            Ok(Err(host)) => self.holding(len as usize, unsafe { host.slice(0, host.bytes()) }),
            Err(elements) => self.upload(&elements),
        }
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
        let (len, bytes) = self.allowed::<T>(len)?;
        let memory = self.any().zeros(bytes)?;
        Ok(Buffer { device: self.clone(), memory, len, element: PhantomData })
    }

    /// A buffer of this many elements of any value, all of which the caller writes before anybody reads them.
    pub(crate) fn uninitialised<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        let (len, bytes) = self.allowed::<T>(len)?;
        let memory = self.any().uninitialised(bytes)?;
        Ok(Buffer { device: self.clone(), memory, len, element: PhantomData })
    }

    /// The length and the bytes of a buffer of so many elements, if the device allows it.
    pub(crate) fn allowed<T: Element>(&self, len: usize) -> Result<(u32, u64), Error> {
        const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
        let asked = len as u128 * size_of::<T>() as u128;
        let allowed = self.limits().buffer_bytes;
        let too_large = || Error::BufferTooLarge { device: self.name().to_owned(), asked, allowed };
        let bytes = u64::try_from(asked).ok().filter(|bytes| *bytes <= allowed).ok_or_else(too_large)?;
        let len = u32::try_from(len).map_err(|_| Error::TooManyElements { asked: len as u128 })?;
        Ok((len, bytes))
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
        self.span().read_range(..)
    }

    /// Some of the elements, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().upload(&[1u32, 2, 3])?.read_range(1..)?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>, Error> {
        self.span().read_range(range)
    }

    /// Copies the elements to a slice of as many, after every launch that was queued before. No memory is taken,
    /// so this is the quickest way to read often.
    ///
    /// If it fails, some of the slice may have been written.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
    /// let mut elements = [0; 3];
    /// buffer.read_into(&mut elements)?;
    /// assert_eq!(elements, [1, 2, 3]);
    /// buffer.slice(1..)?.read_into(&mut elements[..2])?;
    /// assert_eq!(elements, [2, 3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_into(&self, elements: &mut [T]) -> Result<(), Error> {
        self.span().read_into(elements)
    }

    /// The elements as they are now, as a future of any executor: the copy is queued at once, so what is queued later
    /// does not change it, and several reads may be on their way.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let buffer = Device::interpreter().upload(&[1u64, 2])?;
    /// let read = buffer.read_async()?;
    /// drop(buffer);
    /// assert_eq!(pollster::block_on(read)?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_async(&self) -> Result<Later<Vec<T>>, Error> {
        self.span().read_async()
    }

    /// The elements where they lie, without a copy, if that is in the host's memory; `None` on other devices. `None`
    /// too if a launch that may have written them has failed; [`read`](Self::read) then gives the error. And `None`
    /// for elements with a `bool` in them, since a kernel may leave any byte in its place.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let buffer = Device::cpu().upload(&[1u32, 2, 3])?;
    /// assert_eq!(buffer.as_slice(), Some(&[1, 2, 3][..]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn as_slice(&self) -> Option<&[T]> {
        self.span().as_slice()
    }

    /// Overwrites elements from `offset` on, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().zeros::<u32>(2)?;
    /// let error = buffer.write(1, &[5, 6]).unwrap_err();
    /// assert_eq!(error.to_string(), "elements 1..3 were asked for, but the buffer has 2 elements");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write(&mut self, offset: usize, elements: &[T]) -> Result<(), Error> {
        self.span().write(offset, elements)
    }

    /// Sets every element, after every launch that was queued before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().zeros::<f32>(3)?;
    /// buffer.slice_mut(1..)?.fill(1.5)?;
    /// assert_eq!(buffer.read()?, [0.0, 1.5, 1.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fill(&mut self, value: T) -> Result<(), Error> {
        self.span().fill(value)
    }

    /// Copies all elements of another buffer, which has as many. On one device the copy is
    /// queued like a launch; from another device it goes through the host.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let from = device.upload(&[1u32, 2, 3])?;
    /// let mut to = device.zeros::<u32>(3)?;
    /// to.slice_mut(..2)?.copy_from(&from.slice(1..)?)?;
    /// assert_eq!(to.read()?, [2, 3, 0]);
    /// let error = to.copy_from(&from.slice(1..)?).unwrap_err();
    /// assert_eq!(error.to_string(), "2 elements cannot be copied to 3 elements; both must be equally long, so use a slice");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &impl Readable<T>) -> Result<(), Error> {
        ViewMut::new(self.span()).copy_from(from)
    }

    /// Some of the elements, to read.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
    /// let view = buffer.slice(1..)?;
    /// assert_eq!(view.len(), 2);
    /// assert_eq!(view.read()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>, Error> {
        self.span().part(range).map(View::new)
    }

    /// Some of the elements, to read and write.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
    /// buffer.slice_mut(1..)?.fill(0)?;
    /// assert_eq!(buffer.read()?, [1, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>, Error> {
        self.span().part(range).map(ViewMut::new)
    }

    /// The elements before an index and those from it on, both to read and write.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().upload(&[1u32, 2, 3, 4])?;
    /// let (mut low, high) = buffer.split_at_mut(2)?;
    /// low.copy_from(&high)?;
    /// assert_eq!(buffer.read()?, [3, 4, 3, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn split_at_mut(&mut self, index: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>), Error> {
        Ok((ViewMut::new(self.span().part(..index)?), ViewMut::new(self.span().part(index..)?)))
    }

    /// The same bytes as elements of another type, to read.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let buffer = Device::interpreter().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(buffer.view::<Vec4<f32>>()?.read()?, [Vec4::new(1.0, 2.0, 3.0, 4.0)]);
    /// assert_eq!(buffer.view::<u32>()?.read()?[0], 1.0f32.to_bits());
    /// let error = buffer.view::<Vec3<f32>>().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "a buffer of 16 bytes cannot be viewed as elements of 12 bytes: its size is not a multiple of that"
    /// );
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view<U: Element>(&self) -> Result<View<'_, U>, Error> {
        self.span().reinterpreted().map(View::new)
    }

    /// The same bytes as elements of another type, to read and write.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut buffer = Device::interpreter().zeros::<Vec2<u32>>(2)?;
    /// buffer.view_mut::<u32>()?.write(1, &[5, 6])?;
    /// assert_eq!(buffer.read()?, [Vec2::new(0, 5), Vec2::new(6, 0)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view_mut<U: Element>(&mut self) -> Result<ViewMut<'_, U>, Error> {
        self.span().reinterpreted().map(ViewMut::new)
    }

    /// The elements of some memory of a device, which has room for them.
    #[cfg(feature = "wgpu")]
    pub(crate) fn of_memory(device: Device, memory: Memory, len: u32) -> Self {
        Self { memory, device, len, element: PhantomData }
    }

    /// Where the elements are.
    #[cfg(feature = "wgpu")]
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The elements, to be written only by who has borrowed the buffer mutably.
    pub(crate) fn span(&self) -> Span<'_, T> {
        Span::new(&self.device, &self.memory, self.len)
    }
}

impl<T: Element> Sealed for Buffer<T> {}

impl<T: Element> Readable<T> for Buffer<T> {
    fn as_view(&self) -> View<'_, T> {
        View::new(self.span())
    }

    fn argument(&self) -> Arg<'_> {
        self.span().argument(Access::Read)
    }
}

impl<T: Element> Writable<T> for Buffer<T> {
    fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::new(self.span())
    }

    fn argument_mut(&mut self) -> Arg<'_> {
        self.span().argument(Access::ReadWrite)
    }
}

impl<'a> Arg<'a> {
    /// The bytes of a buffer, for a parameter of any element type that the kernel only reads;
    /// bytes that are no whole element are left out.
    pub fn words(buffer: &'a Buffer<u32>) -> Self {
        buffer.span().words(Access::Read)
    }

    /// The same for any parameter.
    pub fn words_mut(buffer: &'a mut Buffer<u32>) -> Self {
        buffer.span().words(Access::ReadWrite)
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("device", &self.device).field("len", &self.len).finish_non_exhaustive()
    }
}
