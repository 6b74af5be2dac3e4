//! Ranges: removing what the facts about values make unnecessary.
//!
//! A value that can only be one number becomes that number, also if only the guards around say
//! so. Remainders, masks, minima and the like that change nothing become their operand. Signed
//! divisions of values that are not negative become shifts. Every change keeps each value that
//! is used, so all of them can be made at once.
//!
//! If only the guards around determine a value, replacing it could hide that two ways bring the
//! same value when one of them is guarded. So in functions where invocations wait for each
//! other, such values stay ([`alike`](crate::analysis::alike)).
//!
//! [`bounds`] removes the bounds of indices that are always below them. It runs last, because
//! an index's own bound tells other passes which elements an access can touch.

use crate::analysis::alike::merged_alike;
use crate::analysis::facts::{Fact, Facts};
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, Place, Replaced, Value, ValueDef};
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};

/// Uses the facts about a function in SSA form; says whether anything changed.
pub fn ranges(function: &mut Function, types: &Types) -> bool {
    let tree = Tree::of(function);
    let facts = Facts::of_values(types, function, &tree);
    let waits = |&inst: &Inst| matches!(function.insts[inst].kind, InstKind::Barrier | InstKind::Subgroup(..));
    let stays = if tree.insts().iter().any(waits) { merged_alike(function, &tree) } else { Side::new(false) };
    let mut pass = Ranges { facts, tree, function, stays, replaced: Replaced::new(), changed: false };
    let insts = pass.tree.insts().to_vec();
    for &inst in &insts {
        pass.decide(inst);
    }
    for &inst in &insts {
        pass.rewrite(inst);
    }
    pass.changed
}

/// Takes off bounds of indices that always hold; says whether there was one.
pub fn bounds(function: &mut Function, types: &Types) -> bool {
    let has_bound = |place: &Place| place.indices.iter().any(|index| index.bound.is_some());
    if !function.insts.iter().any(|(_, def)| def.kind.place().is_some_and(has_bound)) {
        return false;
    }
    let facts = Facts::of(types, function);
    let mut changed = false;
    for inst in function.insts.ids() {
        let Some(place) = function.insts[inst].kind.place_mut() else { continue };
        for (i, index) in place.indices.iter_mut().enumerate() {
            if index.bound.is_some() && facts.index_is_below(inst, i) {
                index.bound = None;
                changed = true;
            }
        }
    }
    changed
}

struct Ranges<'a> {
    facts: Facts,
    tree: Tree,
    function: &'a mut Function,
    /// The values that must stay recognizable.
    stays: Side<ValueDef, bool>,
    /// What is used instead of a value.
    replaced: Replaced,
    changed: bool,
}

