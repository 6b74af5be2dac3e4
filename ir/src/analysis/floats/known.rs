//! What is known of a float: its class, and between which powers of two its magnitude lies.
//!
//! [`Exact`] says it of a real number before it is rounded to a type, [`Known`] of a float.
//! An op computes on exact numbers and rounds once. Rounding keeps the order, so three bounds
//! survive it:
//!
//! - A magnitude of at least `2^low` stays so, as long as the type has that number.
//! - A magnitude of at most `(2 - u) * 2^high`, where `u` is the distance from 1 to the next
//!   number of the type, stays so.
//! - A multiple of `2^unit` stays one, or becomes a subnormal number.

use super::classes::{Classes, Kind};
use crate::types::Scalar;

/// Bounds of the magnitudes of finite numbers other than zero, as powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    /// The least exponent.
    pub low: i32,
    /// The greatest exponent.
    pub high: i32,
    /// Every number is a multiple of two to this power.
    pub unit: i32,
}

/// The exponents of a type: of its least subnormal, its least normal and its greatest number.
pub(super) struct Limits {
    pub subnormal: i32,
    pub normal: i32,
    pub greatest: i32,
}

impl Limits {
    pub const fn of(ty: Scalar) -> Self {
        let bias = ty.bias() as i32;
        Self { subnormal: 1 - bias - ty.fraction_bits() as i32, normal: 1 - bias, greatest: bias }
    }
}

impl Span {
    /// That of no number.
    const EMPTY: Self = Self { low: i32::MAX, high: i32::MIN, unit: i32::MAX };

    /// That of all numbers of a type.
    pub const fn any(ty: Scalar) -> Self {
        let limits = Limits::of(ty);
        Self { low: limits.subnormal, high: limits.greatest, unit: limits.subnormal }
    }

    pub const fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// What holds of the numbers of either.
    #[must_use]
    fn or(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Self { low: self.low.min(other.low), high: self.high.max(other.high), unit: self.unit.min(other.unit) }
    }
}

/// What is known of a float of some type. Of what is in no class, the span says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub classes: Classes,
    pub span: Span,
}

/// Numbers that are finite and not zero.
pub(super) const FINITE: Classes = Classes::SUBNORMALS.union(Classes::NORMALS);

impl Known {
    /// Nothing was found yet.
    pub const NOTHING: Self = Self { classes: Classes::NONE, span: Span::EMPTY };

    /// Every float of a type.
    pub const fn any(ty: Scalar) -> Self {
        Self { classes: Classes::ANY, span: Span::any(ty) }
    }

    /// One float.
    pub fn constant(ty: Scalar, bits: u64) -> Self {
        Self::between(ty, bits, bits)
    }

    /// The floats whose bits lie between two numbers.
    pub fn between(ty: Scalar, least: u64, most: u64) -> Self {
        let sign = ty.mask() ^ ty.mask() >> 1;
        let mut known = Self::NOTHING;
        if least < sign {
            known = known.or(Self::positive(ty, least, most.min(sign - 1)));
        }
        if most >= sign {
            known = known.or(Self::positive(ty, least.max(sign) - sign, most - sign).flipped());
        }
        known
    }

    /// The same without the sign bit.
    fn positive(ty: Scalar, least: u64, most: u64) -> Self {
        let (infinity, fraction) = (ty.infinity(), ty.fraction_bits());
        let mut classes = Classes::NONE;
        let edges = [(0, 0), (1, (1 << fraction) - 1), (1 << fraction, infinity - 1), (infinity, infinity)];
        for (kind, (first, last)) in Kind::ALL.into_iter().zip(edges) {
            if least <= last && first <= most {
                classes = classes.union(Classes::of(kind, false));
            }
        }
        if most > infinity {
            classes = classes.union(Classes::NAN);
        }
        let (low, high) = (exponent(ty, least.max(1)), exponent(ty, most.min(infinity - 1)));
        let unit = if least == most { low_bit(ty, least) } else { i32::MIN };
        Self { classes, span: Span { low, high, unit } }.settled(ty)
    }

