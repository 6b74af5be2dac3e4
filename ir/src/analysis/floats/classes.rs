//! Sets of classes of floats: NaN, and zero, subnormal, normal and infinity of either sign.

use crate::types::Scalar;

/// What floats a value may be: a set of classes.
///
/// ```
/// use samebits_ir::{analysis::floats::Classes, types::Scalar};
/// let one = Classes::of_constant(Scalar::F32, 0x3f80_0000);
/// assert_eq!(one, Classes::NORMALS.and(Classes::POSITIVE));
/// assert!(!one.may_be_nan() && !one.may_be_subnormal());
/// assert_eq!((one.sign(), Classes::ANY.sign()), (Some(false), None));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Classes(u16);

/// A class without its sign, from the least to the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Zero,
    Subnormal,
    Normal,
    Infinite,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Zero, Self::Subnormal, Self::Normal, Self::Infinite];
}

/// How many kinds there are; those of positive numbers are the lowest bits, then those of
/// negative numbers.
const KINDS: u16 = 4;

impl Classes {
    /// No float: nobody comes to where the value is computed.
    pub const NONE: Self = Self(0);
    /// Every float.
    pub const ANY: Self = Self(0x1ff);
    /// NaN, whatever its bits.
    pub const NAN: Self = Self(0x100);
    /// Numbers without the sign bit, zero and infinity among them.
    pub const POSITIVE: Self = Self(0xf);
    /// Numbers with the sign bit, zero and infinity among them.
    pub const NEGATIVE: Self = Self(0xf0);
    /// Zeros of either sign.
    pub const ZEROS: Self = Self(0x11);
    /// Subnormal numbers of either sign.
    pub const SUBNORMALS: Self = Self(0x22);
    /// Normal numbers of either sign.
    pub const NORMALS: Self = Self(0x44);
    /// Infinities of either sign.
    pub const INFINITIES: Self = Self(0x88);

    /// The class of the float of a type that has these bits. Of other types it is
    /// [`ANY`](Self::ANY).
    ///
    /// ```
    /// use samebits_ir::{analysis::floats::Classes, types::Scalar};
    /// let minus_zero = Classes::of_constant(Scalar::F16, 0x8000);
    /// assert_eq!(minus_zero, Classes::ZEROS.and(Classes::NEGATIVE));
    /// assert_eq!(Classes::of_constant(Scalar::F64, u64::MAX), Classes::NAN);
    /// ```
    pub const fn of_constant(ty: Scalar, bits: u64) -> Self {
        if !ty.is_float() {
            return Self::ANY;
        }
        let magnitude = bits & (ty.mask() >> 1);
        let kind = if magnitude > ty.infinity() {
            return Self::NAN;
        } else if magnitude == ty.infinity() {
            Kind::Infinite
        } else if magnitude == 0 {
            Kind::Zero
        } else if magnitude >> ty.fraction_bits() == 0 {
            Kind::Subnormal
        } else {
            Kind::Normal
        };
        Self::of(kind, bits & ty.mask() != magnitude)
    }

    pub(super) const fn of(kind: Kind, negative: bool) -> Self {
        Self(1 << (kind as u16 + if negative { KINDS } else { 0 }))
    }

    /// What is in either set.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// let all = Classes::POSITIVE.union(Classes::NEGATIVE).union(Classes::NAN);
    /// assert_eq!(all, Classes::ANY);
    /// ```
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert_eq!(Classes::POSITIVE.and(Classes::NEGATIVE), Classes::NONE);
    /// ```
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in the other.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(!Classes::ANY.without(Classes::NAN).may_be_nan());
    /// ```
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of the other set is in this one.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::ANY.contains(Classes::ZEROS) && !Classes::POSITIVE.contains(Classes::ZEROS));
    /// ```
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether something is in both sets.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::POSITIVE.meets(Classes::ZEROS) && !Classes::NAN.meets(Classes::ZEROS));
    /// ```
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether NaN is in the set.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::ANY.may_be_nan() && !Classes::INFINITIES.may_be_nan());
    /// ```
    pub const fn may_be_nan(self) -> bool {
        self.meets(Self::NAN)
    }

    /// Whether a subnormal number is in the set.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::POSITIVE.may_be_subnormal() && !Classes::NORMALS.may_be_subnormal());
    /// ```
    pub const fn may_be_subnormal(self) -> bool {
        self.meets(Self::SUBNORMALS)
    }

    /// Whether a zero is in the set.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::NEGATIVE.may_be_zero() && !Classes::NORMALS.may_be_zero());
    /// ```
    pub const fn may_be_zero(self) -> bool {
        self.meets(Self::ZEROS)
    }

    /// Whether an infinity is in the set.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert!(Classes::NEGATIVE.may_be_infinite() && !Classes::NORMALS.may_be_infinite());
    /// ```
    pub const fn may_be_infinite(self) -> bool {
        self.meets(Self::INFINITIES)
    }

    /// The sign bit, where it is known: set or clear for all that is in the set. A NaN may
    /// have either.
    ///
    /// ```
    /// use samebits_ir::analysis::floats::Classes;
    /// assert_eq!(Classes::NEGATIVE.sign(), Some(true));
    /// assert_eq!(Classes::NEGATIVE.union(Classes::NAN).sign(), None);
    /// ```
    pub const fn sign(self) -> Option<bool> {
        match (self.meets(Self::POSITIVE), self.meets(Self::NEGATIVE), self.may_be_nan()) {
            (true, false, false) => Some(false),
            (false, true, false) => Some(true),
            _ => None,
        }
    }

    /// The set of what is in this one with the sign bit flipped.
    pub(super) const fn flipped(self) -> Self {
        let (positive, negative) = (self.0 & Self::POSITIVE.0, self.0 & Self::NEGATIVE.0);
        Self(self.0 & Self::NAN.0 | positive << KINDS | negative >> KINDS)
    }

    /// The numbers up to the greatest one in the set, `-0.0` being below `0.0`.
    pub(super) fn and_below(self) -> Self {
        let negative = Kind::ALL.iter().rev().map(|&kind| Self::of(kind, true));
        let ascending = negative.chain(Kind::ALL.iter().map(|&kind| Self::of(kind, false)));
        let (mut below, mut met) = (Self::NONE, Self::NONE);
        for class in ascending {
            met = met.union(class);
            if self.contains(class) {
                below = met;
            }
        }
        below
    }
}

impl std::fmt::Debug for Classes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut set = f.debug_set();
        for negative in [true, false] {
            for kind in Kind::ALL {
                if self.contains(Self::of(kind, negative)) {
                    set.entry(&format_args!("{}{kind:?}", if negative { '-' } else { '+' }));
                }
            }
        }
        if self.may_be_nan() {
            set.entry(&format_args!("NaN"));
        }
        set.finish()
    }
}
