//! What conditions say about values in the code that they guard.
//!
//! A fact is the bits of a value and the part of the program where they hold: a region of a
//! branch, or what follows a branch if the other side never comes out. Such parts are nested or
//! disjoint.
//!
//! A fact is about one execution of its part. The value was defined before it and cannot be
//! defined again inside.

use crate::analysis::tree::{Def, Tree};
use crate::arena::{Side, Sparse};
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Value, ValueDef};
use crate::ops::Op;
use crate::types::Type;

/// How many facts a condition may give. One of many parts would have parts that occur
/// again and again.
const MAX_FACTS: usize = 32;

/// A value's bits in a part of the program.
#[derive(Clone, Copy, Debug)]
struct Fact {
    /// The first instruction and the one after the last, as numbers in the program's order.
    part: (usize, usize),
    bits: u64,
    /// The fact about the same value whose part is the next one around.
    outer: Option<usize>,
}

/// What conditions say.
#[derive(Debug)]
pub(super) struct Implied {
    numbers: Side<InstDef, usize>,
    /// The instructions that a region has, in its own and those inside.
    parts: Side<RegionDef, (usize, usize)>,
    owners: Side<InstDef, Option<Inst>>,
    /// In the order in which their parts begin.
    facts: Sparse<ValueDef, Vec<Fact>>,
}

impl Implied {
    /// Collects the facts of a function.
    pub(super) fn of(function: &Function, tree: &Tree) -> Self {
        let mut facts = Self {
            numbers: Side::new(0),
            parts: Side::new((0, 0)),
            owners: Side::new(None),
            facts: Sparse::new(Vec::new()),
        };
        facts.count(function, tree, function.body, &mut 0);
        facts.region(function, tree, function.body);
        facts
    }

    /// What the value is for this instruction, if a condition says so.
    pub(super) fn bits(&self, inst: Inst, value: Value) -> Option<u64> {
        let (facts, number) = (&self.facts[value], self.numbers[inst]);
        let mut at = facts.partition_point(|fact| fact.part.0 <= number).checked_sub(1);
        while let Some(fact) = at.and_then(|at| facts.get(at)) {
            if number < fact.part.1 {
                return Some(fact.bits);
            }
            at = fact.outer;
        }
        None
    }

    /// The instruction that a `yield` ends a region of.
    pub(super) fn owner(&self, inst: Inst) -> Option<Inst> {
        self.owners[inst]
    }

    /// Numbers instructions. The checks limit how deep regions are nested.
    fn count(&mut self, function: &Function, tree: &Tree, region: Region, next: &mut usize) {
        let start = *next;
        for &inst in &function.regions[region].insts {
            self.numbers[inst] = *next;
            *next += 1;
            self.owners[inst] = tree.owner(region);
            for inner in function.insts[inst].kind.regions() {
                self.count(function, tree, inner, next);
            }
        }
        self.parts[region] = (start, *next);
    }

    /// Notes the facts of a region's branches, in the order of their parts.
    fn region(&mut self, function: &Function, tree: &Tree, region: Region) {
        for &inst in &function.regions[region].insts {
            let kind = &function.insts[inst].kind;
            match kind {
                InstKind::If { condition, then, otherwise } => {
                    let mut after = self.numbers[inst] + 1;
                    for (inner, truth) in [(*then, true), (*otherwise, false)] {
                        self.imply(function, tree, *condition, truth, self.parts[inner]);
                        self.region(function, tree, inner);
                        after = self.parts[inner].1;
                    }
                    let rest = (after, self.parts[region].1);
                    for (inner, truth) in [(*then, false), (*otherwise, true)] {
                        if function.yielded(inner).is_none() {
                            self.imply(function, tree, *condition, truth, rest);
                        }
                    }
                }
                InstKind::Switch { selector, cases, .. } => {
                    for inner in kind.regions() {
                        let case = cases.iter().find(|case| case.region == inner);
                        if let Some(&[bits]) = case.map(|case| case.values.as_slice()) {
                            self.note(*selector, bits, self.parts[inner]);
                        }
                        self.region(function, tree, inner);
                    }
                }
                InstKind::Loop { body, .. } => self.region(function, tree, *body),
                _ => {}
            }
        }
    }

    fn note(&mut self, value: Value, bits: u64, part: (usize, usize)) {
        if part.0 >= part.1 {
            return;
        }
        let facts = &mut self.facts[value];
        let mut outer = facts.len().checked_sub(1);
        while let Some(fact) = outer.and_then(|at| facts.get(at)) {
            if part.0 < fact.part.1 {
                break;
            }
            outer = fact.outer;
        }
        facts.push(Fact { part, bits, outer });
    }

    /// Notes what a condition being true, or false, says.
    fn imply(&mut self, function: &Function, tree: &Tree, condition: Value, truth: bool, part: (usize, usize)) {
        let mut left = vec![(condition, truth)];
        for _ in 0..MAX_FACTS {
            let Some((value, truth)) = left.pop() else { break };
            if function.constant_bits(value).is_some() {
                continue;
            }
            self.note(value, truth.into(), part);
            let Def::Result(inst, i) = tree.def(value) else { continue };
            match &function.insts[inst].kind {
                InstKind::Op(op, args) => self.imply_op(function, *op, args, truth, part, &mut left),
                InstKind::If { condition, then, otherwise } => {
                    // A region that yields the other truth was not taken.
                    for (inner, other, taken) in [(*then, *otherwise, true), (*otherwise, *then, false)] {
                        let given = |region| function.yielded(region).and_then(|values| values.get(i)).copied();
                        let other = given(other).map(|value| function.constant_bits(value));
                        if other.is_none_or(|bits| bits == Some((!truth).into())) {
                            left.push((*condition, taken));
                            left.extend(given(inner).map(|value| (value, truth)));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes what an op's result says of its operands; `bool`s go to `left`.
    fn imply_op(
        &mut self,
        function: &Function,
        op: Op,
        args: &[Value],
        truth: bool,
        part: (usize, usize),
        left: &mut Vec<(Value, bool)>,
    ) {
        match (op, args) {
            (Op::Not, &[a]) => left.push((a, !truth)),
            (Op::And, &[a, b]) if truth => left.extend([(a, true), (b, true)]),
            (Op::Or, &[a, b]) if !truth => left.extend([(a, false), (b, false)]),
            (Op::Eq | Op::Ne, &[a, b]) if (op == Op::Eq) == truth => {
                for (value, other) in [(a, b), (b, a)] {
                    let (Some(bits), Type::Scalar(scalar)) = (function.constant_bits(other), function.ty(value)) else {
                        continue;
                    };
                    // Zeros of both signs are equal.
                    let is_zero = scalar.is_float() && bits & (scalar.mask() >> 1) == 0;
                    if !is_zero && function.constant_bits(value).is_none() {
                        self.note(value, bits, part);
                    }
                }
            }
            (Op::Select, &[condition, yes, no]) => {
                for (value, other, taken) in [(yes, no, true), (no, yes, false)] {
                    if function.constant_bits(other) == Some((!truth).into()) {
                        left.extend([(condition, taken), (value, truth)]);
                    }
                }
            }
            _ => {}
        }
    }
}
