//! The check that blocks are in SSA form: the entry has no predecessor, every `phi` has a
//! value from each predecessor, and every definition dominates its uses.

use super::ast::{Arg, Def, Func, Operand};
use super::flow::Flow;
use crate::diag::{Code, Diag, Diags};

/// The graph of a function's blocks.
pub(super) fn flow(func: &Func) -> Flow {
    let successors: Vec<Vec<usize>> = func.blocks.iter().map(super::ast::Block::successors).collect();
    Flow::new(&successors)
}

/// Reports what is wrong. Blocks that are never reached are not looked at.
pub(super) fn check(func: &Func, flow: &Flow, diags: &mut Diags) {
    let check = Check { func, flow };
    let Some(entry) = func.blocks.first() else { return };
    if let Some(&before) = flow.predecessors[0].first() {
        let message = format!("no block may branch to the entry `{}`", entry.label);
        let diag = Diag::new(Code::V702, func.blocks[before].end_loc, message);
        diags.push(diag.help("begin with another block, which branches to it"));
    }
    for &block in &flow.order {
        check.phis(block, diags);
        let b = &func.blocks[block];
        for (i, inst) in b.insts.iter().enumerate() {
            inst.args.iter().for_each(|&arg| check.visible(arg, block, i + 1, diags));
        }
        let last = b.insts.len() + 1;
        b.end.operand().into_iter().for_each(|value| check.visible(value, block, last, diags));
    }
}

struct Check<'a> {
    func: &'a Func,
    flow: &'a Flow,
}

impl Check<'_> {
    /// Whether an operand is defined before this place of a block, on every way there.
    fn visible(&self, operand: Operand, block: usize, place: usize, diags: &mut Diags) {
        let Arg::Value(val) = operand.arg else { return };
        let info = &self.func.values[val];
        let Some(Def::Block(from, at)) = info.def else { return };
        let visible =
            if from == block { at < place } else { self.flow.reaches(from) && self.flow.dominates(from, block) };
        if !visible {
            let message = format!("value `%{}` is not defined on every path to this use", info.name);
            let diag = Diag::new(Code::V006, operand.loc, message).label(info.loc, "it is defined here");
            diags.push(diag.help("join the paths with a `phi`"));
        }
    }

    fn phis(&self, block: usize, diags: &mut Diags) {
        let predecessors = &self.flow.predecessors[block];
        let label = |block: usize| &self.func.blocks[block].label;
        for phi in &self.func.blocks[block].phis {
            let mut seen = Vec::new();
            for &(operand, from) in &phi.from {
                let leads_here = self.func.blocks[from].successors().contains(&block);
                if !leads_here || seen.contains(&from) {
                    let message = if leads_here {
                        format!("this `phi` has two values from `{}`", label(from))
                    } else {
                        format!("`{}` does not branch to `{}`", label(from), label(block))
                    };
                    diags.push(Diag::new(Code::V702, operand.loc, message));
                }
                seen.push(from);
                if leads_here && self.flow.reaches(from) {
                    self.visible(operand, from, usize::MAX, diags);
                }
            }
            for &from in predecessors.iter().filter(|from| !seen.contains(from)) {
                let message = format!("this `phi` has no value from `{}`", label(from));
                diags.push(Diag::new(Code::V702, phi.loc, message));
            }
        }
    }
}
