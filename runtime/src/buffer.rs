//! Typed memory on a device: buffers, and views of parts of them.
//!
//! A view is to a buffer what a slice is to a vector, save that it derefs to [`Buffer`]
//! itself: it can be read, written, viewed and passed to a kernel like one. Its borrow rules
//! out that two views that may be written overlap.
//!
//! Invariants: a buffer has fewer than 2³² elements and no more bytes than its device
//! allows; its memory is never empty, so that it can always be bound; it holds its device
//! open. Work that is queued keeps the memory that it uses, so a buffer may be dropped at
//! any time.

use crate::argument::Arg;
use crate::backend::Memory;
use crate::device::Device;
use crate::element::{Element, is_sound};
use crate::error::Error;
use bytemuck::allocation::try_zeroed_vec;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, DerefMut, Range, RangeBounds};
use std::rc::Rc;
use std::sync::Arc;

/// Bytes of an empty buffer's memory: enough for the word or block that a load out of bounds reads.
const SMALLEST: u64 = 256;
/// Bytes of copies of a value that [`Buffer::fill`] writes at once.
const FILL: usize = 1 << 16;

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
    /// Where the first element lies, in bytes; 0 but in views.
    start: u64,
    len: u32,
    element: PhantomData<T>,
}

/// Elements of a buffer that may be read: what `&[T]` is to a vector.
///
/// It derefs to a [`Buffer`], and `&view` is passed to a kernel where `&buffer` would be. A
/// view may begin at any element; what begins at no multiple of the device's
/// [`view_alignment`](crate::Limits::view_alignment) is copied at each launch.
///
/// ```
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(64))]
/// fn double(x: &[u32], y: &mut [u32]) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] = 2 * x[i] + x.len() as u32;
///     }
/// }
///
/// let device = Device::interpreter();
/// let x = device.upload(&[1u32, 2, 3, 4])?;
/// let mut y = device.zeros::<u32>(4)?;
/// double::launch(&device, 2, &x.slice(1..3)?, &mut y.slice_mut(..2)?)?;
/// assert_eq!(y.read()?, [6, 8, 0, 0]);
/// # Ok::<(), Error>(())
/// ```
pub struct View<'a, T: Element> {
    buffer: Buffer<T>,
    whole: PhantomData<&'a ()>,
}

/// Elements of a buffer that may be written: what `&mut [T]` is to a vector.
///
/// It derefs to a [`Buffer`], and `&mut view` is passed to a kernel where `&mut buffer`
/// would be.
///
/// ```
/// # use samebits::prelude::*;
/// let mut buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
/// buffer.slice_mut(1..)?.write(0, &[7])?;
/// assert_eq!(buffer.read()?, [1, 7, 3]);
/// # Ok::<(), Error>(())
/// ```
///
/// While it lives, the buffer is borrowed:
///
/// ```compile_fail,E0502
/// # use samebits::prelude::*;
/// let mut buffer = Device::interpreter().upload(&[1u32, 2, 3])?;
/// let mut view = buffer.slice_mut(1..)?;
/// buffer.read()?;
/// view.write(0, &[7])?;
/// # Ok::<(), Error>(())
/// ```
pub struct ViewMut<'a, T: Element> {
    buffer: Buffer<T>,
    whole: PhantomData<&'a mut ()>,
}

/// What the launcher of a kernel takes for its `&[T]`: a [`Buffer`], a [`View`], a
/// [`ViewMut`], or a pointer to one of them.
///
/// ```
/// use samebits::{Buffer, Readable, prelude::*};
/// fn total(numbers: &impl Readable<u32>) -> Result<u32, Error> {
///     Ok(numbers.as_buffer().read()?.iter().sum())
/// }
/// let buffer = Device::interpreter().upload(&[1, 2, 3])?;
/// assert_eq!(total(&buffer)?, 6);
/// assert_eq!(total(&buffer.slice(1..)?)?, 5);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a buffer of `{T}`, found `{Self}`",
    label = "not a buffer of `{T}`",
    note = "the kernel's `&[{T}]` takes a `&Buffer<{T}>`, or a view of one"
)]
pub trait Readable<T>: sealed::Sealed {
    /// The elements.
    fn as_buffer(&self) -> &Buffer<T>
    where
        T: Element;
    /// The elements as an argument of a launch.
    #[doc(hidden)]
    fn argument(&self) -> Arg<'_>;
}

