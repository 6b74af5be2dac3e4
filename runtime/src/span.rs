//! Elements in memory, and the operations that buffers and views have in common.
//!
//! Invariant: a [`Span`] can read and write, and nothing checks which of the two its owner may do. So
//! it never leaves the crate, and only a mutably borrowed buffer or view gives one to be written.

use crate::argument::{Arg, Leaf};
use crate::backend::{Memory, Staged};
use crate::device::Device;
use crate::element::{Element, bytes_of, from_bytes, from_slice, into_slice, is_sound};
use crate::error::Error;
use crate::later::{Later, later};
use samebits_ir::ir::Access;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};

/// As many elements, of the bytes that `fill` writes.
fn read<T: Element>(len: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<Vec<T>, Error> {
    let full = || Error::OutOfMemory { device: "host".to_owned(), asked: Some(size_of::<T>() as u64 * len as u64) };
    from_bytes(len, fill).unwrap_or_else(|| Err(full()))
}

/// Elements in a memory.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a, T> {
    memory: &'a Memory,
    device: &'a Device,
    /// Where the first element lies, in bytes.
    start: u64,
    len: u32,
    element: PhantomData<T>,
}

impl<'a, T: Element> Span<'a, T> {
    /// The first `len` elements of a memory.
    pub fn new(device: &'a Device, memory: &'a Memory, len: u32) -> Self {
        Self { memory, device, start: 0, len, element: PhantomData }
    }

