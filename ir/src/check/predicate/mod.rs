//! Predication: how a whole workgroup does a subgroup operation that only some subgroups reach.
//!
//! On a device whose subgroups are not ours an operation needs all invocations of the workgroup.
//! So it is taken out of what only some subgroups come to. What is around it is cut into pieces:
//! each piece runs under a *mask*, a `bool` that says whether the invocation would be here, and
//! the operations between run for all. An invocation that is masked out brings whatever it has;
//! nobody looks at that, since a mask is the same in all invocations of a subgroup where there is
//! an operation. A jump out of a piece clears the mask. A loop goes on while the mask of its
//! rounds holds anywhere in the workgroup, which the subgroups tell each other through workgroup
//! memory; one whose rounds all can count by what all know (see `common`) goes on without.
//!
//! Masks, and the values that outlive a piece, are variables until SSA construction.
//!
//! Invariants: there is no barrier within what is masked, since not all invocations come there;
//! values that are used outside of a piece keep their ids; afterwards every operation that
//! all invocations of its subgroup reach is reached by all of the workgroup.

mod common;
mod pieces;
mod plan;
mod repeat;

use super::uniform::Parted;
use super::{Placed, placed};
use crate::arena::Side;
use crate::ir::{Case, Function, Inst, InstKind, Region, RegionDef, Root, Value, ValueDef, Var, VarDef};
use crate::loc::Loc;
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};
use common::Common;
use plan::Plan;
use std::collections::BTreeMap;

/// Takes the operations that `parted` names out of what only some subgroups come to. `uniform`
/// are the values that are the same in all invocations of the workgroup. The result has variables.
pub(super) fn predicate(types: &mut Types, function: &mut Function, parted: &Parted, uniform: &Side<ValueDef, bool>) {
    let plan = Plan::of(function, parted, uniform);
    let mut uses = Side::sized(0, function.values.len());
    for Placed { inst, .. } in placed(function) {
        function.insts[inst].kind.for_each_operand(|value| uses[value] += 1);
    }
    let common = Common::new(types, function, &plan, uniform);
    let mut writer = Writer {
        types,
        function,
        plan,
        common,
        uses,
        loops: BTreeMap::new(),
        votes: None,
        out: Vec::new(),
        loc: Loc::NONE,
    };
    let body = writer.function.body;
    if writer.plan.whole {
        let mut mask = writer.everybody();
        writer.masked(body, &mut mask, &[]);
        writer.push(InstKind::Return(Vec::new()));
        writer.function.regions[body].insts = std::mem::take(&mut writer.out);
    } else {
        writer.kept(body);
    }
}

/// Who is here: an invocation for which the variable is true.
#[derive(Clone, Copy)]
struct Mask {
    var: Var,
    who: Who,
}

/// What is known of a mask.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Nothing has to be asked.
    All,
    Some,
    /// All have left.
    Nobody,
}

/// A loop that was taken apart.
struct Taken {
    /// For each parameter of the body and each result its variable. A parameter that all count alike has none.
    params: Vec<Option<Var>>,
    results: Vec<Var>,
    /// Whether the invocation comes round again, and whether it left the loop by a `break`; for
    /// a loop whose rounds are counted alike there is nothing to remember.
    flags: Option<(Var, Var)>,
}

struct Writer<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    plan: Plan,
    common: Common,
    /// How often a value is used.
    uses: Side<ValueDef, u32>,
    loops: BTreeMap<Inst, Taken>,
    /// The workgroup memory through which subgroups tell each other who goes on.
    votes: Option<Root>,
    /// The instructions of the region that is being written.
    out: Vec<Inst>,
    loc: Loc,
}

