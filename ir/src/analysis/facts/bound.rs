//! Upper bounds of integers, as polynomials of what a launch decides.
//!
//! A bound is about a value's bits read without a sign. Sums and products that wrap only become
//! smaller, so their bounds always hold. A difference must not wrap; where only the launch can
//! tell, the bound carries that as a condition.

use super::fact::Fact;
use super::poly::{Poly, Symbol};
use crate::ops::Op;
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Scalar, Type};
use std::sync::Arc;

/// The most bounds of a value.
const MOST: usize = 3;
/// The most needs of a bound.
const NEEDS: usize = 2;

/// An upper bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// What the value does not exceed.
    pub poly: Poly,
    /// What the launch must make natural for the bound to hold.
    pub needs: Vec<Poly>,
    /// What the launch must make natural for the value to be equal to the polynomial.
    exact: Option<Vec<Poly>>,
}

impl Bound {
    fn upper(poly: Poly) -> Self {
        Self { poly, needs: Vec::new(), exact: None }
    }

    fn exactly(poly: Poly) -> Self {
        Self { poly, needs: Vec::new(), exact: Some(Vec::new()) }
    }

    /// Whether this bound makes another one needless.
    fn implies(&self, other: &Self) -> bool {
        self.needs.iter().all(|need| other.needs.contains(need)) && self.poly.at_most(&other.poly)
    }

    fn inexact(mut self) -> Self {
        self.exact = None;
        self
    }

    /// The bound moved by a number.
    fn plus(&self, value: i128) -> Option<Self> {
        Some(Self { poly: self.poly.plus(value)?, needs: self.needs.clone(), exact: None })
    }
}

/// Needs that come together; `None` if there are too many, or one that no launch meets.
fn together<'a>(needs: impl Iterator<Item = &'a Poly>) -> Option<Vec<Poly>> {
    let mut all: Vec<Poly> = Vec::new();
    for need in needs {
        if need.as_constant().is_some_and(|need| need < 0) {
            return None;
        }
        if !need.is_natural() && !all.contains(need) {
            all.push(need.clone());
        }
    }
    (all.len() <= NEEDS).then_some(all)
}

/// The bounds of a value, the most telling first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Bounds(Option<Arc<[Bound]>>);

impl Bounds {
    pub fn as_slice(&self) -> &[Bound] {
        self.0.as_deref().unwrap_or(&[])
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// A symbol's value plus a number, which is at least 0.
    pub fn symbol(symbol: Symbol, plus: i128) -> Self {
        Poly::symbol(symbol).plus(plus).map_or_else(Self::default, |poly| Self::of(vec![Bound::exactly(poly)]))
    }

    /// At most this.
    pub fn at_most(poly: Option<Poly>) -> Self {
        Self::of(poly.map(Bound::upper).into_iter().collect())
    }

    fn of(list: Vec<Bound>) -> Self {
        let mut kept: Vec<Bound> = Vec::new();
        for bound in list {
            add(&mut kept, bound);
        }
        if kept.is_empty() { Self::default() } else { Self(Some(kept.into())) }
    }

    /// These bounds, and others that come after them.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self.clone(),
            (true, false) => other.clone(),
            (false, false) if self == other => self.clone(),
            (false, false) => Self::of(self.as_slice().iter().chain(other.as_slice()).cloned().collect()),
        }
    }

    /// The bounds moved by a number.
    pub fn plus(&self, value: i128) -> Self {
        Self::of(self.as_slice().iter().filter_map(|bound| bound.plus(value)).collect())
    }

    /// The bounds times a number that is at least 0.
    pub fn times(&self, value: i128) -> Self {
        self.each(|poly| poly.times(value))
    }

    /// The bounds divided by a number.
    pub fn divided(&self, by: i128) -> Self {
        self.each(|poly| poly.divided(by))
    }

    /// The bounds of what is at most a value with these, which need not equal what that does.
    pub fn above(&self) -> Self {
        self.each(|poly| Some(poly.clone()))
    }

    /// The bounds without what is known of equality.
    fn each(&self, f: impl Fn(&Poly) -> Option<Poly>) -> Self {
        let each = |bound: &Bound| Some(Bound { poly: f(&bound.poly)?, needs: bound.needs.clone(), exact: None });
        Self::of(self.as_slice().iter().filter_map(each).collect())
    }

    /// Whether a value with these bounds, and at most this number, is within a bound.
    fn keep(&self, most: u64, bound: &Bound) -> bool {
        Poly::constant(most.into()).at_most(&bound.poly) || self.as_slice().iter().any(|own| own.implies(bound))
    }

    /// The bounds among these that another value, at most this number, keeps too.
    #[must_use]
    pub fn kept_by(&self, other: &Self, most: u64) -> Self {
        if self.is_empty() || self == other {
            return self.clone();
        }
        let kept = self.as_slice().iter().filter(|bound| other.keep(most, bound));
        Self::of(kept.map(|bound| bound.clone().inexact()).collect())
    }

    /// The bounds of a value that is one of two.
    #[must_use]
    pub fn or(&self, most: u64, other: &Self, other_most: u64) -> Self {
        if self == other {
            return self.clone();
        }
        self.kept_by(other, other_most).and(&other.kept_by(self, most))
    }

    /// The first bound that holds whatever the launch is, below a number.
    pub fn certainly_below(&self, limit: u64) -> bool {
        let limit = Poly::constant(i128::from(limit) - 1);
        self.as_slice().iter().any(|bound| bound.needs.is_empty() && bound.poly.at_most(&limit))
    }
}