/// What the launcher of a kernel takes for its `&mut [T]` and for atomics: a [`Buffer`], a
/// [`ViewMut`], or a pointer to one of them.
///
/// ```
/// use samebits::{Buffer, Writable, prelude::*};
/// fn clear(numbers: &mut impl Writable<u32>) -> Result<(), Error> {
///     numbers.as_buffer_mut().fill(0)
/// }
/// let mut buffer = Device::interpreter().upload(&[1, 2, 3])?;
/// clear(&mut buffer.slice_mut(1..)?)?;
/// assert_eq!(buffer.read()?, [1, 0, 0]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a buffer of `{T}` that can be written, found `{Self}`",
    label = "not a buffer of `{T}` that can be written",
    note = "the kernel's `&mut [{T}]` takes a `&mut Buffer<{T}>`, or a `ViewMut` of one"
)]
pub trait Writable<T>: Readable<T> {
    /// The elements.
    fn as_buffer_mut(&mut self) -> &mut Buffer<T>
    where
        T: Element;
    /// The elements as an argument of a launch.
    #[doc(hidden)]
    fn argument_mut(&mut self) -> Arg<'_>;
}

mod sealed {
    /// Keeps [`Readable`](super::Readable) and [`Writable`](super::Writable) to this crate.
    pub trait Sealed {}
}

macro_rules! seal {
    ($(($($generics:tt)*) $ty:ty;)*) => { $(
        impl<$($generics)*> sealed::Sealed for $ty {}
    )* };
}

seal! {
    (T: Element) Buffer<T>;
    (T: Element) View<'_, T>;
    (T: Element) ViewMut<'_, T>;
    (B: sealed::Sealed + ?Sized) &B;
    (B: sealed::Sealed + ?Sized) &mut B;
    (B: sealed::Sealed + ?Sized) Box<B>;
    (B: sealed::Sealed + ?Sized) Rc<B>;
    (B: sealed::Sealed + ?Sized) Arc<B>;
}

impl<T: Element> Readable<T> for Buffer<T> {
    fn as_buffer(&self) -> &Buffer<T> {
        self
    }

    fn argument(&self) -> Arg<'_> {
        Arg::buffer(self)
    }
}

impl<T: Element> Writable<T> for Buffer<T> {
    fn as_buffer_mut(&mut self) -> &mut Buffer<T> {
        self
    }

    fn argument_mut(&mut self) -> Arg<'_> {
        Arg::buffer(self)
    }
}

macro_rules! pointers {
    ($trait:ident $method:ident $argument:ident $(($($mutable:tt)*) ($($generics:tt)*) $ty:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $($generics)*> $trait<T> for $ty {
            fn $method(& $($mutable)* self) -> & $($mutable)* Buffer<T> {
                (**self).$method()
            }

            fn $argument(& $($mutable)* self) -> Arg<'_> {
                (**self).$argument()
            }
        }
    )* };
}

pointers! { Readable as_buffer argument
    () () View<'_, T>;
    () () ViewMut<'_, T>;
    () (B: Readable<T> + ?Sized) &B;
    () (B: Readable<T> + ?Sized) &mut B;
    () (B: Readable<T> + ?Sized) Box<B>;
    () (B: Readable<T> + ?Sized) Rc<B>;
    () (B: Readable<T> + ?Sized) Arc<B>;
}

pointers! { Writable as_buffer_mut argument_mut
    (mut) () ViewMut<'_, T>;
    (mut) (B: Writable<T> + ?Sized) &mut B;
    (mut) (B: Writable<T> + ?Sized) Box<B>;
}

impl<T: Element> Deref for View<'_, T> {
    type Target = Buffer<T>;
    fn deref(&self) -> &Buffer<T> {
        &self.buffer
    }
}

impl<T: Element> Deref for ViewMut<'_, T> {
    type Target = Buffer<T>;
    fn deref(&self) -> &Buffer<T> {
        &self.buffer
    }
}

