//! Launch arguments as a program passes them, before they are compared with a kernel's parameters.
//!
//! Invariants:
//!
//! - An [`Arg`] is a list of *leaves*: buffers, scalars and vectors. Each leaf belongs to one
//!   parameter of the kernel.
//! - The leaves of a struct or array that is passed by value stand in order: fields as they are
//!   declared, array elements from the first on. Only such an argument needs memory of the heap.
//! - An argument that may be written borrows its buffer mutably and cannot be copied. So no two
//!   arguments of a launch share memory that the kernel writes.

use crate::backend::Memory;
use crate::device::Device;
use crate::shape::Shape;
use samebits_ir::ir::Access;
use samebits_ir::types::{Scalar, Type};

/// The most words of a leaf: four lanes of 64 bits.
const MOST_WORDS: usize = 8;

/// The words of a scalar or vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Words {
    words: [u32; MOST_WORDS],
    len: usize,
}

impl Words {
    /// A value's lanes from memory: a word each, two for lanes of 64 bits, zero-extended.
    pub fn of(lane: Scalar, bytes: &[u8]) -> Self {
        let (mut words, mut len) = ([0; MOST_WORDS], 0);
        // Lanes of less than a word begin a word each.
        for (bytes, word) in bytes.chunks(lane.size().clamp(1, 4) as usize).zip(&mut words) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            len += 1;
        }
        Self { words, len }
    }

    /// These words; more than a value can have are left out.
    fn new(words: &[u32]) -> Self {
        let mut all = [0; MOST_WORDS];
        let len = words.len().min(MOST_WORDS);
        all[..len].copy_from_slice(&words[..len]);
        Self { words: all, len }
    }

    /// The words.
    pub fn as_slice(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

/// A type that may be passed to a kernel by value: `bool`, every number, `usize` below 2³²,
/// vectors, arrays of these, and structs that derive `Element`.
///
/// ```
/// use samebits::{argument::Argument, prelude::*};
///
/// #[kernel]
/// fn scale(y: &mut [f32], factor: f32) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] *= factor;
///     }
/// }
///
/// fn passed<T: Argument>(value: T) -> T {
///     value
/// }
/// let device = Device::interpreter();
/// let mut y = device.upload(&[1.5])?;
/// scale::launch(&device, 1, &mut y, passed(2.0))?;
/// assert_eq!(y.read()?, [3.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// It is sealed like [`Element`](crate::element::Element): the derive implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "arguments are `bool`, `usize`, `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`, `Vec2`, `Vec3` and `Vec4` of numbers, arrays of these, and structs that derive `Element`"
)]
pub trait Argument: Copy + sealed::Sealed {
    /// The value's leaves.
    #[doc(hidden)]
    fn argument(self) -> Arg<'static>;
}

pub(crate) mod sealed {
    /// Keeps [`Argument`](super::Argument) and [`Element`](crate::Element) from being implemented
    /// by hand: only types of this crate have it, and those that derive `Element`.
    pub trait Sealed {}
}

/// An argument of a launch.
#[doc(hidden)]
#[derive(Debug)]
pub struct Arg<'a>(Parts<'a>);

#[derive(Debug)]
enum Parts<'a> {
    One(Leaf<'a>),
    Many(Vec<Leaf<'a>>),
}

/// What is passed for one parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf<'a> {
    /// Elements of one shape.
    Buffer {
        /// The device that they are on.
        device: &'a Device,
        /// Where they are.
        memory: &'a Memory,
        /// Where the first begins, in bytes.
        start: u64,
        /// How many bytes they have.
        bytes: u64,
        /// Whether they are lent to be read only, or for anything.
        lent: Access,
        /// How many elements there are.
        len: u32,
        /// Their type.
        element: &'static Shape,
        /// What no element exceeds as a `u32`, as far as that was looked at.
        most: u32,
    },
    /// Bytes that are elements of whatever type the parameter has.
    Words {
        /// The device that they are on.
        device: &'a Device,
        /// Where they are.
        memory: &'a Memory,
        /// Where the first begins, in bytes.
        start: u64,
        /// How many they are.
        bytes: u64,
        /// Whether they are lent to be read only, or for anything.
        lent: Access,
    },
    /// A scalar or vector.
    Value {
        /// Its type.
        ty: Type,
        /// Its words, low first.
        words: Words,
    },
    /// A `usize` that does not fit the 32 bits that one has on a device.
    TooLarge(u64),
}

impl<'a> Arg<'a> {
    /// What is passed for one parameter.
    pub(crate) fn one(leaf: Leaf<'a>) -> Self {
        Self(Parts::One(leaf))
    }

