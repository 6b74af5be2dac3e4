//! Memory that the host fills and the device copies from, without a copy in between.
//!
//! ```
//! use samebits::prelude::*;
//!
//! let device = Device::best()?;
//! // Numbers are computed right into the memory that the driver copies them from.
//! let (mut squares, ()) = device.upload_with(1000, |out| out.extend((0..1000u32).map(|i| i * i)))?;
//! // A part of a buffer is overwritten in the same way.
//! squares.write_with(10, |out| out.push(&[1, 2, 3]))?;
//! // And the numbers are looked at where the driver has copied them to.
//! let mut sum = 0u64;
//! squares.read_with(|piece| sum += piece.iter().map(|&x| u64::from(x)).sum::<u64>())?;
//! assert_eq!(sum, (0..1000u64).map(|i| i * i).sum::<u64>() - 100 - 121 - 144 + 6);
//! # Ok::<(), Error>(())
//! ```
//!
//! What is put goes to memory that stays mapped and is used again, in chunks of 8 MiB: while the device copies a chunk, the
//! program fills the next. So a file of any size takes little memory:
//! `std::io::copy(&mut file, out)` works for elements of type `u8`. On this CPU and the interpreter the memory is the
//! buffer's own.
//!
//! Such memory may be slow to read, and drivers leave anything in it. So it is filled from the front, and what a program
//! does not put stays as it is in the buffer.

use crate::backend::Staged;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::{Element, bytes_of};
use crate::error::Error;
use crate::span::Span;
use crate::view::ViewMut;
use std::fmt;
use std::io;
use std::marker::PhantomData;

/// Bytes of elements that are collected before they are put.
const SOME: usize = 4096;

/// Elements on their way into a buffer, each behind those before; see [`staging`](crate::staging).
///
/// After an error, such as too many elements, nothing more is taken, and the call that gave this is the error.
pub struct Staging<'a, T: Element> {
    staged: Staged<'a>,
    /// Where it began, how many elements it has, and the length of the buffer.
    start: usize,
    len: usize,
    end: usize,
    failed: Option<Error>,
    element: PhantomData<T>,
}

impl<T: Element> Staging<'_, T> {
    /// How many elements it has.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut x = Device::cpu().zeros::<u32>(5)?;
    /// let sizes = x.write_with(1, |out| {
    ///     out.push(&[7, 8]);
    ///     [out.len(), out.room()]
    /// })?;
    /// assert_eq!((sizes, x.read()?), ([2, 2], vec![0, 7, 8, 0, 0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many elements it can take.
    pub fn room(&self) -> usize {
        self.end - self.start - self.len
    }

    /// Puts a copy of elements behind those before.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut x = Device::cpu().zeros::<u32>(2)?;
    /// let error = x.write_with(1, |out| out.push(&[7, 8])).unwrap_err();
    /// assert_eq!(error.to_string(), "elements 1..3 were asked for, but the buffer has 2 elements");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn push(&mut self, elements: &[T]) {
        if self.failed.is_some() {
            return;
        }
        let put = if elements.len() <= self.room() {
            self.staged.put(bytes_of(elements))
        } else {
            let end = (self.start + self.len).saturating_add(elements.len());
            Err(Error::Range { start: self.start, end: Some(end), len: self.end })
        };
        match put {
            Ok(()) => self.len += elements.len(),
            Err(error) => self.failed = Some(error),
        }
    }

    /// Puts elements behind those before, as they are computed. It stops where there is no room for more, which is an
    /// error if there are more.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut x = Device::cpu().zeros::<f32>(4)?;
    /// x.write_with(0, |out| out.extend((1..=4).map(|i| 1.0 / i as f32)))?;
    /// assert_eq!(x.read()?[3], 0.25);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn extend(&mut self, elements: impl IntoIterator<Item = T>) {
        let mut elements = elements.into_iter();
        let count = (SOME / size_of::<T>()).max(1);
        let mut some = Vec::with_capacity(count);
        while self.failed.is_none() {
            some.clear();
            some.extend(elements.by_ref().take(count));
            if some.is_empty() {
                break;
            }
            self.push(&some);
        }
    }
}