    /// The number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// The device that they are on.
    pub fn device(self) -> &'a Device {
        self.device
    }

    /// Whether somebody else may write the elements.
    pub fn has_left(self) -> bool {
        self.memory.has_left()
    }

    /// As an argument of a launch, to read or to write.
    pub fn argument(self, access: Access) -> Arg<'a> {
        Arg::one(Leaf::Buffer {
            device: self.device,
            memory: self.memory,
            start: self.start,
            bytes: self.bytes(),
            lent: access,
            len: self.len,
            element: const { &T::SHAPE },
            most: u32::MAX,
        })
    }

    /// The bytes as an argument of a launch, for a parameter of any element type.
    pub fn words(self, access: Access) -> Arg<'a> {
        let (device, memory, start) = (self.device, self.memory, self.start);
        Arg::one(Leaf::Words { device, memory, start, bytes: self.bytes(), lent: access })
    }

    /// See [`Buffer::read_range`](crate::Buffer::read_range).
    pub fn read_range(self, range: impl RangeBounds<usize>) -> Result<Vec<T>, Error> {
        let Range { start, end } = self.range(range)?;
        let elements = read(end - start, |bytes| self.device.any().read(self.memory, self.offset(start), bytes))?;
        self.device.said().map(|()| elements)
    }

    /// See [`Buffer::read_async`](crate::Buffer::read_async).
    pub fn read_async(self) -> Result<Later<Vec<T>>, Error> {
        let (promise, later) = later();
        if self.len == 0 {
            promise.keep(Ok(Vec::new()));
            return Ok(later);
        }
        let asked = self.asked()?;
        // The device may close here, and what waits for the result may need that.
        self.device.any().later(Box::new(move || promise.keep(asked())));
        Ok(later)
    }

    /// Asks for the elements as they are now, of which there are some; what is returned waits for them.
    fn asked(self) -> Result<impl FnOnce() -> Result<Vec<T>, Error> + Send + use<T>, Error> {
        let (len, receive) = (self.len(), self.asked_bytes()?);
        Ok(move || read(len, receive))
    }

    /// The same as bytes, for memory of the caller's that has as many. Devices that are asked one after the other work at
    /// the same time.
    pub fn asked_bytes(self) -> Result<impl FnOnce(&mut [u8]) -> Result<(), Error> + Send + use<T>, Error> {
        let receive = self.device.ask(Some((self.memory, self.start..self.start + self.bytes())))?;
        let said = self.device.said_later()?;
        Ok(move |bytes: &mut [u8]| receive(bytes).and_then(|()| said()))
    }

    /// Overwrites all elements by their bytes.
    pub fn write_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.device.any().write(self.memory, self.start, bytes)
    }

    /// See [`Buffer::read_into`](crate::Buffer::read_into).
    pub fn read_into(self, elements: &mut [T]) -> Result<(), Error> {
        if elements.len() != self.len() {
            return Err(Error::Lengths { from: self.len(), to: elements.len() });
        }
        into_slice(elements, |bytes| self.device.any().read(self.memory, self.start, bytes))?;
        self.device.said()
    }

    /// See [`Buffer::as_slice`](crate::Buffer::as_slice). Nobody may write the elements while the slice exists.
    pub fn as_slice(self) -> Option<&'a [T]> {
        let bytes = self.device.any().slice(self.memory, self.start, self.bytes())?;
        from_slice(bytes).filter(|_| self.device.is_fine())
    }

    /// See [`Buffer::read_with`](crate::Buffer::read_with).
    pub fn read_with(self, mut show: impl FnMut(&[T])) -> Result<(), Error> {
        if self.len == 0 {
            return Ok(());
        }
        let bytes = self.start..self.start + self.bytes();
        let mut failed = None;
        let mut piece = |bytes: &[u8]| match from_slice(bytes) {
            Some(elements) => show(elements),
            // They are not aligned, or a kernel may have left what is no value.
            None => {
                let copied = read(bytes.len() / size_of::<T>(), |out| {
                    out.copy_from_slice(bytes);
                    Ok(())
                });
                match copied {
                    Ok(elements) => show(&elements),
                    Err(error) => failed = Some(error),
                }
            }
        };
        let unit = size_of::<T>();
        self.device.any().read_pieces(self.memory, bytes, unit, &mut || self.device.said(), &mut piece)?;
        failed.map_or(Ok(()), Err)
    }

    /// Elements on their way here, from `offset` on.
    pub fn staged(self, offset: usize) -> Result<Staged<'a>, Error> {
        if offset > self.len() {
            return Err(Error::Range { start: offset, end: None, len: self.len() });
        }
        Staged::new(self.device.any(), self.memory, self.offset(offset))
    }

    /// See [`Buffer::write`](crate::Buffer::write).
    pub fn write(self, offset: usize, elements: &[T]) -> Result<(), Error> {
        let end = offset.saturating_add(elements.len());
        if end > self.len() {
            return Err(Error::Range { start: offset, end: Some(end), len: self.len() });
        }
        if elements.is_empty() {
            return Ok(());
        }
        self.device.any().write(self.memory, self.offset(offset), bytes_of(elements))
    }

    /// See [`Buffer::fill`](crate::Buffer::fill).
    pub fn fill(self, value: T) -> Result<(), Error> {
        if self.len == 0 {
            return Ok(());
        }
        let bytes = self.start..self.start + self.bytes();
        self.device.any().fill(self.memory, bytes, bytes_of(std::slice::from_ref(&value)))
    }

    /// Sets the bytes of the elements from one on to zero.
    pub fn clear(self, from: usize) -> Result<(), Error> {
        let bytes = self.offset(from)..self.start + self.bytes();
        if bytes.is_empty() { Ok(()) } else { self.device.any().fill(self.memory, bytes, &[0]) }
    }

    /// See [`Buffer::copy_from`](crate::Buffer::copy_from).
    pub fn copy_from(self, from: Span<'_, T>) -> Result<(), Error> {
        if from.len != self.len {
            return Err(Error::Lengths { from: from.len(), to: self.len() });
        }
        let bytes = self.bytes();
        if bytes == 0 {
            return Ok(());
        }
        if !self.device.is(from.device) {
            return self.write(0, &from.read_range(..)?);
        }
        let (source, target) = ((from.memory, from.start), (self.memory, self.start));
        self.device.any().copy(source, target, bytes)
    }

    /// Some of the elements.
    pub fn part(self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let range = self.range(range)?;
        Ok(Self { start: self.offset(range.start), len: range.len() as u32, ..self })
    }

    /// The same bytes as other elements.
    pub fn reinterpreted<U: Element>(self) -> Result<Span<'a, U>, Error> {
        const { assert!(is_sound::<U>(), "an element has at least one byte and no padding") }
        let (bytes, element) = (self.bytes(), size_of::<U>());
        if !bytes.is_multiple_of(element as u64) {
            return Err(Error::Reinterpreted { bytes, element });
        }
        let asked = bytes / element as u64;
        let len = u32::try_from(asked).map_err(|_| Error::TooManyElements { asked: asked.into() })?;
        Ok(Span { memory: self.memory, device: self.device, start: self.start, len, element: PhantomData })
    }

    /// How many bytes the elements have.
    fn bytes(self) -> u64 {
        u64::from(self.len) * size_of::<T>() as u64
    }

    /// Where the element of an index begins in the memory, in bytes.
    fn offset(self, index: usize) -> u64 {
        self.start + index as u64 * size_of::<T>() as u64
    }

    /// The bounds of a range of elements, if it lies within these.
    fn range(self, range: impl RangeBounds<usize>) -> Result<Range<usize>, Error> {
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
}
