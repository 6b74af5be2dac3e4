//! What the author of an instruction says about it beyond its meaning.
//!
//! Floats are strict: every result is the one that the table of ops defines. So a flag never
//! changes a result, except in a kernel with `fast_math`, where the device may compute an op
//! without `precise` in its own way, and of an op with `approx`. Passes keep flags with the instructions that they keep.
//! [`Unroll`], a request about a loop, changes no result either.

use std::fmt;

macro_rules! flags {
    ($($name:ident = $bit:literal, $text:literal, $doc:literal;)*) => {
        /// A set of flags of an instruction.
        ///
        /// ```
        /// use samebits_ir::flags::Flags;
        /// let flags = Flags::PRECISE.and(Flags::NONAN);
        /// assert!(flags.has(Flags::NONAN) && !flags.has(Flags::NOINF));
        /// assert_eq!(flags.to_string(), "precise nonan");
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        pub struct Flags(u8);

        impl Flags {
            /// No flag.
            pub const NONE: Self = Self(0);
            $(#[doc = $doc] pub const $name: Self = Self(1 << $bit);)*
            /// Every flag with its name in text, in order.
            pub const ALL: &[(Self, &str)] = &[$((Self::$name, $text),)*];
        }
    };
}

flags! {
    PRECISE = 0, "precise", "The result must not be altered, also in a kernel with `fast_math`.";
    NONUNIFORM = 1, "nonuniform", "The result is taken to differ between the invocations of a workgroup, whatever can be proven. The analysis of uniformity obeys.";
    NONAN = 2, "nonan", "The result is no NaN. This permits loose floats to forget NaNs; strict floats do not use it.";
    NOINF = 3, "noinf", "The result is not infinite. This permits loose floats to forget infinities; strict floats do not use it.";
    NOSZ = 4, "nosz", "The sign of a zero does not matter. This permits loose floats to lose it; strict floats do not use it.";
    RACY = 5, "racy", "The load or store may race with others that are racy too: its author answers for what comes of that. Each word is then accessed as a whole, in no order with others. Only loads and stores have this flag.";
    APPROX = 6, "approx", "A device may compute the op on `f32` in its own way, as in a kernel with `fast_math`.";
}

impl Flags {
    /// The flags of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all flags of the other set are in this one.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The flags of this set that are not in the other one.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as a number that never changes its meaning.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The set of this number.
    pub fn from_number(number: u8) -> Option<Self> {
        (number >> Self::ALL.len() == 0).then_some(Self(number))
    }

    /// The flag of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, text)| *text == name).map(|(flag, _)| *flag)
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::ALL.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| *name);
        f.write_str(&names.collect::<Vec<_>>().join(" "))
    }
}

/// How often the body of a loop is to stand in the loop.
///
/// ```
/// use samebits_ir::flags::Unroll;
/// assert_eq!(Unroll::By(4).to_string(), "unroll(4)");
/// assert_eq!(Unroll::from_number(Unroll::By(4).number()), Some(Unroll::By(4)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unroll {
    /// Once for each round, so that no loop is left.
    Full,
    /// So many times; 0 is taken for 1.
    By(u32),
    /// As it is written, whatever passes would do otherwise.
    Never,
}

impl Unroll {
    /// A number that never changes its meaning.
    pub const fn number(self) -> i64 {
        match self {
            Self::Full => 0,
            Self::Never => 1,
            Self::By(copies) => 2 + copies as i64,
        }
    }

    /// What has this number.
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Full),
            1 => Some(Self::Never),
            _ => u32::try_from(number.checked_sub(2)?).ok().map(Self::By),
        }
    }
}

impl fmt::Display for Unroll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("unroll"),
            Self::By(copies) => write!(f, "unroll({copies})"),
            Self::Never => f.write_str("unroll(never)"),
        }
    }
}
