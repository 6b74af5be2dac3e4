//! The table of the methods of vectors that are not an op of their lanes.
//!
//! A row states what the method takes and gives. What it computes is written in ops of the lanes, where a front end
//! builds it; the documentation says in which order.

use super::{Class, Op};
use crate::types::Scalar;

/// What a method gives, of a vector of `n` lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// A lane.
    Lane,
    /// A vector of the same type.
    Same,
    /// A vector of as many `bool`.
    Bools,
    /// A vector of one lane more.
    Longer,
    /// A vector of one lane less.
    Shorter,
    /// An array of the lanes.
    Array,
}

/// What a method takes besides the vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// A vector of the same type.
    Vector,
    /// A lane.
    Lane,
}

macro_rules! methods {
    ($($name:ident $rust:literal $class:ident $least:literal to $most:literal, [$($taken:ident),*] -> $given:ident, $doc:literal;)*) => {
        /// A method of vectors that is not an op of their lanes.
        ///
        /// ```
        /// use samebits_ir::{ops::VectorMethod, types::Scalar};
        /// assert_eq!(VectorMethod::of("cross", Scalar::F32, 3), Some(VectorMethod::Cross));
        /// assert_eq!(VectorMethod::of("cross", Scalar::F32, 2), None);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum VectorMethod { $(#[doc = $doc] $name,)* }

        impl VectorMethod {
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

            /// The lanes that a vector with this method may have.
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class),* }
            }

            /// Whether vectors of so many lanes have the method.
            pub const fn has(self, lanes: u8) -> bool {
                match self { $(Self::$name => $least <= lanes && lanes <= $most),* }
            }

            /// What it takes besides the vector.
            pub const fn takes(self) -> &'static [Taken] {
                match self { $(Self::$name => &[$(Taken::$taken),*]),* }
            }

            /// What it gives.
            pub const fn gives(self) -> Given {
                match self { $(Self::$name => Given::$given),* }
            }
        }
    };
}

methods! {
    Dot "dot" NUM 2 to 4, [Vector] -> Lane, "The sum of the products of the lanes, from the first to the last.";
    Cross "cross" NUM 3 to 3, [Vector] -> Same, "The cross product: `a.y * b.z - b.y * a.z` and so on.";
    Length "length" FLOAT 2 to 4, [] -> Lane, "The square root of `length_squared`.";
    LengthSquared "length_squared" NUM 2 to 4, [] -> Lane, "The product `dot` of the vector with itself.";
    Distance "distance" FLOAT 2 to 4, [Vector] -> Lane, "The `length` of the difference.";
    DistanceSquared "distance_squared" NUM 2 to 4, [Vector] -> Lane, "The `length_squared` of the difference.";
    Normalize "normalize" FLOAT 2 to 4, [] -> Same, "The vector times 1 over its `length`.";
    NormalizeOrZero "normalize_or_zero" FLOAT 2 to 4, [] -> Same, "As `normalize`, but zeros where 1 over the length is not finite or not above zero.";
    Reflect "reflect" FLOAT 2 to 4, [Vector] -> Same, "`v - n * (2.0 * v.dot(n))`.";
    Lerp "lerp" FLOAT 2 to 4, [Vector, Lane] -> Same, "`a * (1.0 - t) + b * t`.";
    MinElement "min_element" NUM 2 to 4, [] -> Lane, "The least lane, by `min` from the first to the last.";
    MaxElement "max_element" NUM 2 to 4, [] -> Lane, "The greatest lane, by `max` from the first to the last.";
    Sum "element_sum" NUM 2 to 4, [] -> Lane, "The sum of the lanes, from the first to the last.";
    Product "element_product" NUM 2 to 4, [] -> Lane, "The product of the lanes, from the first to the last.";
    CmpEq "cmpeq" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are equal.";
    CmpNe "cmpne" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are not equal.";
    CmpLt "cmplt" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are less.";
    CmpLe "cmple" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are less or equal.";
    CmpGt "cmpgt" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are greater.";
    CmpGe "cmpge" ORDERED 2 to 4, [Vector] -> Bools, "Which lanes are greater or equal.";
    All "all" BOOL 2 to 4, [] -> Lane, "Whether every lane is true.";
    Any "any" BOOL 2 to 4, [] -> Lane, "Whether any lane is true.";
    Extend "extend" ANY 2 to 3, [Lane] -> Longer, "The vector with one lane more.";
    Truncate "truncate" ANY 3 to 4, [] -> Shorter, "The vector without its last lane.";
    ToArray "to_array" ANY 2 to 4, [] -> Array, "The lanes as an array.";
}

impl VectorMethod {
    /// The method of this name of vectors of so many lanes of a type.
    pub fn of(name: &str, lane: Scalar, lanes: u8) -> Option<Self> {
        Self::all_of(lane, lanes).find(|method| method.name() == name)
    }

    /// The methods of vectors of so many lanes of a type.
    pub fn all_of(lane: Scalar, lanes: u8) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |method| method.class().contains(lane) && method.has(lanes))
    }

    /// The op that a method is lane by lane, if it is a comparison.
    pub const fn comparison(self) -> Option<Op> {
        Some(match self {
            Self::CmpEq => Op::Eq,
            Self::CmpNe => Op::Ne,
            Self::CmpLt => Op::Lt,
            Self::CmpLe => Op::Le,
            Self::CmpGt => Op::Gt,
            Self::CmpGe => Op::Ge,
            _ => return None,
        })
    }
}
