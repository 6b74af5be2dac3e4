//! Features that a kernel needs and not every device has.
//!
//! Each feature is a bit, so that needs and devices are compared at once.
//! [`Checked`](crate::check::Checked) knows the needs, the runtime knows the device. A launch
//! whose kernel needs more than its device has is refused before it is submitted. Text and
//! binary forms of the IR declare no features; kernels in Rust do.

use crate::order::{Ordering, Scope};
use crate::types::Scalar;
use std::fmt;
use std::ops::{BitOr, BitOrAssign};

macro_rules! features {
    ($($name:ident = $bit:literal, $text:literal, $words:literal, $doc:literal;)*) => {
        /// A set of features.
        ///
        /// ```
        /// use samebits_ir::caps::Capabilities;
        /// let needs = Capabilities::F64 | Capabilities::ATOMIC64;
        /// assert_eq!(needs.to_string(), "`f64` and 64-bit atomics");
        /// assert!(needs.without(Capabilities::ATOMIC64) == Capabilities::F64);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct Capabilities(u32);

        impl Capabilities {
            $(#[doc = $doc] pub const $name: Self = Self(1 << $bit);)*

            /// Every feature, its name in declarations, and what it is called in messages.
            pub const NAMES: &[(Self, &str, &str)] = &[$((Self::$name, $text, $words),)*];

            /// Every feature.
            pub const ALL: Self = Self($(1 << $bit)|*);
        }
    };
}

features! {
    F64 = 0, "f64", "`f64`", "Values of the type `f64`.";
    F16 = 1, "f16", "`f16`", "Values of the type `f16`.";
    ATOMIC64 = 2, "atomic64", "64-bit atomics", "Atomics of 64 bits.";
    FLOAT_ATOMICS = 3, "float_atomics", "atomics of floats", "Atomics of floats, whose sums depend on the order in which invocations add.";
    ATOMIC_ORDERS = 4, "atomic_orders", "orders of atomics", "Atomics and fences that order the accesses around them: `acquire`, `release` and both.";
    SEQ_CST = 5, "seq_cst", "`SeqCst`", "Atomics and fences in one order that all invocations agree on. What has them has the other orders.";
}

impl Capabilities {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// The feature of this name.
    ///
    /// ```
    /// use samebits_ir::caps::Capabilities;
    /// assert_eq!(Capabilities::from_name("f16"), Some(Capabilities::F16));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known, _)| *known == name).map(|&(feature, ..)| feature)
    }

    /// What values of a type need.
    ///
    /// ```
    /// use samebits_ir::{caps::Capabilities, types::Scalar};
    /// assert_eq!(Capabilities::of_scalar(Scalar::F64), Capabilities::F64);
    /// assert!(Capabilities::of_scalar(Scalar::U64).is_empty());
    /// ```
    pub const fn of_scalar(scalar: Scalar) -> Self {
        match scalar {
            Scalar::F64 => Self::F64,
            Scalar::F16 => Self::F16,
            _ => Self::NONE,
        }
    }

    /// What atomics of a type need besides the type.
    ///
    /// ```
    /// use samebits_ir::{caps::Capabilities, types::Scalar};
    /// assert_eq!(Capabilities::of_atomic(Scalar::I64), Capabilities::ATOMIC64);
    /// assert_eq!(Capabilities::of_atomic(Scalar::F32), Capabilities::FLOAT_ATOMICS);
    /// assert!(Capabilities::of_atomic(Scalar::U32).is_empty());
    /// ```
    pub fn of_atomic(scalar: Scalar) -> Self {
        let wide = if scalar.bits() == 64 { Self::ATOMIC64 } else { Self::NONE };
        let float = if scalar.is_float() { Self::FLOAT_ATOMICS } else { Self::NONE };
        wide | float
    }

    /// What an access or a fence of this order needs. An access that orders nothing may be seen
    /// by more invocations than it has to, so every device has it.
    ///
    /// ```
    /// use samebits_ir::caps::Capabilities;
    /// use samebits_ir::order::{Ordering, Scope};
    /// assert_eq!(Capabilities::of_order(Ordering::Release, Scope::Device), Capabilities::ATOMIC_ORDERS);
    /// assert_eq!(Capabilities::of_order(Ordering::SeqCst, Scope::Workgroup), Capabilities::SEQ_CST);
    /// assert!(Capabilities::of_order(Ordering::Relaxed, Scope::Workgroup).is_empty());
    /// ```
    pub const fn of_order(ordering: Ordering, scope: Scope) -> Self {
        match (ordering, scope) {
            (Ordering::Relaxed, _) | (_, Scope::Invocation) => Self::NONE,
            (Ordering::Acquire | Ordering::Release | Ordering::AcqRel, _) => Self::ATOMIC_ORDERS,
            (Ordering::SeqCst, _) => Self::SEQ_CST,
        }
    }

    /// What may be used instead of a feature that a device lacks, as words in parentheses.
    ///
    /// ```
    /// use samebits_ir::caps::Capabilities;
    /// assert!(Capabilities::SEQ_CST.instead().contains("`AcqRel`"));
    /// assert_eq!(Capabilities::F64.instead(), "");
    /// ```
    pub const fn instead(self) -> &'static str {
        if self.contains(Self::SEQ_CST) {
            " (`AcqRel` is enough where invocations need not agree on one order of all accesses)"
        } else {
            ""
        }
    }

    /// The features of the set with their names, in order.
    pub fn iter(self) -> impl Iterator<Item = (Self, &'static str)> {
        let features = Self::NAMES.iter().filter(move |(feature, ..)| self.contains(*feature));
        features.map(|&(feature, name, _)| (feature, name))
    }

    /// Whether all of the other's features are here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These features without the other's.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Capabilities {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Capabilities {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> =
            Self::NAMES.iter().filter(|(feature, ..)| self.contains(*feature)).map(|&(.., words)| words).collect();
        match words.as_slice() {
            [] | [_] => f.write_str(&words.join("")),
            [first @ .., last] => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}
