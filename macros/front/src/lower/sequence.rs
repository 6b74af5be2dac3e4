//! Whether it shows which of two expressions is evaluated first.
//!
//! It does not if what one changes is nothing that the other one reads. All expressions of each are known by then.
//!
//! Of `a += b`, where a type's own operator assigns, `a` is borrowed before `b` is evaluated. As in Rust `b` may read
//! it, and may not change it.

use super::borrow::{Borrow, Passed, identifiers, overlap};
use super::place::Target;
use super::{Binding, Lowerer, Memory};
use crate::hir::{Body, Borrowed, Borrower, ExprId, ExprKind, Loan, LoanId, Place, Stmt};
use crate::infer::Ty;
use crate::spell;
use crate::syntax;
use quote::ToTokens;
use samebits_ir::loc::Loc;
use std::collections::BTreeSet;
use std::ops::Range;
use syn::visit::{self, Visit};

/// What some expressions do to places.
#[derive(Default)]
struct Effects {
    reads: Vec<Place>,
    writes: Vec<Place>,
    /// Whether they do more than that: leave, wait, or use atomics.
    other: bool,
}

impl Lowerer<'_, '_> {
    /// Whether the order of two ranges of expressions shows: the value on the right, and the place on the left.
    pub(super) fn order_shows(&self, (right, left): (Range<usize>, Range<usize>)) -> bool {
        let (right, left) = (effects(&self.body, right), effects(&self.body, left));
        let meet = |a: &[Place], b: &[Place]| a.iter().any(|a| b.iter().any(|b| overlap(a, b)));
        meet(&right.writes, &left.reads)
            || meet(&left.writes, &right.reads)
            || meet(&left.writes, &right.writes)
            || right.other && (left.other || !left.writes.is_empty())
            || left.other && !right.writes.is_empty()
    }
}

