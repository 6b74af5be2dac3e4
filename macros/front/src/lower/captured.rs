//! What closures may do to what is around them, and the closures that nothing calls.
//!
//! A closure is lowered where it is called, so what it changes is known there: the places among its assignments that
//! were there before its body. One that is never called is lowered at the end of its function, where nothing reaches it.

use super::borrow::{Borrow, Passed, overlap};
use super::inline::{Closure, Stated, parameter_type};
use super::place::Target;
use super::{Binding, Lowerer};
use crate::class::Calls;
use crate::generics::{self, Takes};
use crate::hir::{Block, Called, Capturing, Deferred, ExprKind, Loop, Place, Stmt, Taken};
use crate::infer::{Ty, VarKind};
use crate::syntax::binding;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use std::cell::{Cell, RefCell};

/// The variable that holds a closure.
pub(super) struct Named {
    pub name: String,
    pub mutable: bool,
    /// Its number among the closures of the function, unless it is a helper's.
    pub number: Option<usize>,
}

/// A function that the call of a helper will give.
pub(super) struct Unknown {
    pub name: String,
    pub takes: Vec<Taken>,
    pub result: Ty,
    pub calls: Calls,
    /// Whether the parameter is `mut`, or behind a `&mut`.
    pub mutable: bool,
    pub loc: Loc,
    /// Its place among the parameters.
    pub number: usize,
}

impl Unknown {
    /// The same as a helper has it that it is passed to, which was checked with a parameter of its own.
    pub fn given_away(&self) -> Self {
        let (name, takes, result) = (self.name.clone(), self.takes.clone(), self.result.clone());
        Self { name, takes, result, calls: Calls::Shared, mutable: true, loc: self.loc, number: self.number }
    }
}

/// What is known of a closure after its calls so far; all its copies share it.
#[derive(Default)]
pub(super) struct State<'a> {
    /// Whether it was called, or a call of it was refused.
    pub called: Cell<bool>,
    /// The types of the values that it takes, and of its result, as the first call has them.
    pub types: RefCell<Option<(Vec<Option<Ty>>, Ty)>>,
    /// What a helper that takes it states.
    pub stated: RefCell<Option<Stated<'a>>>,
    /// Whether it was reported that it may change nothing.
    pub reported: Cell<bool>,
}

/// What there is before the body of a closure.
pub(super) struct Before {
    exprs: usize,
    locals: usize,
    private: usize,
    free: Vec<usize>,
}

