//! Several rounds at a time, for a device: a loop whose rounds are not counted beforehand becomes
//! a main loop, which makes several rounds without asking in between whether the loop ends, and
//! the loop itself, which makes the rounds that are left.
//!
//! Back ends do this late, when the kernel is for one device. Images stay small, and a processor's
//! compiler, which does the same by itself, sees the loop as it was written.
//!
//! Two things end a loop. A *count* compares a counter with a bound from outside. That it does not
//! do so within the next rounds is one comparison, with a bound that is as many rounds nearer. Loops
//! without a count stay as they are: llvmpipe was seen to end such a main loop as if it had no end. Any
//! *other test* is made in each round. If the body only computes, the main loop makes the rounds
//! all the same, asks once whether any of their tests would have ended the loop, and if so hands
//! what was known before them to the loop itself, which finds the round. So nothing is done
//! that the loop would not do, and results are the same bits.
//!
//! Elements of buffers that the counter indexes count as a bound, too, if these accesses are
//! [tested](Guards): the main loop ends before the first one that is out of bounds. Its accesses are
//! then proven, and the loop itself tests the rest.
//!
//! The tests that are not made are left out.

use super::copy::{Copier, Next};
use super::measure::Measurer;
use crate::analysis::guard::{Extent, Guards};
use crate::analysis::tree::Tree;
use crate::analysis::trips::{Comparison, Count, Counter, Loop, Trips};
use crate::arena::Side;
use crate::flags::Unroll;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Root, Value};
use crate::loc::Loc;
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};

/// The most instructions that all copies of a body leave.
const MAX_LEFT: usize = 96;
/// The most rounds at a time.
const MAX_COPIES: u32 = 8;
/// The most that compiling the copies may [cost](super::measure).
const MAX_COST: usize = 32;
/// The most instructions of a function whose loops are looked at.
const MAX_SIZE: usize = 8_192;

/// Lets small innermost loops of a function in SSA form make several rounds at a time; says whether
/// any does.
pub fn rounds(function: &mut Function, types: &Types) -> bool {
    let tree = Tree::of(function);
    let has_loop = tree.insts().iter().any(|&inst| !tree.continues(inst).is_empty());
    if !has_loop || tree.insts().len() > MAX_SIZE {
        return false;
    }
    let trips = Trips::of(function, &tree);
    let guards = Guards::of(types, function, 0);
    let judge = Judge { function, tree: &tree, trips: &trips, guards: Some(&guards) };
    let plans: Vec<Plan> = tree.insts().iter().filter_map(|&inst| judge.plan(inst)).collect();
    if plans.is_empty() {
        return false;
    }
    let mut instead = Side::new(None);
    let mut writer = Writer { copier: Copier::new(function) };
    for plan in &plans {
        instead[plan.inst] = Some(writer.main_loop(plan));
    }
    function.put_instead(&instead);
    true
}

/// Whether a loop is one that makes several rounds at a time.
pub(super) fn applies(function: &Function, tree: &Tree, trips: &Trips, inst: Inst) -> bool {
    Judge { function, tree, trips, guards: None }.plan(inst).is_some()
}

/// The count that ends a loop, if there is one, and the other tests: the `if`, and the condition with
/// which the loop is left.
type Exits = (Option<Bound>, Vec<(Inst, bool)>);

/// What is done with a loop.
struct Plan {
    inst: Inst,
    copies: u32,
    /// What counts the rounds.
    count: Bound,
    /// The other tests: the `if`, and the condition with which the loop is left.
    tests: Vec<(Inst, bool)>,
    /// What counts, whatever it is good for.
    counters: Vec<Counter>,
}

/// How the count of a loop is asked beforehand.
struct Bound {
    branch: Inst,
    leaves_if: bool,
    counter: Counter,
    offset: u64,
    /// `Ge` or `Gt` of a counter that grows, `Le` or `Lt` of one that shrinks.
    op: Op,
    bound: Value,
    /// Buffers that the counter indexes.
    within: Vec<Root>,
}

struct Judge<'a> {
    function: &'a Function,
    tree: &'a Tree,
    trips: &'a Trips,
    /// Without these, elements of buffers are no bound.
    guards: Option<&'a Guards<'a>>,
}

