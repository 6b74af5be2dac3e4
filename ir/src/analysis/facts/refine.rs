//! What follows from a condition that is true, or false.
//!
//! A comparison says something about both sides, and through their definitions about what they
//! were computed from, as far as that did not wrap. A contradiction means that the condition
//! never holds.

use super::bound::Bounds;
use super::fact::Fact;
use super::flow::Flow;
use super::order::Order;
use crate::analysis::tree::Def;
use crate::ir::{InstKind, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// How many conditions of conditions are followed.
const CONDITIONS: usize = 16;
/// How many operands of operands are concluded about.
const OPERANDS: usize = 4;

impl Fact {
    /// What holds if the value is also not this number.
    pub(super) fn without(mut self, ty: Scalar, bits: u64) -> Self {
        if self.is_impossible() {
            return self;
        }
        let number = crate::scalar::signed(ty, bits);
        if self.constant() == Some(bits) {
            return Self { least: 1, most: 0, ..self };
        }
        if self.least == bits {
            self.least += 1;
        }
        if self.most == bits {
            self.most -= 1;
        }
        if self.low == number && self.high > number {
            self.low += 1;
        }
        if self.high == number && self.low < number {
            self.high -= 1;
        }
        self.settled(ty)
    }
}

impl Flow<'_> {
    /// Learns what follows from a condition; whether it can be.
    pub(super) fn assume(&mut self, condition: Value, truth: bool) -> bool {
        self.conclude(condition, truth, CONDITIONS)
    }

    /// Learns what follows from a value satisfying a fact; whether it can be.
    pub(super) fn assume_fact(&mut self, value: Value, fact: Fact) -> bool {
        if let (Type::BOOL, Some(bits)) = (self.function.ty(value), fact.constant()) {
            return self.conclude(value, bits != 0, CONDITIONS);
        }
        self.learn(value, fact, &Bounds::default()) && self.trace(value, OPERANDS)
    }

    fn conclude(&mut self, condition: Value, truth: bool, depth: usize) -> bool {
        if !self.learn(condition, Fact::truth(truth), &Bounds::default()) {
            return false;
        }
        if depth == 0 {
            return true;
        }
        let next = depth - 1;
        if let Some((region_condition, taken, value)) = self.only_way(condition, truth) {
            return self.conclude(region_condition, taken, next) && self.conclude(value, truth, next);
        }
        let Some((op, args)) = self.tree.op(self.function, condition) else { return true };
        let is_scalar = |value: Value| matches!(self.function.ty(value), Type::Scalar(_));
        match (op, args) {
            (Op::Not, &[a]) if is_scalar(a) => self.conclude(a, !truth, next),
            (Op::And, &[a, b]) if truth => self.conclude_both(a, b, true, next),
            (Op::Or, &[a, b]) if !truth => self.conclude_both(a, b, false, next),
            (Op::Select, &[c, yes, no]) => {
                let not = |value: Value| self.fact(value).constant() == Some(u64::from(!truth));
                match (not(yes), not(no)) {
                    (true, true) => false,
                    (false, true) => self.conclude(c, true, next) && self.conclude(yes, truth, next),
                    (true, false) => self.conclude(c, false, next) && self.conclude(no, truth, next),
                    (false, false) => true,
                }
            }
            (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, &[a, b]) => {
                let Type::Scalar(ty) = self.function.ty(a) else { return true };
                if ty == Scalar::Bool {
                    let equal = match op {
                        Op::Eq => truth,
                        Op::Ne => !truth,
                        _ => return true,
                    };
                    return match (self.fact(a).constant(), self.fact(b).constant()) {
                        (_, Some(bits)) => self.conclude(a, (bits != 0) == equal, next),
                        (Some(bits), _) => self.conclude(b, (bits != 0) == equal, next),
                        (None, None) => true,
                    };
                }
                if !ty.is_int() {
                    return true;
                }
                match (op, truth) {
                    (Op::Lt, true) | (Op::Ge, false) => self.less(ty, a, b, true),
                    (Op::Le, true) | (Op::Gt, false) => self.less(ty, a, b, false),
                    (Op::Gt, true) | (Op::Le, false) => self.less(ty, b, a, true),
                    (Op::Ge, true) | (Op::Lt, false) => self.less(ty, b, a, false),
                    (Op::Eq, true) | (Op::Ne, false) => self.equal(a, b),
                    _ => self.different(ty, a, b),
                }
            }
            (Op::Cast, &[a]) => {
                let Type::Scalar(ty) = self.function.ty(a) else { return true };
                if !ty.is_int() {
                    return true;
                }
                let fact = if truth { self.fact(a).without(ty, 0) } else { Fact::exactly(ty, 0) };
                self.assume_fact(a, fact)
            }
            _ => true,
        }
    }

    fn conclude_both(&mut self, a: Value, b: Value, truth: bool, depth: usize) -> bool {
        if !self.conclude(a, truth, depth) || !self.conclude(b, truth, depth) {
            return false;
        }
        // A comparison with a sign says more once the other condition gives the sign away.
        let Some((op, _)) = self.tree.op(self.function, a) else { return true };
        !matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge) || self.conclude(a, truth, 1)
    }

    /// A result of an `if` that is this only if one way was taken: the condition, what it
    /// was, and what was yielded there.
    fn only_way(&self, result: Value, truth: bool) -> Option<(Value, bool, Value)> {
        let Def::Result(inst, index) = self.tree.def(result) else { return None };
        let InstKind::If { condition, then, otherwise } = self.function.insts[inst].kind else { return None };
        let yielded = |region| self.function.yielded(region)?.get(index).copied();
        let (yes, no) = (yielded(then)?, yielded(otherwise)?);
        let not = |value: Value| self.function.constant_bits(value) == Some(u64::from(!truth));
        match (not(yes), not(no)) {
            (false, true) => Some((condition, true, yes)),
            (true, false) => Some((condition, false, no)),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether the unsigned reading of both values is that of their type.
    fn reads_natural(&self, ty: Scalar, a: Value, b: Value) -> bool {
        !ty.is_signed() || self.fact(a).is_natural() && self.fact(b).is_natural()
    }

    /// `a < b`, or `a <= b`.
    fn less(&mut self, ty: Scalar, a: Value, b: Value, strict: bool) -> bool {
        self.fresh(a);
        let greater = self.fresh(b);
        let (x, y) = (self.fact(a), self.fact(b));
        let by = i128::from(strict);
        let (least, most) = ty.limits();
        let below = Fact::numbers(ty, least, y.limits(ty).1 - by);
        let above = Fact::numbers(ty, x.limits(ty).0 + by, most);
        if below.is_impossible() || above.is_impossible() {
            return false;
        }
        if !self.learn(a, below, &Bounds::default()) || !self.learn(b, above, &Bounds::default()) {
            return false;
        }
        if self.reads_natural(ty, a, b) {
            self.orders(a, b, strict);
            let bounds = if strict { greater.bounds.plus(-1) } else { greater.bounds.above() };
            if !self.learn(a, Fact::any(ty), &bounds) {
                return false;
            }
        }
        self.trace(a, OPERANDS) && self.trace(b, OPERANDS)
    }

    /// Notes that one value is at most another, or below it, and so is it to what that is the lesser of.
    fn orders(&mut self, less: Value, more: Value, strict: bool) {
        self.order.push(Order { less, more, strict });
        let mut of = more;
        for _ in 0..OPERANDS {
            let Some((Op::Min, &[a, b])) = self.tree.op(self.function, of) else { break };
            if self.lane(of).is_signed() {
                break;
            }
            self.order.extend([a, b].map(|more| Order { less, more, strict }));
            of = if self.tree.op(self.function, a).is_some_and(|(op, _)| op == Op::Min) { a } else { b };
        }
    }

    fn equal(&mut self, a: Value, b: Value) -> bool {
        let (first, second) = (self.fresh(a), self.fresh(b));
        let (x, y) = (self.fact(a), self.fact(b));
        for (less, more) in [(a, b), (b, a)] {
            self.order.push(Order { less, more, strict: false });
        }
        self.learn(a, y, &second.bounds)
            && self.learn(b, x, &first.bounds)
            && self.trace(a, OPERANDS)
            && self.trace(b, OPERANDS)
    }

    fn different(&mut self, ty: Scalar, a: Value, b: Value) -> bool {
        self.fresh(a);
        self.fresh(b);
        let (x, y) = (self.fact(a), self.fact(b));
        // What is at most another value and differs from it is below it.
        if self.reads_natural(ty, a, b) {
            for (less, more) in [(a, b), (b, a)] {
                if self.is_ordered(less, more) {
                    return self.less(ty, less, more, true);
                }
            }
        }
        let first = y.constant().map_or(x, |bits| x.without(ty, bits));
        let second = x.constant().map_or(y, |bits| y.without(ty, bits));
        !first.is_impossible() && !second.is_impossible() && self.assume_fact(a, first) && self.assume_fact(b, second)
    }

    /// Concludes from what is known about a value what its operands are.
    fn trace(&mut self, value: Value, depth: usize) -> bool {
        if depth == 0 {
            return true;
        }
        let Some((op, args)) = self.tree.op(self.function, value) else { return true };
        let Type::Scalar(ty) = self.function.ty(value) else { return true };
        if !ty.is_int() || args.iter().any(|&arg| !matches!(self.function.ty(arg), Type::Scalar(lane) if lane.is_int()))
        {
            return true;
        }
        let (fact, bounds) = (self.fact(value), self.states[value].bounds.clone());
        let natural = !ty.is_signed() || fact.is_natural();
        match (op, args) {
            (Op::Add, &[a, b]) => {
                let (x, y) = (self.fact(a), self.fact(b));
                if x.most > ty.mask() - y.most {
                    return self.trace_wrapped(ty, fact, &bounds, [a, b], depth);
                }
                self.part(ty, a, fact, &bounds, y, depth) && self.part(ty, b, fact, &bounds, x, depth)
            }
            (Op::Sub, &[a, b]) if self.fact(a).least >= self.fact(b).most || self.is_ordered(b, a) => {
                let (x, y) = (self.fact(a), self.fact(b));
                let whole = Fact::between(ty, fact.least.saturating_add(y.least), fact.most.saturating_add(y.most));
                let rest = Fact::between(ty, 0, x.most.saturating_sub(fact.least));
                self.follow(a, whole, &bounds.plus(y.most.into()), depth)
                    && self.follow(b, rest, &Bounds::default(), depth)
            }
            (Op::Mul, &[a, b]) => {
                let (x, y) = (self.fact(a), self.fact(b));
                let fits = u128::from(x.most) * u128::from(y.most) <= u128::from(ty.mask());
                let mut possible = true;
                for (part, by) in [(a, y.constant()), (b, x.constant())] {
                    if let Some(by) = by.filter(|&by| fits && by > 0) {
                        let range = Fact::between(ty, fact.least.div_ceil(by), fact.most / by);
                        possible &= self.follow(part, range, &bounds.divided(by.into()), depth);
                    }
                }
                possible
            }
            (Op::Shl, &[a, b]) => match self.places(ty, b) {
                Some(count) if self.fact(a).most <= ty.mask() >> count => {
                    let step = 1u64 << count;
                    let range = Fact::between(ty, fact.least.div_ceil(step), fact.most / step);
                    self.follow(a, range, &bounds.divided(step.into()), depth)
                }
                Some(_) | None => true,
            },
            (Op::Shr, &[a, b]) if !ty.is_signed() || self.fact(a).is_natural() => match self.places(ty, b) {
                Some(count) => self.before_division(ty, a, fact, &bounds, 1u64 << count, depth),
                None => true,
            },
            (Op::Div, &[a, b]) if !ty.is_signed() || self.fact(a).is_natural() && self.fact(b).is_natural() => {
                match self.fact(b).constant() {
                    Some(by) if by > 0 => self.before_division(ty, a, fact, &bounds, by, depth),
                    Some(_) | None => true,
                }
            }
            (Op::Max, &[a, b]) if natural && self.reads_natural(ty, a, b) => {
                let most = Fact::between(ty, 0, fact.most);
                let bounds = bounds.above();
                self.follow(a, most, &bounds, depth) && self.follow(b, most, &bounds, depth)
            }
            (Op::Min, &[a, b]) if natural && self.reads_natural(ty, a, b) => {
                let least = Fact::between(ty, fact.least, ty.mask());
                self.follow(a, least, &Bounds::default(), depth) && self.follow(b, least, &Bounds::default(), depth)
            }
            (Op::Cast | Op::Bitcast, &[a]) => {
                let from = self.lane(a);
                let same = from.bits() == ty.bits()
                    || ty.bits() > from.bits() && (!from.is_signed() || self.fact(a).is_natural())
                    || ty.bits() < from.bits() && self.fact(a).most <= ty.mask();
                if !same {
                    return true;
                }
                let range = Fact::between(from, fact.least, fact.most);
                if range.is_impossible() {
                    return false;
                }
                self.follow(a, range, &bounds, depth)
            }
            _ => true,
        }
    }

    fn follow(&mut self, value: Value, fact: Fact, bounds: &Bounds, depth: usize) -> bool {
        !fact.is_impossible() && self.learn(value, fact, bounds) && self.trace(value, depth - 1)
    }

    /// A summand, from the sum and the other summand; the sum does not wrap.
    fn part(&mut self, ty: Scalar, value: Value, sum: Fact, bounds: &Bounds, other: Fact, depth: usize) -> bool {
        if sum.most < other.least {
            return false;
        }
        let range = Fact::between(ty, sum.least.saturating_sub(other.most), sum.most - other.least);
        self.follow(value, range, &bounds.plus(-i128::from(other.least)), depth)
    }

    /// A summand of a sum of which one is a constant and which always or never wraps in the
    /// signed reading, as it does when a number is taken off.
    fn trace_wrapped(&mut self, ty: Scalar, sum: Fact, bounds: &Bounds, [a, b]: [Value; 2], depth: usize) -> bool {
        let (value, constant) = match (self.fact(a).constant(), self.fact(b).constant()) {
            (_, Some(bits)) => (a, bits),
            (Some(bits), _) => (b, bits),
            (None, None) => return true,
        };
        let fact = self.fact(value);
        // The sum is the value less what the constant is short of a whole turn.
        let taken = constant.wrapping_neg() & ty.mask();
        if constant == 0 || fact.least < taken {
            return true;
        }
        let whole = Fact::between(ty, sum.least.saturating_add(taken), sum.most.saturating_add(taken));
        self.follow(value, whole, &bounds.plus(taken.into()), depth)
    }

    fn places(&self, ty: Scalar, count: Value) -> Option<u64> {
        self.fact(count).constant().map(|count| count % u64::from(ty.bits()))
    }

    /// What was divided, from the quotient.
    fn before_division(
        &mut self,
        ty: Scalar,
        value: Value,
        fact: Fact,
        bounds: &Bounds,
        by: u64,
        depth: usize,
    ) -> bool {
        let most = fact.most.saturating_mul(by).saturating_add(by - 1);
        let range = Fact::between(ty, fact.least.saturating_mul(by), most);
        self.follow(value, range, &bounds.times(by.into()).plus(i128::from(by) - 1), depth)
    }
}
