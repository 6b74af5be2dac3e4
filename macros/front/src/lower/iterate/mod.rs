//! Iterators: what a `for` goes over, and what methods such as `sum` consume.
//!
//! An iterator is a value of the front end alone, and never exists at run time. It is a count of
//! numbers, and what each of them gives: an element, a number, or what closures make of these. `rev`,
//! `skip`, `take`, `step_by`, `zip` and `enumerate` change the count. Only behind a `filter`, which
//! leaves out what nobody can count, they are [`Stage`]s of each round. Who consumes an iterator makes
//! a loop of it.
//!
//! While a loop goes over references to elements, what they belong to is on loan.

mod adapt;
mod chunks;
mod consume;
mod count;
mod elements;
mod found;
mod item;
mod kept;
mod round;

pub(super) use adapt::is_pure;
pub(super) use item::Given;
pub(super) use kept::Kept;

use super::place::{Places, Target};
use super::{Binding, Hold, Lowerer};
use crate::hir::{ExprId, LocalId, Place, Stmt};
use crate::infer::Ty;
use crate::syntax::{self, peel};
use count::Count;
use item::{Item, Position};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// An iterator.
#[derive(Clone)]
pub(super) struct Iter<'a> {
    count: Count,
    item: Item<'a>,
    /// What each round does before the item is there.
    stages: Vec<Stage<'a>>,
    /// What is borrowed while the iterator is consumed.
    loans: Vec<Loan>,
    loc: Loc,
}

