//! The check of types (V012, V021–V023, V103, V200–V202, V305).
//!
//! One mistake is one report: a value of [`Type::Error`] comes from a mistake that was already
//! reported, so nothing is said of its uses. If there was no report at all, [`all_known`]
//! proves that there is no such value.

use super::Placed;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, InstDef, InstKind, Value};
use crate::loc::Loc;
use crate::ops::{Op, Part, Signature, SubgroupOp};
use crate::order;
use crate::scalar::cast_rule;
use crate::types::{Scalar, Type, Types};

/// Reports wrong types of values and operands; those of memory accesses are `memory`'s.
pub(super) fn check(types: &Types, function: &Function, placed: &[Placed], diags: &mut Diags) {
    let mut check = Check { types, function, diags };
    for &param in &function.regions[function.body].params {
        check.is_value(param, function.loc);
    }
    for &ty in &function.results {
        check.is_usable(ty, function.loc);
    }
    for (_, var) in function.vars.iter() {
        check.is_usable(var.ty, var.loc);
    }
    for requirement in &function.requires {
        if let Some(unsound) = function.unsound(requirement) {
            check.diags.push(unsound.diag(requirement.loc));
        }
    }
    for &Placed { inst, owner } in placed {
        let owner_results = owner.map_or(&[][..], |owner| &function.insts[owner].results);
        check.inst(&function.insts[inst], owner_results);
    }
}

/// Reports values whose type is not known or that cannot be values; called if nothing
/// was reported before.
pub(super) fn all_known(function: &Function, placed: &[Placed], diags: &mut Diags) {
    let unknown = |value: &Value| !function.ty(*value).is_value();
    for &Placed { inst, .. } in placed {
        let def = &function.insts[inst];
        let params = def.kind.regions().flat_map(|r| function.regions[r].params.clone());
        if def.results.iter().copied().chain(params).any(|v| unknown(&v)) {
            diags.push(Diag::new(Code::V202, def.loc, "cannot infer the type of this"));
            return;
        }
    }
    if function.results.iter().any(|ty| !ty.is_value()) {
        diags.push(Diag::new(Code::V202, function.loc, "cannot infer the type of a result"));
    } else if function.vars.iter().any(|(_, var)| !var.ty.is_value()) {
        diags.push(Diag::new(Code::V202, function.loc, "cannot infer the type of a variable"));
    }
}

struct Check<'a> {
    types: &'a Types,
    function: &'a Function,
    diags: &'a mut Diags,
}

