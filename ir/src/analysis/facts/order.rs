//! Which values are known not to exceed others, by the comparisons around.
//!
//! Comparisons are kept in the order in which they were made; only the last ones are searched. They are read without
//! a sign.

use super::flow::Flow;
use crate::ir::Value;
use crate::ops::Op;

/// How many of the last comparisons are searched.
pub(super) const COMPARISONS: usize = 16;

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
        if chosen(more, Op::Max, less) || chosen(less, Op::Min, more) || self.counts_up_to(less, more) {
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
    /// the other one is below how far they are apart; or the end of the chunks of which one is the start.
    pub(super) fn sum_is_below(&self, a: Value, b: Value) -> Option<Value> {
        self.sum_ends(a, b, NESTED).or_else(|| self.sum_ends(b, a, NESTED))
    }

    /// The same of a start and what is counted from it.
    fn sum_ends(&self, start: Value, by: Value, depth: usize) -> Option<Value> {
        let recent = self.order.iter().rev().take(COMPARISONS).filter(|order| order.strict && order.less == by);
        let counted = recent.into_iter().find_map(|order| self.end_of(start, order.more, NESTED));
        let chunk = || self.end_of(start, self.chunk_ends(by, None)?, NESTED);
        if let Some(end) = counted.or_else(|| self.chunk_ends(start, Some(by))).or_else(chunk) {
            return Some(end);
        }
        let depth = depth.checked_sub(1)?;
        let parts = |value: Value| match self.tree.op(self.function, value) {
            Some((Op::Add, &[x, y])) => Some((x, y)),
            _ => None,
        };
        // `(a + b) + c` is below what `a` leads to from what `b + c` is below.
        let nested = parts(start).and_then(|(x, y)| {
            [(x, y), (y, x)].into_iter().find_map(|(outer, inner)| {
                let distance = self.sum_ends(inner, by, depth).or_else(|| self.sum_ends(by, inner, depth))?;
                self.end_of(outer, distance, NESTED)
            })
        });
        // `a + (b + c)` is the same.
        nested.or_else(|| {
            let (x, y) = parts(by)?;
            let distance = self.sum_ends(x, y, depth).or_else(|| self.sum_ends(y, x, depth))?;
            self.end_of(start, distance, NESTED)
        })
    }

    /// What the start of a chunk is below, or its sum with a number below the length of chunks: all that is divided
    /// into chunks.
    pub(super) fn chunk_ends(&self, start: Value, by: Option<Value>) -> Option<Value> {
        let (function, unsigned) = (self.function, |value: Value| !self.lane(value).is_signed());
        let width = u64::from(self.lane(start).bits());
        let shifted = |count: Value| function.constant_bits(count).filter(|&count| count < width);
        let (op, args) = self.tree.op(function, start)?;
        let (factors, within) = match (op, args) {
            (Op::Mul, &[x, y]) => ([Some((x, Some(y))), Some((y, Some(x)))], None),
            (Op::Shl, &[x, count]) => ([Some((x, None)), None], Some(shifted(count)?)),
            _ => return None,
        };
        factors.into_iter().flatten().find_map(|(number, len)| {
            let size = len.map_or(within.map(|count| 1 << count), |len| function.constant_bits(len));
            let is_within = by.is_none_or(|by| match (len, size) {
                (_, Some(size)) => self.fact(by).most < size,
                (Some(len), None) => self.is_below(by, len),
                (None, None) => false,
            });
            let recent = self.order.iter().rev().take(COMPARISONS);
            let mut recent = recent.filter(|order| is_within && order.strict && order.less == number);
            recent.find_map(|order| match self.tree.op(function, order.more)? {
                (Op::Div, &[all, by]) if unsigned(all) => {
                    (Some(by) == len || size.is_some() && function.constant_bits(by) == size).then_some(all)
                }
                (Op::Shr, &[all, count]) if unsigned(all) => (Some(1 << shifted(count)?) == size).then_some(all),
                _ => None,
            })
        })
    }

    /// What a start and any number below a distance are together below, without wrapping.
    fn end_of(&self, start: Value, distance: Value, depth: usize) -> Option<Value> {
        let (function, depth) = (self.function, depth.checked_sub(1)?);
        let (end, from) = match self.tree.op(function, distance)? {
            (Op::Sub, &[end, from]) => (end, from),
            // What is below the lesser one is below both.
            (Op::Min, &[x, y]) if !self.lane(distance).is_signed() => {
                return [x, y].into_iter().find_map(|distance| self.end_of(start, distance, depth));
            }
            _ => return None,
        };
        let end = match self.tree.op(function, end) {
            // Nothing is below zero, so that the end is the greater one.
            Some((Op::Max, &[x, y])) if x == from => y,
            Some((Op::Max, &[x, y])) if y == from => x,
            _ if self.fact(end).least >= self.fact(from).most || self.is_ordered(from, end) => end,
            _ => return None,
        };
        // What is counted from a later start comes further.
        if from == start || self.fact(start).most <= self.fact(from).least || self.is_ordered(start, from) {
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
