//! What an op makes of facts about its operands.
//!
//! Signed numbers are read by their bits. Ops that depend on the sign are only looked at
//! where no operand is negative for certain; then they are those of unsigned numbers.

use super::launch::{Condition, Poly};
use super::value::{Bound, Conditions, Fact, merged};
use crate::ops::{Op, compound_ops};
use crate::types::Scalar;
use std::collections::BTreeMap;

/// The most conditions that bounds of one function may rest on.
const MAX_CONDITIONS: usize = 4096;

/// Conditions, each once.
#[derive(Clone, Default, Debug)]
pub(super) struct Pool {
    /// By number.
    pub list: Vec<Condition>,
    numbers: BTreeMap<Condition, u16>,
}

impl Pool {
    /// Adds to `conditions` what makes one polynomial at most another one; `false` if no
    /// launch does or there is no room.
    pub fn require(&mut self, less: &Poly, more: &Poly, conditions: &mut Conditions) -> bool {
        let Some(condition) = Condition::at_most(less, more) else { return false };
        if condition.is_certain() {
            return true;
        }
        if condition.is_hopeless() {
            return false;
        }
        let number = match self.numbers.get(&condition) {
            Some(&number) => number,
            None if self.list.len() >= MAX_CONDITIONS => return false,
            None => {
                let number = self.list.len() as u16;
                self.list.push(condition.clone());
                self.numbers.insert(condition, number);
                number
            }
        };
        match merged(conditions, &[number]) {
            Some(all) => {
                *conditions = all;
                true
            }
            None => false,
        }
    }

    /// Removes conditions that another one implies.
    pub fn simplify(&self, conditions: &mut Conditions) {
        let mut kept: Conditions = Vec::new();
        for (i, &number) in conditions.iter().enumerate() {
            let implied = |other: &u16| match (self.list.get(usize::from(*other)), self.list.get(usize::from(number))) {
                (Some(other), Some(this)) => other.implies(this),
                _ => false,
            };
            // Of two that imply each other the first stays.
            if !conditions[i + 1..].iter().any(|other| implied(other) && !kept.contains(other))
                && !kept.iter().any(implied)
            {
                kept.push(number);
            }
        }
        *conditions = kept;
    }