    /// What is known if either is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { classes: self.classes.union(other.classes), span: self.span.or(other.span) }
    }

    /// Of these only what is in some classes.
    #[must_use]
    pub fn only(self, classes: Classes) -> Self {
        let classes = self.classes.and(classes);
        Self { classes, span: if classes.meets(FINITE) { self.span } else { Span::EMPTY } }
    }

    /// With the sign bit flipped.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self { classes: self.classes.flipped(), span: self.span }
    }

    /// With the sign bit cleared.
    #[must_use]
    pub const fn magnitude(self) -> Self {
        let both = self.classes.union(self.classes.flipped());
        Self { classes: both.without(Classes::NEGATIVE), span: self.span }
    }

    /// Classes and span as narrow as the other makes them.
    #[must_use]
    pub fn settled(mut self, ty: Scalar) -> Self {
        let limits = Limits::of(ty);
        let fraction = ty.fraction_bits() as i32;
        let span = &mut self.span;
        if !self.classes.may_be_subnormal() {
            span.low = span.low.max(limits.normal);
        }
        if !self.classes.meets(Classes::NORMALS) {
            span.high = span.high.min(limits.normal - 1);
        }
        span.high = span.high.min(limits.greatest);
        span.unit = span.unit.max(span.low.saturating_sub(fraction)).max(limits.subnormal);
        span.low = span.low.max(span.unit);
        if span.low >= limits.normal {
            self.classes = self.classes.without(Classes::SUBNORMALS);
        }
        if span.high < limits.normal {
            self.classes = self.classes.without(Classes::NORMALS);
        }
        if span.is_empty() {
            self.classes = self.classes.without(FINITE);
        }
        if !self.classes.meets(FINITE) {
            self.span = Span::EMPTY;
        }
        self
    }
}

/// What is known of a real number or what stands for one; an index is whether it is negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub nan: bool,
    pub zero: [bool; 2],
    /// Finite and not zero.
    pub finite: [bool; 2],
    pub infinite: [bool; 2],
    pub span: Span,
}

impl From<Known> for Exact {
    fn from(Known { classes, span }: Known) -> Self {
        let signs = [Classes::POSITIVE, Classes::NEGATIVE];
        let of = |set: Classes| signs.map(|sign| classes.meets(set.and(sign)));
        Self {
            nan: classes.may_be_nan(),
            zero: of(Classes::ZEROS),
            finite: of(FINITE),
            infinite: of(Classes::INFINITIES),
            span,
        }
    }
}

