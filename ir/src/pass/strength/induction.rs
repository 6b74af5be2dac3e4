//! Products of counters, computed along with the counter.
//!
//! If each round of a loop adds an invariant to a parameter, then the product of the parameter
//! with another invariant grows by the product of the two. This product becomes a parameter of
//! its own, whose next value is computed right after the counter's. So it exists where the
//! counter exists, and is equal where the counter is equal, which uniformity depends on. It is
//! exact because both wrap.
//!
//! This is only done for 64-bit integers. A 32-bit product costs a device no more than a sum, a
//! parameter costs a register, and facts about the counter say nothing about the product,
//! although indices should be known to be in bounds.

use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Replaced, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;

/// How many products of a loop are counted along at most.
const MAX_PRODUCTS: usize = 8;

/// Counts products along; says whether there were any.
pub(super) fn induction(function: &mut Function) -> bool {
    let tree = Tree::of(function);
    let mut found: BTreeMap<(Inst, usize, Value), Vec<(Inst, Value)>> = BTreeMap::new();
    for &inst in tree.insts() {
        let def = &function.insts[inst];
        let (InstKind::Op(Op::Mul, args), &[result]) = (&def.kind, def.results.as_slice()) else { continue };
        let &[a, b] = args.as_slice() else { continue };
        if !is_worth(function.ty(result)) || function.flags[inst].has(Flags::NONUNIFORM) {
            continue;
        }
        for (counter, factor) in [(a, b), (b, a)] {
            let Def::Param(owner, i) = tree.def(counter) else { continue };
            let power = function.constant_bits(factor).is_some_and(u64::is_power_of_two);
            if !power && is_invariant(function, &tree, owner, factor) {
                found.entry((owner, i, factor)).or_default().push((inst, result));
                break;
            }
        }
    }
    let mut counts: Side<InstDef, usize> = Side::new(0);
    let mut replaced = Replaced::new();
    let mut instead: Side<InstDef, Option<Vec<Inst>>> = Side::new(None);
    let mut changed = false;
    for ((owner, i, factor), results) in found {
        let Some(steps) = steps(function, &tree, owner, i) else { continue };
        if counts[owner] == MAX_PRODUCTS {
            continue;
        }
        counts[owner] += 1;
        let mut made = Made { function, owner, factor, instead: &mut instead };
        let Some(param) = made.count_along(i, &steps) else { continue };
        for (inst, result) in results {
            replaced.set(result, param);
            instead[inst] = Some(Vec::new());
        }
        changed = true;
    }
    if changed {
        function.put_instead(&instead);
        for inst in function.insts.ids() {
            replaced.follow(&mut function.insts[inst].kind);
        }
    }
    changed
}

fn is_worth(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::I64 | Scalar::U64))
}

/// Whether a value is given before a loop.
fn is_invariant(function: &Function, tree: &Tree, owner: Inst, value: Value) -> bool {
    let InstKind::Loop { body, .. } = function.insts[owner].kind else { return false };
    tree.home(function, value).is_some_and(|home| !tree.is_within(home, body))
}

/// The value that a `continue` passes for a counter, how it is made, and what is added.
struct Step {
    next: Value,
    /// The sum or difference; the counter itself if there is none.
    made: Option<(Inst, Op, Value)>,
}

/// How each `continue` changes a parameter, if each adds or subtracts what does not change.
fn steps(function: &Function, tree: &Tree, owner: Inst, i: usize) -> Option<Vec<Step>> {
    let InstKind::Loop { body, .. } = function.insts[owner].kind else { return None };
    let counter = *function.regions[body].params.get(i)?;
    let mut steps: Vec<Step> = Vec::new();
    for &from in tree.continues(owner) {
        let next = *function.insts[from].kind.passed().get(i)?;
        if steps.iter().any(|step| step.next == next) {
            continue;
        }
        if next == counter {
            steps.push(Step { next, made: None });
            continue;
        }
        let inst = tree.inst_of(next)?;
        let (op, args) = tree.op(function, next)?;
        let by = match (op, args) {
            (Op::Add, &[a, b]) | (Op::Sub, &[a, b]) if a == counter => b,
            (Op::Add, &[a, b]) if b == counter => a,
            _ => return None,
        };
        if !is_invariant(function, tree, owner, by) || function.flags[inst].has(Flags::NONUNIFORM) {
            return None;
        }
        steps.push(Step { next, made: Some((inst, op, by)) });
    }
    // A loop that does not come round again has no counters.
    (!steps.is_empty()).then_some(steps)
}

/// Makes a parameter that is the product of another one.
struct Made<'a> {
    function: &'a mut Function,
    owner: Inst,
    factor: Value,
    /// Where the new instructions stand: before the loop, and after what changes the counter.
    instead: &'a mut Side<InstDef, Option<Vec<Inst>>>,
}

impl Made<'_> {
    /// The new parameter; what it needs inside the loop is noted after the counter's.
    fn count_along(&mut self, i: usize, steps: &[Step]) -> Option<Value> {
        let InstKind::Loop { body, initial, .. } = &self.function.insts[self.owner].kind else { return None };
        let (body, first) = (*body, *initial.get(i)?);
        let counter = *self.function.regions[body].params.get(i)?;
        let first = self.product(first);
        let ty = self.function.ty(self.factor);
        let param = self.function.value(ty);
        let mut passed = vec![(counter, param)];
        for step in steps {
            let Some((inst, op, by)) = step.made else { continue };
            let by = self.product(by);
            let (new, next) = self.op(op, vec![param, by], inst);
            self.instead[inst].get_or_insert_with(|| vec![inst]).push(new);
            passed.push((step.next, next));
        }
        self.function.regions[body].params.push(param);
        if let InstKind::Loop { initial, .. } = &mut self.function.insts[self.owner].kind {
            initial.push(first);
        }
        self.pass_on(body, i, &passed);
        Some(param)
    }

    /// Lets the loop's `continue`s pass the product that belongs to what they pass.
    fn pass_on(&mut self, region: Region, i: usize, passed: &[(Value, Value)]) {
        for inst in self.function.region_insts(region) {
            if let InstKind::Continue(target, values) = &mut self.function.insts[inst].kind
                && *target == self.owner
                && let Some(&(_, product)) = passed.iter().find(|(next, _)| values.get(i) == Some(next))
            {
                values.push(product);
            }
            for inner in self.function.insts[inst].kind.regions() {
                self.pass_on(inner, i, passed);
            }
        }
    }

    /// The product with the factor, before the loop.
    fn product(&mut self, value: Value) -> Value {
        let constant = |value| self.function.constant_bits(value);
        if let (Some(a), Some(b), Type::Scalar(scalar)) =
            (constant(value), constant(self.factor), self.function.ty(value))
        {
            return self.function.constant(scalar, a.wrapping_mul(b));
        }
        let (inst, product) = self.op(Op::Mul, vec![value, self.factor], self.owner);
        let owner = self.owner;
        let before = self.instead[owner].get_or_insert_with(|| vec![owner]);
        before.insert(before.len() - 1, inst);
        product
    }

    fn op(&mut self, op: Op, args: Vec<Value>, like: Inst) -> (Inst, Value) {
        let (ty, loc) = (self.function.ty(self.factor), self.function.insts[like].loc);
        self.function.made(InstKind::Op(op, args), ty, loc)
    }
}
