//! What ops do to what is known of their operands.
//!
//! An op without an arm gives any float, which is right for every op.

use super::classes::{Classes, Kind};
use super::known::{Exact, FINITE, Known, Limits, Span};
use crate::ops::Op;
use crate::types::Scalar;

/// What an op on floats of a type, lane by lane, gives of the same type.
pub(super) fn op(op: Op, ty: Scalar, args: &[Known]) -> Known {
    let arg = |i: usize| args.get(i).copied().unwrap_or_else(|| Known::any(ty));
    let (a, b, c) = (arg(0), arg(1), arg(2));
    let number = |bits: u64| Exact::from(Known::constant(ty, bits));
    let known = match op {
        Op::Add => Exact::from(a).plus(b.into()).rounded(ty),
        Op::Sub => Exact::from(a).plus(b.flipped().into()).rounded(ty),
        Op::Mul => Exact::from(a).times(b.into()).rounded(ty),
        Op::Div => Exact::from(a).over(b.into()).rounded(ty),
        Op::MulAdd => Exact::from(a).times(b.into()).plus(c.into()).rounded(ty),
        Op::Recip => number(ty.one()).over(a.into()).rounded(ty),
        Op::Rem => remainder(a, b),
        Op::Neg => a.flipped(),
        Op::Abs => a.magnitude(),
        Op::CopySign => copy_sign(a, b),
        Op::Sign => sign(ty, a),
        Op::Min => lesser(a, b),
        Op::Max => lesser(a.flipped(), b.flipped()).flipped(),
        Op::Saturate => {
            let positive = lesser(a.only(Classes::POSITIVE), Known::constant(ty, ty.one()));
            positive.or(Known::constant(ty, 0))
        }
        Op::Clamp => a.or(b).or(c),
        Op::Sqrt => root(a),
        Op::Floor => whole(ty, a, Rounding::Down),
        Op::Ceil => whole(ty, a.flipped(), Rounding::Down).flipped(),
        Op::Trunc => whole(ty, a, Rounding::ToZero),
        Op::RoundEven | Op::Round => whole(ty, a, Rounding::Nearest),
        Op::Fract => fraction(ty, a),
        _ => Known::any(ty),
    };
    known.settled(ty)
}

/// A float as one of another type.
pub(super) fn cast(from: Scalar, to: Scalar, known: Known) -> Known {
    let mut exact = Exact::from(known);
    let (fraction, span) = (to.fraction_bits() as i32, &mut exact.span);
    // Too many digits may be rounded up to the next power of two.
    if fraction < from.fraction_bits() as i32 && span.unit < span.high.saturating_sub(fraction) {
        span.high += 1;
    }
    exact.rounded(to)
}

/// An integer between two numbers, a multiple of `2^unit`, as a float.
pub(super) fn of_integer(to: Scalar, low: i128, high: i128, unit: u32) -> Known {
    let mut exact = Exact::NOTHING;
    exact.zero[0] = low <= 0 && high >= 0;
    exact.finite = [high > 0, low < 0];
    // The least magnitude other than zero, and the greatest.
    let least = if low > 0 {
        low
    } else if high < 0 {
        -high
    } else {
        1
    };
    let most = high.max(-low).max(1);
    let log = |number: i128| number.unsigned_abs().checked_ilog2().unwrap_or(0) as i32;
    let fraction = to.fraction_bits() as i32;
    // Too many digits may be rounded up to the next power of two.
    let bump = i32::from(log(most) - (unit as i32) > fraction);
    exact.span = Span { low: log(least), high: log(most) + bump, unit: unit as i32 };
    exact.rounded(to)
}

/// The remainder is exact, has the dividend's sign and is less than the divisor.
fn remainder(a: Known, b: Known) -> Known {
    let finite = a.only(Classes::ANY.without(Classes::INFINITIES));
    let mut known = Known::NOTHING;
    if b.classes.may_be_infinite() {
        known = finite;
    }
    if b.classes.meets(FINITE) {
        let unit = a.span.unit.min(b.span.unit);
        let span = Span { low: unit, high: a.span.high.min(b.span.high), unit };
        let mut classes = finite.classes;
        for sign in [Classes::POSITIVE, Classes::NEGATIVE] {
            if classes.meets(FINITE.and(sign)) {
                classes = classes.union(Classes::ZEROS.union(FINITE).and(sign));
            }
        }
        known = known.or(Known { classes, span }.only(classes));
    }
    let undefined =
        a.classes.meets(Classes::INFINITIES.union(Classes::NAN)) || b.classes.meets(Classes::ZEROS.union(Classes::NAN));
    if undefined { known.or(NAN) } else { known }
}

/// NaN alone.
const NAN: Known = Known { classes: Classes::NAN, span: Known::NOTHING.span };

