//! Which values are known not to exceed others, by the comparisons around.
//!
//! Comparisons are kept in the order in which they were made; only the last ones are searched. They are read without
//! a sign.

use super::flow::Flow;
use crate::ir::Value;
use crate::ops::Op;

/// How many of the last comparisons are searched.
const COMPARISONS: usize = 16;

/// How many parts of parts are looked through.
const NESTED: usize = 4;

/// The first value is at most the second, or below it, both read without a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub less: Value,
    pub more: Value,
    pub strict: bool,
}

impl Flow<'_> {
    /// Whether one value is known not to exceed another, both read without a sign.
    pub(super) fn is_ordered(&self, less: Value, more: Value) -> bool {
        if less == more {
            return true;
        }
        let chosen = |value: Value, by: Op, of: Value| match self.tree.op(self.function, value) {
            Some((op, args)) => op == by && args.contains(&of) && !self.lane(value).is_signed(),
            None => false,
        };
        if chosen(more, Op::Max, less) || chosen(less, Op::Min, more) {
            return true;
        }
        let recent = self.order.iter().rev().take(COMPARISONS);
        for order in recent.filter(|order| order.less == less) {
            if order.more == more {
                return true;
            }
            // `i < n` makes `i` at most `n - 1`.
            let Some((op, args)) = self.tree.op(self.function, more) else { continue };
            let (from, by) = match (op, args) {
                (Op::Sub, &[from, by]) => (from, self.function.constant_bits(by)),
                (Op::Add, &[from, by]) => {
                    let ty = self.lane(from);
                    (from, self.function.constant_bits(by).map(|bits| bits.wrapping_neg() & ty.mask()))
                }
                _ => continue,
            };
            if order.strict && order.more == from && by == Some(1) {
                return true;
            }
        }
        false
    }

    /// Whether one value is known to be below another, both read without a sign.
    pub(super) fn is_below(&self, less: Value, more: Value) -> bool {
        let recent = self.order.iter().rev().take(COMPARISONS);
        recent.into_iter().any(|order| order.strict && order.less == less && order.more == more)
    }

    /// What comparisons say about a comparison.
    pub(super) fn compared_before(&self, op: Op, a: Value, b: Value) -> Option<bool> {
        let (below, otherwise) = match op {
            Op::Lt | Op::Ge => ((a, b), op == Op::Lt),
            Op::Gt | Op::Le => ((b, a), op == Op::Gt),
            _ => return None,
        };
        if self.is_below(below.0, below.1) {
            return Some(otherwise);
        }
        self.is_ordered(below.1, below.0).then_some(!otherwise)
    }

    /// What the sum of two values is below, without wrapping: the end of which one of them is the start, where
    /// the other one is below how far they are apart.
    pub(super) fn sum_is_below(&self, a: Value, b: Value) -> Option<Value> {
        let recent = || self.order.iter().rev().take(COMPARISONS).filter(|order| order.strict);
        [(a, b), (b, a)].into_iter().find_map(|(start, by)| {
            recent().filter(|order| order.less == by).find_map(|order| self.end_of(start, order.more, NESTED))
        })
    }

    /// What a start and any number below a distance are together below, without wrapping.
    fn end_of(&self, start: Value, distance: Value, depth: usize) -> Option<Value> {
        let (function, depth) = (self.function, depth.checked_sub(1)?);
        let (Op::Sub, &[end, from]) = self.tree.op(function, distance)? else { return None };
        let end = match self.tree.op(function, end) {
            // Nothing is below zero, so that the end is the greater one.
            Some((Op::Max, &[x, y])) if x == from => y,
            Some((Op::Max, &[x, y])) if y == from => x,
            _ if self.fact(end).least >= self.fact(from).most || self.is_ordered(from, end) => end,
            _ => return None,
        };
        if from == start {
            return Some(end);
        }
        // A part of a part: its start is counted from that of the other one, and its end is within that.
        let (Op::Add, &[x, y]) = self.tree.op(function, start)? else { return None };
        let outer = match (x == from, y == from) {
            (true, _) => y,
            (_, true) => x,
            (false, false) => return None,
        };
        let ends = match self.tree.op(function, end) {
            Some((Op::Min, &[x, y])) => [x, y],
            _ => [end, end],
        };
        ends.into_iter().find_map(|end| self.end_of(outer, end, depth))
    }
}
