//! Copies of a loop's body: new values, instructions and regions that do the same.
//!
//! A copy is inside of the loop that it copies or replaces. A `break` of that loop or of one
//! around it stays as it is, and for each copy it is stated where a `continue` of the loop
//! goes. Inner loops are copied with the body; what leaves them in the body leaves them in the
//! copy. Flags, places in the source, names and labels are those of the original; two loops
//! with one label are told apart by their ids.
//!
//! One copier serves a whole function: its notes about a copy are overwritten by the next,
//! since a definition comes before its uses.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Value, ValueDef};
use crate::loc::Loc;
use crate::types::Scalar;

/// What becomes of a `continue` of the loop.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// It starts the loop again.
    Again,
    /// It leaves this loop, which runs once, for what follows it.
    Leave(Inst),
    /// It is never reached.
    Never,
}

pub(super) struct Copier<'a> {
    pub(super) function: &'a mut Function,
    values: Side<ValueDef, Option<Value>>,
    loops: Side<InstDef, Option<Inst>>,
    /// The conditions of these `if`s are known in this copy.
    settled: Side<InstDef, Option<bool>>,
    /// The loop whose body is copied.
    target: Inst,
    next: Next,
}

impl<'a> Copier<'a> {
    pub(super) fn new(function: &'a mut Function) -> Self {
        let target = Inst::from_index(0);
        let (values, loops, settled) = (Side::new(None), Side::new(None), Side::new(None));
        Self { function, values, loops, settled, target, next: Next::Never }
    }

    /// The copies from here on are of this loop's body.
    pub(super) fn begin(&mut self, target: Inst, next: Next) {
        (self.target, self.next) = (target, next);
    }

    /// Lets a value stand for a parameter of the body.
    pub(super) fn set(&mut self, param: Value, value: Value) {
        self.values[param] = Some(value);
    }

    /// Says what the condition of an `if` of the body is from here on.
    pub(super) fn settle(&mut self, branch: Inst, condition: Option<bool>) {
        self.settled[branch] = condition;
    }

    /// What stands for a value in this copy.
    pub(super) fn mapped(&self, value: Value) -> Value {
        self.values[value].unwrap_or(value)
    }

    /// Makes an instruction.
    pub(super) fn push(&mut self, kind: InstKind, results: Vec<Value>, loc: Loc) -> Inst {
        self.function.inst(kind, results, loc)
    }

    /// A new value that is like another one.
    pub(super) fn fresh(&mut self, like: Value) -> Value {
        let def = &self.function.values[like];
        let def = ValueDef { ty: def.ty, constant: None, name: def.name.clone() };
        self.function.values.push(def)
    }

    fn define(&mut self, value: Value) -> Value {
        let copied = self.fresh(value);
        self.values[value] = Some(copied);
        copied
    }

    /// Copies instructions. The checks limit how deep regions are nested.
    pub(super) fn insts(&mut self, insts: &[Inst]) -> Vec<Inst> {
        insts.iter().map(|&inst| self.inst(inst)).collect()
    }

    fn region(&mut self, region: Region) -> Region {
        let RegionDef { params, insts } = self.function.regions[region].clone();
        let params = params.into_iter().map(|param| self.define(param)).collect();
        let insts = self.insts(&insts);
        self.function.regions.push(RegionDef { params, insts })
    }

    /// What the condition of an `if` is in this copy.
    pub(super) fn condition(&mut self, branch: Inst) -> Option<Value> {
        match (self.settled[branch], &self.function.insts[branch].kind) {
            (Some(known), _) => Some(self.function.constant(Scalar::Bool, known.into())),
            (None, InstKind::If { condition, .. }) => Some(self.mapped(*condition)),
            (None, _) => None,
        }
    }

    fn inst(&mut self, inst: Inst) -> Inst {
        let InstDef { mut kind, results, loc } = self.function.insts[inst].clone();
        kind.map_operands(|value| self.mapped(value));
        // What leaves a loop names the copy, which therefore has to be there first.
        let copied = self.push(InstKind::Unreachable, Vec::new(), loc);
        let flags = self.function.flags[inst];
        if !flags.is_empty() {
            self.function.flags[copied] = flags;
        }
        if let asked @ Some(_) = self.function.unroll[inst] {
            self.function.unroll[copied] = asked;
        }
        match &mut kind {
            InstKind::If { condition, .. } => *condition = self.condition(inst).unwrap_or(*condition),
            InstKind::Loop { .. } => self.loops[inst] = Some(copied),
            InstKind::Break(target, _) => *target = self.loops[*target].unwrap_or(*target),
            InstKind::Continue(target, args) if *target == self.target => {
                kind = match self.next {
                    Next::Again => InstKind::Continue(*target, std::mem::take(args)),
                    Next::Leave(around) => InstKind::Break(around, std::mem::take(args)),
                    Next::Never => InstKind::Unreachable,
                };
            }
            InstKind::Continue(target, _) => *target = self.loops[*target].unwrap_or(*target),
            _ => {}
        }
        kind.for_each_region_mut(|region| *region = self.region(*region));
        // Only now are the results visible.
        let results = results.into_iter().map(|result| self.define(result)).collect();
        let def = &mut self.function.insts[copied];
        (def.kind, def.results) = (kind, results);
        copied
    }
}