fn copy_sign(a: Known, b: Known) -> Known {
    let (positive, mut known) = (a.magnitude(), Known::NOTHING);
    if b.classes.meets(Classes::POSITIVE.union(Classes::NAN)) {
        known = positive;
    }
    if b.classes.meets(Classes::NEGATIVE.union(Classes::NAN)) {
        known = known.or(positive.flipped());
    }
    known
}

fn sign(ty: Scalar, a: Known) -> Known {
    let one = Known::constant(ty, ty.one());
    let mut known = a.only(Classes::NAN);
    if a.classes.meets(Classes::POSITIVE) {
        known = known.or(one);
    }
    if a.classes.meets(Classes::NEGATIVE) {
        known = known.or(one.flipped());
    }
    known
}

/// One of the operands, and not one that is above all of the other.
fn lesser(a: Known, b: Known) -> Known {
    let chosen = |this: Known, other: Known| {
        if other.classes.may_be_nan() {
            return this.only(Classes::ANY.without(Classes::NAN));
        }
        let mut chosen = this.only(other.classes.and_below());
        // A positive number is at most the other one, and a negative number at least as far
        // from zero as another negative one.
        if !chosen.classes.meets(Classes::NEGATIVE) && !other.classes.may_be_infinite() {
            chosen.span.high = chosen.span.high.min(other.span.high);
        }
        let negative = Classes::NEGATIVE.without(Classes::ZEROS);
        if negative.contains(chosen.classes) && negative.contains(other.classes) {
            chosen.span.low = chosen.span.low.max(other.span.low);
        }
        chosen
    };
    let known = chosen(a, b).or(chosen(b, a));
    if a.classes.may_be_nan() && b.classes.may_be_nan() { known.or(NAN) } else { known }
}

fn root(a: Known) -> Known {
    let mut classes = a.classes.and(Classes::POSITIVE.union(Classes::ZEROS));
    if a.classes.meets(Classes::NAN.union(Classes::NEGATIVE.without(Classes::ZEROS))) {
        classes = classes.union(Classes::NAN);
    }
    if classes.may_be_subnormal() {
        // Half of any exponent is that of a normal number.
        classes = classes.without(Classes::SUBNORMALS).union(Classes::of(Kind::Normal, false));
    }
    let Span { low, high, .. } = a.span;
    let span = Span { low: low.div_euclid(2), high: high.div_euclid(2), unit: i32::MIN };
    Known { classes, span }.only(classes)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    /// Towards negative infinity.
    Down,
    ToZero,
    Nearest,
}

/// Rounded to a whole number.
fn whole(ty: Scalar, a: Known, rounding: Rounding) -> Known {
    let Span { low, high, unit } = a.span;
    let mut known = a.only(Classes::ANY.without(FINITE));
    for negative in [false, true] {
        let sign = if negative { Classes::NEGATIVE } else { Classes::POSITIVE };
        if !a.classes.meets(FINITE.and(sign)) {
            continue;
        }
        // Whether the magnitude may become greater, and less.
        let (up, down) = match rounding {
            Rounding::Down => (negative, !negative),
            Rounding::ToZero => (false, true),
            Rounding::Nearest => (high >= -1, true),
        };
        if down && low < 0 {
            known = known.or(Known { classes: Classes::of(Kind::Zero, negative), ..Known::NOTHING });
        }
        let moves = unit < 0 && high < ty.fraction_bits() as i32;
        let high = if up && moves { (high + 1).max(0) } else { high };
        if high >= 0 {
            let span = Span { low: low.max(0), high, unit: unit.max(0) };
            known = known.or(Known { classes: Classes::of(Kind::Normal, negative), span });
        }
    }
    known
}

/// `x - trunc(x)`, which is exact.
fn fraction(ty: Scalar, a: Known) -> Known {
    let mut known = Known::NOTHING;
    if a.classes.meets(Classes::ZEROS.union(FINITE)) {
        known = Known::constant(ty, 0);
    }
    for sign in [Classes::POSITIVE, Classes::NEGATIVE] {
        let span = Span { low: a.span.unit, high: a.span.high.min(-1), unit: a.span.unit };
        let classes = FINITE.and(sign);
        if a.classes.meets(classes) && span.low <= span.high {
            known = known.or(Known { classes, span }.settled(ty));
        }
    }
    if a.classes.meets(Classes::NAN.union(Classes::INFINITIES)) { known.or(NAN) } else { known }
}

/// A span that grew in a loop, grown at once to where it cannot grow any more.
pub(super) fn widened(ty: Scalar, before: Span, now: Span) -> Span {
    let limits = Limits::of(ty);
    Span {
        low: if now.low < before.low { limits.subnormal } else { now.low },
        high: if now.high > before.high { limits.greatest } else { now.high },
        unit: if now.unit < before.unit { limits.subnormal } else { now.unit },
    }
}
