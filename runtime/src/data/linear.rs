//! Vectors and matrices of other crates, in slices. A copy to a device makes elements of them, and a copy back makes them of
//! elements; a kernel sees `Vec2` to `Vec4` and `Mat2` to `Mat4`.
//!
//! Invariant: a [`Twin`] and its element have the same bytes, so that a slice is copied as it is.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::view::{Readable, Writable};
use bytemuck::Pod;

/// A type of another crate with the bytes of an element.
///
/// ```
/// # #[cfg(feature = "glam")] {
/// use samebits::data::linear::Twin;
/// use samebits::prelude::*;
/// fn first<T: Twin>(all: &[T]) -> Option<T::Element> {
///     bytemuck::cast_slice(all).first().copied()
/// }
/// assert_eq!(first(&[glam::Vec2::new(1.0, 2.0)]), Some(Vec2::new(1.0, 2.0)));
/// # }
/// ```
///
/// It is implemented for the vectors and matrices of [`glam`](super) and [`nalgebra`](super), and for no others.
pub trait Twin: Pod + sealed::Sealed {
    /// The element.
    type Element: Element + Pod;
}

pub(super) mod sealed {
    /// Keeps [`Twin`](super::Twin) from being implemented elsewhere.
    pub trait Sealed {}
}

/// Implements [`Twin`] and conversions for types, each with its generics, and its element.
macro_rules! twins {
    ($(($($generics:tt)*) $twin:ty => $element:ty;)*) => { $(
        impl<$($generics)*> $crate::data::linear::sealed::Sealed for $twin {}

        impl<$($generics)*> $crate::data::linear::Twin for $twin {
            type Element = $element;
        }

        impl<$($generics)*> From<$twin> for $element {
            fn from(twin: $twin) -> Self {
                $crate::data::linear::same(twin)
            }
        }

        impl<$($generics)*> From<$element> for $twin {
            fn from(element: $element) -> Self {
                $crate::data::linear::same(element)
            }
        }
    )* };
}
pub(super) use twins;

/// Asserts, when a program is compiled, that the bytes of one type can be those of the other.
const fn assert_twins<T, U>() {
    assert!(size_of::<T>() == size_of::<U>(), "a twin has as many bytes as its element");
}

/// The value of one type with the bytes of another's.
pub(super) fn same<T: Pod, U: Pod>(value: T) -> U {
    const { assert_twins::<T, U>() }
    bytemuck::cast(value)
}

fn elements<T: Twin>(all: &[T]) -> &[T::Element] {
    const {
        assert_twins::<T, T::Element>();
        assert!(align_of::<T>() >= align_of::<T::Element>(), "a twin's place is a place for its element");
    }
    bytemuck::cast_slice(all)
}

/// A buffer of the elements that these vectors or matrices are.
///
/// ```
/// # #[cfg(feature = "glam")] {
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let places = [glam::Vec3::new(1.0, 2.0, 3.0), glam::Vec3::ZERO];
/// let buffer = data::linear::upload(&Device::interpreter(), &places)?;
/// assert_eq!(buffer.read()?, [Vec3::new(1.0, 2.0, 3.0), Vec3::splat(0.0)]);
/// # }
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn upload<T: Twin>(device: &Device, all: &[T]) -> Result<Buffer<T::Element>, Error> {
    device.upload(elements(all))
}

/// The elements of a buffer or a view as vectors or matrices of another crate.
///
/// ```
/// # #[cfg(feature = "glam")] {
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let buffer = Device::interpreter().upload(&[Vec4::new(1u32, 2, 3, 4)])?;
/// assert_eq!(data::linear::read::<glam::UVec4>(&buffer)?, [glam::UVec4::new(1, 2, 3, 4)]);
/// # }
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn read<T: Twin>(buffer: &impl Readable<T::Element>) -> Result<Vec<T>, Error> {
    const { assert_twins::<T, T::Element>() }
    // A vector of the other crate may have to begin at a rounder address.
    Ok(bytemuck::pod_collect_to_vec(&buffer.as_view().read()?))
}

/// Copies vectors or matrices to a buffer or a view, from its element `offset` on.
///
/// ```
/// # #[cfg(feature = "glam")] {
/// use samebits::data;
/// use samebits::prelude::*;
///
/// let mut buffer = Device::interpreter().zeros::<Mat2<f64>>(2)?;
/// data::linear::write(&mut buffer, 1, &[glam::DMat2::IDENTITY])?;
/// assert_eq!(buffer.read()?, [Mat2::default(), Mat2::IDENTITY]);
/// # }
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn write<T: Twin>(buffer: &mut impl Writable<T::Element>, offset: usize, all: &[T]) -> Result<(), Error> {
    buffer.as_view_mut().write(offset, elements(all))
}