/// The pairs of signs that two facts allow.
fn pairs(a: [bool; 2], b: [bool; 2]) -> impl Iterator<Item = (usize, usize)> {
    [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().filter(move |&(x, y)| a[x] && b[y])
}

impl Exact {
    /// Nothing.
    pub const NOTHING: Self =
        Self { nan: false, zero: [false; 2], finite: [false; 2], infinite: [false; 2], span: Span::EMPTY };

    fn add_span(&mut self, span: Span) {
        self.span = self.span.or(span);
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let mut sum = Self { nan: a.nan || b.nan, ..Self::NOTHING };
        for (x, y) in pairs(a.zero, b.zero) {
            sum.zero[x & y] = true;
        }
        for (zero, finite, span) in [(a.zero, b.finite, b.span), (b.zero, a.finite, a.span)] {
            for (_, sign) in pairs(zero, finite) {
                sum.finite[sign] = true;
                sum.add_span(span);
            }
        }
        for (x, y) in pairs(a.finite, b.finite) {
            let unit = a.span.unit.min(b.span.unit);
            let high = a.span.high.max(b.span.high);
            if x == y {
                sum.finite[x] = true;
                sum.add_span(Span { low: a.span.low.max(b.span.low), high: high.saturating_add(1), unit });
                continue;
            }
            // The greater magnitude decides the sign, if one is known to be greater.
            let winner = if a.span.low > b.span.high {
                Some((x, a.span.low - b.span.high, a.span.low))
            } else if b.span.low > a.span.high {
                Some((y, b.span.low - a.span.high, b.span.low))
            } else {
                None
            };
            match winner {
                Some((sign, distance, low)) => {
                    sum.finite[sign] = true;
                    // Less than half is taken away, or more.
                    let low = if distance > 1 { low - 1 } else { unit };
                    sum.add_span(Span { low: low.max(unit), high, unit });
                }
                None => {
                    sum.finite = [true; 2];
                    sum.zero[0] = true;
                    sum.add_span(Span { low: unit, high, unit });
                }
            }
        }
        for (x, y) in pairs(a.infinite, b.infinite) {
            if x == y { sum.infinite[x] = true } else { sum.nan = true }
        }
        for (infinite, other) in [(a.infinite, b), (b.infinite, a)] {
            let number = [0, 1].map(|sign| other.zero[sign] || other.finite[sign]);
            for (sign, _) in pairs(infinite, number) {
                sum.infinite[sign] = true;
            }
        }
        sum
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let mut product = Self { nan: a.nan || b.nan, ..Self::NOTHING };
        for (x, y) in pairs(a.finite, b.finite) {
            product.finite[x ^ y] = true;
            product.add_span(Span {
                low: a.span.low + b.span.low,
                high: a.span.high + b.span.high + 1,
                unit: a.span.unit + b.span.unit,
            });
        }
        for (zero, other, infinite) in [(a.zero, b, b.infinite), (b.zero, a, a.infinite)] {
            let number = [0, 1].map(|sign| other.zero[sign] || other.finite[sign]);
            for (x, y) in pairs(zero, number) {
                product.zero[x ^ y] = true;
            }
            product.nan |= pairs(zero, infinite).next().is_some();
        }
        for (infinite, other) in [(a.infinite, b), (b.infinite, a)] {
            let number = [0, 1].map(|sign| other.finite[sign] || other.infinite[sign]);
            for (x, y) in pairs(infinite, number) {
                product.infinite[x ^ y] = true;
            }
        }
        product
    }

    /// The quotient, of which all that is known are the exponents.
    pub fn over(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let mut quotient = Self { nan: a.nan || b.nan, ..Self::NOTHING };
        quotient.nan |= pairs(a.zero, b.zero).next().is_some() || pairs(a.infinite, b.infinite).next().is_some();
        for (x, y) in pairs(a.finite, b.finite) {
            quotient.finite[x ^ y] = true;
            let (low, high) = (a.span.low - b.span.high - 1, a.span.high - b.span.low);
            quotient.add_span(Span { low, high, unit: i32::MIN });
        }
        for (x, y) in pairs(a.zero, b.finite).chain(pairs(a.zero, b.infinite)).chain(pairs(a.finite, b.infinite)) {
            quotient.zero[x ^ y] = true;
        }
        for (x, y) in pairs(a.finite, b.zero).chain(pairs(a.infinite, b.zero)).chain(pairs(a.infinite, b.finite)) {
            quotient.infinite[x ^ y] = true;
        }
        quotient
    }

    /// The nearest float of a type.
    pub fn rounded(self, ty: Scalar) -> Known {
        let limits = Limits::of(ty);
        let mut classes = if self.nan { Classes::NAN } else { Classes::NONE };
        let Span { low, high, unit } = self.span;
        // What is not a multiple of the least number may be rounded up to the next power of two.
        let high = if high < limits.normal && unit < limits.subnormal { high + 1 } else { high };
        for (sign, negative) in [(0, false), (1, true)] {
            let mut may_be = |kind: Kind, is: bool| {
                if is {
                    classes = classes.union(Classes::of(kind, negative));
                }
            };
            let finite = self.finite[sign];
            may_be(Kind::Zero, self.zero[sign] || finite && low.max(unit) < limits.subnormal);
            may_be(Kind::Subnormal, finite && low < limits.normal && high >= limits.subnormal);
            may_be(Kind::Normal, finite && high >= limits.normal && low <= limits.greatest);
            may_be(Kind::Infinite, self.infinite[sign] || finite && high > limits.greatest);
        }
        Known { classes, span: Span { low: low.max(limits.subnormal), high, unit } }.settled(ty)
    }
}

/// The exponent of a positive float that is finite and not zero.
fn exponent(ty: Scalar, bits: u64) -> i32 {
    let fraction = ty.fraction_bits();
    match bits >> fraction {
        0 => Limits::of(ty).subnormal + bits.checked_ilog2().unwrap_or(0) as i32,
        field => field as i32 - ty.bias() as i32,
    }
}

/// The exponent of its lowest bit that is set.
fn low_bit(ty: Scalar, bits: u64) -> i32 {
    let fraction = ty.fraction_bits();
    let (field, low) = (bits >> fraction, bits & ((1 << fraction) - 1));
    let whole = if field == 0 { low } else { low | 1 << fraction };
    field.max(1) as i32 - ty.bias() as i32 - fraction as i32 + whole.trailing_zeros().min(fraction) as i32
}
