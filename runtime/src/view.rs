//! Views: parts of buffers, and buffers as other elements.
//!
//! A view is to a buffer what a slice is to a vector. It borrows the buffer for as long as it
//! lives, so two views that may be written never overlap. A view is a type of its own and
//! derefs to nothing, so nothing gives away the buffer's own handle.

use crate::argument::Arg;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::later::Later;
use crate::span::Span;
use samebits_ir::ir::Access;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::rc::Rc;
use std::sync::Arc;

/// Elements of a buffer that may be read: what `&[T]` is to a vector.
///
/// It is read and viewed like a [`Buffer`](crate::Buffer), and `&view` is passed to a kernel where `&buffer`
/// would be. A view may begin at any element; what begins at no multiple of the device's
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
#[derive(Clone, Copy)]
pub struct View<'a, T: Element> {
    span: Span<'a, T>,
}

/// Elements of a buffer that may be written: what `&mut [T]` is to a vector.
///
/// It is read, written and viewed like a [`Buffer`](crate::Buffer), and `&mut view` is passed to a kernel
/// where `&mut buffer` would be.
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
    span: Span<'a, T>,
    /// Nobody else can use its bytes meanwhile.
    borrowed: PhantomData<&'a mut T>,
}

impl<'a, T: Element> View<'a, T> {
    pub(crate) fn new(span: Span<'a, T>) -> Self {
        Self { span }
    }

    /// The elements as an argument that lives as long as the view may.
    pub(crate) fn lent(self) -> Arg<'a> {
        self.span.argument(Access::Read)
    }

    /// Whether somebody else may write the elements.
    pub(crate) fn has_left(&self) -> bool {
        self.span.has_left()
    }
}

impl<'a, T: Element> ViewMut<'a, T> {
    /// A view of what the caller has borrowed mutably for `'a`.
    pub(crate) fn new(span: Span<'a, T>) -> Self {
        Self { span, borrowed: PhantomData }
    }

    /// Where the elements are, for who has borrowed the view mutably.
    pub(crate) fn span(&mut self) -> Span<'_, T> {
        self.span
    }

    /// Overwrites elements from `offset` on, like [`Buffer::write`](crate::Buffer::write).
    pub fn write(&mut self, offset: usize, elements: &[T]) -> Result<(), Error> {
        self.span.write(offset, elements)
    }

    /// Sets every element, like [`Buffer::fill`](crate::Buffer::fill).
    pub fn fill(&mut self, value: T) -> Result<(), Error> {
        self.span.fill(value)
    }

    /// Copies all elements of a buffer or view that has as many, like [`Buffer::copy_from`](crate::Buffer::copy_from).
    pub fn copy_from(&mut self, from: &impl Readable<T>) -> Result<(), Error> {
        self.span.copy_from(from.as_view().span)
    }

    /// Some of the elements, to read and write, like [`Buffer::slice_mut`](crate::Buffer::slice_mut).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>, Error> {
        self.span.part(range).map(ViewMut::new)
    }

    /// The elements before an index and those from it on, like [`Buffer::split_at_mut`](crate::Buffer::split_at_mut).
    pub fn split_at_mut(&mut self, index: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>), Error> {
        Ok((ViewMut::new(self.span.part(..index)?), ViewMut::new(self.span.part(index..)?)))
    }

    /// The same bytes as elements of another type, to read and write, like [`Buffer::view_mut`](crate::Buffer::view_mut).
    pub fn view_mut<U: Element>(&mut self) -> Result<ViewMut<'_, U>, Error> {
        self.span.reinterpreted().map(ViewMut::new)
    }
}

/// The methods of both views. A part of a read-only view lives as long as the view's buffer is
/// borrowed; a part of a mutable view borrows the view.
macro_rules! reading {
    ($ty:ident $part:lifetime) => {
        impl<'a, T: Element> $ty<'a, T> {
            /// The number of elements.
            pub fn len(&self) -> usize {
                self.span.len()
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The device that the buffer belongs to.
            pub fn device(&self) -> &'a Device {
                self.span.device()
            }

            /// The elements, after every launch that was queued before, like [`Buffer::read`](crate::Buffer::read).
            pub fn read(&self) -> Result<Vec<T>, Error> {
                self.span.read_range(..)
            }

            /// Some of the elements, after every launch that was queued before, like
            /// [`Buffer::read_range`](crate::Buffer::read_range).
            pub fn read_range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>, Error> {
                self.span.read_range(range)
            }

            /// Copies the elements to a slice of as many, like [`Buffer::read_into`](crate::Buffer::read_into).
            pub fn read_into(&self, elements: &mut [T]) -> Result<(), Error> {
                self.span.read_into(elements)
            }

            /// Shows the elements where the device has copied them to, like
            /// [`Buffer::read_with`](crate::Buffer::read_with).
            pub fn read_with(&self, show: impl FnMut(&[T])) -> Result<(), Error> {
                self.span.read_with(show)
            }

            /// The elements as they are now, as a future, like [`Buffer::read_async`](crate::Buffer::read_async).
            pub fn read_async(&self) -> Result<Later<Vec<T>>, Error> {
                self.span.read_async()
            }

            /// Some of the elements, to read, like [`Buffer::slice`](crate::Buffer::slice).
            pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<$part, T>, Error> {
                self.span.part(range).map(View::new)
            }

            /// The same bytes as elements of another type, to read, like [`Buffer::view`](crate::Buffer::view).
            pub fn view<U: Element>(&self) -> Result<View<$part, U>, Error> {
                self.span.reinterpreted().map(View::new)
            }
        }

        impl<T: Element> fmt::Debug for $ty<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (device, len) = (self.device(), self.len());
                f.debug_struct(stringify!($ty)).field("device", device).field("len", &len).finish_non_exhaustive()
            }
        }
    };
}

