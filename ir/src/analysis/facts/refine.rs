//! What a condition says about the values that it compares.

use super::launch::Poly;
use super::value::{Bound, Fact};
use super::{Walk, at_most};
use crate::ir::{InstKind, Value};
use crate::ops::Op;
use crate::types::Scalar;

/// How many conditions within conditions are looked at.
const DEPTH: u32 = 8;

impl Walk<'_> {
    /// Learns that a condition holds, or that it does not.
    pub(super) fn assume(&mut self, condition: Value, truth: bool) {
        self.assume_within(condition, truth, DEPTH);
    }

    fn assume_within(&mut self, condition: Value, truth: bool, depth: u32) {
        if depth == 0 || self.function.constant_bits(condition).is_some() {
            return;
        }
        self.learn(condition, Fact::constant(truth.into()));
        let function = self.function;
        let Some(inst) = self.tree.inst_of(condition) else { return };
        match &function.insts[inst].kind {
            InstKind::Op(op, args) => match (op, args.as_slice()) {
                (Op::Not, &[inner]) => self.assume_within(inner, !truth, depth - 1),
                (Op::And, &[a, b]) if truth => {
                    self.assume_within(a, true, depth - 1);
                    self.assume_within(b, true, depth - 1);
                }
                (Op::Or, &[a, b]) if !truth => {
                    self.assume_within(a, false, depth - 1);
                    self.assume_within(b, false, depth - 1);
                }
                (_, &[a, b]) => self.compare(*op, a, b, truth),
                _ => {}
            },
            // `a && b` is an `if` of which one branch gives `false`; `a || b` likewise.
            InstKind::If { condition: first, then, otherwise } => {
                let index = function.insts[inst].results.iter().position(|&result| result == condition);
                let yielded = |region| {
                    let &last = function.regions[region].insts.last()?;
                    match &function.insts[last].kind {
                        InstKind::Yield(values) => values.get(index?).copied(),
                        _ => None,
                    }
                };
                let (Some(yes), Some(no)) = (yielded(*then), yielded(*otherwise)) else { return };
                let never = |value: Value| function.constant_bits(value) == Some(u64::from(!truth));
                let (taken, value) = match (never(yes), never(no)) {
                    (false, true) => (true, yes),
                    (true, false) => (false, no),
                    _ => return,
                };
                self.assume_within(*first, taken, depth - 1);
                self.assume_within(value, truth, depth - 1);
            }
            _ => {}
        }
    }

    /// Learns from a comparison of integers.
    fn compare(&mut self, op: Op, a: Value, b: Value, truth: bool) {
        let Some(ty) = self.scalar(a).filter(|ty| ty.is_int()) else { return };
        let (op, a, b) = match (op, truth) {
            (Op::Eq, true) | (Op::Ne, false) => {
                if let (Some(x), Some(y)) = (self.fact(a), self.fact(b)) {
                    let both = x.meet(&y);
                    self.learn(a, both.clone());
                    self.learn(b, both);
                }
                return;
            }
            (Op::Ne, true) | (Op::Eq, false) => {
                self.differ(a, b);
                self.differ(b, a);
                return;
            }
            (Op::Lt, true) | (Op::Ge, false) => (Op::Lt, a, b),
            (Op::Gt, true) | (Op::Le, false) => (Op::Lt, b, a),
            (Op::Le, true) | (Op::Gt, false) => (Op::Le, a, b),
            (Op::Ge, true) | (Op::Lt, false) => (Op::Le, b, a),
            _ => return,
        };
        self.order(op == Op::Lt, a, b, ty);
    }

    /// Learns that `a` is less than `b`, or at most `b`.
    fn order(&mut self, strict: bool, a: Value, b: Value, ty: Scalar) {
        let (Some(mut x), Some(mut y)) = (self.fact(a), self.fact(b)) else { return };
        let step = u64::from(strict);
        let half = ty.mask() >> 1;
        if ty.is_signed() {
            // By their bits negative numbers are above all others. What is above a number
            // that is not negative is not negative either; else the order says nothing.
            if x.most > half {
                return;
            }
            y.most = y.most.min(half);
        }
        y.least = y.least.max(x.least.saturating_add(step));
        x.most = x.most.min(y.most.saturating_sub(step));
        if strict && y.most == 0 {
            // Nothing is less than zero: this is never reached.
            return;
        }
        for bound in y.bounds.iter().rev() {
            if let Some(most) = bound.most.minus(&Poly::number(step.into())) {
                x.add_bound(Bound { most, exact: false, conditions: bound.conditions.clone() });
            }
        }
        self.learn(a, x.settled());
        self.learn(b, y.settled());
    }

    /// Learns that `a` is not `b`.
    fn differ(&mut self, a: Value, b: Value) {
        let (Some(mut x), Some(y)) = (self.fact(a), self.fact(b)) else { return };
        if let Some(other) = y.known() {
            if x.least == other && x.least < x.most {
                x.least += 1;
            }
            if x.most == other && x.least < x.most {
                x.most -= 1;
            }
        }
        // At most something and not it is less.
        let exact: Vec<Bound> = y.bounds.iter().filter(|bound| bound.exact).cloned().collect();
        for bound in exact {
            let met = x.bounds.iter().any(|known| known.most == bound.most && known.conditions == bound.conditions);
            if let (true, Some(less)) = (met, bound.most.minus(&Poly::number(1))) {
                x.add_bound(Bound { conditions: bound.conditions, ..at_most(less) });
            }
        }
        self.learn(a, x.settled());
    }
}
