//! Which Rust types may live in a buffer.
//!
//! Invariants: an [`Element`]'s layout is that of its shape in the IR and has neither padding nor
//! zero bytes; `is_sound` is asserted wherever a buffer is made. Memory may hold bytes that are no value
//! of a type, such as a `bool` of 2; what is read from it is settled before it is a value.

use crate::argument::{Arg, Argument, sealed::Sealed};
use crate::shape::Shape;
use bytemuck::allocation::try_zeroed_vec;
use bytemuck::{Pod, Zeroable};
use samebits_ir::types::{Scalar, Type};

macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident $n:literal { $($field:ident)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        #[repr(C)]
        pub struct $name<T> {
            $(#[doc = concat!("Lane ", stringify!($field), ".")] pub $field: T,)*
        }

        impl<T> $name<T> {
            /// The vector of these lanes.
            pub const fn new($($field: T),*) -> Self {
                Self { $($field),* }
            }
        }

        // SAFETY: all bytes zero is a value of each lane, and so of the vector.
        unsafe impl<T: Zeroable> Zeroable for $name<T> {}

        // SAFETY: a `repr(C)` struct of fields of one type `T` has the alignment of `T` and
        // each field follows the last without padding (the reference, "The C
        // representation"); `T: Pod` gives that every bit pattern of a lane is a value.
        unsafe impl<T: Pod> Pod for $name<T> {}

        impl<T: Lane> Sealed for $name<T> {}

        // SAFETY: lanes one after the other are the IR's layout of a vector.
        unsafe impl<T: Lane> Element for $name<T> {
            const SHAPE: Shape = Shape::Vector(T::LANE, $n);
        }

        // Arguments, but no elements.
        impl Sealed for $name<bool> {}

        impl Argument for $name<bool> {
            fn argument(self) -> Arg<'static> {
                Arg::value(Type::Vector(Scalar::Bool, $n), &[$(u32::from(self.$field)),*])
            }
        }

        impl<T: Lane> Argument for $name<T> {
            fn argument(self) -> Arg<'static> {
                Arg::of_bytes(Type::Vector(T::LANE, $n), T::LANE, bytemuck::bytes_of(&self))
            }
        }
    )* };
}

vectors! {
    /// Two lanes of numbers.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec2::new(1.0f32, 2.0).y, 2.0);
    /// ```
    Vec2 2 { x y }
    /// Three lanes of numbers, three times as large in memory as one.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(size_of::<Vec3<f32>>(), 12);
    /// ```
    Vec3 3 { x y z }
    /// Four lanes of numbers.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec4::new(1u32, 2, 3, 4).w, 4);
    /// ```
    Vec4 4 { x y z w }
}

