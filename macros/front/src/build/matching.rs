//! Patterns: tests of values, names for their parts, and `match` as a `switch` or a chain of `if`s.
//!
//! A value consists of leaves, and a pattern compares them. That has no effect and costs little, so
//! all of a pattern is tested at once.

use super::sum::places;
use super::{Build, Slot};
use crate::hir::{Arm, Block, Bound, Constructor, ExprId, ExprKind, Part, Pattern};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Case, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

/// The most values that the cases of a `switch` may list.
const MOST_CASES: i128 = 256;

/// The most arms that are tested one behind the other, each inside what is left by those before.
const MOST_LINKS: usize = 32;

/// The most alternatives of one arm whose guard has to be tried with each.
const MOST_ALTERNATIVES: usize = 16;

/// A value that is matched.
#[derive(Clone, Copy)]
struct Matched<'v> {
    ty: &'v Ty,
    values: &'v [Value],
}

impl Build<'_> {
    pub(super) fn match_(&mut self, selector: ExprId, arms: &[Arm], id: ExprId) -> Vec<Value> {
        let ty = self.ty(selector).behind().clone();
        let types = self.ty(id).flat().unwrap_or_default();
        let values = self.flat(selector);
        let rows: Vec<(&Pattern, bool)> = arms.iter().map(|arm| (&arm.pattern, arm.guard.is_none())).collect();
        let loc = self.expr(selector).loc;
        let Some(missing) = self.missing(&rows, &ty, loc) else { return Vec::new() };
        if let Some(missing) = missing {
            let message = format!("this `match` does not cover every `{ty}`: `{missing}` is missing");
            self.diags.push(Diag::new(Code::V105, loc, message).help("add an arm `_ => …`"));
            return Vec::new();
        }
        let matched = Matched { ty: &ty, values: &values };
        let tag = ty.enumeration().map(|def| def.tag).or_else(|| ty.sum().and_then(|def| def.tag()));
        let scalar = ty.scalar().filter(|scalar| !scalar.is_float()).or(tag);
        match scalar.and_then(|scalar| Some((scalar, cases(arms, &ty, scalar)?))) {
            Some((scalar, cases)) => {
                let Some(&selector) = values.first() else { return Vec::new() };
                self.switch(selector, matched, arms, (scalar, &cases), &types, id)
            }
            None if arms.len() > MOST_LINKS && arms.iter().all(|arm| arm.guard.is_none()) => {
                self.numbered(matched, arms, &types, id)
            }
            None => self.chain(matched, arms, &types, id).unwrap_or_default(),
        }
    }

    /// `let pattern = value;`
    pub(super) fn destructure(&mut self, pattern: &Pattern, value: ExprId) {
        let (ty, loc) = (self.ty(value).behind().clone(), self.expr(value).loc);
        let values = self.flat(value);
        let Some(missing) = self.missing(&[(pattern, true)], &ty, loc) else { return };
        if let Some(missing) = missing {
            let message = format!("refutable pattern in local binding: `{missing}` is not covered");
            self.diags.push(Diag::new(Code::V105, loc, message).help("add `else { … }`, which leaves the block"));
            return;
        }
        self.bind(pattern, Matched { ty: &ty, values: &values });
    }

    /// `let pattern = value else { … };`
    pub(super) fn let_else(&mut self, pattern: &Pattern, value: ExprId, otherwise: &Block) {
        let (ty, loc) = (self.ty(value).behind().clone(), self.expr(value).loc);
        let values = self.flat(value);
        if self.missing(&[(pattern, true)], &ty, loc).is_none() {
            return;
        }
        let matched = Matched { ty: &ty, values: &values };
        self.b.at(loc);
        if let Some(fits) = self.fits(pattern, matched) {
            let then = self.empty_region();
            let (otherwise, _) = self.arm(0, |this| this.block(otherwise));
            self.b.at(loc);
            self.b.if_else(fits, then, otherwise, &[]);
        }
        self.bind(pattern, matched);
    }

    /// `let pattern = value` as a condition.
    pub(super) fn let_condition(&mut self, pattern: &Pattern, value: ExprId) -> Option<Value> {
        let (ty, loc) = (self.ty(value).behind().clone(), self.expr(value).loc);
        let values = self.flat(value);
        self.missing(&[(pattern, true)], &ty, loc)?;
        let matched = Matched { ty: &ty, values: &values };
        self.b.at(loc);
        let fits = self.fits(pattern, matched);
        self.bind(pattern, matched);
        Some(fits.unwrap_or_else(|| self.b.constant(Scalar::Bool, 1)))
    }

    /// Makes variables of the names of a condition that runs only sometimes, since they are seen
    /// where it does not.
    pub(super) fn bound_later(&mut self, condition: ExprId) {
        match &self.body.exprs[condition].kind {
            ExprKind::And(a, b) => {
                self.bound_later(*a);
                self.bound_later(*b);
            }
            ExprKind::Let(pattern, _) => self.variables(pattern),
            _ => {}
        }
    }

    /// Variables for the names of a pattern.
    fn variables(&mut self, pattern: &Pattern) {
        for bound in pattern.names() {
            let Bound::Local(local) = bound else { continue };
            let Some(types) = self.leaves_of(local, false) else { continue };
            let name = &self.body.locals[local].name;
            self.locals[local.index()] = types.into_iter().map(|ty| Slot::Var(self.b.var(name, ty))).collect();
            self.later.insert(local);
        }
    }

    /// The parts of a value that was made in some way, and their types.
    fn parts(&self, constructor: Constructor, ty: &Ty) -> Vec<(Part, Ty)> {
        let types = parts_of(constructor, ty);
        if let (Constructor::Variant(number), Ty::Sum(def)) = (constructor, ty) {
            return places(def, number).into_iter().zip(types).collect();
        }
        let mut first = 0;
        let place = |ty: Ty| {
            let part = Part { first, len: ty.flat().map_or(0, |leaves| leaves.len()) };
            first += part.len;
            (part, ty)
        };
        types.into_iter().map(place).collect()
    }

    /// Whether a value fits a pattern; `None` if every value does.
    fn fits(&mut self, pattern: &Pattern, matched: Matched<'_>) -> Option<Value> {
        match pattern {
            Pattern::Any => None,
            Pattern::Named(_, inner) => self.fits(inner, matched),
            Pattern::Range(a, b, _) => {
                let (scalar, &value) = (matched.ty.scalar()?, matched.values.first()?);
                let (low, high) = scalar.limits();
                let (a, b) = (a.unwrap_or(low), b.unwrap_or(high));
                let mut bound = |op, bound: i128| {
                    let bound = self.b.constant(scalar, bound as u64 & scalar.mask());
                    self.b.op(op, &[value, bound])
                };
                match (a <= low, b >= high) {
                    (true, true) => None,
                    _ if a > b => Some(self.b.constant(Scalar::Bool, 0)),
                    _ if scalar == Scalar::Bool => Some(match a {
                        0 => self.b.op(Op::Not, &[value]),
                        _ => value,
                    }),
                    _ if a == b => Some(bound(Op::Eq, a)),
                    (true, false) => Some(bound(Op::Le, b)),
                    (false, true) => Some(bound(Op::Ge, a)),
                    (false, false) => {
                        let (from, to) = (bound(Op::Ge, a), bound(Op::Le, b));
                        Some(self.b.op(Op::And, &[from, to]))
                    }
                }
            }
            Pattern::Constant(constant) => {
                let constant = self.operand(*constant);
                let &value = matched.values.first()?;
                Some(self.b.op(Op::Eq, &[value, constant]))
            }
            Pattern::Made(constructor, patterns) => {
                let mut all = self.is_made(*constructor, matched);
                for (pattern, (part, ty)) in patterns.iter().zip(self.parts(*constructor, matched.ty)) {
                    let values = matched.values.get(part.first..part.first + part.len).unwrap_or_default();
                    if let Some(fits) = self.fits(pattern, Matched { ty: &ty, values }) {
                        all = Some(all.map_or(fits, |all| self.b.op(Op::And, &[all, fits])));
                    }
                }
                all
            }
            Pattern::Or(cases) => {
                let mut any = None;
                for case in cases {
                    let fits = self.fits(case, matched)?;
                    any = Some(any.map_or(fits, |any| self.b.op(Op::Or, &[any, fits])));
                }
                any
            }
        }
    }

    /// Whether a value is of a variant; `None` if all are.
    fn is_made(&mut self, constructor: Constructor, matched: Matched<'_>) -> Option<Value> {
        if let (Constructor::Variant(number), Ty::Sum(def)) = (constructor, matched.ty) {
            return self.is_variant(def, number, matched.values);
        }
        let (Constructor::Variant(number), Ty::Enum(def)) = (constructor, matched.ty) else { return None };
        let (variant, &tag) = (def.variants.get(number)?, matched.values.first()?);
        if def.variants.len() == 1 {
            return None;
        }
        let value = self.b.constant(def.tag, variant.value as u64 & def.tag.mask());
        Some(self.b.op(Op::Eq, &[tag, value]))
    }

    /// What the names of a pattern mean, given that the value fits.
    fn named(&mut self, pattern: &Pattern, matched: Matched<'_>, named: &mut Vec<(Bound, Vec<Value>)>) {
        match pattern {
            Pattern::Any | Pattern::Range(..) | Pattern::Constant(_) => {}
            Pattern::Named(bound, inner) => {
                named.push((*bound, matched.values.to_vec()));
                self.named(inner, matched, named);
            }
            Pattern::Made(constructor, patterns) => {
                for (pattern, (part, ty)) in patterns.iter().zip(self.parts(*constructor, matched.ty)) {
                    let values = matched.values.get(part.first..part.first + part.len).unwrap_or_default();
                    self.named(pattern, Matched { ty: &ty, values }, named);
                }
            }
            Pattern::Or(cases) => {
                let Some((last, before)) = cases.split_last() else { return };
                if last.names().is_empty() {
                    return;
                }
                let mut chosen = Vec::new();
                self.named(last, matched, &mut chosen);
                for case in before.iter().rev() {
                    let mut own = Vec::new();
                    self.named(case, matched, &mut own);
                    let fits = self.fits(case, matched);
                    for (bound, values) in &mut chosen {
                        let Some((_, own)) = own.iter().find(|(other, _)| other == bound) else { continue };
                        for (value, &own) in values.iter_mut().zip(own) {
                            *value = fits.map_or(own, |fits| self.b.op(Op::Select, &[fits, own, *value]));
                        }
                    }
                }
                named.append(&mut chosen);
            }
        }
    }

    /// Gives the names of a pattern their values.
    fn bind(&mut self, pattern: &Pattern, matched: Matched<'_>) {
        let mut named = Vec::new();
        self.named(pattern, matched, &mut named);
        for (bound, values) in named {
            match bound {
                Bound::Memory(root) => self.whole(root, &values),
                Bound::Local(local) if self.later.contains(&local) => {
                    for (slot, &value) in self.locals[local.index()].clone().into_iter().zip(&values) {
                        if let Slot::Var(var) = slot {
                            self.b.set(var, value);
                        }
                    }
                }
                Bound::Local(local) => self.let_(local, &values),
            }
        }
    }

    /// Many arms without guards, which would nest too deeply one behind the other: the number of the first arm that
    /// fits, and a `switch` of it.
    fn numbered(&mut self, matched: Matched<'_>, arms: &[Arm], types: &[Type], id: ExprId) -> Vec<Value> {
        self.b.at(self.expr(id).loc);
        let last = arms.len() - 1;
        // All values are covered, so the last arm takes what is left.
        let mut number = self.b.constant(Scalar::U32, last as u64);
        for (i, arm) in arms.iter().enumerate().take(last).rev() {
            let own = self.b.constant(Scalar::U32, i as u64);
            number = match self.fits(&arm.pattern, matched) {
                Some(fits) => self.b.op(Op::Select, &[fits, own, number]),
                None => own,
            };
        }
        let cases: Vec<Vec<i128>> = (0..=last).map(|i| if i == last { vec![] } else { vec![i as i128] }).collect();
        self.switch(number, matched, arms, (Scalar::U32, &cases), types, id)
    }

    fn switch(
        &mut self,
        selector: Value,
        matched: Matched<'_>,
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
                this.bind(&arm.pattern, matched);
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
    fn chain(&mut self, matched: Matched<'_>, arms: &[Arm], types: &[Type], id: ExprId) -> Option<Vec<Value>> {
        let loc = self.expr(id).loc;
        let Some((arm, rest)) = arms.split_first() else {
            self.b.at(loc);
            self.b.unreachable();
            return None;
        };
        self.b.at(loc);
        // All values are covered, so the last arm takes what is left.
        let tested = !rest.is_empty() || arm.guard.is_some();
        let Some(condition) = tested.then(|| self.taken(matched, arm)).flatten() else {
            self.bind(&arm.pattern, matched);
            let values = self.flat(arm.body);
            return (!self.b.is_terminated()).then_some(values);
        };
        let (then, then_falls) = self.arm(types.len(), |this| {
            if arm.guard.is_none() {
                this.bind(&arm.pattern, matched);
            }
            this.flat(arm.body)
        });
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        let values = self.chain(matched, rest, types, id).unwrap_or_default();
        let else_falls = self.end_arm(&values, types.len());
        self.b.at(loc);
        let results = self.b.if_else(condition, then, otherwise, types);
        if !then_falls && !else_falls {
            self.b.unreachable();
            return None;
        }
        Some(results)
    }

    /// Whether an arm is taken; `None` if it always is. With a guard, its names have their values
    /// then.
    fn taken(&mut self, matched: Matched<'_>, arm: &Arm) -> Option<Value> {
        let Some(guard) = arm.guard else { return self.fits(&arm.pattern, matched) };
        self.bound_later(guard);
        let cases = self.alternatives(&arm.pattern);
        let [case] = cases.as_slice() else {
            // The guard is tried with what each alternative names.
            self.variables(&arm.pattern);
            return Some(self.any_taken(matched, &cases, guard));
        };
        let fits = self.fits(case, matched);
        self.bind(case, matched);
        let Some(fits) = fits else { return Some(self.operand(guard)) };
        let (then, _) = self.arm(1, |this| vec![this.operand(guard)]);
        let (otherwise, _) = self.arm(1, |this| vec![this.b.constant(Scalar::Bool, 0)]);
        self.b.if_else(fits, then, otherwise, &[Type::BOOL]).first().copied()
    }

    /// Whether one of the alternatives fits and the guard holds for it.
    fn any_taken(&mut self, matched: Matched<'_>, cases: &[Pattern], guard: ExprId) -> Value {
        let Some((case, rest)) = cases.split_first() else { return self.b.constant(Scalar::Bool, 0) };
        let yes = |this: &mut Self| vec![this.b.constant(Scalar::Bool, 1)];
        let no = |this: &mut Self| vec![this.b.constant(Scalar::Bool, 0)];
        let fits = self.fits(case, matched).unwrap_or_else(|| self.b.constant(Scalar::Bool, 1));
        let (then, _) = self.arm(1, |this| {
            this.bind(case, matched);
            vec![this.operand(guard)]
        });
        let (otherwise, _) = self.arm(1, no);
        let holds = self.b.if_else(fits, then, otherwise, &[Type::BOOL])[0];
        let (then, _) = self.arm(1, yes);
        let (otherwise, _) = self.arm(1, |this| vec![this.any_taken(matched, rest, guard)]);
        self.b.if_else(holds, then, otherwise, &[Type::BOOL])[0]
    }

    /// Patterns whose names mean one part each, of which one fits wherever the pattern does, in its
    /// order. Alternatives without names stay together.
    fn alternatives(&mut self, pattern: &Pattern) -> Vec<Pattern> {
        let mut cases = Vec::new();
        if !expand(pattern, &mut cases) {
            let message = format!("a pattern with a guard has at most {MOST_ALTERNATIVES} alternatives with names");
            let diag = Diag::new(Code::V019, self.b.loc(), message);
            self.diags.push(diag.help("write several arms, or test in the arm"));
            cases.truncate(1);
        }
        cases
    }
}