impl<'a> Lowerer<'a, '_> {
    /// The borrow of what stands on the left of `a op= b`, if evaluating `b` may change anything. The place is not known
    /// yet, nor whether the operator is one that borrows it.
    pub(super) fn borrow_of_operator(
        &mut self,
        binary: &'a syn::ExprBinary,
        operator: &str,
        loc: Loc,
    ) -> Option<LoanId> {
        let mut changes = MayChange { lowerer: self, found: false };
        changes.visit_expr(&binary.right);
        if !changes.found {
            return None;
        }
        let name = format!("{} {operator}= …", spell::expression(&binary.left));
        let loan = Loan { name, place: Place::Ignored, mutable: false, from: None, by: Borrower::Operator, loc };
        Some(self.body.loans.push(loan))
    }

    /// A place with fixed indices, which an operator borrows from here on.
    pub(super) fn borrowed_by_operator(
        &mut self,
        loan: Option<LoanId>,
        target: Target,
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> Target {
        let target = self.frozen(target, stmts);
        let Some(loan) = loan else { return target };
        let place = target.place.clone();
        self.body.loans[loan].place = place.clone();
        self.body.loans[loan].from = target.loan;
        stmts.push(Stmt::Borrow(Borrowed { place, mutable: false, through: target.loan, made: Some(loan), loc }));
        let memory = target.memory.map(|memory| Memory { loan: Some(loan), ..memory });
        Target { loan: Some(loan), memory, ..target }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// A reference as an argument, borrowed while the arguments behind it are evaluated, if these may use the place.
    /// Until the call, a receiver and what a reference by name refers to are borrowed as if for reading, as in Rust.
    pub(super) fn borrowed_by_call(
        &mut self,
        passed: Passed<'a>,
        (name, is_receiver): (&'a syn::Expr, bool),
        behind: &[&'a syn::Expr],
        stmts: &mut Vec<Stmt>,
    ) -> Passed<'a> {
        let Passed::Reference(Borrow { target, mutable, loc }) = passed else { return passed };
        let unchanged = Passed::Reference(Borrow { target: target.clone(), mutable, loc });
        if matches!(target.ty.innermost(), Ty::Atomic(_)) || target.ty.has_atomics() {
            return unchanged;
        }
        let Some(root) = syntax::root(name) else { return unchanged };
        let is_reserved = is_receiver || !matches!(syntax::peel(name), syn::Expr::Reference(_));
        let lent = mutable && !is_reserved;
        let disturbs = behind.iter().any(|arg| {
            let mut changes = MayChange { lowerer: self, found: false };
            changes.visit_expr(arg);
            let mut names = BTreeSet::new();
            identifiers(arg.to_token_stream(), &mut names);
            changes.found || lent && names.contains(&root)
        });
        if !disturbs {
            return unchanged;
        }
        let (place, from) = (target.place.clone(), target.loan);
        let name = spell::expression(name);
        let loan = Loan { name, place: place.clone(), mutable: lent, from, by: Borrower::Call, loc };
        let made = Some(self.body.loans.push(loan));
        stmts.push(Stmt::Borrow(Borrowed { place, mutable: lent, through: from, made, loc }));
        let memory = target.memory.map(|memory| Memory { loan: made, ..memory });
        Passed::Reference(Borrow { target: Target { loan: made, memory, ..target }, mutable, loc })
    }

    /// That a call begins to use what its arguments refer to.
    pub(super) fn begins(&mut self, passed: &[(Target, bool, Loc)], stmts: &mut Vec<Stmt>) {
        for (target, mutable, loc) in passed {
            let through = target.loan.filter(|&loan| self.body.loans[loan].by == Borrower::Call);
            if through.is_some() {
                let (place, mutable, loc) = (target.place.clone(), *mutable, *loc);
                stmts.push(Stmt::Borrow(Borrowed { place, mutable, through, made: None, loc }));
            }
        }
    }
}

/// A search for what may change a place.
struct MayChange<'l, 'a, 'r> {
    lowerer: &'l Lowerer<'a, 'r>,
    found: bool,
}

impl<'s> Visit<'s> for MayChange<'_, '_, '_> {
    fn visit_expr(&mut self, expr: &'s syn::Expr) {
        self.found |= match expr {
            syn::Expr::Assign(_) | syn::Expr::MethodCall(_) | syn::Expr::Macro(_) | syn::Expr::Closure(_) => true,
            syn::Expr::Binary(binary) => {
                let sign = binary.op.to_token_stream().to_string();
                sign.ends_with('=') && !["==", "!=", "<=", ">="].contains(&&*sign)
            }
            syn::Expr::Reference(reference) => reference.mutability.is_some(),
            syn::Expr::Call(call) => match syntax::peel(&call.func) {
                syn::Expr::Path(path) => syntax::name(&path.path).is_some_and(|name| {
                    matches!(self.lowerer.find(&name), Some(Binding::Closure(_) | Binding::Unknown(_)))
                }),
                _ => true,
            },
            _ => false,
        };
        if !self.found {
            visit::visit_expr(self, expr);
        }
    }
}

fn effects(body: &Body, range: Range<usize>) -> Effects {
    let mut effects = Effects::default();
    for id in body.exprs.ids().skip(range.start).take(range.len()) {
        of(body, id, &mut effects);
    }
    effects
}

fn of(body: &Body, id: ExprId, effects: &mut Effects) {
    match &body.exprs[id].kind {
        ExprKind::Local(local) if body.locals[*local].mutable => {
            effects.reads.push(Place::Local { local: *local, path: Vec::new(), lane: None });
        }
        ExprKind::Load(place) => effects.reads.push(place.clone()),
        ExprKind::Assign(place, _) => effects.writes.push(place.clone()),
        ExprKind::AssignOp(_, place, _) => {
            effects.reads.push(place.clone());
            effects.writes.push(place.clone());
        }
        ExprKind::AssignParts(places, _) => effects.writes.extend(places.iter().map(|(place, _)| place.clone())),
        ExprKind::Atomic(..) | ExprKind::Barrier | ExprKind::Broadcast(_) | ExprKind::Fence(..) => effects.other = true,
        ExprKind::Break(..) | ExprKind::Continue(_) | ExprKind::Return(_) => effects.other = true,
        _ => {}
    }
}