    /// A value: an argument for one parameter of its type, or for one parameter per leaf.
    pub fn scalar<T: Argument>(value: T) -> Self {
        value.argument()
    }

    /// The words of a scalar or vector of any type that a parameter may have, low first.
    pub fn value(ty: Type, words: &[u32]) -> Self {
        Self(Parts::One(Leaf::Value { ty, words: Words::new(words) }))
    }

    /// A struct or an array of these parts: the leaves of each, one part after the other.
    pub fn parts(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut leaves = Vec::new();
        for Self(part) in parts {
            match part {
                Parts::One(leaf) => leaves.push(leaf),
                Parts::Many(mut more) => leaves.append(&mut more),
            }
        }
        Self(Parts::Many(leaves))
    }

    /// A scalar or vector as memory holds it.
    pub(crate) fn of_bytes(ty: Type, lane: Scalar, bytes: &[u8]) -> Self {
        Self(Parts::One(Leaf::Value { ty, words: Words::of(lane, bytes) }))
    }

    /// The same buffer, of which it was looked at that no element exceeds a number.
    pub(crate) fn at_most(mut self, number: u32) -> Self {
        if let Parts::One(Leaf::Buffer { most, .. }) = &mut self.0 {
            *most = number;
        }
        self
    }

    /// The leaves, one per parameter.
    pub(crate) fn leaves(&self) -> &[Leaf<'a>] {
        match &self.0 {
            Parts::One(leaf) => std::slice::from_ref(leaf),
            Parts::Many(leaves) => leaves,
        }
    }
}

impl Argument for bool {
    fn argument(self) -> Arg<'static> {
        Arg::value(Type::BOOL, &[u32::from(self)])
    }
}

impl Argument for usize {
    fn argument(self) -> Arg<'static> {
        match u32::try_from(self) {
            Ok(word) => Arg::value(Type::U32, &[word]),
            Err(_) => Arg(Parts::One(Leaf::TooLarge(self as u64))),
        }
    }
}

impl<T: Argument, const N: usize> Argument for [T; N] {
    fn argument(self) -> Arg<'static> {
        Arg::parts(self.into_iter().map(T::argument))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Vec3, Vec4};

    /// The types and words of a value's leaves.
    fn leaves(value: impl Argument) -> Vec<(Type, Vec<u32>)> {
        let leaf = |leaf: &Leaf<'_>| match leaf {
            Leaf::Value { ty, words } => (*ty, words.as_slice().to_vec()),
            Leaf::TooLarge(_) | Leaf::Buffer { .. } | Leaf::Words { .. } => (Type::Error, Vec::new()),
        };
        value.argument().leaves().iter().map(leaf).collect()
    }

    #[test]
    fn a_wide_argument_has_its_low_word_first() {
        assert_eq!(leaves(0x0123_4567_89ab_cdef_u64), [(Type::U64, vec![0x89ab_cdef, 0x0123_4567])]);
    }

    #[test]
    fn narrow_lanes_have_a_word_each() {
        assert_eq!(leaves(-1i8), [(Type::Scalar(Scalar::I8), vec![0xff])]);
        assert_eq!(leaves(Vec3::new(1u16, 2, 0xffff)), [(Type::Vector(Scalar::U16, 3), vec![1, 2, 0xffff])]);
        let wide = vec![1, 0, 2, 0, 3, 0, 0, 1];
        assert_eq!(leaves(Vec4::new(1u64, 2, 3, 1 << 32)), [(Type::Vector(Scalar::U64, 4), wide)]);
    }

    #[test]
    fn a_usize_past_32_bits_is_too_large() {
        assert!(matches!((1usize << 32).argument().leaves(), [Leaf::TooLarge(0x1_0000_0000)]));
        assert_eq!(leaves(u32::MAX as usize), [(Type::U32, vec![u32::MAX])]);
    }

    #[test]
    fn an_array_of_arrays_is_its_elements_from_the_first_on() {
        let words = [1, 2, 3, 4].map(|word| (Type::U32, vec![word]));
        assert_eq!(leaves([[1u32, 2], [3, 4]]), words);
        assert_eq!(leaves([[0u32; 0]; 2]), []);
    }

    #[test]
    fn parts_keep_the_order_of_what_they_are_made_of() {
        let group = Arg::parts([true.argument(), [2u32, 3].argument(), 4.0f32.argument()]);
        let word = |leaf: &Leaf<'_>| match leaf {
            Leaf::Value { words, .. } => words.as_slice()[0],
            Leaf::TooLarge(_) | Leaf::Buffer { .. } | Leaf::Words { .. } => u32::MAX,
        };
        assert_eq!(group.leaves().iter().map(word).collect::<Vec<_>>(), [1, 2, 3, 4.0f32.to_bits()]);
    }
}
