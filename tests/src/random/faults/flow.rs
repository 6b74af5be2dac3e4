//! Mistakes about control flow.

use super::{each, op_of, replace};
use samebits_ir::analysis::tree::{Def, Tree};
use samebits_ir::ir::{Function, Inst, InstKind, Region, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::Types;

pub(super) fn constant_branch_inverted(function: &mut Function, _: &Types) -> usize {
    each(function, |f, _, inst| {
        let InstKind::If { condition, then, otherwise } = f.insts[inst].kind else { return false };
        let is_constant = f.constant_bits(condition).is_some();
        if is_constant {
            f.insts[inst].kind = InstKind::If { condition, then: otherwise, otherwise: then };
        }
        is_constant
    })
}

pub(super) fn condition_inverted(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::If { condition, then, otherwise } = f.insts[inst].kind else { return false };
        let Some((Op::Not, args)) = op_of(f, tree, condition) else { return false };
        // What ends a loop would no longer do so.
        if leaves(f, then) || leaves(f, otherwise) {
            return false;
        }
        f.insts[inst].kind = InstKind::If { condition: args[0], then, otherwise };
        true
    })
}

/// Whether a region ends in something else than a `yield`.
fn leaves(function: &Function, region: Region) -> bool {
    let last = function.regions[region].insts.last();
    last.is_none_or(|&last| !matches!(function.insts[last].kind, InstKind::Yield(_)))
}

pub(super) fn param_is_initial(function: &mut Function, _: &Types) -> usize {
    each(function, |f, _, inst| {
        let InstKind::Loop { body, initial, .. } = f.insts[inst].kind.clone() else { return false };
        let params = f.regions[body].params.clone();
        let mut changed = false;
        // The first one counts.
        for (param, value) in params.into_iter().zip(initial).skip(1) {
            if f.constant_bits(value).is_some() {
                replace(f, param, value);
                changed = true;
            }
        }
        changed
    })
}

pub(super) fn result_is_first(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::If { .. } = f.insts[inst].kind else { return false };
        let Some(&first) = tree.exits(inst).first() else { return false };
        let InstKind::Yield(values) = f.insts[first].kind.clone() else { return false };
        let results = f.insts[inst].results.clone();
        let mut changed = false;
        for (result, value) in results.into_iter().zip(values) {
            if f.constant_bits(value).is_some() {
                replace(f, result, value);
                changed = true;
            }
        }
        changed
    })
}

pub(super) fn drop_unused_loops(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Loop { .. } = f.insts[inst].kind else { return false };
        let is_unused = f.insts[inst].results.iter().all(|&result| tree.uses(result) == 0);
        is_unused && remove(f, tree, inst)
    })
}

/// Takes an instruction out of its region.
pub(super) fn remove(function: &mut Function, tree: &Tree, inst: Inst) -> bool {
    let Some(region) = tree.parent(inst) else { return false };
    let insts = &mut function.regions[region].insts;
    let before = insts.len();
    insts.retain(|&other| other != inst);
    insts.len() != before
}

/// A count is compared with one more, where the comparison looks for the end of a loop.
pub(super) fn one_round_more(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Op(op @ (Op::Ge | Op::Lt), args) = f.insts[inst].kind.clone() else { return false };
        let (Def::Param(_, 0), Some(limit)) = (tree.def(args[0]), f.constant_bits(args[1])) else { return false };
        let Some(scalar) = f.ty(args[0]).lane().filter(|s| limit < s.mask() / 2) else { return false };
        let more = f.constant(scalar, limit + 1);
        f.insts[inst].kind = InstKind::Op(op, vec![args[0], more]);
        true
    })
}

pub(super) fn params_in_sequence(function: &mut Function, _: &Types) -> usize {
    each(function, |f, _, inst| {
        let InstKind::Continue(target, mut args) = f.insts[inst].kind.clone() else { return false };
        let InstKind::Loop { body, .. } = f.insts[target].kind else { return false };
        let params = &f.regions[body].params;
        let mut changed = false;
        for i in 1..args.len() {
            if let Some(earlier) = params[..i].iter().position(|&param| param == args[i]) {
                changed |= args[i] != args[earlier];
                args[i] = args[earlier];
            }
        }
        f.insts[inst].kind = InstKind::Continue(target, args);
        changed
    })
}

/// A `break` that gives what the next round would begin with gives this round's.
pub(super) fn result_one_behind(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Break(target, mut args) = f.insts[inst].kind.clone() else { return false };
        let InstKind::Loop { body, ref initial, .. } = f.insts[target].kind else { return false };
        let (params, initial) = (f.regions[body].params.clone(), initial.clone());
        let mut changed = false;
        for arg in &mut args {
            // The first parameter's value at the exit becomes the one before it.
            let Def::Param(of, i) = tree.def(*arg) else { continue };
            if of == target && params.get(i) == Some(arg) {
                *arg = initial[i];
                changed = true;
            }
        }
        f.insts[inst].kind = InstKind::Break(target, args);
        changed
    })
}

/// A loop that runs once is a call, and what leaves it early a return.
pub(super) fn early_return_goes_on(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Break(target, _) = f.insts[inst].kind else { return false };
        let owner = tree.parent(inst).and_then(|region| tree.owner(region));
        let Some(owner) = owner.filter(|&owner| owner != target && tree.continues(target).is_empty()) else {
            return false;
        };
        let results = f.insts[owner].results.clone();
        let is_branch = matches!(f.insts[owner].kind, InstKind::If { .. } | InstKind::Switch { .. });
        let values: Option<Vec<Value>> = results.iter().map(|&result| zero(f, result)).collect();
        let Some(values) = values.filter(|_| is_branch) else { return false };
        f.insts[inst].kind = InstKind::Yield(values);
        true
    })
}

/// Zero of a value's type, if that is a scalar.
fn zero(function: &mut Function, value: Value) -> Option<Value> {
    let scalar = super::scalar_of(function, value)?;
    Some(function.constant(scalar, 0))
}

pub(super) fn last_case_is_default(function: &mut Function, _: &Types) -> usize {
    each(function, |f, _, inst| match &mut f.insts[inst].kind {
        InstKind::Switch { cases, .. } => cases.pop().is_some(),
        _ => false,
    })
}