/// Adds a bound to a list without those that another one implies.
fn add(list: &mut Vec<Bound>, bound: Bound) {
    let knows = |one: &Bound, other: &Bound| one.implies(other) && (other.exact.is_none() || one.exact.is_some());
    if list.iter().any(|one| knows(one, &bound)) {
        return;
    }
    list.retain(|one| !knows(&bound, one));
    if list.len() < MOST {
        list.push(bound);
    } else if bound.exact.is_some()
        && let Some(last) = list.last_mut()
    {
        *last = bound;
    }
}

/// What is known about an operand.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub ty: Type,
    pub fact: Fact,
    pub bounds: &'a Bounds,
}

impl Known<'_> {
    /// Its bounds, or its greatest number where that says more than the type.
    fn upper(&self) -> Vec<Bound> {
        if let Some(bits) = self.fact.constant() {
            return vec![Bound::exactly(Poly::constant(bits.into()))];
        }
        if !self.bounds.is_empty() {
            return self.bounds.as_slice().to_vec();
        }
        let mask = self.ty.lane().map_or(0, Scalar::mask);
        if self.fact.most < mask { vec![Bound::upper(Poly::constant(self.fact.most.into()))] } else { Vec::new() }
    }

    fn has_symbols(&self) -> bool {
        !self.bounds.is_empty() && self.fact.constant().is_none()
    }
}

