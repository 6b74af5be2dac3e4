//! Which Rust types may live in a buffer, and which may be launch arguments.
//!
//! Invariant: an [`Element`]'s layout is that of its IR type and has no padding.

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

        impl<T: Lane> sealed::Sealed for $name<T> {}

        // SAFETY: lanes one after the other are the IR's layout of a vector.
        unsafe impl<T: Lane> Element for $name<T> {
            const TYPE: Type = Type::Vector(T::LANE, $n);
        }

        impl<T: Lane> Argument for $name<T> {
            const TYPE: Type = Type::Vector(T::LANE, $n);
            fn words(&self) -> Option<Words> {
                Some(Words::of(T::LANE, bytemuck::bytes_of(self)))
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

mod sealed {
    /// Keeps [`Element`](super::Element) and [`Lane`](super::Lane) to this crate.
    pub trait Sealed {}
}

/// A type that a buffer may hold: the integers of 8 to 64 bits, `f16`, `f32`, `f64`, and
/// their vectors [`Vec2`], [`Vec3`], [`Vec4`].
///
/// A kernel takes a buffer of `T` as `&[T]` or `&mut [T]`, and one of numbers also as
/// atomics, `&[Atomic<T>]`. `usize` and `bool` are no elements: store a `u32`. In a kernel
/// vectors have lanes of `f32`, `u32` and `i32`; [`language`](crate::language) tells what it
/// can do with each type.
///
/// # Safety
///
/// The type's layout is that of `TYPE` in the IR, without padding.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a buffer",
    note = "elements are `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`, and `Vec2`, `Vec3` and `Vec4` of these"
)]
pub unsafe trait Element: Pod + Send + Sync + sealed::Sealed {
    /// The IR type of the same layout.
    #[doc(hidden)]
    const TYPE: Type;
}

/// A type that a vector may have lanes of: every number.
pub trait Lane: Element {
    /// The IR type of the same layout.
    #[doc(hidden)]
    const LANE: Scalar;
}

/// The most words of a launch argument: four lanes of 64 bits.
const MOST_WORDS: usize = 8;

/// The words of a launch argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    words: [u32; MOST_WORDS],
    len: usize,
}

impl Words {
    /// A value's lanes from memory: a word each, two for lanes of 64 bits, zero-extended.
    fn of(lane: Scalar, bytes: &[u8]) -> Self {
        let (mut words, mut len) = ([0; MOST_WORDS], 0);
        // Lanes of less than a word begin a word each.
        for (bytes, word) in bytes.chunks(lane.size().clamp(1, 4) as usize).zip(&mut words) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            len += 1;
        }
        Self { words, len }
    }

    /// These words; those that no value has are left out.
    pub(crate) fn new(words: &[u32]) -> Self {
        let mut all = [0; MOST_WORDS];
        let len = words.len().min(MOST_WORDS);
        all[..len].copy_from_slice(&words[..len]);
        Self { words: all, len }
    }

    /// The words.
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

/// A type that may be passed to a kernel by value: `bool`, every number, `usize` below 2³²,
/// and vectors.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "arguments are `bool`, `usize`, `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`, and `Vec2`, `Vec3` and `Vec4` of numbers"
)]
pub trait Argument: Copy {
    /// The IR type of the parameter.
    #[doc(hidden)]
    const TYPE: Type;
    /// The value's words, low first; nothing for a `usize` that does not fit one.
    #[doc(hidden)]
    fn words(&self) -> Option<Words>;
    /// The value for the message that says it does not fit.
    #[doc(hidden)]
    fn wide(&self) -> u64 {
        0
    }
}

macro_rules! scalars {
    ($($rust:ident $scalar:ident;)*) => { $(
        impl sealed::Sealed for $rust {}

        // SAFETY: a Rust number has the IR number's size and byte order (the hosts that
        // the crate supports are little-endian), and no padding.
        unsafe impl Element for $rust {
            const TYPE: Type = Type::Scalar(Scalar::$scalar);
        }

        impl Lane for $rust {
            const LANE: Scalar = Scalar::$scalar;
        }

        impl Argument for $rust {
            const TYPE: Type = Type::Scalar(Scalar::$scalar);
            fn words(&self) -> Option<Words> {
                Some(Words::of(Scalar::$scalar, bytemuck::bytes_of(self)))
            }
        }
    )* };
}

scalars! { i8 I8; i16 I16; i32 I32; i64 I64; u8 U8; u16 U16; u32 U32; u64 U64; f32 F32; f64 F64; }

#[cfg(feature = "f16")]
use half::f16;
#[cfg(feature = "f16")]
scalars! { f16 F16; }

impl Argument for bool {
    const TYPE: Type = Type::BOOL;
    fn words(&self) -> Option<Words> {
        Some(Words::new(&[u32::from(*self)]))
    }
}

impl Argument for usize {
    const TYPE: Type = Type::U32;
    fn words(&self) -> Option<Words> {
        u32::try_from(*self).ok().map(|word| Words::new(&[word]))
    }
    fn wide(&self) -> u64 {
        *self as u64
    }
}

#[cfg(target_endian = "big")]
compile_error!("samebits needs a little-endian host: buffers are little-endian on every device");

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<T: Element>() {
        let layout = samebits_ir::types::Types::default().layout(<T as Element>::TYPE).map(|l| l.size as usize);
        assert_eq!(layout, Some(size_of::<T>()));
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
        #[cfg(feature = "f16")]
        agrees::<Vec3<f16>>();
    }

    #[test]
    fn a_wide_argument_has_its_low_word_first() {
        assert_eq!(
            0x0123_4567_89ab_cdef_u64.words().map(|w| w.as_slice().to_vec()),
            Some(vec![0x89ab_cdef, 0x0123_4567])
        );
    }

    #[test]
    fn narrow_lanes_have_a_word_each() {
        let words = |words: Option<Words>| words.map(|words| words.as_slice().to_vec());
        assert_eq!(words((-1i8).words()), Some(vec![0xff]));
        assert_eq!(words(Vec3::new(1u16, 2, 0xffff).words()), Some(vec![1, 2, 0xffff]));
        assert_eq!(words(Vec4::new(1u64, 2, 3, 1 << 32).words()), Some(vec![1, 0, 2, 0, 3, 0, 0, 1]));
    }

    #[test]
    fn a_usize_past_32_bits_has_no_words() {
        assert_eq!((1usize << 32).words(), None);
        assert!((u32::MAX as usize).words().is_some());
    }
}
