//! How far a number of steps leads.
//!
//! A range in steps counts rounds: `rounds` is how far its last number is from the first one,
//! divided by the step, and a number of the range is the first one plus `round * step`. While
//! `round` is at most `rounds`, the product is at most what was divided, so neither it nor the
//! sum wraps, and the sum is at most the last number. All of this is about bits read without a
//! sign.

use super::flow::Flow;
use super::order::{COMPARISONS, Order};
use crate::analysis::tree::Def;
use crate::ir::{Inst, Value};
use crate::ops::Op;
use crate::scalar::{CastRule, cast_rule};
use crate::types::Type;

/// A parameter may be compared with several values; more are not looked at.
const ENDS: usize = 4;
/// How many casts of casts are looked through.
const CASTS: usize = 3;

/// What a number of steps is multiplied by.
#[derive(Clone, Copy)]
enum Step {
    By(Value),
    Constant(u64),
}

impl Flow<'_> {
    /// Notes that a parameter of a loop is tested to be equal to a value, if that is the same in
    /// all rounds.
    pub(super) fn note_end(&mut self, of: Inst, param: Value, end: Value) {
        let Some(body) = self.function.insts[of].kind.regions().next() else { return };
        let outside = self.tree.home(self.function, end).is_some_and(|home| !self.tree.is_within(home, body));
        let is_int = matches!(self.function.ty(param), Type::Scalar(ty) if ty.is_int());
        let known = &mut self.ends[param];
        if outside && is_int && known.len() < ENDS && !known.contains(&end) {
            known.push(end);
        }
    }

    /// The ends that the first values of a loop's parameters do not exceed.
    pub(super) fn ends_at(&self, params: &[Value], first: &[Value]) -> Vec<(usize, Value)> {
        let each = params.iter().zip(first).enumerate();
        let ends = each.flat_map(|(i, (&param, &first))| self.ends[param].iter().map(move |&end| (i, first, end)));
        let kept = ends
            .filter(|&(_, first, end)| self.fact(first).most <= self.fact(end).least || self.is_ordered(first, end));
        kept.map(|(i, _, end)| (i, end)).collect()
    }

    /// The ends of a loop that a `continue` with these values keeps.
    pub(super) fn kept_ends(&self, target: Inst, params: &[Value], values: &[Value]) -> Vec<(usize, Value)> {
        let kept = self.loops[target].ends().iter().copied().filter(|&(i, end)| {
            let (Some(&param), Some(&value)) = (params.get(i), values.get(i)) else { return false };
            let by_one = match self.tree.op(self.function, value) {
                Some((Op::Add, &[a, b])) => {
                    let is_one = |value: Value| self.function.constant_bits(value) == Some(1);
                    a == param && is_one(b) || b == param && is_one(a)
                }
                _ => false,
            };
            by_one && self.is_below(param, end) || value == param
        });
        kept.collect()
    }

    /// Whether a parameter of a loop stays at most at a value.
    pub(super) fn counts_up_to(&self, param: Value, end: Value) -> bool {
        match self.tree.def(param) {
            Def::Param(inst, index) => self.loops[inst].ends().contains(&(index, end)),
            Def::Constant | Def::Argument(_) | Def::Result(..) => false,
        }
    }

    /// What a product or sum of steps is at most, without wrapping, and its least number.
    pub(super) fn stepped(&self, op: Op, args: &[Value]) -> Option<(Value, u64)> {
        match (op, args) {
            (Op::Mul | Op::Shl, _) => Some((self.divided(op, args)?, 0)),
            (Op::Add, &[a, b]) => [(a, b), (b, a)].into_iter().find_map(|(start, far)| {
                let (last, from) = self.apart(far)?;
                (from == start).then(|| (last, self.fact(start).least))
            }),
            _ => None,
        }
    }

    /// Whether a number of steps back from a value does not lead below zero.
    pub(super) fn is_step_back(&self, from: Value, far: Value) -> bool {
        if self.apart(far).is_some_and(|(last, _)| last == from) {
            return true;
        }
        // From the last number that all steps reach, fewer of the same steps back.
        let Some((Op::Add, &[a, b])) = self.tree.op(self.function, from) else { return false };
        let Some(back) = self.product(far) else { return false };
        [(a, b), (b, a)].into_iter().any(|(start, reached)| {
            self.apart(reached).is_some_and(|(_, first)| first == start)
                && self.product(reached).is_some_and(|all| {
                    back.iter().flatten().any(|&(fewer, step)| {
                        let same = |&&(_, other): &&(Value, Step)| self.is_same(step, other);
                        all.iter().flatten().filter(same).any(|&(number, _)| self.is_ordered(fewer, number))
                    })
                })
        })
    }

    /// Notes what a sum of steps is at most or below.
    pub(super) fn order_steps(&mut self, op: Op, args: &[Value], sum: Value) {
        let Some((last, _)) = self.stepped(op, args).filter(|_| op == Op::Add) else { return };
        self.order.push(Order { less: sum, more: last, strict: false });
        let one_less = match self.tree.op(self.function, last) {
            Some((Op::Sub, &[end, by])) if self.function.constant_bits(by) == Some(1) => Some(end),
            Some((Op::Add, &[end, by])) if self.function.constant_bits(by) == Some(self.lane(by).mask()) => Some(end),
            _ => None,
        };
        if let Some(end) = one_less.filter(|&end| self.fact(end).least > 0) {
            self.order.push(Order { less: sum, more: end, strict: true });
        }
    }

    /// The two numbers whose distance a number of steps does not exceed, the greater one first.
    fn apart(&self, far: Value) -> Option<(Value, Value)> {
        let (op, args) = self.tree.op(self.function, self.uncast(far))?;
        let distance = self.uncast(self.divided(op, args)?);
        let (Op::Sub, &[last, from]) = self.tree.op(self.function, distance)? else { return None };
        // With a sign, the greater one may be what is less here.
        let natural = !self.lane(last).is_signed() || self.fact(last).is_natural() && self.fact(from).is_natural();
        let ordered = || self.fact(last).least >= self.fact(from).most || self.is_ordered(from, last);
        (natural && ordered()).then_some((last, from))
    }

    /// What was divided into steps of which a product has no more than there are.
    fn divided(&self, op: Op, args: &[Value]) -> Option<Value> {
        let factors = self.factors(op, args)?;
        factors.into_iter().flatten().find_map(|(number, step)| {
            self.at_most(number).find_map(|quotient| {
                let (op, args) = self.tree.op(self.function, quotient)?;
                let (all, by) = match (op, args) {
                    (Op::Div, &[all, by]) => (all, self.step(by)),
                    (Op::Shr, &[all, count]) => (all, Step::Constant(self.shifted(all, count)?)),
                    _ => return None,
                };
                self.is_same(step, by).then_some(all)
            })
        })
    }

    /// The factors of a product, behind casts.
    fn product(&self, value: Value) -> Option<[Option<(Value, Step)>; 2]> {
        let (op, args) = self.tree.op(self.function, self.uncast(value))?;
        self.factors(op, args)
    }

    /// A number and what it is multiplied by, in both ways.
    fn factors(&self, op: Op, args: &[Value]) -> Option<[Option<(Value, Step)>; 2]> {
        let &[a, b] = args else { return None };
        if !matches!(self.function.ty(a), Type::Scalar(ty) if ty.is_int() && !ty.is_signed()) {
            return None;
        }
        match op {
            Op::Mul => Some([Some((a, self.step(b))), Some((b, self.step(a)))]),
            Op::Shl => Some([Some((a, Step::Constant(self.shifted(a, b)?))), None]),
            _ => None,
        }
    }

    fn step(&self, value: Value) -> Step {
        self.function.constant_bits(value).map_or(Step::By(value), Step::Constant)
    }

    fn is_same(&self, a: Step, b: Step) -> bool {
        match (a, b) {
            (Step::By(a), Step::By(b)) => a == b,
            (Step::Constant(a), Step::Constant(b)) => a == b,
            (Step::By(_), Step::Constant(_)) | (Step::Constant(_), Step::By(_)) => false,
        }
    }

    /// The power of two that a shift multiplies or divides by.
    fn shifted(&self, value: Value, count: Value) -> Option<u64> {
        let width = u64::from(self.lane(value).bits());
        self.function.constant_bits(count).filter(|&count| count < width).map(|count| 1 << count)
    }

    /// Values that a value is at most.
    fn at_most(&self, value: Value) -> impl Iterator<Item = Value> {
        let ends = match self.tree.def(value) {
            Def::Param(inst, index) => self.loops[inst].ends().iter().filter(|end| end.0 == index).collect(),
            Def::Constant | Def::Argument(_) | Def::Result(..) => Vec::new(),
        };
        let compared = self.order.iter().rev().take(COMPARISONS).filter(move |order| order.less == value);
        let compared = compared.map(|order| order.more);
        std::iter::once(value).chain(ends.into_iter().map(|&(_, end)| end)).chain(compared)
    }

    /// What a value is a cast of that keeps the number that its bits are.
    fn uncast(&self, mut value: Value) -> Value {
        for _ in 0..CASTS {
            let Some((Op::Cast | Op::Bitcast, &[of])) = self.tree.op(self.function, value) else { break };
            let (from, to) = (self.function.ty(of), self.function.ty(value));
            let (Type::Scalar(narrow), Type::Scalar(wide)) = (from, to) else { break };
            let ints = narrow.is_int() && wide.is_int();
            let resizes = matches!(cast_rule(from, to), Some(CastRule::Identity | CastRule::Resize));
            let keeps = wide.bits() == narrow.bits() || wide.bits() > narrow.bits() && !narrow.is_signed();
            if !(ints && resizes && keeps) {
                break;
            }
            value = of;
        }
        value
    }
}