/// The types of the parts that a constructor makes a value of.
pub(super) fn parts_of(constructor: Constructor, ty: &Ty) -> Vec<Ty> {
    let types: Vec<&Ty> = match (constructor, ty) {
        (Constructor::Only, Ty::Array(element, len)) => vec![&**element; *len as usize],
        (Constructor::Variant(number), Ty::Sum(def)) => {
            def.cases.get(number).map_or(Vec::new(), |case| case.fields.iter().map(|field| &field.ty).collect())
        }
        (Constructor::Variant(_), _) => Vec::new(),
        (Constructor::Only, ty) => ty.parts().unwrap_or_default(),
    };
    // A pattern looks through references.
    types.into_iter().map(|ty| ty.behind().clone()).collect()
}

/// Adds the alternatives of a pattern; `false` if there are too many.
fn expand(pattern: &Pattern, cases: &mut Vec<Pattern>) -> bool {
    match pattern {
        Pattern::Named(bound, inner) => {
            let mut inside = Vec::new();
            let few = expand(inner, &mut inside);
            cases.extend(inside.into_iter().map(|case| Pattern::Named(*bound, Box::new(case))));
            few && cases.len() <= MOST_ALTERNATIVES
        }
        Pattern::Or(list) if !pattern.names().is_empty() => {
            list.iter().all(|case| expand(case, cases)) && cases.len() <= MOST_ALTERNATIVES
        }
        Pattern::Made(constructor, parts) if !pattern.names().is_empty() => {
            let mut made = vec![Vec::new()];
            for part in parts {
                let mut inside = Vec::new();
                if !expand(part, &mut inside) || made.len() * inside.len() > MOST_ALTERNATIVES {
                    return false;
                }
                let with = |made: &Vec<Pattern>| {
                    inside.iter().map(|case| [made.as_slice(), std::slice::from_ref(case)].concat()).collect::<Vec<_>>()
                };
                made = made.iter().flat_map(with).collect();
            }
            cases.extend(made.into_iter().map(|parts| Pattern::Made(*constructor, parts)));
            cases.len() <= MOST_ALTERNATIVES
        }
        other => {
            cases.push(other.clone());
            true
        }
    }
}