macro_rules! matrices {
    ($($(#[$doc:meta])* $name:ident $vector:ident $n:literal { $($field:ident $column:literal)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Default, Debug)]
        #[repr(C)]
        pub struct $name<T> {
            $(#[doc = concat!("The ", $column, " column.")] pub $field: $vector<T>,)*
        }

        // SAFETY: all bytes zero is a value of each column, and so of the matrix.
        unsafe impl<T: Zeroable> Zeroable for $name<T> {}

        // SAFETY: a `repr(C)` struct of fields of one type has no padding, and a vector is `Pod` if its lanes are.
        unsafe impl<T: Pod> Pod for $name<T> {}

        impl<T: Lane> Sealed for $name<T> {}

        // SAFETY: columns one after the other are the IR's layout of an array of vectors.
        unsafe impl<T: Lane> Element for $name<T> {
            const SHAPE: Shape = Shape::Array(&Shape::Vector(T::LANE, $n), $n);
        }

        impl<T: Lane> Argument for $name<T> {
            fn argument(self) -> Arg<'static> {
                Arg::parts([$(self.$field.argument()),*])
            }
        }
    )* };
}

matrices! {
    /// A matrix of two columns of two floats.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Mat2::from_cols_array([1.0f32, 2.0, 3.0, 4.0]).y_axis, Vec2::new(3.0, 4.0));
    /// ```
    Mat2 Vec2 2 { x_axis "first" y_axis "second" }
    /// A matrix of three columns of three floats.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Mat3::<f32>::IDENTITY * Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0));
    /// ```
    Mat3 Vec3 3 { x_axis "first" y_axis "second" z_axis "third" }
    /// A matrix of four columns of four floats.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Mat4::from_diagonal(Vec4::splat(2.0f64)).determinant(), 16.0);
    /// ```
    Mat4 Vec4 4 { x_axis "first" y_axis "second" z_axis "third" w_axis "fourth" }
}

/// A number in a buffer or in workgroup memory that invocations change without racing.
///
/// In the signatures and bodies of kernels, `&[Atomic<u32>]` is a buffer that many invocations may
/// change, for which the launcher takes an ordinary [`&mut Buffer<u32>`](crate::Buffer), and
/// `#[shared] let bins: [Atomic<u32>; 256];` is workgroup memory. The number is an integer of 8 to
/// 64 bits or a float. In a kernel it has these methods; all but `store` return the value from before:
///
/// | method | what it does |
/// | --- | --- |
/// | `load()` | nothing else |
/// | `store(v)` | writes `v` |
/// | `swap(v)` | writes `v` |
/// | `fetch_add(v)`, `fetch_sub(v)` | adds, subtracts, wrapping |
/// | `fetch_min(v)`, `fetch_max(v)` | keeps the lesser, the greater |
/// | `fetch_and(v)`, `fetch_or(v)`, `fetch_xor(v)`, `fetch_nand(v)` | bit by bit; integers |
/// | `fetch_inc_wrap(n)`, `fetch_dec_wrap(n)` | counts from 0 to `n` and round again, up, down; unsigned integers |
/// | `compare_exchange(old, new)` | writes `new` if `old` is there, to the bit; returns a number and no `Result` |
///
/// Accesses of one number happen one after the other, in an order that no kernel may rely
/// on. An [`Ordering`](std::sync::atomic::Ordering) as a last argument also orders what is around an access, as in
/// `flag.store(1, Ordering::Release)`; the [language](crate::language#orders) says more.
///
/// ```
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(64))]
/// fn greatest(x: &[u32], most: &[Atomic<u32>]) {
///     let i = global_id().x;
///     if i < x.len() {
///         most[0].fetch_max(x[i]);
///     }
/// }
///
/// let device = Device::interpreter();
/// let x = device.upload(&[3, 9, 4])?;
/// let mut most = device.zeros::<u32>(1)?;
/// greatest::launch(&device, x.len(), &x, &mut most)?;
/// assert_eq!(most.read()?, [9]);
/// # Ok::<(), Error>(())
/// ```
///
/// It may also be a field of a struct. On the host such a field is the plain number, since no kernel runs while the
/// host sees it: [`Atomic::new`] makes one, and [`into_inner`](Atomic::into_inner) gives the number.
///
/// ```
/// use samebits::prelude::*;
///
/// #[derive(Clone, Copy, Element)]
/// #[repr(C)]
/// struct Bin {
///     count: Atomic<u32>,
///     below: f32,
/// }
///
/// #[kernel(workgroup_size(64))]
/// fn count(x: &[f32], bins: &mut [Bin]) {
///     for bin in bins.iter() {
///         if global_id().x < x.len() && x[global_id().x] < bin.below {
///             bin.count.fetch_add(1);
///         }
///     }
/// }
///
/// let device = Device::interpreter();
/// let x = device.upload(&[0.5f32, 1.5, 0.25])?;
/// let bin = |below| Bin { count: Atomic::new(0), below };
/// let mut bins = device.upload(&[bin(0.3), bin(1.0)])?;
/// count::launch(&device, x.len(), &x, &mut bins)?;
/// let counts: Vec<u32> = bins.read()?.iter().map(|bin| bin.count.into_inner()).collect();
/// assert_eq!(counts, [1, 2]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Atomic<T> {
    number: T,
}

impl<T> Atomic<T> {
    /// An atomic that holds this number, as a field of a struct on the host.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Atomic::new(7u32).into_inner(), 7);
    /// ```
    pub const fn new(number: T) -> Self {
        Self { number }
    }

    /// The number that it holds.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Atomic::<i32>::default().into_inner(), 0);
    /// ```
    pub fn into_inner(self) -> T {
        self.number
    }
}

// SAFETY: it is a `T`, of which all zero bytes are a value.
unsafe impl<T: Zeroable> Zeroable for Atomic<T> {}

// SAFETY: it is a `T`, of which all bytes are a value.
unsafe impl<T: Pod> Pod for Atomic<T> {}

impl<T: Lane> Sealed for Atomic<T> {}

// SAFETY: it is a number; only kernels know more of it.
unsafe impl<T: Lane> Element for Atomic<T> {
    const SHAPE: Shape = T::SHAPE;
}

