//! Iterators that variables hold: `let it = x.iter().zip(y);`.
//!
//! As elsewhere, nothing of one exists at run time. What it counts is evaluated where the variable gets it. It borrows
//! what it goes over like a reference, until its last use, and whoever goes over it uses it up: both are rules of
//! [`loans`](super::super::loans).

use super::super::{Binding, Lowerer};
use super::Iter;
use crate::hir::{self, Borrowed, ExprId, LoanId, Place, Stmt};
use crate::syntax::{self, peel};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use std::rc::Rc;
use syn::ext::IdentExt;

/// An iterator of a variable.
pub(in crate::lower) struct Kept<'a> {
    iter: Iter<'a>,
    /// Its number in the body.
    number: usize,
    /// The places that it borrows, as references of variables do.
    borrows: Vec<(Place, LoanId)>,
    /// Whether one of them may be changed through it, so that there is but one of it.
    mutable: bool,
}

/// The methods that leave the items behind those that they look at for later.
const BY_REFERENCE: [&str; 6] = ["any", "all", "position", "find", "next", "nth"];

impl<'a> Lowerer<'a, '_> {
    /// `let name = …;` of an iterator.
    pub(in crate::lower) fn keep_iterator(
        &mut self,
        name: &syn::Ident,
        init: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        // Whatever may change an array that it copies comes later.
        let Some(mut iter) = self.iterator(init, &|_| true, stmts) else { return Binding::Refused };
        iter.count.start = self.fixed(iter.count.start, stmts);
        iter.count.end = iter.count.end.map(|end| self.fixed(end, stmts));
        iter.count.step = iter.count.step.map(|step| self.fixed(step, stmts));
        let name = name.unraw().to_string();
        let mut borrows = Vec::new();
        for loan in iter.loans.clone() {
            let from = iter.item.array_of(loan.id).and_then(|array| array.loan);
            let (place, mutable) = (loan.place, loan.mutable);
            let made = self.body.loans.push(hir::Loan {
                name: name.clone(),
                place: place.clone(),
                mutable,
                from,
                by: hir::Borrower::Variable,
                loc: loan.loc,
            });
            let borrowed = Borrowed { place: place.clone(), mutable, through: from, made: Some(made), loc: loan.loc };
            stmts.push(Stmt::Borrow(borrowed));
            if let Some(array) = iter.item.array_of(loan.id) {
                array.loan = Some(made);
                array.memory = array.memory.take().map(|memory| super::super::Memory { loan: Some(made), ..memory });
            }
            borrows.push((place, made));
        }
        let number = self.body.iterators.len();
        self.body.iterators.push(name);
        stmts.push(Stmt::Kept(number));
        let mutable = iter.loans.iter().any(|loan| loan.mutable);
        Binding::Iterator(Rc::new(Kept { iter, number, borrows, mutable }))
    }

    /// The iterator of the variable that an expression names.
    pub(super) fn iterator_of(&self, expr: &syn::Expr) -> Option<Rc<Kept<'a>>> {
        let syn::Expr::Path(path) = peel(expr) else { return None };
        match self.find(&syntax::name(&path.path)?)? {
            Binding::Iterator(kept) => Some(Rc::clone(kept)),
            _ => None,
        }
    }

    /// Whether this is `it.clone()` of such a variable.
    pub(super) fn is_clone_of_kept(&self, call: &syn::ExprMethodCall) -> bool {
        call.method == "clone" && call.args.is_empty() && self.iterator_of(&call.receiver).is_some()
    }

    /// Goes over the iterator of a variable, which is then used up.
    pub(super) fn used_up(&mut self, kept: &Kept<'a>, loc: Loc, stmts: &mut Vec<Stmt>) -> Iter<'a> {
        stmts.push(Stmt::UsedUp(kept.number, loc));
        self.seen(kept, loc, stmts)
    }

    /// `it.clone()`
    pub(super) fn cloned(&mut self, kept: &Kept<'a>, loc: Loc, stmts: &mut Vec<Stmt>) -> Option<Iter<'a>> {
        if kept.mutable {
            let diag = Diag::new(Code::V203, loc, "an iterator over `&mut` references has no `clone`");
            self.reporter.report(diag.help("make another one where it is used"));
            return None;
        }
        Some(self.seen(kept, loc, stmts))
    }

    fn seen(&mut self, kept: &Kept<'a>, loc: Loc, stmts: &mut Vec<Stmt>) -> Iter<'a> {
        let used = kept.borrows.iter().map(|(place, made)| {
            let (place, through) = (place.clone(), Some(*made));
            Stmt::Borrow(Borrowed { place, mutable: kept.mutable, through, made: None, loc })
        });
        stmts.extend(used);
        kept.iter.clone()
    }

    /// The report of a method that would leave a part of the iterator of a variable for later; `None` for another call.
    pub(super) fn leaves_a_rest(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> Option<ExprId> {
        let method = call.method.to_string();
        let kept = self.iterator_of(&call.receiver).filter(|_| BY_REFERENCE.contains(&method.as_str()))?;
        self.args_of_refused(&call.args);
        let name = &self.body.iterators[kept.number];
        let message = format!("`{method}` would leave the rest of the iterator `{name}` for later");
        let help = match kept.mutable {
            true => format!("write `.{method}(…)` where the iterator is made, or a `for` with a `break`"),
            false => {
                let args = if call.args.is_empty() { "" } else { "…" };
                format!("write `{name}.clone().{method}({args})`, which begins at its first item")
            }
        };
        Some(self.refuse(Diag::new(Code::V100, loc, message).help(help)))
    }

    /// The report of the iterator of a variable that is used as a value.
    pub(in crate::lower) fn kept_as_value(&mut self, loc: Loc) -> ExprId {
        let diag = Diag::new(Code::V100, loc, "an iterator cannot be a value in a kernel");
        self.refuse(diag.help("go over it: write it in a `for`, or before what consumes it"))
    }
}
