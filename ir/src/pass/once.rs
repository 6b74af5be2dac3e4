//! Removing loops that run once, such as inlined calls with early returns leave them.
//!
//! No `continue` names such a loop. If its only `break` ends its body, the body replaces the
//! loop. If its results are unused and its body only computes values, it is removed.

use crate::analysis::tree::Tree;
use crate::ir::{Function, Inst, InstKind, Region, Replaced};

/// Removes loops that run once from a function in SSA form, where it can; says whether
/// anything changed.
pub fn once(function: &mut Function) -> bool {
    let tree = Tree::of(function);
    let runs_once =
        |&inst: &Inst| matches!(function.insts[inst].kind, InstKind::Loop { .. }) && tree.continues(inst).is_empty();
    if !tree.insts().iter().any(runs_once) {
        return false;
    }
    let mut pass = Once { replaced: Replaced::new(), changed: false, tree, function };
    let body = pass.function.body;
    pass.region(body);
    pass.changed
}

struct Once<'a> {
    function: &'a mut Function,
    /// What jumps and uses there were at first.
    tree: Tree,
    /// What is used instead of a value.
    replaced: Replaced,
    changed: bool,
}

impl Once<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let mut kept = Vec::new();
        self.list(region, &mut kept);
        self.function.regions[region].insts = kept;
    }

    /// Appends what is left of a region's instructions.
    fn list(&mut self, region: Region, kept: &mut Vec<Inst>) {
        for inst in self.function.region_insts(region) {
            self.replaced.follow(&mut self.function.insts[inst].kind);
            if let Some(body) = self.body(inst) {
                if self.tree.exits(inst).len() == 1 && self.ends_in_break(body, inst) {
                    self.unwrap(inst, body, kept);
                    continue;
                }
                let unused = self.function.insts[inst].results.iter().all(|&result| self.tree.uses(result) == 0);
                if unused && self.is_idle(body, &mut vec![inst]) {
                    self.changed = true;
                    continue;
                }
            }
            kept.push(inst);
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
        }
    }

    /// The body of a loop that runs once.
    fn body(&self, inst: Inst) -> Option<Region> {
        match self.function.insts[inst].kind {
            InstKind::Loop { body, .. } if self.tree.continues(inst).is_empty() => Some(body),
            _ => None,
        }
    }

    fn ends_in_break(&self, body: Region, target: Inst) -> bool {
        matches!(self.function.terminator(body), Some(InstKind::Break(of, _)) if *of == target)
    }

    /// Lets the body stand in the place of the loop.
    fn unwrap(&mut self, inst: Inst, body: Region, kept: &mut Vec<Inst>) {
        self.changed = true;
        let InstKind::Loop { initial, .. } = self.function.insts[inst].kind.clone() else { return };
        self.replaced.set_all(&self.function.regions[body].params, &initial);
        self.list(body, kept);
        let Some(last) = kept.pop() else { return };
        self.replaced.set_all(&self.function.insts[inst].results, self.function.insts[last].kind.passed());
    }

    /// Whether a region only computes, and leaves no loop but these and those inside it.
    fn is_idle(&self, region: Region, loops: &mut Vec<Inst>) -> bool {
        self.function.regions[region].insts.iter().all(|&inst| {
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Len(_) | InstKind::Builtin(_) => true,
                InstKind::Get(_) | InstKind::Yield(_) => true,
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    kind.regions().into_iter().all(|inner| self.is_idle(inner, loops))
                }
                InstKind::Loop { body, .. } => {
                    loops.push(inst);
                    self.tree.continues(inst).is_empty() && self.is_idle(*body, loops)
                }
                InstKind::Break(target, _) => loops.contains(target),
                _ => false,
            }
        })
    }
}