    /// The fact about the result of an op whose operands are of type `ty` and whose result
    /// is of type `result`.
    pub fn op(&mut self, op: Op, ty: Scalar, result: Scalar, args: &[Fact]) -> Fact {
        let any = Fact::any(result);
        let (Some(a), b) = (args.first(), args.get(1).or(args.first())) else { return any };
        let Some(b) = b else { return any };
        if args.iter().any(Fact::is_impossible) {
            return any;
        }
        let unsigned = !ty.is_signed() || args.iter().all(|fact| fact.most <= ty.mask() >> 1);
        let fact = match op {
            Op::Add => self.add(a, b, ty),
            Op::Sub => self.sub(a, b, ty),
            Op::Mul => self.mul(a, b, ty),
            Op::And => Fact {
                zeros: a.zeros | b.zeros,
                ones: a.ones & b.ones,
                most: a.most.min(b.most),
                least: 0,
                bounds: inexact(a.bounds.iter().chain(&b.bounds)),
            },
            Op::Or if !(a.zeros | b.zeros) & ty.mask() == 0 => self.add(a, b, ty),
            Op::Or => {
                Fact { zeros: a.zeros & b.zeros, ones: a.ones | b.ones, least: a.least.max(b.least), ..Fact::any(ty) }
            }
            Op::Xor => Fact {
                zeros: a.zeros & b.zeros | a.ones & b.ones | !ty.mask(),
                ones: a.zeros & b.ones | a.ones & b.zeros,
                ..Fact::any(ty)
            },
            Op::Not => Fact { zeros: a.ones | !ty.mask(), ones: a.zeros & ty.mask(), ..Fact::any(ty) },
            Op::Shl => match b.known() {
                Some(count) => {
                    let factor = 1u64 << (count & u64::from(ty.bits() - 1));
                    self.mul(a, &Fact::constant(factor), ty)
                }
                None => low_zeros(ty, a.trailing_zeros()),
            },
            Op::Shr if unsigned_first(ty, a) => match b.known() {
                Some(count) => {
                    let count = (count & u64::from(ty.bits() - 1)) as u32;
                    Fact {
                        least: a.least >> count,
                        most: a.most >> count,
                        zeros: a.zeros >> count | !(u64::MAX >> count),
                        ones: a.ones >> count,
                        bounds: divided(a, 1 << count),
                    }
                }
                None => Fact { bounds: inexact(&a.bounds), ..Fact::up_to(ty, a.most) },
            },
            Op::Div if unsigned => match b.known() {
                Some(divisor @ 1..) => Fact {
                    least: a.least / divisor,
                    bounds: divided(a, divisor.into()),
                    ..Fact::up_to(ty, a.most / divisor)
                },
                _ => Fact { bounds: inexact(&a.bounds), ..Fact::up_to(ty, a.most / b.least.max(1)) },
            },
            Op::Rem if unsigned => match b.known() {
                Some(divisor @ 1..) if a.most < divisor => a.clone(),
                Some(divisor @ 1..) if divisor.is_power_of_two() => {
                    let kept = divisor - 1;
                    Fact {
                        zeros: a.zeros | !kept,
                        ones: a.ones & kept,
                        bounds: inexact(&a.bounds),
                        ..Fact::up_to(ty, kept.min(a.most))
                    }
                }
                _ => {
                    let mut fact = Fact::up_to(ty, a.most.min(b.most.saturating_sub(1)));
                    fact.zeros |= !(u64::MAX << a.trailing_zeros().min(b.trailing_zeros()).min(63));
                    fact.bounds = inexact(&a.bounds);
                    fact
                }
            },
            Op::Min if unsigned => Fact {
                least: a.least.min(b.least),
                most: a.most.min(b.most),
                zeros: a.zeros & b.zeros,
                ones: a.ones & b.ones,
                bounds: inexact(a.bounds.iter().chain(&b.bounds)),
            },
            Op::Max if unsigned => {
                let joined = a.join(b);
                Fact { least: a.least.max(b.least), bounds: inexact(&joined.bounds), ..joined }
            }
            Op::Clamp if unsigned => match args.get(2) {
                Some(c) => Fact { bounds: inexact(&c.bounds), ..Fact::up_to(ty, c.most) },
                None => any,
            },
            Op::AbsDiff if unsigned => Fact::up_to(result, a.most.max(b.most)),
            Op::Abs if unsigned => a.clone(),
            Op::Neg => low_zeros(ty, a.trailing_zeros()),
            Op::Lt if unsigned => decided(a.most < b.least, a.least >= b.most),
            Op::Le if unsigned => decided(a.most <= b.least, a.least > b.most),
            Op::Gt if unsigned => decided(a.least > b.most, a.most <= b.least),
            Op::Ge if unsigned => decided(a.least >= b.most, a.most < b.least),
            Op::Eq => decided(are_equal(a, b), are_different(a, b)),
            Op::Ne => decided(are_different(a, b), are_equal(a, b)),
            Op::Lt | Op::Le | Op::Gt | Op::Ge => any,
            Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => Fact::up_to(result, ty.bits().into()),
            // Nothing is known, or these are not ops of integers.
            Op::Shr | Op::Div | Op::Rem | Op::Min | Op::Max | Op::AbsDiff | Op::Abs | Op::Sign => any,
            Op::RotateLeft | Op::RotateRight | Op::ReverseBits | Op::SwapBytes | Op::Select => any,
            Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => any,
            Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite => any,
            Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | compound_ops!() => any,
        };
        fact.settled()
    }

    fn add(&mut self, a: &Fact, b: &Fact, ty: Scalar) -> Fact {
        let mask = ty.mask();
        let wraps = u128::from(a.most) + u128::from(b.most) > mask.into();
        let mut fact = Fact::any(ty);
        if !wraps {
            (fact.least, fact.most) = (a.least + b.least, a.most + b.most);
        }
        // Low bits that both know are known of the sum.
        let known = ((a.zeros | a.ones) & (b.zeros | b.ones)).trailing_ones().min(ty.bits());
        let low = if known >= 64 { u64::MAX } else { !(u64::MAX << known) };
        let sum = a.ones.wrapping_add(b.ones) & mask;
        fact.ones |= sum & low;
        fact.zeros |= !sum & low;
        fact.zeros |= !(u64::MAX << a.trailing_zeros().min(b.trailing_zeros()).min(63));
        let plus = |x: &Bound, y: &Bound| x.most.plus(&y.most);
        self.combine(&mut fact, (a, b), wraps, mask, plus);
        fact
    }

    fn mul(&mut self, a: &Fact, b: &Fact, ty: Scalar) -> Fact {
        let mask = ty.mask();
        let wraps = u128::from(a.most) * u128::from(b.most) > mask.into();
        let mut fact = low_zeros(ty, a.trailing_zeros().saturating_add(b.trailing_zeros()));
        if !wraps {
            (fact.least, fact.most) = (a.least * b.least, a.most * b.most);
        }
        let times = |x: &Bound, y: &Bound| x.most.times(&y.most);
        self.combine(&mut fact, (a, b), wraps, mask, times);
        fact
    }

