//! What a kernel needs that not every device has.
//!
//! A bit a feature, so that what a kernel needs and what a device has are compared at
//! once. [`Checked`](crate::check::Checked) knows the first, the runtime the second; a
//! launch whose kernel needs more than its device has is refused before it is submitted.

use std::fmt;
use std::ops::BitOr;

/// A set of features.
///
/// ```
/// use samebits_ir::caps::Capabilities;
/// let needs = Capabilities::NONE | Capabilities::ATOMIC64;
/// assert_eq!(needs.to_string(), "atomics of 64 bits");
/// assert!(needs.without(Capabilities::ATOMIC64).is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Capabilities(u32);

impl Capabilities {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Atomic accesses of 64 bits.
    pub const ATOMIC64: Self = Self(1);

    /// Every feature with its name in messages.
    const NAMES: &[(Self, &str)] = &[(Self::ATOMIC64, "atomics of 64 bits")];

    /// Whether all of the other's features are here.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These features less the other's.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether there is none.
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

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Self::NAMES.iter().filter(|(feature, _)| self.contains(*feature)).map(|&(_, name)| name).collect();
        f.write_str(&names.join(" and "))
    }
}