/// The numbers that a pattern lists; `None` if it takes all, or what only a launch knows.
fn listed(pattern: &Pattern, ty: &Ty, ranges: &mut Vec<(i128, i128)>, (low, high): (i128, i128)) -> Option<Listed> {
    match pattern {
        Pattern::Any => Some(Listed::All),
        Pattern::Named(_, inner) => listed(inner, ty, ranges, (low, high)),
        Pattern::Made(Constructor::Variant(number), parts) => {
            let value = match ty {
                Ty::Sum(_) if parts.iter().all(takes_all) => i128::try_from(*number).ok()?,
                _ => ty.enumeration()?.variants.get(*number)?.value,
            };
            ranges.push((value, value));
            Some(Listed::Ranges)
        }
        Pattern::Range(a, b, _) => {
            ranges.push((a.unwrap_or(low), b.unwrap_or(high)));
            Some(Listed::Ranges)
        }
        Pattern::Or(cases) => {
            let mut all = Listed::Ranges;
            for case in cases {
                if listed(case, ty, ranges, (low, high))? == Listed::All {
                    all = Listed::All;
                }
            }
            Some(all)
        }
        Pattern::Constant(_) | Pattern::Made(Constructor::Only, _) => None,
    }
}

/// Whether a pattern is nothing but a name, or nothing at all.
fn takes_all(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Any => true,
        Pattern::Named(_, inner) => takes_all(inner),
        Pattern::Made(Constructor::Only, parts) => parts.iter().all(takes_all),
        _ => false,
    }
}

/// What a pattern lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    All,
    Ranges,
}

/// The values that lead to each arm, none for the one that takes all the rest, if a
/// `switch` can decide; `None` if it cannot.
fn cases(arms: &[Arm], ty: &Ty, scalar: Scalar) -> Option<Vec<Vec<i128>>> {
    if scalar.bits() > 32 || scalar == Scalar::Bool || arms.len() < 3 || arms.iter().any(|arm| arm.guard.is_some()) {
        return None;
    }
    let mut seen = Vec::new();
    let mut cases = Vec::new();
    for arm in arms {
        let mut ranges = Vec::new();
        if listed(&arm.pattern, ty, &mut ranges, scalar.limits())? == Listed::All {
            cases.push(Vec::new());
            return Some(cases);
        }
        let mut values = Vec::new();
        for (a, b) in ranges {
            if b - a >= MOST_CASES {
                return None;
            }
            values.extend((a..=b).filter(|value| !seen.contains(value)));
            seen.extend(a..=b);
        }
        if seen.len() as i128 > MOST_CASES.max(arms.len() as i128) || values.is_empty() {
            return None;
        }
        values.sort_unstable();
        values.dedup();
        cases.push(values);
    }
    Some(cases)
}