    /// The bounds of a sum or product out of those of its operands. Where it may wrap, that
    /// it does not is one more condition.
    fn combine(
        &mut self,
        fact: &mut Fact,
        (a, b): (&Fact, &Fact),
        wraps: bool,
        mask: u64,
        of: impl Fn(&Bound, &Bound) -> Option<Poly>,
    ) {
        let most = Poly::number(mask.into());
        let mut found = Vec::new();
        for x in a.all_bounds() {
            for y in b.all_bounds() {
                let (Some(sum), Some(mut conditions)) = (of(&x, &y), merged(&x.conditions, &y.conditions)) else {
                    continue;
                };
                // A number that is not exact says no more than the range does.
                let exact = x.exact && y.exact;
                if sum.as_number().is_some() && !exact {
                    continue;
                }
                if wraps && !self.require(&sum, &most, &mut conditions) {
                    continue;
                }
                found.push(Bound { most: sum, exact, conditions });
            }
        }
        for bound in found.into_iter().rev() {
            fact.add_bound(bound);
        }
    }

    fn sub(&mut self, a: &Fact, b: &Fact, ty: Scalar) -> Fact {
        let mut fact = low_zeros(ty, a.trailing_zeros().min(b.trailing_zeros()));
        let fits = a.least >= b.most;
        if fits {
            (fact.least, fact.most) = (a.least - b.most, a.most - b.least);
        }
        let mut found = Vec::new();
        for x in a.bounds.iter().cloned() {
            let exact = b.exact().map(|y| (y.most.clone(), y.conditions.clone(), x.exact));
            let least = fits.then(|| (Poly::number(b.least.into()), Vec::new(), false));
            for (less, conditions, exact) in exact.into_iter().chain(least) {
                let (Some(most), Some(mut conditions)) = (x.most.minus(&less), merged(&x.conditions, &conditions))
                else {
                    continue;
                };
                if !(fits || exact && self.require(&less, &x.most, &mut conditions)) {
                    continue;
                }
                found.push(Bound { most, exact, conditions });
            }
        }
        for bound in found.into_iter().rev() {
            fact.add_bound(bound);
        }
        fact
    }
}

/// Whether a right shift brings in zeros.
fn unsigned_first(ty: Scalar, a: &Fact) -> bool {
    !ty.is_signed() || a.most <= ty.mask() >> 1
}

/// A number whose low bits, this many, are zero.
fn low_zeros(ty: Scalar, count: u32) -> Fact {
    let mut fact = Fact::any(ty);
    if count >= ty.bits() {
        return Fact::constant(0);
    }
    fact.zeros |= !(u64::MAX << count);
    fact
}

/// Bounds of something that may be less.
fn inexact<'b>(bounds: impl IntoIterator<Item = &'b Bound>) -> Vec<Bound> {
    let mut kept: Vec<Bound> = Vec::new();
    for bound in bounds {
        if bound.most.as_number().is_none() && kept.iter().all(|known| known.most != bound.most) {
            kept.push(Bound { exact: false, ..bound.clone() });
        }
    }
    kept
}

/// Bounds of a quotient by a number that is at least 1.
fn divided(a: &Fact, divisor: i128) -> Vec<Bound> {
    let quotient = |bound: &Bound| {
        let exact = bound.exact && divisor == 1;
        Some(Bound { most: bound.most.over(divisor)?, exact, conditions: bound.conditions.clone() })
    };
    a.bounds.iter().filter(|bound| bound.most.as_number().is_none()).filter_map(quotient).collect()
}

/// A condition that is certain, or certain not to hold, or neither.
fn decided(always: bool, never: bool) -> Fact {
    match (always, never) {
        (true, _) => Fact::constant(1),
        (_, true) => Fact::constant(0),
        _ => Fact::any(Scalar::Bool),
    }
}

fn are_equal(a: &Fact, b: &Fact) -> bool {
    a.known().is_some() && a.known() == b.known()
}

fn are_different(a: &Fact, b: &Fact) -> bool {
    a.most < b.least || b.most < a.least || a.ones & b.zeros | a.zeros & b.ones != 0
}

/// The fact about a value of one type as another one, both integers or `bool`.
pub(super) fn cast(from: Scalar, to: Scalar, a: &Fact) -> Fact {
    if a.is_impossible() || from.is_float() || to.is_float() {
        return Fact::any(to);
    }
    if to == Scalar::Bool {
        return match (a.least > 0, a.most == 0) {
            (true, _) => Fact::constant(1),
            (_, true) => Fact::constant(0),
            _ => Fact::any(to),
        };
    }
    let extends = from.is_signed() && to.bits() > from.bits() && a.most > from.mask() >> 1;
    if !extends && a.most <= to.mask() {
        return a.clone();
    }
    let mut fact = Fact::any(to);
    // The low bits stay.
    let low = to.mask() & from.mask();
    fact.zeros |= a.zeros & low;
    fact.ones |= a.ones & low;
    fact.settled()
}
