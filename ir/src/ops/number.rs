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
    /// `Option` of the same.
    SameOrNone,
    /// `Option<u32>`.
    U32OrNone,
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
    CheckedAdd "checked_add" INT [Same] -> SameOrNone, "The sum, if it does not overflow.";
    CheckedSub "checked_sub" INT [Same] -> SameOrNone, "The difference, if it does not overflow.";
    CheckedMul "checked_mul" INT [Same] -> SameOrNone, "The product, if it does not overflow.";
    CheckedDiv "checked_div" INT [Same] -> SameOrNone, "The quotient; none by zero, and for `MIN / -1`.";
    CheckedRem "checked_rem" INT [Same] -> SameOrNone, "The remainder; none by zero, and for `MIN % -1`.";
    CheckedDivEuclid "checked_div_euclid" INT [Same] -> SameOrNone, "The quotient of `div_euclid`; none by zero, and for `MIN / -1`.";
    CheckedRemEuclid "checked_rem_euclid" INT [Same] -> SameOrNone, "The remainder of `rem_euclid`; none by zero, and for `MIN % -1`.";
    CheckedNeg "checked_neg" INT [] -> SameOrNone, "The negation, if it does not overflow: of an unsigned number only that of zero.";
    CheckedAbs "checked_abs" SIGNED [] -> SameOrNone, "The absolute value; none of `MIN`.";
    CheckedShl "checked_shl" INT [U32] -> SameOrNone, "Left shift; none for a count of the width or above.";
    CheckedShr "checked_shr" INT [U32] -> SameOrNone, "Right shift; none for a count of the width or above.";
    CheckedPow "checked_pow" INT [U32] -> SameOrNone, "The number to a power, if it does not overflow.";
    CheckedNextMultipleOf "checked_next_multiple_of" UNSIGNED [Same] -> SameOrNone, "The least multiple that is not below the number; none of zero, and if it overflows.";
    CheckedNextPowerOfTwo "checked_next_power_of_two" UNSIGNED [] -> SameOrNone, "The least power of two that is not below the number, if the type has it.";
    CheckedIlog2 "checked_ilog2" INT [] -> U32OrNone, "The logarithm to base 2, rounded down; none of zero and below.";
    CheckedIlog10 "checked_ilog10" INT [] -> U32OrNone, "The logarithm to base 10, rounded down; none of zero and below.";
    CheckedIlog "checked_ilog" INT [Same] -> U32OrNone, "The logarithm to a base, rounded down; none of zero and below, and for bases below 2.";
    CheckedIsqrt "checked_isqrt" SIGNED [] -> SameOrNone, "The square root, rounded down; none below zero.";
    CheckedAddSigned "checked_add_signed" UNSIGNED [Signed] -> SameOrNone, "The sum with a signed number, if it does not overflow.";
    CheckedSubSigned "checked_sub_signed" UNSIGNED [Signed] -> SameOrNone, "The difference from a signed number, if it does not overflow.";
    CheckedAddUnsigned "checked_add_unsigned" SIGNED [Unsigned] -> SameOrNone, "The sum with an unsigned number, if it does not overflow.";
    CheckedSubUnsigned "checked_sub_unsigned" SIGNED [Unsigned] -> SameOrNone, "The difference from an unsigned number, if it does not overflow.";
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
        shows || matches!(self, Self::ToBe | Self::WrappingAddSigned | Self::CheckedAddSigned | Self::CheckedSubSigned)
    }
}