/// The bounds of an op's result. `ordered` says that a difference is known not to wrap.
pub(super) fn transfer(op: Op, result: Type, args: &[Known<'_>], ordered: bool) -> Bounds {
    let Type::Scalar(ty) = result else { return Bounds::default() };
    if !ty.is_int() || !args.iter().any(Known::has_symbols) {
        return Bounds::default();
    }
    // Reads the bits as the bounds do.
    let natural = |arg: &Known<'_>| arg.ty.lane().is_some_and(|lane| !lane.is_signed()) || arg.fact.is_natural();
    match (op, args) {
        (Op::Add, [a, b]) => match (a.fact.constant(), b.fact.constant()) {
            (_, Some(bits)) if bits > ty.mask() / 2 => less(ty, a, &negated(ty, b), ordered),
            (Some(bits), _) if bits > ty.mask() / 2 => less(ty, b, &negated(ty, a), ordered),
            _ => pairs(ty, a, b, Poly::add),
        },
        (Op::AddSat, [a, b]) if !ty.is_signed() => inexact(pairs(ty, a, b, Poly::add)),
        (Op::Mul, [a, b]) => pairs(ty, a, b, Poly::mul),
        (Op::MulSat, [a, b]) if !ty.is_signed() => inexact(pairs(ty, a, b, Poly::mul)),
        (Op::Or | Op::Xor, [a, b]) => inexact(pairs(ty, a, b, Poly::add)),
        (Op::Sub, [a, b]) => less(ty, a, b, ordered),
        (Op::SubSat, [a, b]) if !ty.is_signed() => lowered(a.bounds, b.fact.least).and(&inexact(a.bounds.clone())),
        (Op::Shl, [a, b]) => match b.fact.constant() {
            Some(count) => {
                let factor = Fact::exactly(ty, 1 << (count % u64::from(ty.bits())));
                pairs(ty, a, &Known { ty: result, fact: factor, bounds: b.bounds }, Poly::mul)
            }
            None => Bounds::default(),
        },
        (Op::Shr, [a, b]) if natural(a) => match b.fact.constant() {
            Some(count) => a.bounds.divided(1 << (count % u64::from(ty.bits()))),
            None => inexact(a.bounds.clone()),
        },
        (Op::Div | Op::DivEuclid, [a, b]) if natural(a) && natural(b) => a.bounds.divided(b.fact.least.max(1).into()),
        (Op::DivCeil, [a, b]) => match b.fact.constant() {
            Some(by) if by > 0 => a.bounds.plus(i128::from(by) - 1).divided(by.into()),
            Some(_) | None => inexact(a.bounds.clone()),
        },
        (Op::NextMultipleOf, [a, b]) => match b.fact.constant() {
            Some(by) => a.bounds.plus(i128::from(by.saturating_sub(1))),
            None => Bounds::default(),
        },
        (Op::Rem | Op::Mod | Op::RemEuclid, [a, b]) if natural(a) && natural(b) => {
            // A zero divisor gives zero, which is at most the divisor but not below it.
            let below =
                if b.fact.least > 0 { b.bounds.plus(-1) } else { lowered(b.bounds, 1).and(&inexact(b.bounds.clone())) };
            below.and(&inexact(a.bounds.clone()))
        }
        (Op::And, [a, b]) => inexact(a.bounds.and(b.bounds)),
        (Op::Min, [a, b]) if natural(a) && natural(b) => inexact(a.bounds.and(b.bounds)),
        (Op::Max, [a, b]) if natural(a) && natural(b) => inexact(either(a, b)),
        (Op::Select, [_, a, b]) => either(a, b),
        // What is known of a vector holds for each lane, and what is no lane is 0.
        (Op::Extract, [vector, _]) => inexact(vector.bounds.clone()),
        (Op::Clamp, [x, low, high]) if natural(x) && natural(low) && natural(high) => inexact(high.bounds.clone()),
        (Op::AvgFloor | Op::Midpoint, [a, b]) if natural(a) && natural(b) => {
            inexact(pairs(ty, a, b, Poly::add)).divided(2)
        }
        (Op::Bitcast, [a]) if matches!(a.ty, Type::Scalar(lane) if lane.is_int()) => a.bounds.clone(),
        (Op::Cast, [a]) => match (cast_rule(a.ty, result), a.ty) {
            (Some(CastRule::Identity), _) => a.bounds.clone(),
            (Some(CastRule::Resize), Type::Scalar(from)) if from.is_int() => {
                let extends = ty.bits() > from.bits();
                if extends && !natural(a) {
                    return Bounds::default();
                }
                // Cutting bits off only makes numbers less.
                let same = extends || ty.bits() == from.bits() || a.fact.most <= ty.mask();
                if same { a.bounds.clone() } else { inexact(a.bounds.clone()) }
            }
            _ => Bounds::default(),
        },
        _ => Bounds::default(),
    }
}

/// The bounds less a number, where the launch sees to it that they are not below it.
fn lowered(bounds: &Bounds, by: u64) -> Bounds {
    let lower = bounds.as_slice().iter().filter_map(|bound| {
        let poly = bound.poly.plus(-i128::from(by))?;
        let needs = together(bound.needs.iter().chain([&poly]))?;
        Some(Bound { poly, needs, exact: None })
    });
    Bounds::of(lower.collect())
}

fn inexact(bounds: Bounds) -> Bounds {
    if bounds.as_slice().iter().all(|bound| bound.exact.is_none()) {
        return bounds;
    }
    Bounds::of(bounds.as_slice().iter().cloned().map(Bound::inexact).collect())
}

fn either(a: &Known<'_>, b: &Known<'_>) -> Bounds {
    a.bounds.or(a.fact.most, b.bounds, b.fact.most)
}

/// The number whose negation a constant is.
fn negated<'a>(ty: Scalar, constant: &Known<'a>) -> Known<'a> {
    Known { fact: Fact::exactly(ty, constant.fact.least.wrapping_neg()), ..*constant }
}