/// A part of a round behind a `filter`.
#[derive(Clone)]
enum Stage<'a> {
    /// Makes something else of the item.
    Map(Binding<'a>),
    /// Goes on with the next round if the function does not hold.
    Filter(Binding<'a>),
    /// Reads what the item refers to.
    Copied,
    /// Pairs the item with the value of a counter, and counts.
    Enumerate(LocalId),
    /// Goes on with the next round while the counter is below the number.
    Skip(LocalId, ExprId),
    /// Ends the loop when the counter has reached the number, which is looked at before anything.
    Take(LocalId, ExprId),
    /// Gives an item when the counter is zero, and begins again with the number less one.
    StepBy(LocalId, ExprId),
}

/// A place that an iterator has borrowed.
#[derive(Clone)]
pub(super) struct Loan {
    pub id: u32,
    pub place: Place,
    pub mutable: bool,
    pub loc: Loc,
}

/// The methods that make an iterator of what has elements.
const SOURCES: [&str; 3] = ["iter", "iter_mut", "into_iter"];

/// The methods that make an iterator of another.
const ADAPTERS: [&str; 10] =
    ["map", "filter", "enumerate", "zip", "rev", "step_by", "take", "skip", "copied", "cloned"];

/// Methods of iterators that kernels do not have.
const LACKING: [&str; 13] = [
    "chain",
    "flat_map",
    "filter_map",
    "take_while",
    "skip_while",
    "map_while",
    "inspect",
    "scan",
    "peekable",
    "cycle",
    "fuse",
    "flatten",
    "by_ref",
];

impl<'a> Lowerer<'a, '_> {
    /// Whether an expression is an iterator, as its syntax shows.
    pub(super) fn is_iterator(&self, expr: &syn::Expr) -> bool {
        match peel(expr) {
            syn::Expr::Range(_) => true,
            syn::Expr::MethodCall(call) => self.makes_iterator(call),
            other => self.iterator_of(other).is_some(),
        }
    }

    /// Whether a method call is one.
    pub(super) fn makes_iterator(&self, call: &syn::ExprMethodCall) -> bool {
        let name = call.method.to_string();
        let of = |names: &[&str]| names.contains(&name.as_str());
        if of(&SOURCES) {
            return call.args.is_empty() && (self.is_iterator(&call.receiver) || !self.has_methods(&call.receiver));
        }
        if chunks::parts(&name).is_some() {
            return !self.is_iterator(&call.receiver) && !self.has_methods(&call.receiver);
        }
        (of(&ADAPTERS) || of(&LACKING)) && self.is_iterator(&call.receiver) || self.is_clone_of_kept(call)
    }

    /// Whether a name stands for a struct, whose methods may be called like those of iterators.
    fn has_methods(&self, expr: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = peel(expr) else { return false };
        let ty = match syntax::name(&path.path).and_then(|name| self.find(&name)) {
            Some(Binding::Local(local)) => &self.body.locals[*local].ty,
            Some(Binding::Memory(memory)) => &memory.ty,
            Some(Binding::Alias(target)) => &target.ty,
            Some(Binding::Refused) => return true,
            _ => return false,
        };
        matches!(self.infer.resolve(ty), Ty::Struct(_) | Ty::Error)
    }

    /// The iterator that an expression is, for a `for` or a consumer; `None` if it was refused. What is
    /// evaluated once, before the first round, is added to the statements. `body` may change arrays
    /// that are copied for this reason.
    pub(super) fn iterator(
        &mut self,
        expr: &'a syn::Expr,
        body: &dyn Fn(&str) -> bool,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Iter<'a>> {
        self.nested(expr, |this| this.iterator_inner(expr, body, stmts)).flatten()
    }

    fn iterator_inner(
        &mut self,
        expr: &'a syn::Expr,
        body: &dyn Fn(&str) -> bool,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Iter<'a>> {
        let loc = self.loc(expr);
        match peel(expr) {
            syn::Expr::Range(range) => self.range(range, loc),
            syn::Expr::MethodCall(call) if self.is_iterator(expr) => {
                let name = call.method.to_string();
                if let Some(kept) = self.iterator_of(&call.receiver).filter(|_| self.is_clone_of_kept(call)) {
                    return self.cloned(&kept, loc, stmts);
                }
                if let Some(parts) = chunks::parts(&name) {
                    return self.parts_of(call, parts, body, stmts, loc);
                }
                if !SOURCES.contains(&name.as_str()) {
                    let iter = self.iterator(&call.receiver, body, stmts)?;
                    return self.adapted(iter, call, body, stmts);
                }
                if self.is_iterator(&call.receiver) {
                    if name != "into_iter" {
                        self.unsupported(&call.method, "this method of an iterator", Some("remove it"));
                        return None;
                    }
                    return self.iterator(&call.receiver, body, stmts);
                }
                match &*name {
                    "iter" => self.elements_of(&call.receiver, Some(false), body, stmts, loc),
                    "iter_mut" => self.elements_of(&call.receiver, Some(true), body, stmts, loc),
                    _ => self.elements_of(&call.receiver, None, body, stmts, loc),
                }
            }
            syn::Expr::Path(_) if self.is_iterator(expr) => {
                let kept = self.iterator_of(expr)?;
                Some(self.used_up(&kept, loc, stmts))
            }
            syn::Expr::Reference(reference) => {
                self.elements_of(&reference.expr, Some(reference.mutability.is_some()), body, stmts, loc)
            }
            other => self.elements_of(other, None, body, stmts, loc),
        }
    }

    /// The elements of something: references to them if they are borrowed, which may be mutable, or
    /// else what Rust takes: the values of an array, and references from a reference.
    fn elements_of(
        &mut self,
        expr: &'a syn::Expr,
        borrowed: Option<bool>,
        body: &dyn Fn(&str) -> bool,
        stmts: &mut Vec<Stmt>,
        loc: Loc,
    ) -> Option<Iter<'a>> {
        let at = self.loc(expr);
        let target = match self.place(expr, Places::All) {
            // An array that was never memory.
            Some(target) if matches!((&target.place, &target.ty), (Place::Local { .. }, Ty::Array(..))) => {
                let value = self.load(Target { reference: false, ..target }, at);
                self.temporary(value, stmts)?
            }
            Some(target) => target,
            None if self.undeclared(expr).is_some() => return None,
            None => {
                let value = self.expr(expr);
                let ty = self.ty(value);
                if ty == Ty::Error {
                    return None;
                }
                if !matches!(ty, Ty::Array(..)) {
                    return self.not_iterated(expr, &ty, at);
                }
                // Nobody else sees the array, so that its elements are as good as values.
                let shown = self.shown(at);
                match self.table(&shown, &ty, value, at) {
                    Some(memory) => Target::of(&memory),
                    None => self.temporary(value, stmts)?,
                }
            }
        };
        let ty = self.infer.resolve(&target.ty);
        let element = match &ty {
            Ty::Error => return None,
            Ty::Slice(element) | Ty::Array(element, _) => (**element).clone(),
            other => return self.not_iterated(expr, other, at),
        };
        let lent = target.memory.as_ref().map(|memory| memory.hold);
        let by_reference = match (borrowed, target.reference, lent) {
            (Some(mutable), ..) => Some(mutable),
            (None, true, Some(Hold::Lent { mutable })) => Some(mutable),
            (None, true, _) => Some(false),
            (None, false, _) if matches!(ty, Ty::Slice(_)) || target.slice || target.is_part() => {
                let shown = self.infer.show(&target.seen(ty));
                let diag =
                    Diag::new(Code::V200, at, format!("`{shown}` is not an iterator, since its size is not known"));
                self.reporter.report(diag.help("write `&` before it, or `.iter()` behind it"));
                return None;
            }
            (None, false, _) => None,
        };
        let target = Target { ty, more: 0, ..target };
        if by_reference.is_none() && element.has_atomics() {
            let diag = Diag::new(Code::V025, at, "atomics cannot be copied");
            self.reporter.report(diag.help("iterate over references: write `.iter()` behind it"));
            return None;
        }
        let Some(mutable) = by_reference else {
            let mut target = self.frozen(target, stmts);
            if self.may_change(expr, &target, body) {
                // The loop goes over what the array was before.
                let value = self.load(Target { reference: false, ..target }, at);
                target = self.temporary(value, stmts)?;
            }
            if self.loaned(&target, false, at) {
                return None;
            }
            return Some(self.counted_elements(target, element, (None, Vec::new()), (at, loc)));
        };
        self.lent_elements(target, mutable, (at, loc), stmts)
    }

    /// References to the elements of a place that has some, which is on loan meanwhile.
    pub(super) fn lent_elements(
        &mut self,
        target: Target,
        mutable: bool,
        (at, loc): (Loc, Loc),
        stmts: &mut Vec<Stmt>,
    ) -> Option<Iter<'a>> {
        let target = if mutable { self.storable(target, super::place::BORROW, at) } else { target };
        let (Ty::Slice(element) | Ty::Array(element, _)) = self.infer.resolve(&target.ty) else { return None };
        let mut target = self.frozen(target, stmts);
        if !mutable && self.loaned(&target, false, at) {
            return None;
        }
        let id = self.loans_made;
        self.loans_made += 1;
        let loan = Loan { id, place: target.place.clone(), mutable, loc };
        if let Some(memory) = &mut target.memory {
            memory.leases.push(id);
            memory.hold = Hold::Lent { mutable: mutable && memory.access != Access::Read };
        }
        Some(self.counted_elements(target, *element, (Some(mutable), vec![loan]), (at, loc)))
    }

    /// The elements of a place that does not change.
    fn counted_elements(
        &mut self,
        target: Target,
        element: Ty,
        (by_reference, loans): (Option<bool>, Vec<Loan>),
        (at, loc): (Loc, Loc),
    ) -> Iter<'a> {
        let end = self.len_of(&target, at);
        let count = self.count_to(end, at);
        let target = Target { reference: false, slice: false, ..target };
        let item = Item::Element { array: Box::new(target), element, at: Position::At, by_reference };
        Iter { count, item, stages: Vec::new(), loans, loc }
    }

    /// Whether an array of the invocation's own may change while a loop goes over its values.
    fn may_change(&self, expr: &syn::Expr, target: &Target, body: &dyn Fn(&str) -> bool) -> bool {
        let Some(memory) = &target.memory else { return false };
        let constant = matches!(memory.root, Root::Table(_)) || memory.access == Access::Read;
        let mutable = matches!(memory.hold, Hold::Own { mutable: true } | Hold::Lent { mutable: true });
        match root(expr) {
            Some(name) => !constant && mutable && body(&name),
            None => false,
        }
    }

    fn not_iterated(&mut self, expr: &'a syn::Expr, ty: &Ty, loc: Loc) -> Option<Iter<'a>> {
        let shown = self.infer.show(ty);
        let diag = Diag::new(Code::V200, loc, format!("`{shown}` is not an iterator"));
        let help = match ty {
            Ty::Scalar(scalar) if scalar.is_int() => format!("write a range: `0..{}`", crate::spell::expression(expr)),
            Ty::Usize | Ty::Var(_) => format!("write a range: `0..{}`", crate::spell::expression(expr)),
            Ty::Scalar(Scalar::Bool) => "use `while` or `if`".to_owned(),
            _ => "buffers, arrays and ranges can be iterated over".to_owned(),
        };
        self.reporter.report(diag.help(help));
        None
    }

    /// Whether a place is on loan, so that it may not be read, or changed; that is reported.
    pub(super) fn loaned(&mut self, target: &Target, change: bool, loc: Loc) -> bool {
        let leases = target.memory.as_ref().map_or(&[][..], |memory| &memory.leases);
        let meets = |loan: &&Loan| {
            (change || loan.mutable) && !leases.contains(&loan.id) && super::borrow::overlap(&loan.place, &target.place)
        };
        let Some(loan) = self.loans.iter().find(meets) else { return false };
        let (message, help) = match (change, loan.mutable) {
            (true, false) => {
                ("this cannot be changed while a loop goes over references to it", "copy what the loop needs, or count")
            }
            _ => ("this cannot be used while a loop goes over `&mut` references to it", "use the element, or count"),
        };
        let diag = Diag::new(Code::V206, loc, message).label(loan.loc, "it is borrowed here");
        self.reporter.report(diag.help(format!("{help}: `for i in 0..n`")));
        true
    }
}

/// The variable that a place belongs to.
fn root(expr: &syn::Expr) -> Option<String> {
    match peel(expr) {
        syn::Expr::Path(path) => syntax::name(&path.path),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Unary(unary) => root(&unary.expr),
        syn::Expr::Reference(reference) => root(&reference.expr),
        syn::Expr::MethodCall(call) => root(&call.receiver),
        _ => None,
    }
}
