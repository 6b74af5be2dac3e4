//! What all invocations of a workgroup know alike, also those that are masked out.
//!
//! A value is *common* if it is the same for all and is computed before what is masked, or if it is
//! computed of common values alone by what has no effect. A loop whose jumps stand under branches
//! on common values alone, and outside of other loops, is *counted*: all go through the same
//! rounds, so that nobody has to ask who goes on. `for k in 0..n` is one.

use super::plan::Plan;
use crate::analysis::facts::Facts;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Value, ValueDef};
use crate::types::Types;
use std::rc::Rc;

#[derive(Clone)]
pub(super) struct Common {
    values: Side<ValueDef, bool>,
    /// Where jumps lead, before anything was taken apart.
    tree: Rc<Tree>,
    /// The loops that are known to end, in invocations that come to them.
    ends: Side<InstDef, bool>,
    /// The ids that all invocations of a workgroup share.
    ids: Side<InstDef, bool>,
    /// The branches that stay, since all go the same way, and the jumps that all take together.
    kept: Side<InstDef, bool>,
    jumps: Side<InstDef, bool>,
}

impl Common {
    /// Before anything was taken apart.
    pub(super) fn new(types: &Types, function: &Function, plan: &Plan, uniform: &Side<ValueDef, bool>) -> Self {
        let tree = Tree::of(function);
        let facts = Facts::of_values(types, function, &tree);
        let (mut ends, mut ids) = (Side::new(false), Side::new(false));
        for (inst, def) in function.insts.iter() {
            ends[inst] = facts.ends(inst);
            ids[inst] = matches!(def.kind, InstKind::Builtin(_)) && def.results.iter().all(|&id| uniform[id]);
        }
        let mut common = Self {
            values: Side::new(false),
            tree: Rc::new(tree),
            ends,
            ids,
            kept: Side::new(false),
            jumps: Side::new(false),
        };
        for (value, def) in function.values.iter() {
            common.values[value] = def.constant.is_some();
        }
        for &argument in &function.regions[function.body].params {
            common.values[argument] = true;
        }
        if !plan.whole {
            common.before(function, plan, uniform, function.body);
        }
        common
    }

    /// Notes what is the same for all outside of what is masked.
    fn before(&mut self, function: &Function, plan: &Plan, uniform: &Side<ValueDef, bool>, region: Region) {
        for &param in &function.regions[region].params {
            self.values[param] = uniform[param];
        }
        for &inst in &function.regions[region].insts {
            if plan.masked[inst] {
                continue;
            }
            for &result in &function.insts[inst].results {
                self.values[result] = uniform[result];
            }
            for inner in function.insts[inst].kind.regions() {
                self.before(function, plan, uniform, inner);
            }
        }
    }

    /// Whether a value is common.
    pub(super) fn is_same(&self, value: Value) -> bool {
        self.values[value]
    }

    /// Whether a branch of a counted loop decides about its rounds.
    pub(super) fn is_kept(&self, inst: Inst) -> bool {
        self.kept[inst]
    }

    /// Whether all take a jump together.
    pub(super) fn ends_round(&self, jump: Inst) -> bool {
        self.jumps[jump]
    }

    /// Whether an instruction gives what all can compute; notes that they do.
    pub(super) fn is_common(&mut self, function: &Function, inst: Inst) -> bool {
        let def = &function.insts[inst];
        let is = match &def.kind {
            InstKind::Op(_, args) => args.iter().all(|&arg| self.values[arg]),
            InstKind::Len(_) => true,
            InstKind::Builtin(_) => self.ids[inst],
            _ => false,
        };
        if is {
            for &result in &def.results {
                self.values[result] = true;
            }
        }
        is
    }

    /// Whether a loop's rounds follow from constants and have an end, also where nobody would come to it.
    pub(super) fn is_fixed(&self, function: &Function, plan: &Plan, inst: Inst) -> bool {
        let mut constants = self.clone();
        for value in function.values.ids() {
            constants.values[value] = function.constant_bits(value).is_some();
        }
        self.ends[inst] && constants.counts(function, plan, inst)
    }

    /// Whether a loop is counted; its parameters that are common are noted then.
    pub(super) fn counts(&mut self, function: &Function, plan: &Plan, inst: Inst) -> bool {
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return false };
        let params = &function.regions[*body].params;
        let mut are: Vec<bool> = initial.iter().map(|&value| self.values[value]).collect();
        loop {
            // What is assumed of parameters may be too much: then once more with less.
            let mut tried = self.clone();
            for (&param, &is) in params.iter().zip(&are) {
                tried.values[param] = is;
            }
            let mut rounds = Vec::new();
            tried.rounds(function, plan, (inst, *body), &mut rounds);
            let before = are.clone();
            for jump in rounds {
                if let InstKind::Continue(_, values) = &function.insts[jump].kind {
                    are.iter_mut().zip(values).for_each(|(is, &value)| *is &= tried.values[value]);
                }
            }
            if are == before {
                let mut jumps = self.tree.exits(inst).iter().chain(self.tree.continues(inst));
                let all = jumps.all(|&jump| tried.jumps[jump]);
                if all {
                    *self = tried;
                }
                return all;
            }
        }
    }

    /// Finds the jumps of a loop that all take together, and notes the branches around them.
    fn rounds(&mut self, function: &Function, plan: &Plan, (target, region): (Inst, Region), found: &mut Vec<Inst>) {
        for &inst in &function.regions[region].insts {
            match &function.insts[inst].kind {
                InstKind::Break(to, _) | InstKind::Continue(to, _) if *to == target => {
                    self.jumps[inst] = true;
                    found.push(inst);
                }
                InstKind::If { condition, then, otherwise } if self.values[*condition] => {
                    let before = found.len();
                    for inner in [*then, *otherwise] {
                        self.rounds(function, plan, (target, inner), found);
                    }
                    self.kept[inst] = found.len() > before || plan.operates[inst];
                }
                _ => {
                    self.is_common(function, inst);
                }
            }
        }
    }
}