/// Sums or products of bounds. The bound is the value if the operands' are and it does
/// not wrap.
fn pairs(ty: Scalar, a: &Known<'_>, b: &Known<'_>, f: impl Fn(&Poly, &Poly) -> Option<Poly>) -> Bounds {
    let mask = Poly::constant(ty.mask().into());
    let mut list = Vec::new();
    for x in &a.upper() {
        for y in &b.upper() {
            let Some(poly) = f(&x.poly, &y.poly) else { continue };
            let Some(needs) = together(x.needs.iter().chain(&y.needs)) else { continue };
            let exact = match (&x.exact, &y.exact) {
                (Some(first), Some(second)) => {
                    mask.sub(&poly).and_then(|room| together(first.iter().chain(second).chain([&room])))
                }
                (None, _) | (_, None) => None,
            };
            list.push(Bound { poly, needs, exact });
        }
    }
    Bounds::of(list)
}

/// Bounds of a difference.
fn less(ty: Scalar, a: &Known<'_>, b: &Known<'_>, ordered: bool) -> Bounds {
    let ordered = ordered || a.fact.least >= b.fact.most;
    let (least, mask) = (Poly::constant(b.fact.least.into()), Poly::constant(ty.mask().into()));
    let mut list = Vec::new();
    for x in &a.upper() {
        for y in &b.upper() {
            list.extend(difference(x, y, ordered));
            list.extend(exact_difference(x, y, &least));
        }
        if ordered {
            let poly = x.poly.sub(&least);
            list.extend(poly.map(|poly| Bound { poly, needs: x.needs.clone(), exact: None }));
        }
    }
    // What the type says already is no bound.
    list.retain(|bound| !mask.at_most(&bound.poly));
    Bounds::of(list)
}

/// The difference of a bound and a number that is known exactly.
fn difference(x: &Bound, y: &Bound, ordered: bool) -> Option<Bound> {
    let taken = y.exact.as_ref()?;
    let poly = x.poly.sub(&y.poly)?;
    if ordered {
        let needs = together(x.needs.iter().chain(taken))?;
        let exact = x.exact.as_ref().and_then(|first| together(first.iter().chain(taken)));
        return Some(Bound { poly, needs, exact });
    }
    // The launch must see to it that the difference does not wrap.
    let needs = together(x.exact.as_ref()?.iter().chain(taken).chain([&poly]))?;
    Some(Bound { exact: Some(needs.clone()), needs, poly })
}

/// The difference of a number that is known exactly and the least number that may be
/// taken off, if the launch sees to it that the greatest one may be.
fn exact_difference(x: &Bound, y: &Bound, least: &Poly) -> Option<Bound> {
    let poly = x.poly.sub(least)?;
    let room = x.poly.sub(&y.poly)?;
    let needs = together(x.exact.as_ref()?.iter().chain(&y.needs).chain([&room]))?;
    Some(Bound { poly, needs, exact: None })
}
