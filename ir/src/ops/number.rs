//! The table of the methods of numbers that are no op: of Rust's, those that a few ops make.
//!
//! A row states what the method takes and gives. A front end builds it of ops. Where Rust would panic, the sentence
//! says what it gives.

use super::Class;
use crate::types::Scalar;

/// The type of an operand or a result, relative to the number's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// The same.
    Same,
    /// The unsigned integer of the same width.
    Unsigned,
    /// The signed integer of the same width.
    Signed,
    /// `u32`.
    U32,
    /// `bool`.
    Bool,
    /// An array of its bytes.
    Bytes,
}

macro_rules! methods {
    ($($name:ident $rust:literal $class:ident [$($taken:ident),*] -> $given:ident, $doc:literal;)*) => {
        /// A method of numbers that is no op.
        ///
        /// ```
        /// use samebits_ir::{ops::NumberMethod, types::Scalar};
        /// assert_eq!(NumberMethod::of("ilog10", Scalar::U32), Some(NumberMethod::Ilog10));
        /// assert_eq!(NumberMethod::of("ilog10", Scalar::F32), None);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum NumberMethod { $(#[doc = $doc] $name,)* }

        impl NumberMethod {
            /// Every method.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in Rust.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $rust),* }
            }

            /// A sentence of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc),* }
            }

            /// The numbers that have the method.
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class),* }
            }

            /// What it takes besides the number.
            pub const fn takes(self) -> &'static [Beside] {
                match self { $(Self::$name => &[$(Beside::$taken),*]),* }
            }

            /// What it gives.
            pub const fn gives(self) -> Beside {
                match self { $(Self::$name => Beside::$given),* }
            }
        }
    };
}

methods! {
    ToLeBytes "to_le_bytes" NUM [] -> Bytes, "The bytes, the lowest first.";
    ToBeBytes "to_be_bytes" NUM [] -> Bytes, "The bytes, the highest first.";
    ToNeBytes "to_ne_bytes" NUM [] -> Bytes, "The bytes as they lie in memory, which is the lowest first.";
    ToLe "to_le" INT [] -> Same, "The number itself: bytes lie in memory the lowest first.";
    ToBe "to_be" INT [] -> Same, "The bytes in reverse order.";
    Ilog10 "ilog10" INT [] -> U32, "The logarithm to base 10, rounded down; 4294967295 for zero and below.";
    Ilog "ilog" INT [Same] -> U32, "The logarithm to a base, rounded down; 4294967295 for zero and below, and for bases below 2.";
    Isqrt "isqrt" SIGNED [] -> Same, "The square root, rounded down; 0 below zero.";
    IsMultipleOf "is_multiple_of" UNSIGNED [Same] -> Bool, "Whether the remainder is zero; only zero is a multiple of zero.";
    CastSigned "cast_signed" UNSIGNED [] -> Signed, "The same bits as a signed integer.";
    CastUnsigned "cast_unsigned" SIGNED [] -> Unsigned, "The same bits as an unsigned integer.";
    UnboundedShl "unbounded_shl" INT [U32] -> Same, "Left shift; 0 for a count of the width or above.";
    UnboundedShr "unbounded_shr" INT [U32] -> Same, "Right shift; 0, or -1 below zero, for a count of the width or above.";
    WrappingAddSigned "wrapping_add_signed" UNSIGNED [Signed] -> Same, "The sum with a signed number; wraps.";
    WrappingAddUnsigned "wrapping_add_unsigned" SIGNED [Unsigned] -> Same, "The sum with an unsigned number; wraps.";
    WrappingSubUnsigned "wrapping_sub_unsigned" SIGNED [Unsigned] -> Same, "The difference from an unsigned number; wraps.";
    SaturatingNeg "saturating_neg" SIGNED [] -> Same, "The negation; `MAX` for `MIN`.";
    SaturatingAbs "saturating_abs" SIGNED [] -> Same, "The absolute value; `MAX` for `MIN`.";
    NextUp "next_up" FLOAT [] -> Same, "The least number above; NaN and infinity stay.";
    NextDown "next_down" FLOAT [] -> Same, "The greatest number below; NaN and -infinity stay.";
}

impl NumberMethod {
    /// The method of this name of numbers of a type.
    pub fn of(name: &str, number: Scalar) -> Option<Self> {
        Self::all_of(number).find(|method| method.name() == name)
    }

    /// The methods of numbers of a type.
    pub fn all_of(number: Scalar) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |method| method.class().contains(number))
    }

    /// Whether what the method gives depends on the width of the number.
    pub const fn shows_width(self) -> bool {
        let shows = matches!(self.gives(), Beside::Bytes | Beside::Signed | Beside::Unsigned);
        shows || matches!(self, Self::ToBe | Self::WrappingAddSigned)
    }
}