/// A type that a buffer may hold: the integers of 8 to 64 bits, `f16`, `f32`, `f64`, `bool`, the
/// vectors [`Vec2`], [`Vec3`], [`Vec4`] of numbers, arrays of elements, structs of elements, and enums without fields.
///
/// A kernel takes a buffer of `T` as `&[T]` or `&mut [T]`, and one of numbers also as
/// atomics, `&[Atomic<T>]`. A struct may hold [`Atomic`]s. `usize` is no element: store a `u32`. Vectors
/// have the same operators and methods in a kernel as on the host; [`language`](crate::language) tells what
/// a kernel can do with each type.
///
/// ```
/// use samebits::prelude::*;
///
/// let device = Device::interpreter();
/// let rows = device.upload(&[[1.0f32, 2.0], [3.0, 4.0]])?;
/// assert_eq!(rows.len(), 2);
/// assert_eq!(rows.view::<f32>()?.read()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// A `bool` is a byte in memory. A byte that is not 0 reads as `true`, on the host as in kernels:
///
/// ```
/// use samebits::prelude::*;
///
/// let bytes = Device::interpreter().upload(&[0u8, 1, 2])?;
/// assert_eq!(bytes.view::<bool>()?.read()?, [false, true, true]);
/// # Ok::<(), Error>(())
/// ```
///
/// An array without elements has no bytes and cannot be one:
///
/// ```compile_fail,E0080
/// use samebits::prelude::*;
///
/// let nothing = Device::interpreter().zeros::<[u32; 0]>(1);
/// ```
///
/// # Safety
///
/// The type is `repr(C)`, or a `repr(C)` type's equal in layout; its parts are those of `SHAPE` in the
/// same order, and whatever bytes `Shape::settle` makes of any bytes are a value. A type with padding
/// may implement it, but no buffer of it can be made. The trait is sealed, by a path that is hidden
/// from the documentation: the derive for structs implements it, and nothing that is written by
/// hand should.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a buffer",
    note = "elements are `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`, `Vec2`, `Vec3` and `Vec4` of these, `bool`, arrays of elements, and structs and enums that derive `Element`"
)]
pub unsafe trait Element: Copy + Zeroable + Send + Sync + Sealed + 'static {
    /// Its type in the IR.
    #[doc(hidden)]
    const SHAPE: Shape;
}

/// Whether a type has some bytes and no padding: its size is that of its shape, and not zero.
pub(crate) const fn is_sound<T: Element>() -> bool {
    size_of::<T>() > 0 && size_of::<T>() == T::SHAPE.bytes()
}

/// The bytes of elements.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
    // SAFETY: without padding, each of their bytes has a value.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Elements of the bytes that `fill` writes, settled; `None` if the host has no memory for them.
pub(crate) fn from_bytes<T: Element, E>(
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Option<Result<Vec<T>, E>> {
    const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
    // Never on the stack, which a large element need not fit.
    let mut elements: Vec<T> = try_zeroed_vec(len).ok()?;
    Some(into_slice(&mut elements, fill).map(|()| elements))
}

/// Elements that `fill` writes over as bytes, settled.
pub(crate) fn into_slice<T: Element, E>(
    elements: &mut [T],
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
    if elements.is_empty() {
        return Ok(());
    }
    let size = size_of_val(elements);
    // SAFETY: the bytes are the elements', which are borrowed until the bytes are settled. No code reads them as
    // elements if `fill` panics: back ends do not.
    let bytes = unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast::<u8>(), size) };
    let filled = fill(bytes);
    T::SHAPE.settle(bytes);
    filled
}

/// Bytes as elements, where they lie; `None` if they are not aligned, or if not all bytes are values of the type.
pub(crate) fn from_slice<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    const { assert!(is_sound::<T>(), "an element has at least one byte and no padding") }
    let start = bytes.as_ptr().cast::<T>();
    if !T::SHAPE.is_plain() || !start.is_aligned() || !bytes.len().is_multiple_of(size_of::<T>()) {
        return None;
    }
    // SAFETY: they are aligned and as many as whole elements have, and all bytes are values.
    Some(unsafe { std::slice::from_raw_parts(start, bytes.len() / size_of::<T>()) })
}

impl<T: Sealed, const N: usize> Sealed for [T; N] {}

// SAFETY: the elements of a Rust array follow each other without padding, as those of one in
// the IR do, and `T: Element` gives that they are what `T::SHAPE` says. A length of 2³² or more
// is cut in the shape; no buffer can hold such an array, because [`is_sound`] fails for it.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const SHAPE: Shape = Shape::Array(&T::SHAPE, N as u32);
}