impl<'a> Lowerer<'a, '_> {
    /// The number of a closure of the function, which is made here.
    pub(super) fn number_of(&mut self, name: &str, syntax: &'a syn::ExprClosure, stmts: &mut Vec<Stmt>) -> usize {
        let (name, loc) = (name.to_owned(), self.loc(syntax));
        self.body.closures.push(Capturing { name, changes: Vec::new(), loc });
        let number = self.body.closures.len() - 1;
        stmts.push(Stmt::Made(number));
        number
    }

    /// What there is now.
    pub(super) fn before(&self) -> Before {
        let body = &self.body;
        Before {
            exprs: body.exprs.len(),
            locals: body.locals.len(),
            private: body.private.len(),
            free: self.free.clone(),
        }
    }

    /// Notes what a closure changes, and reports one that may not. `lent` is what its arguments refer to.
    pub(super) fn judge_changes(&mut self, closure: &Closure<'a>, before: &Before, lent: &[Place], loc: Loc) {
        let number = closure.named.as_ref().and_then(|named| named.number);
        let may = match (&closure.signature, &closure.named) {
            (Some(stated), _) => stated.calls != Calls::Shared,
            (None, Some(named)) => named.mutable,
            (None, None) => true,
        };
        if may && number.is_none() {
            return;
        }
        let changes = self.changes(before, lent);
        let Some((_, at)) = changes.first().cloned() else { return };
        if let Some(number) = number {
            self.body.closures[number].changes.extend(changes.into_iter().map(|(place, _)| place));
        }
        if may || closure.state.reported.replace(true) {
            return;
        }
        let diag = match &closure.named {
            Some(named) if closure.signature.is_none() => {
                let message = format!("cannot call `{}`: it changes what it captures, and is not `mut`", named.name);
                let diag = Diag::new(Code::V008, loc, message).label(at, "it changes this here");
                diag.help(format!("write `let mut {}`", named.name))
            }
            _ => {
                let message = "cannot assign to this place: it is captured by a closure that is passed as an `Fn`";
                Diag::new(Code::V008, at, message).help("take the closure as `mut f: impl FnMut(…)`")
            }
        };
        self.reporter.report(diag);
    }

    /// The places from before that are assigned to since then, and where.
    fn changes(&self, before: &Before, lent: &[Place]) -> Vec<(Place, Loc)> {
        let captured = |place: &Place| {
            let there = match place {
                Place::Local { local, .. } => local.index() < before.locals,
                Place::Memory { root: Root::Private(index), .. } => {
                    (*index as usize) < before.private && !before.free.contains(&(*index as usize))
                }
                Place::Memory { root: Root::Param(_), .. } => true,
                Place::Memory { .. } | Place::Ignored | Place::Error => false,
            };
            there && !lent.iter().any(|lent| overlap(place, lent))
        };
        let mut found = Vec::new();
        for id in self.body.exprs.ids().skip(before.exprs) {
            let expr = &self.body.exprs[id];
            let places: Vec<&Place> = match &expr.kind {
                ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => vec![place],
                ExprKind::AssignParts(places, _) => places.iter().map(|(place, _)| place).collect(),
                _ => continue,
            };
            found.extend(places.into_iter().filter(|place| captured(place)).map(|place| (place.clone(), expr.loc)));
        }
        found
    }

    /// Notes a call of a function that is not known yet, and reports one that may not be called so.
    pub(super) fn calls_unknown(&mut self, function: &Unknown, loc: Loc, stmts: &mut Vec<Stmt>) {
        let Unknown { name, calls, mutable, .. } = function;
        if *calls == Calls::Mutable && !mutable {
            let message = format!("cannot call `{name}`: it is an `FnMut`, and is not `mut`");
            let diag = Diag::new(Code::V008, loc, message).label(function.loc, format!("`{name}` is declared here"));
            self.reporter.report(diag.help(format!("write `mut {name}: impl FnMut(…)`")));
        }
        self.used_once(function, loc, stmts);
    }

    /// Notes a use of a function that can be used once.
    pub(super) fn used_once(&mut self, function: &Unknown, loc: Loc, stmts: &mut Vec<Stmt>) {
        if function.calls == Calls::Once {
            stmts.push(Stmt::Called(Called { function: function.number, name: function.name.clone(), loc }));
        }
    }

    /// The types of the values that a closure takes and of its result, which its first call decides.
    pub(super) fn types_of_calls(&mut self, closure: &Closure<'a>, passed: &[Passed<'a>]) -> Ty {
        let known = closure.state.types.borrow().clone();
        let values = passed.iter().map(|passed| match passed {
            Passed::Value(value) => Some(*value),
            _ => None,
        });
        match known {
            Some((types, result)) => {
                for (value, ty) in values.zip(&types) {
                    if let (Some(value), Some(ty)) = (value, ty) {
                        self.expect(value, ty);
                    }
                }
                result
            }
            None => {
                let types = values.map(|value| value.map(|value| self.ty(value))).collect();
                let result = self.infer.var(VarKind::General);
                *closure.state.types.borrow_mut() = Some((types, result.clone()));
                result
            }
        }
    }

    /// Lowers the closures that nothing calls where nothing reaches them.
    pub(super) fn never_called(&mut self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while let Some(closure) = self.closures.get(at).cloned() {
            at += 1;
            if !closure.state.called.get() {
                self.alone(&closure, stmts);
            }
        }
    }

    fn alone(&mut self, closure: &Closure<'a>, stmts: &mut Vec<Stmt>) {
        let closure = &closure.as_stated();
        let is_plain = |input: &syn::Pat| matches!(input, syn::Pat::Type(typed) if binding(&typed.pat).is_some());
        // An iterator takes more patterns apart than a call does.
        if closure.named.is_none() && closure.signature.is_none() && !closure.syntax.inputs.iter().all(is_plain) {
            return;
        }
        let loc = self.loc(closure.syntax);
        let ty = Ty::Unit;
        let id = self.body.loops.push(Loop { label: None, ty, broken: true, is_block: true, unroll: None });
        let leave = self.push(ExprKind::Break(id, None), Ty::Never, loc);
        let mut own = vec![Stmt::Expr(leave)];
        // Without a call nothing asks that it be `mut`.
        closure.state.reported.set(closure.state.reported.get() || closure.signature.is_none());
        let (mut passed, mut open) = (Vec::new(), Vec::new());
        for (i, input) in closure.syntax.inputs.iter().enumerate() {
            let at = self.loc(input);
            let taken = match (&closure.signature, input) {
                (Some(stated), _) => stated.takes.get(i).cloned(),
                (None, syn::Pat::Type(typed)) => self.in_closure(closure, |this| this.written_argument(&typed.ty)),
                (None, _) if closure.named.is_some() && !self.reporter.has_errors() => {
                    let ty = self.infer.var(VarKind::General);
                    open.push((ty.clone(), at));
                    Some(Taken { ty, reference: None })
                }
                (None, _) => None,
            };
            // What an iterator gives is not known without it.
            let Some(taken) = taken else { return };
            let Some(target) = self.argument(taken.ty, at, &mut own) else { return };
            passed.push(match taken.reference {
                Some(mutable) => Passed::Reference(Borrow { target, mutable, loc: at }),
                None => Passed::Value(self.load(target, at)),
            });
        }
        let call = self.inline_closure(closure, passed, Vec::new(), loc);
        for (ty, at) in open {
            if self.infer.kind(&ty) == Some(VarKind::General) {
                let message = "cannot infer the type of this parameter, because nothing calls the closure";
                self.reporter.report(Diag::new(Code::V202, at, message).help("write its type, as in `|x: u32|`"));
                self.infer.give_up(&ty);
            }
        }
        own.push(Stmt::Expr(call));
        let block = Block { stmts: own, tail: None };
        stmts.push(Stmt::Expr(self.push(ExprKind::Labelled(id, block), Ty::Unit, loc)));
    }

    /// What a parameter of a closure takes, as it is written; nothing that is refused.
    fn written_argument(&mut self, written: &'a syn::Type) -> Option<Taken> {
        let takes = generics::takes_reference(written).unwrap_or(Takes::Value(written));
        let reference = match takes {
            Takes::Reference(reference) => Some(reference.mutability.is_some()),
            _ => None,
        };
        match parameter_type(takes, self) {
            Ok(ty) => ty.map(|ty| Taken { ty, reference }),
            Err(refused) => {
                self.reporter.refuse(written, refused);
                None
            }
        }
    }

    /// A place that an argument would be or refer to.
    fn argument(&mut self, ty: Ty, loc: Loc, stmts: &mut Vec<Stmt>) -> Option<Target> {
        let ty = match ty {
            Ty::Slice(element) => Ty::Array(element, generics::CHECKED_LENGTH as u32),
            ty => ty,
        };
        match self.declare("argument", true, ty.clone(), loc) {
            Binding::Local(local) => {
                stmts.push(Stmt::Declare(self.body.deferred.len()));
                self.body.deferred.push(Deferred { local, root: None });
                Some(Target::local(local, ty, true))
            }
            Binding::Memory(memory) => Some(Target::of(&memory)),
            _ => None,
        }
    }
}