/// Bytes of a file or a stream. The error tells that there is no room; the buffer's call tells it too.
impl io::Write for Staging<'_, u8> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        match &self.failed {
            Some(error) => Err(io::Error::other(error.clone())),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T: Element> fmt::Debug for Staging<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("len", &self.len).field("room", &self.room()).finish_non_exhaustive()
    }
}

/// Puts what `fill` gives into some elements, from `offset` on. Gives how many there are.
fn stage<T: Element, R>(
    span: Span<'_, T>,
    offset: usize,
    fill: impl FnOnce(&mut Staging<'_, T>) -> R,
) -> Result<(usize, R), Error> {
    let staged = span.staged(offset)?;
    let mut staging = Staging { staged, start: offset, len: 0, end: span.len(), failed: None, element: PhantomData };
    let result = fill(&mut staging);
    let Staging { mut staged, len, failed, .. } = staging;
    failed.map_or(Ok(()), Err)?;
    staged.end()?;
    Ok((len, result))
}

impl Device {
    /// A buffer of this many elements, which `fill` puts in place; see [`staging`](crate::staging). Elements that it does not
    /// put are zero. Also gives what `fill` gives.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let (x, put) = Device::cpu().upload_with(5, |out| {
    ///     out.push(&[1u8, 2, 3]);
    ///     out.len()
    /// })?;
    /// assert_eq!((x.read()?, put), (vec![1, 2, 3, 0, 0], 3));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn upload_with<T: Element, R>(
        &self,
        len: usize,
        fill: impl FnOnce(&mut Staging<'_, T>) -> R,
    ) -> Result<(Buffer<T>, R), Error> {
        let buffer = self.uninitialised::<T>(len)?;
        let (put, result) = stage(buffer.span(), 0, fill)?;
        buffer.span().clear(put)?;
        Ok((buffer, result))
    }
}

impl<T: Element> Buffer<T> {
    /// Overwrites elements from `offset` on, as many as `fill` puts, after every launch that was queued before; see
    /// [`staging`](crate::staging). Gives what `fill` gives. If it fails, some elements may have been written.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let mut file = std::io::Cursor::new(b"bytes of a file");
    /// let mut x = Device::cpu().zeros::<u8>(15)?;
    /// let copied = x.write_with(0, |out| std::io::copy(&mut file, out))?;
    /// assert_eq!((copied.unwrap(), &x.read()?[..5]), (15, &b"bytes"[..]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write_with<R>(&mut self, offset: usize, fill: impl FnOnce(&mut Staging<'_, T>) -> R) -> Result<R, Error> {
        stage(self.span(), offset, fill).map(|(_, result)| result)
    }

    /// Shows the elements where the device has copied them to, after every launch that was queued before: in pieces, in
    /// their order, of some MiB each. While the program looks at a piece, the device copies the next. On this CPU and the
    /// interpreter there is one piece, which is the buffer.
    ///
    /// Nothing is shown if the elements depend on a failure. If the device fails later, some pieces were shown.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let x = Device::best()?.upload(&[3u32, 9, 4])?;
    /// let mut most = 0;
    /// x.read_with(|piece| most = piece.iter().copied().fold(most, u32::max))?;
    /// assert_eq!(most, 9);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// A piece is borrowed, so it does not outlive the call:
    ///
    /// ```compile_fail
    /// # use samebits::prelude::*;
    /// let x = Device::cpu().upload(&[3u32, 9, 4])?;
    /// let mut kept: &[u32] = &[];
    /// x.read_with(|piece| kept = piece)?;
    /// assert_eq!(kept.len(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_with(&self, show: impl FnMut(&[T])) -> Result<(), Error> {
        self.span().read_with(show)
    }
}

impl<T: Element> ViewMut<'_, T> {
    /// Overwrites elements from `offset` on, like [`Buffer::write_with`](crate::Buffer::write_with).
    pub fn write_with<R>(&mut self, offset: usize, fill: impl FnOnce(&mut Staging<'_, T>) -> R) -> Result<R, Error> {
        stage(self.span(), offset, fill).map(|(_, result)| result)
    }
}