reading! { View 'a }
reading! { ViewMut '_ }

/// What the launcher of a kernel takes for its `&[T]`: a [`Buffer`](crate::Buffer), a [`View`], a
/// [`ViewMut`], or a pointer to one of them.
///
/// ```
/// use samebits::{Buffer, Readable, prelude::*};
/// fn total(numbers: &impl Readable<u32>) -> Result<u32, Error> {
///     Ok(numbers.as_view().read()?.iter().sum())
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
    fn as_view(&self) -> View<'_, T>
    where
        T: Element;
    /// The elements as an argument of a launch.
    #[doc(hidden)]
    // Without a bound: of an element that is refused where it is defined nothing more is said at
    // the launcher.
    fn argument(&self) -> Arg<'_>;
}

/// What the launcher of a kernel takes for its `&mut [T]` and for atomics: a [`Buffer`](crate::Buffer), a
/// [`ViewMut`], or a pointer to one of them.
///
/// ```
/// use samebits::{Buffer, Writable, prelude::*};
/// fn clear(numbers: &mut impl Writable<u32>) -> Result<(), Error> {
///     numbers.as_view_mut().fill(0)
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
    fn as_view_mut(&mut self) -> ViewMut<'_, T>
    where
        T: Element;
    /// The elements as an argument of a launch.
    #[doc(hidden)]
    fn argument_mut(&mut self) -> Arg<'_>;
}

pub(crate) mod sealed {
    /// Keeps [`Readable`](super::Readable) and [`Writable`](super::Writable) to this crate.
    pub trait Sealed {}
}

macro_rules! seal {
    ($(($($generics:tt)*) $ty:ty;)*) => { $(
        impl<$($generics)*> sealed::Sealed for $ty {}
    )* };
}

seal! {
    (T: Element) View<'_, T>;
    (T: Element) ViewMut<'_, T>;
    (B: sealed::Sealed + ?Sized) &B;
    (B: sealed::Sealed + ?Sized) &mut B;
    (B: sealed::Sealed + ?Sized) Box<B>;
    (B: sealed::Sealed + ?Sized) Rc<B>;
    (B: sealed::Sealed + ?Sized) Arc<B>;
}

#[diagnostic::do_not_recommend]
impl<T: Element> Readable<T> for View<'_, T> {
    fn as_view(&self) -> View<'_, T> {
        *self
    }

    fn argument(&self) -> Arg<'_> {
        self.span.argument(Access::Read)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Readable<T> for ViewMut<'_, T> {
    fn as_view(&self) -> View<'_, T> {
        View::new(self.span)
    }

    fn argument(&self) -> Arg<'_> {
        self.span.argument(Access::Read)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> Writable<T> for ViewMut<'_, T> {
    fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::new(self.span)
    }

    fn argument_mut(&mut self) -> Arg<'_> {
        self.span.argument(Access::ReadWrite)
    }
}

macro_rules! pointers {
    ($trait:ident $method:ident $argument:ident $view:ident $(($($mutable:tt)*) $ty:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T: Element, B: $trait<T> + ?Sized> $trait<T> for $ty {
            fn $method(& $($mutable)* self) -> $view<'_, T> {
                (**self).$method()
            }

            fn $argument(& $($mutable)* self) -> Arg<'_> {
                (**self).$argument()
            }
        }
    )* };
}

pointers! { Readable as_view argument View
    () &B;
    () &mut B;
    () Box<B>;
    () Rc<B>;
    () Arc<B>;
}

pointers! { Writable as_view_mut argument_mut ViewMut
    (mut) &mut B;
    (mut) Box<B>;
}

impl<'a> Arg<'a> {
    /// A buffer or view, for a parameter of its element type that the kernel only reads.
    pub fn buffer<T: Element>(buffer: &'a impl Readable<T>) -> Self {
        buffer.argument()
    }

    /// A buffer or view, for a parameter of its element type.
    pub fn buffer_mut<T: Element>(buffer: &'a mut impl Writable<T>) -> Self {
        buffer.argument_mut()
    }
}