impl Check<'_> {
    fn show(&self, ty: Type) -> String {
        format!("`{}`", self.types.display(ty))
    }

    fn inst(&mut self, def: &InstDef, owner_results: &[Value]) {
        let function = self.function;
        match &def.kind {
            InstKind::Op(op, args) => self.op(*op, args, def),
            InstKind::Load(_) => self.results_are_values(def),
            InstKind::Atomic(op, _, _, order) => {
                self.results_are_values(def);
                self.order(order.fault(*op), def.loc);
            }
            InstKind::Fence(ordering, _) => self.order(order::fence_fault(*ordering), def.loc),
            InstKind::Len(_) | InstKind::Builtin(_) => self.result(Type::U32, def),
            InstKind::Get(var) => self.result(function.vars[*var].ty, def),
            InstKind::Set(var, value) => {
                let var = &function.vars[*var];
                let what = format!("`{}` is declared here", var.name);
                self.same(var.ty, *value, def.loc, Some((var.loc, what)));
            }
            InstKind::If { condition, .. } => {
                self.results_are_values(def);
                let ty = function.ty(*condition);
                if ty != Type::BOOL && ty != Type::Error {
                    let message = format!("expected a `bool` condition, found {}", self.show(ty));
                    self.diags.push(Diag::new(Code::V022, def.loc, message).help("compare it with 0"));
                }
            }
            InstKind::Switch { selector, cases, .. } => {
                self.results_are_values(def);
                let ty = function.ty(*selector);
                match ty {
                    Type::Error => {}
                    Type::Scalar(scalar) if scalar.is_int() || scalar == Scalar::Bool => {
                        let wide = |bits: &u64| bits & !scalar.mask() != 0;
                        if let Some(bits) = cases.iter().flat_map(|case| &case.values).find(|b| wide(b)) {
                            let message = format!("case {bits} does not fit {}", self.show(ty));
                            self.diags.push(Diag::new(Code::V103, def.loc, message));
                        }
                    }
                    Type::Scalar(_) | Type::Vector(..) | Type::Bytes | Type::Array(_) | Type::Struct(_) => {
                        let message = format!("cannot switch on {}", self.show(ty));
                        self.diags
                            .push(Diag::new(Code::V021, def.loc, message).help("switch on an integer or a `bool`"));
                    }
                }
            }
            InstKind::Loop { body, initial, .. } => {
                self.results_are_values(def);
                let params = &function.regions[*body].params;
                for &param in params {
                    self.is_value(param, def.loc);
                }
                self.all_same(params, initial, def.loc);
            }
            InstKind::Yield(args) => self.all_same(owner_results, args, def.loc),
            InstKind::Break(target, args) => self.all_same(&function.insts[*target].results, args, def.loc),
            InstKind::Continue(target, args) => {
                let body = function.insts[*target].kind.regions().next();
                let params = body.map_or(&[][..], |region| &function.regions[region].params);
                self.all_same(params, args, def.loc);
            }
            InstKind::Return(args) => {
                for (&expected, &found) in function.results.iter().zip(args) {
                    self.same(expected, found, def.loc, None);
                }
            }
            // The operands of a call are for `calls` to judge.
            InstKind::Call { .. } => self.results_are_values(def),
            InstKind::Subgroup(op, args) => self.subgroup(*op, args, def),
            InstKind::Store(..) | InstKind::Barrier | InstKind::Unreachable => {}
        }
    }

    fn order(&mut self, fault: Option<String>, loc: Loc) {
        if let Some(message) = fault {
            self.diags.push(Diag::new(Code::V310, loc, message));
        }
    }

    /// Reports a type that no value can have.
    fn is_usable(&mut self, ty: Type, loc: Loc) {
        if !ty.is_value() && ty != Type::Error {
            let message = format!("a value cannot have type {}", self.show(ty));
            self.diags.push(Diag::new(Code::V201, loc, message).help("use a scalar or a vector"));
        }
    }

    fn is_value(&mut self, value: Value, loc: Loc) {
        self.is_usable(self.function.ty(value), loc);
    }

    fn results_are_values(&mut self, def: &InstDef) {
        for &value in &def.results {
            self.is_value(value, def.loc);
        }
    }

    fn result(&mut self, expected: Type, def: &InstDef) {
        for &value in &def.results {
            self.same(expected, value, def.loc, None);
        }
    }

    fn all_same(&mut self, expected: &[Value], found: &[Value], loc: Loc) {
        for (&expected, &found) in expected.iter().zip(found) {
            self.same(self.function.ty(expected), found, loc, None);
        }
    }

    fn same(&mut self, expected: Type, found: Value, loc: Loc, label: Option<(Loc, String)>) {
        let found = self.function.ty(found);
        if expected == found || expected == Type::Error || found == Type::Error {
            return;
        }
        let message = format!("expected {}, found {}", self.show(expected), self.show(found));
        let mut diag = Diag::new(Code::V200, loc, message);
        diag.labels.extend(label);
        if cast_rule(found, expected).is_some() {
            diag = diag.help(format!("convert it with `as {}`", self.types.display(expected)));
        }
        self.diags.push(diag);
    }

    fn op(&mut self, op: Op, args: &[Value], def: &InstDef) {
        let operands: Vec<Type> = args.iter().map(|&v| self.function.ty(v)).collect();
        let Some(&result) = def.results.first() else { return };
        let result = self.function.ty(result);
        if operands.contains(&Type::Error) {
            return;
        }
        if op == Op::Cast && result == Type::Bytes {
            let message = "cannot cast to `bytes`, which is not the type of a value";
            self.diags.push(Diag::new(Code::V023, def.loc, message).help("load or store the value itself"));
            return;
        }
        match op.result(&operands, Some(result)) {
            Some(ty) if ty == result => self.results_are_values(def),
            Some(ty) => self.result(ty, def),
            None if op.info().signature.states_result() && result == Type::Error => {}
            None => {
                let diag = self.misfit(op, &operands, result, def.loc);
                self.diags.push(diag);
            }
        }
    }

    fn subgroup(&mut self, op: SubgroupOp, args: &[Value], def: &InstDef) {
        let operands: Vec<Type> = args.iter().map(|&v| self.function.ty(v)).collect();
        if operands.contains(&Type::Error) {
            return;
        }
        if let Some(ty) = op.result(&operands) {
            return self.result(ty, def);
        }
        let shown: Vec<String> = operands.iter().map(|&ty| self.show(ty)).collect();
        let message = format!("cannot apply `{}` to {}", op.rust(), shown.join(", "));
        let mut diag = Diag::new(Code::V021, def.loc, message);
        let fits = operands.first().and_then(|ty| ty.lane()).is_some_and(|lane| op.class().contains(lane));
        if let (true, Some(&lane)) = (fits, operands.get(1))
            && lane != Type::U32
            && cast_rule(lane, Type::U32).is_some()
        {
            diag = diag.help("convert the second with `as u32`");
        }
        self.diags.push(diag);
    }

    /// The report of operands that do not fit an op.
    fn misfit(&self, op: Op, operands: &[Type], result: Type, loc: Loc) -> Diag {
        let shown: Vec<String> = operands.iter().map(|&ty| self.show(ty)).collect();
        let a = shown.first().map_or("", String::as_str);
        let b = shown.get(1).map_or("", String::as_str);
        let message = match op {
            Op::Cast => format!("cannot cast {a} to {}", self.show(result)),
            Op::Bitcast => format!("cannot read the bits of {a} as {}", self.show(result)),
            Op::Add => format!("cannot add {b} to {a}"),
            Op::Sub => format!("cannot subtract {b} from {a}"),
            Op::Mul => format!("cannot multiply {a} by {b}"),
            Op::Div => format!("cannot divide {a} by {b}"),
            Op::Rem => format!("cannot take the remainder of {a} divided by {b}"),
            Op::Neg => format!("cannot negate {a}"),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => format!("cannot compare {a} with {b}"),
            Op::Shl | Op::Shr => format!("cannot shift {a} by {b}"),
            _ => format!("cannot apply `{}` to {}", op.info().name, shown.join(", ")),
        };
        let code = if op == Op::Cast { Code::V012 } else { Code::V021 };
        let diag = Diag::new(code, loc, message);
        let wants_equal = matches!(op.info().signature, Signature::Lanes(_, [_, Part::Same], _));
        let convertible = match operands {
            [a, b] if a != b && wants_equal => cast_rule(*b, *a).is_some(),
            _ => false,
        };
        let fits =
            operands.first().and_then(|ty| ty.lane()).is_some_and(|lane| op.info().signature.class().contains(lane));
        if convertible && fits {
            return diag.help(format!("convert the second with `as {}`", self.types.display(operands[0])));
        }
        diag
    }
}