impl Ranges<'_> {
    /// Finds what can be used instead of an instruction's values.
    fn decide(&mut self, inst: Inst) {
        // What is said about an instruction is said about its result, which stays.
        if !self.function.flags[inst].is_empty() {
            return;
        }
        let mut values = self.function.insts[inst].results.clone();
        if let InstKind::Loop { body, .. } = self.function.insts[inst].kind {
            values.extend(&self.function.regions[body].params);
        }
        values.retain(|&value| !self.stays[value]);
        for &value in &values {
            if let Some(constant) = self.constant(value, self.facts.fact(value)) {
                self.replace(value, constant);
            }
        }
        let InstKind::Op(op, args) = &self.function.insts[inst].kind else { return };
        let (op, args) = (*op, args.clone());
        let &[result] = values.as_slice() else { return };
        if self.replaced.get(result).is_some() {
            return;
        }
        if let Some(same) = self.same(inst, op, &args) {
            self.replace(result, same);
        } else if let Some(kind) = self.simpler(inst, op, &args) {
            self.function.insts[inst].kind = kind;
            self.changed = true;
        }
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.replaced.set(value, by);
        self.changed |= self.tree.uses(value) > 0;
    }

    /// The constant that a value is, if it is not one already.
    fn constant(&mut self, value: Value, fact: Fact) -> Option<Value> {
        let Type::Scalar(ty) = self.function.ty(value) else { return None };
        let bits = fact.constant().filter(|_| self.function.constant_bits(value).is_none())?;
        Some(self.function.constant(ty, bits))
    }

    /// Puts what was decided in the place of operands.
    fn rewrite(&mut self, inst: Inst) {
        let def = &mut self.function.insts[inst];
        let mut kind = std::mem::replace(&mut def.kind, InstKind::Unreachable);
        let passes_on = matches!(kind, InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..));
        let shows = passes_on || def.results.iter().any(|&result| self.stays[result]);
        kind.map_operands(|operand| {
            let mut now = self.replaced.resolve(operand);
            if now == operand && !(shows && self.stays[operand]) && !self.is_flagged(operand) {
                let fact = self.facts.at(inst, operand);
                if let Some(constant) = self.constant(operand, fact) {
                    self.changed = true;
                    now = constant;
                }
            }
            now
        });
        self.function.insts[inst].kind = kind;
    }

    /// Whether something is said about the instruction that gives a value.
    fn is_flagged(&self, value: Value) -> bool {
        match self.tree.def(value) {
            Def::Result(inst, _) => !self.function.flags[inst].is_empty(),
            Def::Constant | Def::Argument(_) | Def::Param(..) => false,
        }
    }

    /// The operand that an op gives back.
    fn same(&self, inst: Inst, op: Op, args: &[Value]) -> Option<Value> {
        let ty = self.function.ty(*args.last()?).lane()?;
        if ty.is_float() && op != Op::Select {
            return None;
        }
        let fact = |value: Value| self.facts.at(inst, value);
        // Numbers in the reading of the type, and the bits that may be one.
        let limits = |fact: Fact| -> (i128, i128) {
            if ty.is_signed() { (fact.low.into(), fact.high.into()) } else { (fact.least.into(), fact.most.into()) }
        };
        let at_most = |a: Value, b: Value| limits(fact(a)).1 <= limits(fact(b)).0;
        let maybe = |value: Value| !fact(value).zeros & ty.mask();
        let sure = |value: Value| fact(value).ones;
        match (op, args) {
            (Op::Select, &[condition, yes, no]) => {
                fact(condition).constant().map(|bits| if bits != 0 { yes } else { no })
            }
            (Op::Rem | Op::Mod | Op::RemEuclid, &[a, b]) => {
                let natural = !ty.is_signed() || fact(a).low >= 0 && fact(b).low >= 0;
                (natural && fact(a).most < fact(b).least).then_some(a)
            }
            (Op::And, &[a, b]) if maybe(a) & !sure(b) == 0 => Some(a),
            (Op::And, &[a, b]) if maybe(b) & !sure(a) == 0 => Some(b),
            (Op::Or, &[a, b]) if maybe(b) & !sure(a) == 0 => Some(a),
            (Op::Or, &[a, b]) if maybe(a) & !sure(b) == 0 => Some(b),
            (Op::Min, &[a, b]) if at_most(a, b) => Some(a),
            (Op::Min, &[a, b]) if at_most(b, a) => Some(b),
            (Op::Max, &[a, b]) if at_most(b, a) => Some(a),
            (Op::Max, &[a, b]) if at_most(a, b) => Some(b),
            (Op::Clamp, &[x, low, high]) if at_most(low, x) && at_most(x, high) => Some(x),
            (Op::Abs, &[a]) if fact(a).low >= 0 => Some(a),
            _ => None,
        }
    }

    /// An op that costs less and gives the same.
    fn simpler(&mut self, inst: Inst, op: Op, args: &[Value]) -> Option<InstKind> {
        let &[a, b] = args else { return None };
        let Type::Scalar(ty) = self.function.ty(a) else { return None };
        if !ty.is_int() {
            return None;
        }
        let (x, y) = (self.facts.at(inst, a), self.facts.at(inst, b));
        let power = y.constant().filter(|by| by.is_power_of_two() && ty.is_signed() && x.low >= 0 && y.low > 0);
        let (op, args) = match op {
            Op::Div | Op::DivEuclid => {
                let places = self.function.constant(Scalar::U32, power?.trailing_zeros().into());
                (Op::Shr, vec![a, places])
            }
            Op::Rem | Op::Mod | Op::RemEuclid => {
                let mask = self.function.constant(ty, power? - 1);
                (Op::And, vec![a, mask])
            }
            Op::AddSat if !ty.is_signed() && x.most <= ty.mask() - y.most => (Op::Add, vec![a, b]),
            Op::SubSat if !ty.is_signed() && x.least >= y.most => (Op::Sub, vec![a, b]),
            _ => return None,
        };
        Some(InstKind::Op(op, args))
    }
}

#[cfg(test)]
mod tests;
