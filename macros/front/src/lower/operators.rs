//! Operators of structs and enums: which implementation an expression means, and its call.
//!
//! The facts of the two types bring all implementations. Of those for the type on the left the type on the right decides,
//! which may be that of a literal.

use super::borrow::Passed;
use super::inline::{Callee, Owner};
use super::place::Target;
use super::{Context, Lowerer};
use crate::generics::{self, Parameter};
use crate::hir::{ExprId, LoanId, Stmt};
use crate::infer::{GenericArg, Ty, VarKind};
use crate::link::facts::Fact;
use crate::link::traits::OperatorImpl;
use crate::names::Own;
use crate::privacy::Judged;
use crate::spell::spelled;
use crate::types;
use crate::words::operators::{self, Form, Operator};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// An implementation that fits two types, as far as they are known.
struct Fitting<'a> {
    of: OperatorImpl<'a>,
    /// The type on the left.
    left: Ty,
    /// The type on the right.
    right: Option<Ty>,
}

impl<'a> Lowerer<'a, '_> {
    /// `a + b` or `-a` of a user's types; `None` if none is among them, or no implementation is known.
    pub(super) fn operator_of_types(
        &mut self,
        operator: &'static Operator,
        (a, b): (ExprId, Option<ExprId>),
        loc: Loc,
    ) -> Option<ExprId> {
        let found = match self.implementation(operator, (&self.ty(a), b.map(|b| self.ty(b)).as_ref()), loc)? {
            Ok(found) => found,
            Err(refused) => return Some(refused),
        };
        self.expect(a, &found.left);
        let passed = std::iter::once(a).chain(b).map(Passed::Value).collect();
        Some(self.call_operator(operator, found, passed, Vec::new(), loc))
    }

    /// `T::from(a)`, where one of the types is a user's and `T` has a conversion of such a value; `None` if not.
    pub(super) fn converted(&mut self, to: &Ty, value: ExprId, loc: Loc) -> Option<ExprId> {
        let operator = operators::conversion()?;
        let found = match self.implementation(operator, (to, Some(&self.ty(value))), loc)? {
            Ok(found) => found,
            Err(refused) => return Some(refused),
        };
        if let Some(right) = &found.right {
            self.expect(value, right);
        }
        Some(self.call_operator(operator, found, vec![Passed::Value(value)], Vec::new(), loc))
    }

    /// The types to which kernels know a conversion of a user's type or of a number.
    pub(super) fn conversions_of(&self, from: &Ty) -> Vec<Ty> {
        let Some(operator) = operators::conversion() else { return Vec::new() };
        let read = |of: OperatorImpl<'a>| {
            let scope = self.context.scope.of(of.fact);
            // Of a generic type, the arguments are not known.
            let context = Context::of(scope, None);
            let right = types::read(of.right?, &context).ok()?;
            let to = types::read(of.self_ty, &context).ok()?;
            self.may_be(&right, from).then_some(to)
        };
        self.context.scope.operators(operator).into_iter().filter_map(read).collect()
    }

    /// The operator of a type whose function has this name, where so many operands are given.
    pub(super) fn operator_named(&self, ty: &Ty, name: &str, operands: usize) -> Option<&'static Operator> {
        let operator = operators::by_function(name, operands)?;
        (!self.known_operators(operator, ty).is_empty()).then_some(operator)
    }

    /// `<Type as Add>::add(a, b)` of a user's type; `None` if the path is not of this form.
    pub(super) fn operator_qualified(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::ExprPath,
        loc: Loc,
    ) -> Option<ExprId> {
        let of = path.qself.as_ref().filter(|of| of.as_token.is_some())?;
        let (_, operands) = operators::by_path(&path.path).filter(|(_, operands)| *operands == call.args.len())?;
        let operator = operators::by_function(&path.path.segments.last()?.ident.to_string(), operands)?;
        let ty = types::read(&of.ty, self).ok().filter(|ty| ty.declared().is_some())?;
        self.judge(Judged::Operator(&path.path, operands));
        let values: Vec<ExprId> = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.expect(*values.first()?, &ty);
        Some(self.operator_called(operator, values, loc))
    }

    /// An operator as a call of its function.
    pub(super) fn operator_called(&mut self, operator: &'static Operator, values: Vec<ExprId>, loc: Loc) -> ExprId {
        let Some((&a, b)) = values.split_first() else { return self.error(loc) };
        let b = b.first().copied();
        if let Some(made) = self.operator_of_types(operator, (a, b), loc) {
            return made;
        }
        let (left, right) = (self.ty(a), b.map(|b| self.ty(b)));
        if left == Ty::Error || right == Some(Ty::Error) {
            return self.error(loc);
        }
        let shown = self.infer.show(&left);
        let message = format!("`{}` of `{shown}` does not take these operands", operator.function);
        let diag = Diag::new(Code::V021, loc, message);
        match self.lacking_operator(operator, &left, right.as_ref()) {
            Some(help) => self.refuse(diag.help(help)),
            None => self.refuse(diag),
        }
    }

    /// `place += b` of a user's type.
    pub(super) fn assignment_of_types(
        &mut self,
        operator: &'static Operator,
        (target, mut b): (&Target, ExprId),
        borrow: Option<LoanId>,
        loc: Loc,
    ) -> Option<ExprId> {
        let left = self.infer.resolve(&target.ty);
        let found = match self.implementation(operator, (&left, Some(&self.ty(b))), loc)? {
            Ok(found) => found,
            Err(refused) => return Some(refused),
        };
        // As in Rust, the indices of the place come before what is on the right.
        let mut stmts = Vec::new();
        let target = self.borrowed_by_operator(borrow, target.clone(), loc, &mut stmts);
        if borrow.is_some()
            && let Some(value) = self.temporary(b, &mut stmts)
        {
            b = self.load(value, loc);
        }
        let place = self.lend(Some(target), true, loc, &mut stmts);
        Some(self.call_operator(operator, found, vec![place, Passed::Value(b)], stmts, loc))
    }

    fn call_operator(
        &mut self,
        operator: &'static Operator,
        found: Fitting<'a>,
        passed: Vec<Passed<'a>>,
        stmts: Vec<Stmt>,
        loc: Loc,
    ) -> ExprId {
        let OperatorImpl { fact, sig, block, .. } = found.of;
        let (left, sign) = (self.infer.show(&found.left), operator.sign);
        let shown = match (operator.form, &found.right) {
            (Form::Conversion, Some(right)) => format!("{left}::from({})", self.infer.show(right)),
            (Form::Unary, _) | (_, None) => format!("{sign}{left}"),
            (_, Some(right)) => format!("{left} {sign} {}", self.infer.show(right)),
        };
        let (scope, owner) = (self.context.scope.of(fact), Owner::Type(found.left));
        let callee = Callee { fact, sig, block: Some(block), scope, owner, shown };
        if fact.broken {
            return self.error(loc);
        }
        match self.unsuitable_call(&callee, loc) {
            Some(error) => error,
            None => self.call_passed(callee, None, (operator.form != Form::Conversion, passed), stmts, loc),
        }
    }

    /// The one implementation of an operator that fits these types.
    fn implementation(
        &mut self,
        operator: &'static Operator,
        (left, right): (&Ty, Option<&Ty>),
        loc: Loc,
    ) -> Option<Result<Fitting<'a>, ExprId>> {
        let declared = |ty: &Ty| ty.declared().is_some() && !ty.is_unknown();
        if !declared(left) && !right.is_some_and(declared) {
            return None;
        }
        let all = self.context.scope.operators(operator);
        let mut fitting: Vec<Fitting<'a>> =
            all.into_iter().filter_map(|of| self.fitting(of, (left, right), operator.form)).collect();
        let exact = |fitting: &Fitting<'_>| fitting.left == *left && fitting.right.as_ref() == right;
        if let Some(at) = fitting.iter().position(exact) {
            return Some(Ok(fitting.swap_remove(at)));
        }
        if fitting.len() < 2 {
            return fitting.pop().map(Ok);
        }
        let candidates: Vec<String> = fitting.iter().map(|found| self.shown_types(operator, found)).collect();
        let message = format!("`{}` may be that of {}", operator.sign, candidates.join(" or of "));
        let diag = Diag::new(Code::V202, loc, message).help("give a literal its type, as in `1.0f32`, or a variable");
        Some(Err(self.refuse(diag)))
    }

    fn shown_types(&self, operator: &Operator, found: &Fitting<'_>) -> String {
        let left = self.infer.show(&found.left);
        match &found.right {
            Some(right) if operator.form == Form::Conversion => format!("`{left}::from({})`", self.infer.show(right)),
            Some(right) => format!("`{left} {} {}`", operator.sign, self.infer.show(right)),
            None => format!("`{}{left}`", operator.sign),
        }
    }

    /// An implementation with its types, if it may be meant.
    fn fitting(&self, of: OperatorImpl<'a>, (left, right): (&Ty, Option<&Ty>), form: Form) -> Option<Fitting<'a>> {
        let scope = self.context.scope.of(of.fact);
        let own = self.parameters_of(of.fact, left);
        let context = Context { own, ..Context::of(scope, None) };
        let found = types::read(of.self_ty, &context).ok()?;
        if !self.may_be(&found, left) {
            return None;
        }
        let context = Context { own: Own { self_ty: Some(found.clone()), ..context.own }, ..Context::of(scope, None) };
        let read = match (form, of.right) {
            (Form::Unary, _) => None,
            (_, Some(right)) => Some(types::read(right, &context).ok()?),
            (_, None) => Some(found.clone()),
        };
        let fits = match (&read, right) {
            (Some(read), Some(right)) => self.may_be(read, right),
            (None, None) => true,
            _ => false,
        };
        fits.then_some(Fitting { of, left: found, right: read })
    }

    /// What the parameters of an implementation are for a value of a type, if they may be that; else nothing, so that
    /// its types cannot be read.
    pub(super) fn parameters_of(&self, fact: &Fact, ty: &Ty) -> Own {
        let mut own = Own::default();
        let Some(item) = fact.implementation() else { return own };
        let names = generics::of_self(item).unwrap_or_default();
        let of = generics::parameters(&item.generics);
        for (name, arg) in names.into_iter().zip(ty.arguments()) {
            let class = of.iter().find_map(|parameter| match parameter {
                Parameter::Type { name: known, class, .. } if *known == name => *class,
                _ => None,
            });
            match arg {
                GenericArg::Ty(ty) => {
                    let ty = self.infer.resolve(ty);
                    if ty.is_open() || class.is_none_or(|class| class.contains(&ty)) {
                        own.types.push((name, ty));
                    }
                }
                GenericArg::Len(len) => own.lengths.push((name, i128::from(*len))),
            }
        }
        own
    }

    /// Whether a type may turn out to be this one.
    fn may_be(&self, known: &Ty, found: &Ty) -> bool {
        let (known, found) = (self.infer.resolve(known), self.infer.resolve(found));
        match (self.infer.kind(&found), self.infer.kind(&known)) {
            (Some(VarKind::Int), None) => known == Ty::Usize || known.scalar().is_some_and(|scalar| scalar.is_int()),
            (Some(VarKind::Float), None) => known.scalar().is_some_and(|scalar| scalar.is_float()),
            (Some(_), _) | (_, Some(_)) => true,
            (None, None) => match (&known, &found) {
                (Ty::Struct(_), Ty::Struct(_)) | (Ty::Sum(_), Ty::Sum(_)) if known.declared().is_some() => {
                    let same = |(a, b): (&GenericArg, &GenericArg)| match (a, b) {
                        (GenericArg::Ty(a), GenericArg::Ty(b)) => self.may_be(a, b),
                        (a, b) => a == b,
                    };
                    let id = |ty: &Ty| ty.declared().map(|(id, _)| id.to_owned());
                    id(&known) == id(&found) && known.arguments().iter().zip(found.arguments()).all(same)
                }
                (Ty::Vector(a, n), Ty::Vector(b, m)) | (Ty::Matrix(a, n), Ty::Matrix(b, m)) => {
                    n == m && self.may_be(a, b)
                }
                _ => known == found,
            },
        }
    }

    /// The implementations of an operator that are known for a type, as one writes their uses.
    fn known_operators(&self, operator: &Operator, ty: &Ty) -> Vec<String> {
        let Some((id, _)) = ty.declared() else { return Vec::new() };
        let names = |of: &OperatorImpl<'_>| of.fact.names.iter().any(|(_, known)| known == id);
        let shown = |of: OperatorImpl<'_>| {
            let (left, sign) = (spelled(of.self_ty), operator.sign);
            match (operator.form, of.right) {
                (Form::Unary, _) => format!("`{sign}{left}`"),
                (Form::Conversion, right) => format!("`{left}::from({})`", right.map_or_else(String::new, spelled)),
                (_, right) => format!("`{left} {sign} {}`", right.map_or_else(|| left.clone(), spelled)),
            }
        };
        self.context.scope.operators(operator).into_iter().filter(names).map(shown).collect()
    }

    /// How to give two types an operator; nothing for types that cannot have one.
    pub(super) fn lacking_operator(&self, operator: &Operator, left: &Ty, right: Option<&Ty>) -> Option<String> {
        // A literal is what most kernels compute with.
        let decided = |ty: &Ty| match self.infer.kind(ty) {
            Some(VarKind::Float) => Ty::Scalar(Scalar::F32),
            _ => self.infer.decided(ty),
        };
        let (left, right) = (decided(left), right.map(decided));
        let (own, other) = (left.declared(), right.as_ref().and_then(Ty::declared));
        let name = operator.of_trait;
        let (shown, beside) = (self.infer.show(&left), right.as_ref().map(|right| self.infer.show(right)));
        let of_trait = match &beside {
            Some(right) if *right != shown => format!("{name}<{right}>"),
            _ => name.to_owned(),
        };
        let (list, on) = match (own, other) {
            (Some((_, on)), _) => (of_trait.clone(), on),
            (None, Some((_, on))) if left.scalar().is_some() || matches!(left, Ty::Vector(..) | Ty::Matrix(..)) => {
                (format!("{shown}: {of_trait}"), on)
            }
            _ => return None,
        };
        let unknown = left.is_unknown() || right.as_ref().is_some_and(Ty::is_unknown);
        if unknown {
            return None;
        }
        let of = if own.is_some() { &left } else { right.as_ref()? };
        let known = self.known_operators(operator, of);
        if !known.is_empty() {
            return Some(format!("there is {}", known.join(", ")));
        }
        if self.context.scope.of_type(of).is_some_and(|fact| fact.lists(name)) {
            return Some(format!(
                "`{on}` lists it too late: methods and operators know only what stands before them in `#[element(…)]`"
            ));
        }
        Some(format!("write `#[device] impl {of_trait} for {shown}`, and `#[element(traits({list}))]` on `{on}`"))
    }
}
