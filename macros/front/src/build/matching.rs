//! `match`: exhaustiveness, and its translation to a `switch` or a chain of `if`s.

use super::{Build, Slot};
use crate::hir::{Arm, ExprId, Pattern};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Case, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

/// The most values that the cases of a `switch` may list.
const MOST_CASES: i128 = 256;

impl Build<'_> {
    pub(super) fn match_(&mut self, selector: ExprId, arms: &[Arm], id: ExprId) -> Vec<Value> {
        let ty = self.ty(selector);
        let types = self.ty(id).flat().unwrap_or_default();
        let value = self.operand(selector);
        let Some(scalar) = ty.scalar().filter(|s| !s.is_float()) else {
            if ty != Ty::Error {
                let message = format!("a kernel cannot match a value of type `{ty}`");
                let help = "match integers and `bool`; compare others with `if`";
                self.diags.push(Diag::new(Code::V100, self.expr(selector).loc, message).help(help));
            }
            return Vec::new();
        };
        if !self.covers(arms, (scalar, &ty), selector) {
            return Vec::new();
        }
        match cases(arms, scalar) {
            Some(cases) => self.switch(value, arms, (scalar, &cases), &types, id),
            None => self.chain(value, arms, scalar, &types, id).unwrap_or_default(),
        }
    }

    /// Whether every literal fits and the arms leave nothing out; reports it if not.
    fn covers(&mut self, arms: &[Arm], (scalar, ty): (Scalar, &Ty), selector: ExprId) -> bool {
        let (low, high) = scalar.limits();
        let mut covered = Vec::new();
        let mut right = true;
        for arm in arms {
            for pattern in &arm.patterns {
                let range = match pattern {
                    Pattern::Any => (low, high),
                    Pattern::Range(a, b, loc) => {
                        for value in [a, b].into_iter().flatten() {
                            // `..N` was made `..=N - 1`, which may be one below the least.
                            if *value < low - 1 || *value > high {
                                let message = format!("literal `{value}` does not fit `{ty}`");
                                self.diags.push(Diag::new(Code::V103, *loc, message));
                                right = false;
                            }
                        }
                        (a.unwrap_or(low), b.unwrap_or(high))
                    }
                    Pattern::Constant(_) => continue,
                };
                if arm.guard.is_none() {
                    covered.push(range);
                }
            }
        }
        covered.sort_unstable();
        let mut next = low;
        for (a, b) in covered {
            if a > next {
                break;
            }
            next = next.max(b.saturating_add(1));
        }
        if right && next <= high {
            let missing = if scalar == Scalar::Bool { (next != 0).to_string() } else { next.to_string() };
            let message = format!("this `match` does not cover every `{ty}`: `{missing}` is missing");
            let diag = Diag::new(Code::V105, self.expr(selector).loc, message);
            self.diags.push(diag.help("add an arm `_ => …`"));
            right = false;
        }
        right
    }

    /// Gives the selector its name in an arm.
    fn name_selector(&mut self, arm: &Arm, value: Value) {
        if let Some(local) = arm.binding {
            if self.body.locals[local].mutable {
                self.let_(local, &[value]);
            } else {
                self.locals[local.index()] = vec![Slot::Value(value)];
            }
        }
    }

    fn switch(
        &mut self,
        selector: Value,
        arms: &[Arm],
        (scalar, cases): (Scalar, &[Vec<i128>]),
        types: &[Type],
        id: ExprId,
    ) -> Vec<Value> {
        let mut built = Vec::new();
        let mut falls = false;
        // The arm without values is the default; without one the last arm takes what is left.
        let default = cases.iter().position(Vec::is_empty).unwrap_or(cases.len() - 1);
        let mut default_region = None;
        for (i, (arm, values)) in arms.iter().zip(cases).enumerate().take(default + 1) {
            let (region, reached) = self.arm(types.len(), |this| {
                this.name_selector(arm, selector);
                this.flat(arm.body)
            });
            falls |= reached;
            if i == default {
                default_region = Some(region);
            } else {
                let values = values.iter().map(|&value| value as u64 & scalar.mask()).collect();
                built.push(Case { values, region });
            }
        }
        let Some(default_region) = default_region else { return Vec::new() };
        self.b.at(self.expr(id).loc);
        let results = self.b.switch(selector, built, default_region, types);
        if !falls {
            self.b.unreachable();
        }
        results
    }

    /// The arms one after the other; `None` if none of them is reached to its end.
    fn chain(
        &mut self,
        selector: Value,
        arms: &[Arm],
        scalar: Scalar,
        types: &[Type],
        id: ExprId,
    ) -> Option<Vec<Value>> {
        let loc = self.expr(id).loc;
        let Some((arm, rest)) = arms.split_first() else {
            self.b.at(loc);
            self.b.unreachable();
            return None;
        };
        self.name_selector(arm, selector);
        self.b.at(loc);
        let fits = self.fits(selector, arm, scalar);
        let guarded = match (fits, arm.guard) {
            (fits, None) => fits,
            (None, Some(guard)) => Some(self.operand(guard)),
            (Some(fits), Some(guard)) => {
                let (then, _) = self.arm(1, |this| this.flat(guard));
                let (otherwise, _) = self.arm(1, |this| vec![this.b.constant(Scalar::Bool, 0)]);
                self.b.if_else(fits, then, otherwise, &[Type::BOOL]).first().copied()
            }
        };
        let Some(condition) = guarded else {
            let values = self.flat(arm.body);
            return (!self.b.is_terminated()).then_some(values);
        };
        let (then, then_falls) = self.arm(types.len(), |this| this.flat(arm.body));
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        let values = self.chain(selector, rest, scalar, types, id).unwrap_or_default();
        let else_falls = self.end_arm(&values, types.len());
        self.b.at(loc);
        let results = self.b.if_else(condition, then, otherwise, types);
        if !then_falls && !else_falls {
            self.b.unreachable();
            return None;
        }
        Some(results)
    }

    /// Whether the selector fits an arm's patterns; `None` if anything does.
    fn fits(&mut self, selector: Value, arm: &Arm, scalar: Scalar) -> Option<Value> {
        let (low, high) = scalar.limits();
        let mut any: Option<Value> = None;
        for pattern in &arm.patterns {
            let test = match pattern {
                Pattern::Any => return None,
                Pattern::Range(a, b, _) => {
                    let (a, b) = (a.unwrap_or(low), b.unwrap_or(high));
                    let mut bound = |op, value: i128| {
                        let value = self.b.constant(scalar, value as u64);
                        self.b.op(op, &[selector, value])
                    };
                    match (a <= low, b >= high) {
                        (true, true) => return None,
                        _ if a > b => self.b.constant(Scalar::Bool, 0),
                        _ if a == b => bound(Op::Eq, a),
                        (true, false) => bound(Op::Le, b),
                        (false, true) => bound(Op::Ge, a),
                        (false, false) => {
                            let (from, to) = (bound(Op::Ge, a), bound(Op::Le, b));
                            self.b.op(Op::And, &[from, to])
                        }
                    }
                }
                Pattern::Constant(value) => {
                    let value = self.operand(*value);
                    self.b.op(Op::Eq, &[selector, value])
                }
            };
            any = Some(any.map_or(test, |any| self.b.op(Op::Or, &[any, test])));
        }
        any.or_else(|| Some(self.b.constant(Scalar::Bool, 0)))
    }
}

/// The values that lead to each arm, none for the one that takes all the rest, if a
/// `switch` can decide; `None` if it cannot.
fn cases(arms: &[Arm], scalar: Scalar) -> Option<Vec<Vec<i128>>> {
    if scalar.bits() > 32 || scalar == Scalar::Bool || arms.len() < 3 || arms.iter().any(|arm| arm.guard.is_some()) {
        return None;
    }
    let (low, high) = scalar.limits();
    let mut seen = Vec::new();
    let mut cases = Vec::new();
    for arm in arms {
        let mut values = Vec::new();
        for pattern in &arm.patterns {
            match pattern {
                Pattern::Any => {
                    cases.push(Vec::new());
                    return Some(cases);
                }
                Pattern::Constant(_) => return None,
                Pattern::Range(a, b, _) => {
                    let (a, b) = (a.unwrap_or(low), b.unwrap_or(high));
                    if b - a >= MOST_CASES {
                        return None;
                    }
                    values.extend((a..=b).filter(|value| !seen.contains(value)));
                    seen.extend(a..=b);
                }
            }
        }
        if seen.len() as i128 > MOST_CASES || values.is_empty() {
            return None;
        }
        values.sort_unstable();
        values.dedup();
        cases.push(values);
    }
    Some(cases)
}
