//! Copies that bring several `continue`s together.
//!
//! If only `if`s decide between the `continue`s of a body, as in `if c { a; continue x } b;
//! continue y`, a copy becomes `if c { a; yield x } else { b; yield y }`: what follows the `if`
//! moves into the arm that goes on, and the results of the `if` are passed to the next copy.
//! Nothing is copied twice. Unlike a loop with several exits, this tells the analysis of
//! uniformity as much as the original loop did.

use super::copy::Copier;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, MAX_NESTING, Region, RegionDef, Value};

/// Which regions hold a `continue` of the loop that is looked at.
pub(super) struct Tails {
    holds: Side<RegionDef, Option<Inst>>,
}

/// What comes after the end of an arm.
pub(super) struct Rest<'r> {
    /// The `if` that the arm belongs to.
    branch: Inst,
    insts: &'r [Inst],
    then: Option<&'r Rest<'r>>,
}

impl Tails {
    pub(super) fn new() -> Self {
        Self { holds: Side::new(None) }
    }

    /// How much deeper regions are nested in a copy that brings the `continue`s of a loop
    /// together; `None` if it cannot.
    pub(super) fn look_at(&mut self, function: &Function, tree: &Tree, inst: Inst, body: Region) -> Option<usize> {
        for &from in tree.continues(inst) {
            for here in tree.around(from) {
                let known = self.holds[here].replace(inst) == Some(inst);
                if known || here == body {
                    break;
                }
            }
        }
        self.depth(function, inst, &function.regions[body].insts, None, 0)
    }

    /// The arms of an `if` in which the loop is started again.
    fn arms(&self, function: &Function, inst: Inst, branch: Inst) -> Option<[Region; 2]> {
        match function.insts[branch].kind {
            InstKind::If { then, otherwise, .. } => {
                let holds = [then, otherwise].iter().any(|&arm| self.holds[arm] == Some(inst));
                holds.then_some([then, otherwise])
            }
            _ => None,
        }
    }

    fn depth(
        &self,
        function: &Function,
        inst: Inst,
        insts: &[Inst],
        rest: Option<&Rest<'_>>,
        level: usize,
    ) -> Option<usize> {
        if level > MAX_NESTING {
            return None;
        }
        for (i, &inner) in insts.iter().enumerate() {
            let kind = &function.insts[inner].kind;
            if let Some(arms) = self.arms(function, inst, inner) {
                if arms.iter().all(|&arm| function.yielded(arm).is_some()) {
                    return None;
                }
                let rest = Rest { branch: inner, insts: &insts[i + 1..], then: rest };
                let mut depth = level;
                for arm in arms {
                    let arm = &function.regions[arm].insts;
                    depth = depth.max(self.depth(function, inst, arm, Some(&rest), level + 1)?);
                }
                return Some(depth);
            }
            match (kind, rest) {
                (InstKind::Yield(_), Some(rest)) => return self.depth(function, inst, rest.insts, rest.then, level),
                _ if kind.regions().any(|region| self.holds[region] == Some(inst)) => return None,
                _ => {}
            }
        }
        Some(level)
    }
}

impl Copier<'_> {
    /// Copies instructions of which [`Tails::look_at`] has found that their `continue`s can be
    /// brought together; gives what these pass for the parameters, if the end is reached.
    pub(super) fn merged(
        &mut self,
        tails: &Tails,
        (inst, params): (Inst, &[Value]),
        insts: &[Inst],
        rest: Option<&Rest<'_>>,
        out: &mut Vec<Inst>,
    ) -> Option<Vec<Value>> {
        for (i, &inner) in insts.iter().enumerate() {
            if let Some(arms) = tails.arms(self.function, inst, inner) {
                let rest = Rest { branch: inner, insts: &insts[i + 1..], then: rest };
                return self.branch(tails, (inst, params), inner, arms, &rest, out);
            }
            match (&self.function.insts[inner].kind, rest) {
                (InstKind::Continue(target, args), _) if *target == inst => {
                    return Some(args.iter().map(|&arg| self.mapped(arg)).collect());
                }
                (InstKind::Yield(args), Some(rest)) => {
                    let args: Vec<Value> = args.iter().map(|&arg| self.mapped(arg)).collect();
                    for (result, arg) in self.function.insts[rest.branch].results.clone().into_iter().zip(args) {
                        self.set(result, arg);
                    }
                    return self.merged(tails, (inst, params), rest.insts, rest.then, out);
                }
                _ => out.extend(self.insts(&[inner])),
            }
        }
        None
    }

    /// The same of an `if` and what comes after it.
    fn branch(
        &mut self,
        tails: &Tails,
        (inst, params): (Inst, &[Value]),
        branch: Inst,
        arms: [Region; 2],
        rest: &Rest<'_>,
        out: &mut Vec<Inst>,
    ) -> Option<Vec<Value>> {
        let loc = self.function.insts[branch].loc;
        let condition = self.condition(branch)?;
        let mut reached = false;
        let [then, otherwise] = arms.map(|arm| {
            let insts = self.function.region_insts(arm);
            let mut copied = Vec::new();
            if let Some(passed) = self.merged(tails, (inst, params), &insts, Some(rest), &mut copied) {
                copied.push(self.push(InstKind::Yield(passed), Vec::new(), loc));
                reached = true;
            }
            self.function.regions.push(RegionDef { params: Vec::new(), insts: copied })
        });
        let kind = InstKind::If { condition, then, otherwise };
        if !reached {
            out.push(self.push(kind, Vec::new(), loc));
            out.push(self.push(InstKind::Unreachable, Vec::new(), loc));
            return None;
        }
        let results: Vec<Value> = params.iter().map(|&param| self.fresh(param)).collect();
        out.push(self.push(kind, results.clone(), loc));
        Some(results)
    }
}
