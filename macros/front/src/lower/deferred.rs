//! Variables that are declared without a value: `let x;`.
//!
//! Whether one is memory depends on its type. A type that is not written follows from the first
//! assignment, which stands before every use. [`definite`](super::definite) judges whether there
//! is a value wherever it is used.

use super::{Binding, Lowerer};
use crate::hir::{Deferred, ExprId, Place, Stmt};
use crate::infer::{Ty, VarKind};
use crate::syntax::{self, binding, peel};
use samebits_ir::ir::Access;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};

impl<'a> Lowerer<'a, '_> {
    /// `let name;` and `let name: T;`, also several names in a tuple.
    pub(super) fn declare_later(&mut self, pat: &'a syn::Pat, ty: Option<Ty>, stmts: &mut Vec<Stmt>) {
        let Some((name, mutable)) = binding(pat) else {
            match pat {
                syn::Pat::Wild(_) => {}
                syn::Pat::Tuple(tuple) => {
                    let parts = match ty {
                        Some(Ty::Tuple(parts)) if parts.len() == tuple.elems.len() => {
                            parts.into_iter().map(Some).collect()
                        }
                        _ => vec![None; tuple.elems.len()],
                    };
                    tuple.elems.iter().zip(parts).for_each(|(pat, ty)| self.declare_later(pat, ty, stmts));
                }
                other => {
                    self.unsupported(other, "this pattern without a value", Some("write a `let` for each name"));
                    self.poison(other);
                }
            }
            return;
        };
        let loc = self.loc(name);
        let name = name.unraw().to_string();
        let ty = ty.unwrap_or_else(|| self.infer.var(VarKind::General));
        let binding = self.declare(&name, mutable, ty.clone(), loc);
        let (local, root) = match &binding {
            Binding::Local(local) => (*local, None),
            Binding::Memory(memory) => (self.variable(&name, ty, mutable, loc), Some(memory.root)),
            _ => return self.context.names.push((name, binding)),
        };
        stmts.push(Stmt::Declare(self.body.deferred.len()));
        self.body.deferred.push(Deferred { local, root });
        self.context.names.push((name, binding));
    }

    /// The deferred variable that a place is a part of.
    pub(super) fn deferred_at(&self, place: &Place) -> Option<usize> {
        let is = |deferred: &Deferred| match place {
            Place::Local { local, .. } => deferred.local == *local,
            Place::Memory { root, .. } => deferred.root == Some(*root),
            Place::Ignored | Place::Error => false,
        };
        self.body.deferred.iter().position(is)
    }

    /// The deferred variable that an expression names.
    pub(super) fn deferred_named(&self, expr: &syn::Expr) -> Option<usize> {
        let syn::Expr::Path(path) = peel(expr) else { return None };
        match self.find(&syntax::name(&path.path)?)? {
            Binding::Local(local) => self.body.deferred.iter().position(|deferred| deferred.local == *local),
            Binding::Memory(memory) => {
                self.body.deferred.iter().position(|deferred| deferred.root == Some(memory.root))
            }
            _ => None,
        }
    }

    /// Makes a deferred variable memory, if what is assigned to it first holds an array.
    pub(super) fn settle(&mut self, left: &'a syn::Expr, value: ExprId) {
        let ty = self.ty(value);
        let Some(variable) = self.deferred_named(left).filter(|_| ty.has_array()) else { return };
        let Deferred { local, root: None } = self.body.deferred[variable] else { return };
        let def = &self.body.locals[local];
        if self.infer.kind(&def.ty) != Some(VarKind::General) {
            return;
        }
        let (name, mutable, loc, own) = (def.name.clone(), def.mutable, def.loc, def.ty.clone());
        self.infer.unify(&own, &ty);
        let root = self.private(&name, &ty, loc);
        self.body.deferred[variable].root = Some(root);
        let memory = super::Memory::declared(root, ty, Access::ReadWrite, mutable, loc);
        let known = self.context.names.iter_mut().rev().find(|(known, _)| *known == name);
        if let Some((_, binding)) = known {
            *binding = Binding::Memory(memory);
        }
    }

    /// Notes that a closure captures variables, which need their values by then.
    pub(super) fn captures(&mut self, closure: &'a syn::ExprClosure, stmts: &mut Vec<Stmt>) {
        if self.body.deferred.is_empty() {
            return;
        }
        let mut named = Named::default();
        named.visit_expr_closure(closure);
        let Named { uses, own } = named;
        for (_, expr) in uses.into_iter().filter(|(name, _)| !own.contains(name)) {
            if let Some(variable) = self.deferred_named(expr) {
                let loc = self.loc(expr);
                stmts.push(Stmt::Used(variable, loc));
            }
        }
    }
}

/// The names that a closure uses, and those that it declares itself, which may hide others.
#[derive(Default)]
struct Named<'a> {
    uses: Vec<(String, &'a syn::Expr)>,
    own: BTreeSet<String>,
}

impl<'a> Visit<'a> for Named<'a> {
    fn visit_expr(&mut self, expr: &'a syn::Expr) {
        if let syn::Expr::Path(path) = expr {
            self.uses.extend(syntax::name(&path.path).map(|name| (name, expr)));
        }
        visit::visit_expr(self, expr);
    }

    fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
        self.own.insert(syntax::plain(&pat.ident));
        visit::visit_pat_ident(self, pat);
    }
}
