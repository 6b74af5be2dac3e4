//! Variables that are references: `let part = &mut x[a..b];`.
//!
//! A reference is no value: its name stands for the place that is borrowed, whose indices are evaluated once, where
//! the reference is made. Whether the place is left alone meanwhile is found out when all uses are known
//! ([`loans`](super::loans)).

use super::borrow::{Borrow, Passed};
use super::inline::parameter_type;
use super::place::{BORROW, Places, Target};
use super::{Binding, Lowerer};
use crate::generics;
use crate::hir::{Borrowed, Borrower, ExprId, Loan, LoanId, Place, Stmt};
use crate::infer::Ty;
use crate::report::Refused;
use crate::syntax::{self, binding, peel};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    /// `let name = &place;`, or the copy of a reference; whether the value is a reference.
    pub(super) fn let_reference(
        &mut self,
        pat: &'a syn::Pat,
        annotation: Option<&'a syn::Type>,
        init: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        if binding(pat).is_none() && !matches!(pat, syn::Pat::Wild(_)) {
            return false;
        }
        let mutable = match peel(init) {
            syn::Expr::Reference(reference) => reference.mutability.is_some(),
            syn::Expr::Path(path) => match self.named_reference(&path.path) {
                Some(false) => false,
                // A `_` moves nothing.
                Some(true) if matches!(pat, syn::Pat::Wild(_)) => return true,
                Some(true) => {
                    let message = "a `&mut` reference cannot be moved to another variable";
                    let help = format!("borrow what it refers to: `&mut *{}`", syntax::spelled_path(&path.path));
                    self.reporter.refuse(init, Refused::new(Code::V100, message).help(help));
                    self.poison(pat);
                    return true;
                }
                None => return false,
            },
            _ => return false,
        };
        let expected = match annotation.map(|ty| (ty, generics::takes_reference(ty))) {
            None => None,
            Some((ty, Some(takes))) => match parameter_type(takes, self) {
                Ok(read) => read,
                Err(refused) => {
                    self.reporter.refuse(ty, refused);
                    self.poison(pat);
                    return true;
                }
            },
            Some((ty, None)) => {
                let refused = Refused::new(Code::V200, "mismatched types: the value is a reference");
                self.reporter.refuse(ty, refused.help("write `&` before the type, or remove it"));
                self.poison(pat);
                return true;
            }
        };
        let passed = self.passed_reference(init, mutable, stmts);
        let (Passed::Reference(borrow), Some((name, _))) = (passed, binding(pat)) else {
            self.poison(pat);
            return true;
        };
        let name = name.unraw().to_string();
        let bound = self.borrowed_as(&name, borrow, expected, stmts);
        self.context.names.push((name, bound));
        true
    }

    /// `let (a, b) = x.split_at(n);`: two references, which are known to be apart. Whether the value is such a call.
    pub(super) fn let_halves(
        &mut self,
        pat: &'a syn::Pat,
        annotation: Option<&'a syn::Type>,
        init: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let (syn::Pat::Tuple(tuple), syn::Expr::MethodCall(call)) = (pat, peel(init)) else { return false };
        let mutable = call.method == "split_at_mut";
        if !mutable && call.method != "split_at" {
            return false;
        }
        // What is no slice is refused as any call is.
        let Some(target) = self.place(&call.receiver, Places::All) else { return false };
        let ty = self.infer.resolve(&target.ty);
        if !matches!((&target.place, &ty), (Place::Memory { .. }, Ty::Slice(_) | Ty::Array(..))) {
            return false;
        }
        let loc = self.loc(init);
        let names = |pat: &syn::Pat| binding(pat).is_some() || matches!(pat, syn::Pat::Wild(_));
        if let Some(annotation) = annotation {
            self.unsupported(annotation, "a type here", Some("remove it: the parts have the type of the whole"));
        } else if tuple.elems.len() != 2 || !tuple.elems.iter().all(names) {
            self.unsupported(pat, "this pattern for two parts", Some("write `let (a, b) = …`"));
        } else if self.arity(&call.args, 1, &call.method.to_string(), loc) {
            let target = Target { ty, reference: false, more: 0, ..target };
            let target = if mutable { self.storable(target, BORROW, loc) } else { target };
            if let Passed::Reference(Borrow { target, .. }) = self.lend(Some(target), mutable, loc, stmts)
                && let Some(halves) = self.halves(target, &call.args[0], stmts)
            {
                for (pat, half) in tuple.elems.iter().zip(halves) {
                    let target = self.frozen(half, stmts);
                    let Some((name, _)) = binding(pat) else { continue };
                    let name = name.unraw().to_string();
                    let bound = self.borrowed_as(&name, Borrow { target, mutable, loc }, None, stmts);
                    self.context.names.push((name, bound));
                }
                return true;
            }
        }
        self.poison(pat);
        true
    }

    /// Whether a path names a reference, and whether that is a `&mut`.
    pub(super) fn named_reference(&self, path: &syn::Path) -> Option<bool> {
        match self.find(&syntax::name(path)?)? {
            Binding::Memory(memory) => match memory.hold {
                super::Hold::Lent { mutable } => Some(mutable && memory.access == Access::ReadWrite),
                super::Hold::Own { .. } => None,
            },
            Binding::Alias(target) => target.reference.then_some(target.mutable),
            _ => None,
        }
    }

    /// A new reference of this name, whose type is perhaps written.
    pub(super) fn borrowed_as(
        &mut self,
        name: &str,
        borrow: Borrow,
        expected: Option<Ty>,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        let Borrow { target, mutable, loc } = borrow;
        let found = target.seen(self.infer.resolve(&target.ty));
        let slice = matches!(expected.as_ref().unwrap_or(&found), Ty::Slice(_));
        if let Some(expected) = expected
            && !self.refers_to(&found, &expected)
        {
            let reference = if mutable { "&mut " } else { "&" };
            let (e, f) = (self.infer.show(&expected), self.infer.show(&found));
            let message = format!("mismatched types: expected `{reference}{e}`, found `{reference}{f}`");
            self.reporter.report(Diag::new(Code::V200, loc, message).help("change the type or the value"));
            return Binding::Refused;
        }
        let place = target.place.clone();
        let made = Some(self.body.loans.push(Loan {
            name: name.to_owned(),
            place: place.clone(),
            mutable,
            from: target.loan,
            by: Borrower::Variable,
            loc,
        }));
        stmts.push(Stmt::Borrow(Borrowed { place, mutable, through: target.loan, made, loc }));
        let memory = target.memory.map(|memory| super::Memory { loan: made, ..memory });
        let ty = self.infer.resolve(&target.ty);
        self.reference_to(Borrow { target: Target { loan: made, memory, ..target }, mutable, loc }, ty, slice)
    }

    /// Notes through which reference an expression accesses a place of its own, of which it may have several.
    pub(super) fn through(&mut self, id: ExprId, number: usize, loan: Option<LoanId>) {
        if let Some(loan) = loan {
            self.body.through.insert((id, number), loan);
        }
    }

    /// That a place is looked at through a reference, though nothing of it is read.
    pub(super) fn looked_at(&mut self, target: &Target, loc: Loc) -> Option<Stmt> {
        let through = Some(target.loan?);
        Some(Stmt::Borrow(Borrowed { place: target.place.clone(), mutable: false, through, made: None, loc }))
    }
}