impl Judge<'_> {
    fn plan(&self, inst: Inst) -> Option<Plan> {
        let function = self.function;
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return None };
        let asked = match function.unroll[inst].map(|(unroll, _)| unroll) {
            Some(Unroll::Never | Unroll::By(0 | 1) | Unroll::Full) => return None,
            Some(Unroll::By(copies)) => Some(copies),
            None => None,
        };
        let insts = &function.regions[*body].insts;
        // Only a body whose end is its one way back is simply put several times.
        let &[back] = self.tree.continues(inst) else { return None };
        if insts.last() != Some(&back) {
            return None;
        }
        let known = self.trips.get(inst)?;
        let (count, tests) = self.exits(inst, *body, known)?;
        let computes = self.only_computes(*body);
        let is_worth_it = match known.rounds {
            Count::Exactly(_) => false,
            Count::AtMost(_) => computes && !tests.is_empty(),
            Count::Unknown => computes || tests.is_empty(),
        };
        let count = count.filter(|_| is_worth_it)?;
        let measure = Measurer::new().measure(function, *body, initial, &[back]);
        if measure.loops || measure.waits {
            return None;
        }
        let room = (MAX_LEFT / measure.left.max(1)).min(MAX_COST.checked_div(measure.cost).unwrap_or(MAX_LEFT));
        let most = asked.unwrap_or(MAX_COPIES).min(u32::try_from(room).unwrap_or(MAX_COPIES));
        // A power of two divides the usual numbers of rounds.
        let copies = if asked.is_some_and(|asked| asked == most) { most } else { 1 << most.checked_ilog2()? };
        (copies > 1).then(|| Plan { inst, copies, count, tests, counters: known.counters.clone() })
    }

    /// What ends a loop; `None` if something else does than `if`s in its body whose one arm only
    /// leaves and whose other one does nothing.
    fn exits(&self, inst: Inst, body: Region, known: &Loop) -> Option<Exits> {
        let function = self.function;
        let (mut count, mut tests) = (None, Vec::new());
        for test in &known.tests {
            let InstKind::If { then, otherwise, .. } = function.insts[test.branch].kind else { return None };
            let (leaves, stays) = if test.leaves_if { (then, otherwise) } else { (otherwise, then) };
            let is_plain = self.tree.parent(test.branch) == Some(body)
                && matches!(self.sole(leaves), Some(InstKind::Break(target, _)) if *target == inst)
                && matches!(self.sole(stays), Some(InstKind::Yield(_)));
            if !is_plain {
                return None;
            }
            let bound = match test.comparisons.as_slice() {
                [one] if test.exact && count.is_none() => self.bound(inst, body, known, one),
                _ => None,
            };
            match bound {
                Some(bound) => count = Some(Bound { branch: test.branch, leaves_if: test.leaves_if, ..bound }),
                None => tests.push((test.branch, test.leaves_if)),
            }
        }
        let found = usize::from(count.is_some()) + tests.len();
        (found > 0 && self.leaving(body) == found).then_some((count, tests))
    }

    /// The only instruction of a region.
    fn sole(&self, region: Region) -> Option<&InstKind> {
        match self.function.regions[region].insts.as_slice() {
            &[only] => Some(&self.function.insts[only].kind),
            _ => None,
        }
    }

    /// How many jumps and returns are in a region, but for those of loops inside.
    fn leaving(&self, region: Region) -> usize {
        let insts = self.function.regions[region].insts.iter();
        let leaving = insts.map(|&inst| match &self.function.insts[inst].kind {
            InstKind::Break(..) | InstKind::Return(_) | InstKind::Unreachable => 1,
            kind => kind.regions().map(|inner| self.leaving(inner)).sum(),
        });
        leaving.sum()
    }

    fn only_computes(&self, region: Region) -> bool {
        self.function.regions[region].insts.iter().all(|&inst| match &self.function.insts[inst].kind {
            InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => true,
            InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => true,
            kind @ InstKind::If { .. } => kind.regions().all(|inner| self.only_computes(inner)),
            _ => false,
        })
    }

    /// How a comparison is asked beforehand, if it can be.
    fn bound(&self, inst: Inst, body: Region, known: &Loop, comparison: &Comparison) -> Option<Bound> {
        let counter = known.counters[comparison.counter];
        let scalar = counter.scalar;
        let grows = counter.step <= scalar.mask() >> 1;
        let step = if grows { counter.step } else { counter.step.wrapping_neg() & scalar.mask() };
        // All rounds at a time make no way that the type does not hold.
        if step > (scalar.mask() >> 1) / MAX_LEFT as u64 {
            return None;
        }
        let from_zero = !scalar.is_signed() && self.function.constant_bits(counter.first) == Some(0);
        let op = match (comparison.op, grows) {
            (op @ (Op::Ge | Op::Gt), true) | (op @ (Op::Le | Op::Lt), false) => op,
            // Counting from zero, one at a time, the counter comes to its bound before it passes it.
            (Op::Eq, true) if from_zero && counter.step == 1 && comparison.offset == 0 => Op::Ge,
            _ => return None,
        };
        let mut within = Vec::new();
        if (op, scalar, comparison.offset) == (Op::Ge, Scalar::U32, 0) {
            self.indexed(body, counter.param, &mut within);
        }
        let (offset, bound) = (comparison.offset, comparison.bound);
        Some(Bound { branch: inst, leaves_if: true, counter, offset, op, bound, within })
    }

    /// The buffers of which a region accesses the element of this number, with a test.
    fn indexed(&self, region: Region, counter: Value, roots: &mut Vec<Root>) {
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            if let Some(place) = kind.place()
                && matches!(place.root, Root::Param(_))
                && !roots.contains(&place.root)
            {
                let test = self.guards.map(|guards| guards.test(inst));
                if test.is_some_and(|test| test.below.is_empty() && test.extent == Extent::Element(Some(counter))) {
                    roots.push(place.root);
                }
            }
            for inner in kind.regions() {
                self.indexed(inner, counter, roots);
            }
        }
    }
}

