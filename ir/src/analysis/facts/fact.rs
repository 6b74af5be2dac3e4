//! What is known about the bits of a value: which are fixed, and between which numbers the
//! value lies, read with and without a sign.
//!
//! Whoever holds a fact knows its width. A fact of a vector holds for every lane.
//! [`Fact::settled`] keeps the three views consistent. A fact that no number satisfies means
//! that the value is never computed.

use crate::scalar::signed;
use crate::types::Scalar;

/// What is known about a value of some width.
///
/// ```
/// use samebits_ir::{analysis::facts::Fact, types::Scalar};
/// let small = Fact::between(Scalar::U32, 4, 7);
/// assert_eq!((small.ones, small.most), (4, 7));
/// assert!(small.contains(Scalar::U32, 5) && !small.contains(Scalar::U32, 9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The bits that are zero.
    pub zeros: u64,
    /// The bits that are one.
    pub ones: u64,
    /// The least unsigned number.
    pub least: u64,
    /// The greatest unsigned number.
    pub most: u64,
    /// The least signed number.
    pub low: i64,
    /// The greatest signed number.
    pub high: i64,
}

impl Fact {
    /// Nothing is known beyond the type.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert_eq!((Fact::any(Scalar::I8).most, Fact::any(Scalar::I8).low), (255, -128));
    /// ```
    pub const fn any(ty: Scalar) -> Self {
        let mask = ty.mask();
        let half = (mask >> 1) as i64;
        Self { zeros: !mask, ones: 0, least: 0, most: mask, low: -half - 1, high: half }
    }

    /// The value is one number.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert_eq!(Fact::exactly(Scalar::I8, 0xff).high, -1);
    /// ```
    pub const fn exactly(ty: Scalar, bits: u64) -> Self {
        let bits = bits & ty.mask();
        let number = signed(ty, bits);
        Self { zeros: !bits, ones: bits, least: bits, most: bits, low: number, high: number }
    }

    /// The value lies between two unsigned numbers.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert_eq!(Fact::between(Scalar::U32, 0, 63).zeros, !63);
    /// ```
    pub fn between(ty: Scalar, least: u64, most: u64) -> Self {
        Self { least, most: most.min(ty.mask()), ..Self::any(ty) }.settled(ty)
    }

    /// The value lies between two signed numbers; beyond 64 bits the nearest ones count.
    pub(super) fn signed_between(ty: Scalar, low: i128, high: i128) -> Self {
        let any = Self::any(ty);
        let (low, high) = (low.max(any.low.into()), high.min(any.high.into()));
        Self { low: low as i64, high: high as i64, ..any }.settled(ty)
    }

    /// The value lies between two numbers, read as the type reads them.
    pub(super) fn numbers(ty: Scalar, low: i128, high: i128) -> Self {
        if ty.is_signed() {
            return Self::signed_between(ty, low, high);
        }
        let (low, high) = (low.max(0), high.min(ty.mask().into()));
        if low > high {
            Self { least: 1, most: 0, ..Self::any(ty) }
        } else {
            Self::between(ty, low as u64, high as u64)
        }
    }

    /// Some bits are known.
    pub(super) fn bits(ty: Scalar, zeros: u64, ones: u64) -> Self {
        let any = Self::any(ty);
        Self { zeros: zeros | any.zeros, ones: ones & ty.mask(), ..any }.settled(ty)
    }

    /// A condition is this.
    pub(super) const fn truth(value: bool) -> Self {
        Self::exactly(Scalar::Bool, value as u64)
    }

    /// The only number that satisfies the fact.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert_eq!(Fact::exactly(Scalar::U8, 3).constant(), Some(3));
    /// assert_eq!(Fact::any(Scalar::U8).constant(), None);
    /// ```
    pub const fn constant(&self) -> Option<u64> {
        if self.least == self.most { Some(self.least) } else { None }
    }

    /// Whether these bits satisfy the fact.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert!(!Fact::between(Scalar::U8, 1, 9).contains(Scalar::U8, 0));
    /// ```
    pub const fn contains(&self, ty: Scalar, bits: u64) -> bool {
        let number = signed(ty, bits);
        bits & self.zeros == 0
            && !bits & self.ones == 0
            && self.least <= bits
            && bits <= self.most
            && self.low <= number
            && number <= self.high
    }

    /// Whether nothing satisfies the fact.
    pub(super) const fn is_impossible(&self) -> bool {
        self.zeros & self.ones != 0 || self.least > self.most || self.low > self.high
    }

    /// The least and the greatest number, read as the type reads them.
    pub(super) fn limits(&self, ty: Scalar) -> (i128, i128) {
        if ty.is_signed() { (self.low.into(), self.high.into()) } else { (self.least.into(), self.most.into()) }
    }

    /// Whether no lane is negative.
    pub(super) const fn is_natural(&self) -> bool {
        self.low >= 0
    }

    /// How many low bits are zero, at most the width.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Fact, types::Scalar};
    /// assert_eq!(Fact::exactly(Scalar::U32, 24).trailing_zeros(Scalar::U32), 3);
    /// ```
    pub const fn trailing_zeros(&self, ty: Scalar) -> u32 {
        let zeros = self.zeros.trailing_ones();
        if zeros < ty.bits() { zeros } else { ty.bits() }
    }

    /// What holds if both facts do.
    #[must_use]
    pub(super) fn and(self, other: Self, ty: Scalar) -> Self {
        self.and_raw(other).settled(ty)
    }

    fn and_raw(self, other: Self) -> Self {
        Self {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// What holds if one of the facts does.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        if self.is_impossible() {
            return other;
        }
        if other.is_impossible() {
            return self;
        }
        Self {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The fact with each view as narrow as the others make it.
    #[must_use]
    pub(super) fn settled(mut self, ty: Scalar) -> Self {
        for _ in 0..3 {
            let before = self;
            self.settle(ty);
            if self.is_impossible() || self == before {
                break;
            }
        }
        self
    }

    fn settle(&mut self, ty: Scalar) {
        let mask = ty.mask();
        let sign = mask ^ (mask >> 1);
        self.least = self.least.max(self.ones);
        self.most = self.most.min(!self.zeros & mask);
        if self.is_impossible() {
            return;
        }
        // Low bits that are known make both ends move to the next number that has them.
        let known = (self.zeros | self.ones).trailing_ones().min(ty.bits());
        if known > 0 && known < 64 {
            let (step, rest) = (1u64 << known, self.ones & ((1 << known) - 1));
            let up = (u128::from(self.least) + u128::from(rest.wrapping_sub(self.least) & (step - 1)))
                .min(u128::from(u64::MAX));
            let down = self.most.checked_sub(self.most.wrapping_sub(rest) & (step - 1));
            match down {
                Some(down) if up <= u128::from(down) => (self.least, self.most) = (up as u64, down),
                // No number between the ends has these bits.
                Some(_) | None => {
                    (self.least, self.most) = (1, 0);
                    return;
                }
            }
        }
        // What the ends have in common above the highest bit in which they differ.
        let differ = self.least ^ self.most;
        let common = if differ == 0 { mask } else { mask & !(u64::MAX >> differ.leading_zeros()) };
        self.ones |= self.least & common;
        self.zeros |= !self.least & common;
        if (self.least ^ self.most) & sign == 0 {
            self.low = self.low.max(signed(ty, self.least));
            self.high = self.high.min(signed(ty, self.most));
        }
        if self.low <= self.high && (self.low >= 0 || self.high < 0) {
            self.least = self.least.max(self.low as u64 & mask);
            self.most = self.most.min(self.high as u64 & mask);
        }
    }
}