impl<T: Element> DerefMut for ViewMut<'_, T> {
    fn deref_mut(&mut self) -> &mut Buffer<T> {
        &mut self.buffer
    }
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
        const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
        let asked = len as u128 * size_of::<T>() as u128;
        let allowed = self.limits().buffer_bytes;
        let too_large = || Error::BufferTooLarge { device: self.name().to_owned(), asked, allowed };
        let bytes = u64::try_from(asked).ok().filter(|bytes| *bytes <= allowed).ok_or_else(too_large)?;
        let len = u32::try_from(len).map_err(|_| too_large())?;
        let bytes = bytes.next_multiple_of(4).max(SMALLEST);
        let memory = Arc::new(self.backend().zeros(self.name(), bytes)?);
        Ok(Buffer { device: self.clone(), memory, start: 0, len, element: PhantomData })
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
        let Range { start, end } = self.range(range)?;
        let full = || Error::OutOfMemory {
            device: "host".to_owned(),
            asked: Some(size_of::<T>() as u64 * (end - start) as u64),
        };
        // Never on the stack, which a large element need not fit.
        let mut elements = try_zeroed_vec(end - start).map_err(|()| full())?;
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
            return Err(Error::Range { start: offset, end: Some(end), len: self.len() });
        }
        if elements.is_empty() {
            return Ok(());
        }
        let bytes = bytemuck::cast_slice(elements);
        self.device.backend().write(self.device.name(), &self.memory, self.offset(offset), bytes)
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
        // At least one, however large an element is.
        let copies = vec![value; self.len().min((FILL / size_of::<T>()).max(1))];
        let mut at = 0;
        while at < self.len() {
            let some = copies.len().min(self.len() - at);
            self.write(at, &copies[..some])?;
            at += some;
        }
        Ok(())
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
    /// assert_eq!(error.to_string(), "a copy of 2 elements to a buffer of 3 elements");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &impl Readable<T>) -> Result<(), Error> {
        let from = from.as_buffer();
        if from.len != self.len {
            return Err(Error::Lengths { from: from.len(), to: self.len() });
        }
        let bytes = self.bytes();
        if bytes == 0 {
            return Ok(());
        }
        // A device copies whole words.
        let words = [bytes, from.start, self.start].iter().all(|bytes| bytes.is_multiple_of(4));
        if !self.device.is(&from.device) || !words {
            return self.write(0, &from.read()?);
        }
        let (source, target) = ((&*from.memory, from.start), (&*self.memory, self.start));
        self.device.backend().copy(self.device.name(), source, target, bytes)
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
        Ok(View { buffer: self.part(self.range(range)?), whole: PhantomData })
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
        Ok(ViewMut { buffer: self.part(self.range(range)?), whole: PhantomData })
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
        let low = self.part(self.range(..index)?);
        let high = self.part(self.range(index..)?);
        Ok((ViewMut { buffer: low, whole: PhantomData }, ViewMut { buffer: high, whole: PhantomData }))
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
    ///     "a buffer of 16 bytes viewed as elements of 12 bytes, of which it is no multiple"
    /// );
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view<U: Element>(&self) -> Result<View<'_, U>, Error> {
        Ok(View { buffer: self.reinterpreted()?, whole: PhantomData })
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
        Ok(ViewMut { buffer: self.reinterpreted()?, whole: PhantomData })
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(crate) fn count(&self) -> u32 {
        self.len
    }

    /// Where the first element begins in the memory, in bytes.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// How many bytes the elements have.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.len) * size_of::<T>() as u64
    }

    /// Where the element of an index begins in the memory, in bytes.
    fn offset(&self, index: usize) -> u64 {
        self.start + index as u64 * size_of::<T>() as u64
    }

    /// The bounds of a range of elements, if it lies within the buffer.
    fn range(&self, range: impl RangeBounds<usize>) -> Result<Range<usize>, Error> {
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let asked = match range.end_bound() {
            Bound::Included(last) => Some(last.saturating_add(1)),
            Bound::Excluded(end) => Some(*end),
            Bound::Unbounded => None,
        };
        let end = asked.unwrap_or(self.len());
        if start > end || end > self.len() {
            return Err(Error::Range { start, end: asked, len: self.len() });
        }
        Ok(start..end)
    }

    /// A handle of a part, which the caller ties to the borrow of the whole.
    fn part(&self, range: Range<usize>) -> Self {
        let (start, len) = (self.offset(range.start), range.len() as u32);
        Self { memory: self.memory.clone(), device: self.device.clone(), start, len, element: PhantomData }
    }

    /// A handle of the same bytes, which the caller ties to the borrow of the whole.
    fn reinterpreted<U: Element>(&self) -> Result<Buffer<U>, Error> {
        const { assert!(is_sound::<U>(), "an element has at least one byte and no padding") }
        let (bytes, element) = (self.bytes(), size_of::<U>());
        let mismatch = || Error::Reinterpreted { bytes, element };
        if !bytes.is_multiple_of(element as u64) {
            return Err(mismatch());
        }
        let len = u32::try_from(bytes / element as u64).map_err(|_| mismatch())?;
        let (memory, device) = (self.memory.clone(), self.device.clone());
        Ok(Buffer { memory, device, start: self.start, len, element: PhantomData })
    }
}

impl<T: Element> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

impl<T: Element> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("device", &self.device).field("len", &self.len).finish_non_exhaustive()
    }
}