struct Writer<'a> {
    copier: Copier<'a>,
}

impl Writer<'_> {
    /// What stands in the place of a loop: its main loop, then the loop itself.
    fn main_loop(&mut self, plan: &Plan) -> Vec<Inst> {
        let function = &mut *self.copier.function;
        let InstDef { kind, loc, .. } = function.insts[plan.inst].clone();
        let InstKind::Loop { body, initial, label } = kind else { return vec![plan.inst] };
        let mut out = Vec::new();
        let limit = self.limit(plan, loc, &mut out);
        let (main, passed) = self.rounds(plan, (body, &initial), limit.nearer, loc);
        let function = &mut *self.copier.function;
        let branch = |function: &mut Function, mut insts: Vec<Inst>, values: Vec<Value>| {
            insts.push(function.inst(InstKind::Yield(values), Vec::new(), loc));
            function.regions.push(RegionDef { params: Vec::new(), insts })
        };
        let then = branch(function, vec![limit.computed, main], passed);
        let otherwise = branch(function, Vec::new(), initial.clone());
        let types: Vec<Type> = initial.iter().map(|&value| function.ty(value)).collect();
        let state: Vec<Value> = types.into_iter().map(|ty| function.value(ty)).collect();
        out.push(function.inst(InstKind::If { condition: limit.fits, then, otherwise }, state.clone(), loc));
        let function = &mut *self.copier.function;
        function.insts[plan.inst].kind = InstKind::Loop { body, initial: state, label };
        function.unroll[plan.inst] = Some((Unroll::Never, loc));
        out.push(plan.inst);
        out
    }

    fn op(&mut self, op: Op, args: &[Value], ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let (inst, value) = self.copier.function.made(InstKind::Op(op, args.to_vec()), ty, loc);
        out.push(inst);
        value
    }

    /// The bound that is as many rounds nearer as the main loop makes at a time, and whether there
    /// is one.
    fn limit(&mut self, plan: &Plan, loc: Loc, out: &mut Vec<Inst>) -> Limit {
        let bound = &plan.count;
        let scalar = bound.counter.scalar;
        let ty = Type::Scalar(scalar);
        let mut end = bound.bound;
        for &root in &bound.within {
            let (inst, len) = self.copier.function.made(InstKind::Len(root), Type::U32, loc);
            out.push(inst);
            end = self.op(Op::Min, &[end, len], ty, loc, out);
        }
        let grows = matches!(bound.op, Op::Ge | Op::Gt);
        let step = if grows { bound.counter.step } else { bound.counter.step.wrapping_neg() & scalar.mask() };
        let ahead = step.wrapping_mul(u64::from(plan.copies) - 1);
        // As far from the last number that is no bound any more.
        let least = if scalar.is_signed() { scalar.mask() ^ scalar.mask() >> 1 } else { 0 };
        let (from, relation, nearer) = if grows {
            (least.wrapping_add(ahead), Op::Ge, Op::Sub)
        } else {
            ((least.wrapping_sub(1)).wrapping_sub(ahead), Op::Le, Op::Add)
        };
        let (from, ahead) = (self.copier.function.constant(scalar, from), self.copier.function.constant(scalar, ahead));
        let fits = self.op(relation, &[end, from], Type::BOOL, loc, out);
        let (computed, nearer) = self.copier.function.made(InstKind::Op(nearer, vec![end, ahead]), ty, loc);
        Limit { fits, computed, nearer }
    }

    /// The main loop, and what it passes on.
    fn rounds(
        &mut self,
        plan: &Plan,
        (body, initial): (Region, &[Value]),
        limit: Value,
        loc: Loc,
    ) -> (Inst, Vec<Value>) {
        let RegionDef { params, insts } = self.copier.function.regions[body].clone();
        let main = self.copier.push(InstKind::Unreachable, Vec::new(), loc);
        let state: Vec<Value> = params.iter().map(|&param| self.copier.fresh(param)).collect();
        let mut out = Vec::new();
        for (&param, &value) in params.iter().zip(&state) {
            self.copier.set(param, value);
        }
        let bound = &plan.count;
        let ty = Type::Scalar(bound.counter.scalar);
        let mut number = self.copier.mapped(bound.counter.param);
        if bound.offset != 0 {
            let offset = self.copier.function.constant(bound.counter.scalar, bound.offset);
            number = self.op(Op::Add, &[number, offset], ty, loc, &mut out);
        }
        let ends = self.op(bound.op, &[number, limit], Type::BOOL, loc, &mut out);
        self.leave(main, (ends, &state), loc, &mut out);
        let left_out: Vec<(Inst, bool)> = plan.tests.iter().copied().chain([(bound.branch, bound.leaves_if)]).collect();
        let Some((&back, round)) = insts.split_last() else { return (main, state) };
        let mut any: Option<Value> = None;
        self.copier.begin(plan.inst, Next::Never);
        for copy in 1..=plan.copies {
            for &inst in round {
                match left_out.iter().find(|(branch, _)| *branch == inst) {
                    Some(&(_, leaves_if)) => self.stay(inst, leaves_if),
                    None => out.extend(self.copier.insts(&[inst])),
                }
            }
            for &(branch, leaves_if) in &plan.tests {
                let InstKind::If { condition, .. } = self.copier.function.insts[branch].kind else { continue };
                let mut leaves = self.copier.mapped(condition);
                if !leaves_if {
                    leaves = self.op(Op::Not, &[leaves], Type::BOOL, loc, &mut out);
                }
                any = Some(match any {
                    Some(any) => self.op(Op::Or, &[any, leaves], Type::BOOL, loc, &mut out),
                    None => leaves,
                });
            }
            let passed: Vec<Value> =
                self.copier.function.insts[back].kind.passed().iter().map(|&value| self.copier.mapped(value)).collect();
            for (&param, value) in params.iter().zip(passed) {
                self.copier.set(param, value);
            }
            // One sum instead of many: facts tell what it comes to.
            for counter in &plan.counters {
                let distance = counter.step.wrapping_mul(copy.into());
                let distance = self.copier.function.constant(counter.scalar, distance);
                let ty = Type::Scalar(counter.scalar);
                let number = self.op(Op::Add, &[state[counter.index], distance], ty, loc, &mut out);
                self.copier.set(counter.param, number);
            }
        }
        if let Some(any) = any {
            self.leave(main, (any, &state), loc, &mut out);
        }
        let passed = params.iter().map(|&param| self.copier.mapped(param)).collect();
        out.push(self.copier.push(InstKind::Continue(main, passed), Vec::new(), loc));
        let results = params.iter().map(|&param| self.copier.fresh(param)).collect::<Vec<_>>();
        let function = &mut *self.copier.function;
        let body = function.regions.push(RegionDef { params: state, insts: out });
        let def = &mut function.insts[main];
        def.kind = InstKind::Loop { body, initial: initial.to_vec(), label: None };
        def.results.clone_from(&results);
        function.unroll[main] = Some((Unroll::Never, loc));
        (main, results)
    }

    /// Lets the results of a test that is left out be those of the arm that stays, which does nothing.
    fn stay(&mut self, branch: Inst, leaves_if: bool) {
        let def = &self.copier.function.insts[branch];
        let InstKind::If { then, otherwise, .. } = def.kind else { return };
        let (stays, results) = (if leaves_if { otherwise } else { then }, def.results.clone());
        let yielded = self.copier.function.regions[stays].insts.first().copied();
        let values = yielded.map_or_else(Vec::new, |inst| self.copier.function.insts[inst].kind.passed().to_vec());
        for (result, value) in results.into_iter().zip(values) {
            let value = self.copier.mapped(value);
            self.copier.set(result, value);
        }
    }

    /// Leaves the main loop on a condition, with the state before its next rounds.
    fn leave(&mut self, main: Inst, (condition, state): (Value, &[Value]), loc: Loc, out: &mut Vec<Inst>) {
        let function = &mut *self.copier.function;
        let mut region = |kind| {
            let only = function.inst(kind, Vec::new(), loc);
            function.regions.push(RegionDef { params: Vec::new(), insts: vec![only] })
        };
        let then = region(InstKind::Break(main, state.to_vec()));
        let otherwise = region(InstKind::Yield(Vec::new()));
        out.push(function.inst(InstKind::If { condition, then, otherwise }, Vec::new(), loc));
    }
}

/// The bound of a main loop.
struct Limit {
    /// Whether the main loop can make any round.
    fits: Value,
    /// The instruction that computes the bound, where that is so.
    computed: Inst,
    /// The bound.
    nearer: Value,
}

#[cfg(test)]
mod tests;