/// A type that a vector may have lanes of: every number.
pub trait Lane: Element + Pod {
    /// The IR type of the same layout.
    #[doc(hidden)]
    const LANE: Scalar;
}

macro_rules! scalars {
    ($($rust:ident $scalar:ident;)*) => { $(
        impl Sealed for $rust {}

        // SAFETY: a Rust number has the IR number's size and byte order (the hosts that
        // the crate supports are little-endian), and no padding.
        unsafe impl Element for $rust {
            const SHAPE: Shape = Shape::Scalar(Scalar::$scalar);
        }

        impl Lane for $rust {
            const LANE: Scalar = Scalar::$scalar;
        }

        impl Argument for $rust {
            fn argument(self) -> Arg<'static> {
                Arg::of_bytes(Type::Scalar(Scalar::$scalar), Scalar::$scalar, bytemuck::bytes_of(&self))
            }
        }
    )* };
}

scalars! { i8 I8; i16 I16; i32 I32; i64 I64; u8 U8; u16 U16; u32 U32; u64 U64; f32 F32; f64 F64; }

#[cfg(feature = "f16")]
use half::{bf16, f16};
#[cfg(feature = "f16")]
scalars! { f16 F16; }

#[cfg(feature = "f16")]
impl Sealed for bf16 {}

// SAFETY: it is a `u16`, as which kernels store and load it.
#[cfg(feature = "f16")]
unsafe impl Element for bf16 {
    const SHAPE: Shape = Shape::Scalar(Scalar::U16);
}

#[cfg(feature = "f16")]
impl Argument for bf16 {
    fn argument(self) -> Arg<'static> {
        self.to_bits().argument()
    }
}

impl Sealed for bool {}

// SAFETY: a `bool` is a byte, and settled it is 0 or 1.
unsafe impl Element for bool {
    const SHAPE: Shape = Shape::Bool;
}

// An argument, but no element.
impl Sealed for usize {}

#[cfg(target_endian = "big")]
compile_error!("samebits needs a little-endian host: buffers are little-endian on every device");

#[cfg(test)]
mod tests {
    use super::*;
    use samebits_ir::types::Types;

    /// The IR type of a shape without structs.
    fn declared(types: &mut Types, shape: &Shape) -> Type {
        match shape {
            Shape::Scalar(scalar) => Type::Scalar(*scalar),
            Shape::Bool => Type::Scalar(Scalar::U8),
            Shape::Vector(lane, lanes) => Type::Vector(*lane, *lanes),
            Shape::Array(element, len) => {
                let element = declared(types, element);
                types.array(element, *len)
            }
            Shape::Enum { .. } | Shape::Struct { .. } => Type::Error,
        }
    }

    fn agrees<T: Element>() {
        let mut types = Types::default();
        let ty = declared(&mut types, &T::SHAPE);
        let layout = types.layout(ty).map(|l| (l.size as usize, l.align as usize));
        assert_eq!(layout, Some((size_of::<T>(), align_of::<T>())));
        assert!(is_sound::<T>());
    }

    #[test]
    fn layouts_are_those_of_the_ir() {
        agrees::<u32>();
        agrees::<i32>();
        agrees::<f32>();
        agrees::<u64>();
        agrees::<Vec2<f32>>();
        agrees::<Vec3<i32>>();
        agrees::<Vec4<u32>>();
        agrees::<u8>();
        agrees::<i16>();
        agrees::<f64>();
        agrees::<Vec3<u8>>();
        agrees::<Vec3<f64>>();
        agrees::<[u8; 3]>();
        agrees::<[bool; 3]>();
        agrees::<[[Vec3<f32>; 2]; 33]>();
        #[cfg(feature = "f16")]
        agrees::<Vec3<f16>>();
    }

    #[test]
    fn bytes_that_are_no_values_are_settled() {
        let fill = |bytes: &mut [u8]| {
            bytes.copy_from_slice(&[0, 1, 2, 128]);
            Ok::<(), ()>(())
        };
        assert_eq!(from_bytes::<[bool; 2], ()>(2, fill), Some(Ok(vec![[false, true], [true, true]])));
        assert_eq!(from_slice::<bool>(&[0, 1]), None);
        assert_eq!(from_slice::<u8>(&[0, 1]), Some(&[0, 1][..]));
    }

    #[test]
    fn types_without_bytes_or_of_too_many_elements_are_not_sound() {
        assert!(!is_sound::<[u32; 0]>());
        assert!(!is_sound::<[[u8; 4]; 0]>());
        assert!(!is_sound::<[u8; (1 << 32) + 3]>());
    }
}