impl Writer<'_> {
    // Small things.

    fn push(&mut self, kind: InstKind) -> Inst {
        let inst = self.function.inst(kind, Vec::new(), self.loc);
        self.out.push(inst);
        inst
    }

    fn value(&mut self, kind: InstKind, ty: Type) -> Value {
        let (inst, value) = self.function.made(kind, ty, self.loc);
        self.out.push(inst);
        value
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.value(InstKind::Op(op, args.to_vec()), Type::BOOL)
    }

    fn truth(&mut self, truth: bool) -> Value {
        self.function.constant(Scalar::Bool, truth.into())
    }

    fn word(&mut self, word: u32) -> Value {
        self.function.constant(Scalar::U32, word.into())
    }

    fn variable(&mut self, ty: Type) -> Var {
        self.function.vars.push(VarDef { name: "mask".to_owned(), ty, loc: self.loc })
    }

    fn variables(&mut self, values: &[Value]) -> Vec<Var> {
        values.iter().map(|&value| self.variable(self.function.ty(value))).collect()
    }

    fn set(&mut self, var: Var, value: Value) {
        self.push(InstKind::Set(var, value));
    }

    fn get(&mut self, var: Var) -> Value {
        let ty = self.function.vars[var].ty;
        self.value(InstKind::Get(var), ty)
    }

    /// Defines a value by what a variable is here.
    fn define(&mut self, value: Value, var: Var) {
        let inst = self.function.inst(InstKind::Get(var), vec![value], self.loc);
        self.out.push(inst);
    }

    /// A region of these instructions, which ends as one of a branch does if it does not end yet.
    fn region_of(&mut self, mut insts: Vec<Inst>, end: InstKind) -> Region {
        if !insts.last().is_some_and(|&last| self.function.insts[last].kind.is_terminator()) {
            insts.push(self.function.inst(end, Vec::new(), self.loc));
        }
        self.function.regions.push(RegionDef { params: Vec::new(), insts })
    }

    /// What is written by `write`, apart from what was written before.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Inst> {
        let before = std::mem::take(&mut self.out);
        write(self);
        std::mem::replace(&mut self.out, before)
    }

    fn branch(&mut self, condition: Value, then: Vec<Inst>, otherwise: Vec<Inst>) {
        let then = self.region_of(then, InstKind::Yield(Vec::new()));
        let otherwise = self.region_of(otherwise, InstKind::Yield(Vec::new()));
        self.push(InstKind::If { condition, then, otherwise });
    }

    fn everybody(&mut self) -> Mask {
        let truth = self.truth(true);
        Mask { who: Who::All, ..self.mask(truth) }
    }

    /// A mask of those for whom this is true.
    fn mask(&mut self, here: Value) -> Mask {
        let var = self.variable(Type::BOOL);
        self.set(var, here);
        Mask { var, who: Who::Some }
    }

    /// Those of a mask for whom a condition is true.
    fn those(&mut self, mask: Mask, condition: Value) -> Mask {
        let here = match mask.who {
            Who::All => condition,
            Who::Some | Who::Nobody => {
                let here = self.get(mask.var);
                self.op(Op::And, &[here, condition])
            }
        };
        self.mask(here)
    }

    // What all invocations come to.

    /// A region whose control is the same for the workgroup.
    fn kept(&mut self, region: Region) {
        let insts = self.function.region_insts(region);
        let insts = self.apart(|writer| {
            for inst in insts {
                if writer.plan.masked[inst] {
                    let mut mask = writer.everybody();
                    writer.construct(inst, &mut mask);
                    continue;
                }
                if writer.plan.parts[inst] {
                    let regions: Vec<Region> = writer.function.insts[inst].kind.regions().collect();
                    for inner in regions {
                        writer.kept(inner);
                    }
                }
                writer.out.push(inst);
            }
        });
        self.function.regions[region].insts = insts;
    }

    // What only some come to.

    /// A region under a mask. What it yields becomes the values of variables.
    fn masked(&mut self, region: Region, mask: &mut Mask, results: &[Var]) {
        let mut piece = Vec::new();
        for inst in self.function.region_insts(region) {
            self.loc = self.function.insts[inst].loc;
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Yield(values) => {
                    for (&var, value) in results.iter().zip(values.clone()) {
                        piece.push(self.function.inst(InstKind::Set(var, value), Vec::new(), self.loc));
                    }
                }
                InstKind::Break(..) | InstKind::Continue(..) | InstKind::Return(_) => {
                    self.leave(inst, std::mem::take(&mut piece), mask);
                }
                // Nobody is masked in who could come here.
                InstKind::Unreachable => {}
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } if self.stands_apart(inst) => {
                    self.piece(std::mem::take(&mut piece), mask);
                    self.construct(inst, mask);
                }
                _ if self.plan.operates[inst] || self.plan.is_left[inst] => {
                    self.piece(std::mem::take(&mut piece), mask);
                    match self.plan.operates[inst] {
                        true => self.out.push(inst),
                        false => self.piece(vec![inst], mask),
                    }
                }
                _ if self.common.is_common(self.function, inst) => self.out.push(inst),
                _ => piece.push(inst),
            }
        }
        self.piece(piece, mask);
    }

    /// Whether what has regions is taken apart, though it may be without an operation: the arms of a branch
    /// that jumps lead out of are masks, which says more than a jump does.
    fn stands_apart(&self, inst: Inst) -> bool {
        let is_loop = matches!(self.function.insts[inst].kind, InstKind::Loop { .. });
        self.plan.operates[inst] || self.common.is_kept(inst) || !is_loop && self.plan.is_left[inst]
    }

    /// A jump at the end of a region that not all come to, after a piece; or one that all take together.
    fn leave(&mut self, jump: Inst, mut piece: Vec<Inst>, mask: &mut Mask) {
        let kind = self.function.insts[jump].kind.clone();
        let mut operands = Vec::new();
        piece.extend(self.apart(|writer| operands = writer.hand_on(&kind)));
        self.piece(piece, mask);
        if self.common.ends_round(jump) {
            self.function.insts[jump].kind = match kind {
                InstKind::Break(target, _) => InstKind::Break(target, operands),
                InstKind::Continue(target, _) => InstKind::Continue(target, operands),
                other => other,
            };
            self.out.push(jump);
        } else {
            let nobody = self.truth(false);
            self.set(mask.var, nobody);
        }
        mask.who = Who::Nobody;
    }

    /// Sets the variables of what a jump passes, and of where it leads; those values that all know
    /// alike stay operands.
    fn hand_on(&mut self, kind: &InstKind) -> Vec<Value> {
        let flags = |target: &Inst| self.loops.get(target).and_then(|taken| taken.flags);
        let flag = match kind {
            InstKind::Break(target, _) => flags(target).map(|(_, left)| left),
            InstKind::Continue(target, _) => flags(target).map(|(again, _)| again),
            _ => None,
        };
        if let Some(flag) = flag {
            let yes = self.truth(true);
            self.set(flag, yes);
        }
        let (vars, values): (Vec<Option<Var>>, &[Value]) = match kind {
            InstKind::Break(target, values) => {
                let vars = self.loops.get(target).map(|taken| taken.results.iter().copied().map(Some).collect());
                (vars.unwrap_or_default(), values)
            }
            InstKind::Continue(target, values) => {
                (self.loops.get(target).map(|taken| taken.params.clone()).unwrap_or_default(), values)
            }
            _ => return Vec::new(),
        };
        let mut operands = Vec::new();
        for (var, &value) in vars.into_iter().zip(values) {
            match var {
                Some(var) => self.set(var, value),
                None => operands.push(value),
            }
        }
        operands
    }

    // What has regions.

    fn construct(&mut self, inst: Inst, mask: &mut Mask) {
        self.loc = self.function.insts[inst].loc;
        let results = self.function.insts[inst].results.clone();
        let vars = self.variables(&results);
        match self.function.insts[inst].kind.clone() {
            InstKind::If { condition, then, otherwise } if self.common.is_kept(inst) => {
                let mut masks = [*mask; 2];
                let [then, otherwise] = [(then, 0), (otherwise, 1)]
                    .map(|(region, i)| self.apart(|writer| writer.masked(region, &mut masks[i], &vars)));
                self.branch(condition, then, otherwise);
                // An arm that ended with a jump of all comes no further.
                mask.who = match masks.map(|mask| mask.who) {
                    [Who::Nobody, who] | [who, Who::Nobody] => who,
                    [one, other] if one == other => one,
                    _ => Who::Some,
                };
            }
            InstKind::If { condition, then, otherwise } => {
                let not = self.op(Op::Not, &[condition]);
                let arms = vec![(self.those(*mask, condition), then), (self.those(*mask, not), otherwise)];
                self.arms(inst, arms, &vars, mask);
            }
            InstKind::Switch { selector, cases, default } => {
                let mut rest = None;
                let mut arms = Vec::new();
                for Case { values, region } in cases.iter().filter(|case| !case.values.is_empty()) {
                    let is = self.is_one_of(selector, values);
                    arms.push((self.those(*mask, is), *region));
                    let not = self.op(Op::Not, &[is]);
                    rest = Some(rest.map_or(not, |rest| self.op(Op::And, &[rest, not])));
                }
                let rest = rest.unwrap_or_else(|| self.truth(true));
                arms.push((self.those(*mask, rest), default));
                self.arms(inst, arms, &vars, mask);
            }
            InstKind::Loop { body, initial, label } => self.repeat(inst, (body, initial, label), &vars, mask),
            _ => {}
        }
        for (value, var) in results.into_iter().zip(vars) {
            self.define(value, var);
        }
    }

    /// Regions of which each invocation takes one.
    fn arms(&mut self, inst: Inst, mut arms: Vec<(Mask, Region)>, results: &[Var], mask: &mut Mask) {
        for (mask, region) in &mut arms {
            self.masked(*region, mask, results);
        }
        if !self.plan.is_left[inst] {
            return;
        }
        let mut here = None;
        for (arm, _) in arms.into_iter().filter(|(arm, _)| arm.who != Who::Nobody) {
            let came = self.get(arm.var);
            here = Some(here.map_or(came, |here| self.op(Op::Or, &[here, came])));
        }
        mask.who = if here.is_some() { Who::Some } else { Who::Nobody };
        let here = here.unwrap_or_else(|| self.truth(false));
        self.set(mask.var, here);
    }

    /// Whether a selector has one of these values.
    fn is_one_of(&mut self, selector: Value, values: &[u64]) -> Value {
        let scalar = self.function.ty(selector).lane().unwrap_or(Scalar::U32);
        let mut is = None;
        for &bits in values {
            let equal = match (scalar, bits) {
                (Scalar::Bool, 0) => self.op(Op::Not, &[selector]),
                (Scalar::Bool, _) => selector,
                _ => {
                    let constant = self.function.constant(scalar, bits);
                    self.op(Op::Eq, &[selector, constant])
                }
            };
            is = Some(is.map_or(equal, |is| self.op(Op::Or, &[is, equal])));
        }
        is.unwrap_or_else(|| self.truth(false))
    }
}
