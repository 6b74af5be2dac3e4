//! Methods of slices that go over their elements: `fill`, `copy_from_slice`, `contains` and their like.
//!
//! Each becomes a loop, and evaluates what it is called on before its arguments, as Rust does. Where Rust panics, an
//! element that is not there is read as zeros and not stored.

use super::super::Lowerer;
use super::super::borrow::{Borrow, Passed};
use super::super::place::Target;
use super::Iter;
use super::count::Count;
use super::item::{Given, Item, Line, Position};
use crate::hir::{Block, ExprId, ExprKind, Order, Stmt};
use crate::infer::Ty;
use crate::syntax::{changes_elements, peel};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use std::rc::Rc;

impl<'a> Lowerer<'a, '_> {
    /// What a method gives that goes over the elements of a place; `None` for any other method.
    pub(in crate::lower) fn elements_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        target: Target,
        loc: Loc,
    ) -> Option<ExprId> {
        let name = call.method.to_string();
        let takes = match name.as_str() {
            "reverse" => 0,
            "fill" | "copy_from_slice" | "contains" | "starts_with" => 1,
            "swap" => 2,
            "split_at" | "split_at_mut" => return Some(self.halves_as_value(call)),
            _ => return None,
        };
        if !self.arity(&call.args, takes, &name, loc) {
            return Some(self.error(loc));
        }
        let mut stmts = Vec::new();
        let at = self.loc(&*call.receiver);
        let changes = changes_elements(&name);
        let done = self.lent_elements(target, changes, (at, loc), &mut stmts).and_then(|iter| match name.as_str() {
            "fill" => self.fill(iter, &call.args[0], (loc, stmts)),
            "copy_from_slice" => self.copied_from(iter, &call.args[0], (loc, stmts)),
            "swap" => self.swap(iter, [&call.args[0], &call.args[1]], (loc, stmts)),
            "reverse" => self.reverse(iter, (loc, stmts)),
            "contains" => self.contains(iter, &call.args[0], (loc, stmts)),
            _ => self.starts_with(iter, &call.args[0], (loc, stmts)),
        });
        Some(done.unwrap_or_else(|| self.error(loc)))
    }

    fn halves_as_value(&mut self, call: &'a syn::ExprMethodCall) -> ExprId {
        self.args_of_refused(&call.args);
        let (at, name) = (self.loc(&call.method), &call.method);
        let diag = Diag::new(Code::V100, at, format!("`{name}` gives two references, which cannot be a value here"));
        self.refuse(diag.help(format!("give the parts names: `let (a, b) = {};`", crate::spell::expression(call))))
    }

    /// `fill`
    fn fill(&mut self, iter: Iter<'a>, value: &'a syn::Expr, (loc, mut stmts): (Loc, Vec<Stmt>)) -> Option<ExprId> {
        let value = self.expr(value);
        if let Item::Element { element, .. } = &iter.item {
            self.expect(value, &element.clone());
        }
        let held = if self.is_fixed(value) { None } else { Some(self.temporary(value, &mut stmts)?) };
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(Given::Reference(element)) = given else { return };
            let value = held.map_or(value, |held| this.load(held, loc));
            this.put(element, value, loc, round);
        });
        Some(self.after(stmts, rounds, loc))
    }

    /// Stores a value in an element that is borrowed.
    fn put(&mut self, element: Target, value: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let element = self.storable(Target { reference: false, ..element }, "", loc);
        let assigned = self.push(ExprKind::Assign(element.place, value), Ty::Unit, loc);
        self.through(assigned, 0, element.loan);
        stmts.push(Stmt::Expr(assigned));
    }

    /// The slice that an argument refers to, whose elements are of a type.
    fn slice_argument(&mut self, arg: &'a syn::Expr, element: &Ty, stmts: &mut Vec<Stmt>) -> Option<Borrow> {
        let Passed::Reference(borrow) = self.passed_reference(arg, false, stmts) else { return None };
        let found = borrow.target.seen(self.infer.resolve(&borrow.target.ty));
        let expected = Ty::Slice(Box::new(element.clone()));
        if !self.refers_to(&found, &expected) {
            let (e, f) = (self.infer.show(&expected), self.infer.show(&found));
            let message = format!("mismatched types: expected `&{e}`, found `&{f}`");
            self.reporter.report(Diag::new(Code::V200, borrow.loc, message));
            return None;
        }
        Some(borrow)
    }

    /// `copy_from_slice`
    fn copied_from(
        &mut self,
        mut iter: Iter<'a>,
        from: &'a syn::Expr,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> Option<ExprId> {
        let Item::Element { array, element, .. } = iter.item.clone() else { return None };
        let from = self.slice_argument(from, &element, &mut stmts)?;
        let to = Borrow { target: *array, mutable: true, loc };
        let before = self.reporter.diags.count();
        self.disjoint(&[Passed::Reference(to), Passed::Reference(from.clone())]);
        if self.reporter.diags.count() > before {
            return None;
        }
        let other = self.lent_elements(from.target, false, (from.loc, from.loc), &mut stmts)?;
        let end = other.count.end?;
        if let (Some(ExprKind::ArrayLen(to)), ExprKind::ArrayLen(from)) =
            (iter.count.end.map(|end| &self.body.exprs[end].kind), &self.body.exprs[end].kind)
            && to != from
        {
            let message = format!("this copies {from} elements to {to}: both slices must be of one length");
            self.reporter.report(Diag::new(Code::V300, loc, message).help("borrow the part that is meant: `&x[a..b]`"));
            return None;
        }
        self.ends_by(&mut iter, end, &mut stmts);
        iter.item = Item::Pair(Box::new(iter.item), Box::new(other.item));
        iter.loans.extend(other.loans);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(Given::Pair(to, from)) = given else { return };
            let Given::Reference(to) = *to else { return };
            let value = this.behind(*from, loc);
            this.put(to, value, loc, round);
        });
        Some(self.after(stmts, rounds, loc))
    }

    /// Exchanges two elements.
    fn exchange(&mut self, [a, b]: [Target; 2], loc: Loc, stmts: &mut Vec<Stmt>) {
        let values = [&a, &b].map(|element| {
            let value = self.load(Target { reference: false, ..element.clone() }, loc);
            self.temporary(value, stmts)
        });
        let [Some(first), Some(second)] = values else { return };
        for (to, from) in [(a, second), (b, first)] {
            let value = self.load(from, loc);
            self.put(to, value, loc, stmts);
        }
    }

    /// `swap`
    fn swap(&mut self, iter: Iter<'a>, at: [&'a syn::Expr; 2], (loc, mut stmts): (Loc, Vec<Stmt>)) -> Option<ExprId> {
        let Item::Element { array, element, .. } = iter.item else { return None };
        let [a, b] = at.map(|at| {
            let index = self.index_value(at)?;
            let index = self.fixed(index, &mut stmts);
            Some((*array).clone().element(index, element.clone()))
        });
        self.exchange([a?, b?], loc, &mut stmts);
        Some(self.push(ExprKind::Block(Block { stmts, tail: None }), Ty::Unit, loc))
    }

    /// `reverse`
    fn reverse(&mut self, mut iter: Iter<'a>, (loc, mut stmts): (Loc, Vec<Stmt>)) -> Option<ExprId> {
        let Item::Element { array, element, by_reference, .. } = iter.item.clone() else { return None };
        let end = self.fixed(iter.count.end?, &mut stmts);
        let (one, two) = (self.int(1, &Ty::Usize, loc), self.int(2, &Ty::Usize, loc));
        let last = self.compute(Op::Sub, &[end, one], &Ty::Usize, loc);
        let last = self.fixed(last, &mut stmts);
        let half = self.compute(Op::Div, &[end, two], &Ty::Usize, loc);
        iter.count = self.count_to(half, loc);
        let down = Rc::new(Line { base: last, step: None, down: true, ty: Ty::Usize });
        let at = Position::Line(down, Box::new(Position::At));
        iter.item = Item::Pair(Box::new(iter.item), Box::new(Item::Element { array, element, at, by_reference }));
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(Given::Pair(a, b)) = given else { return };
            if let (Given::Reference(a), Given::Reference(b)) = (*a, *b) {
                this.exchange([a, b], loc, round);
            }
        });
        Some(self.after(stmts, rounds, loc))
    }

    /// Whether two elements are equal; `None` if that is not known of their type, which is reported.
    fn equal(&mut self, a: ExprId, b: ExprId, loc: Loc) -> Option<ExprId> {
        let bool = Ty::Scalar(Scalar::Bool);
        let ty = self.ty(a);
        match &ty {
            Ty::Scalar(_) | Ty::Usize | Ty::Var(_) => Some(self.compute(Op::Eq, &[a, b], &bool, loc)),
            Ty::Vector(_, lanes) => {
                let each = self.compute(Op::Eq, &[a, b], &Ty::Vector(Box::new(bool.clone()), *lanes), loc);
                Some(self.compute(Op::All, &[each], &bool, loc))
            }
            Ty::Error => None,
            other => {
                let message = format!("elements of type `{}` cannot be compared with `==`", self.infer.show(other));
                let diag = Diag::new(Code::V021, loc, message);
                self.reporter.report(diag.help("write `.iter().any(|v| …)`, and compare their parts"));
                None
            }
        }
    }

    /// `contains` of a slice
    fn contains(
        &mut self,
        iter: Iter<'a>,
        sought: &'a syn::Expr,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> Option<ExprId> {
        let Item::Element { element, .. } = &iter.item else { return None };
        let element = element.clone();
        let sought = self.sought(sought, &element, &mut stmts)?;
        let found = self.searched(iter, true, (loc, &mut stmts), |this, given, _| {
            let value = this.behind(given, loc);
            this.equal(value, sought, loc)
        })?;
        Some(self.result(stmts, found, loc))
    }

    /// The value behind the reference that `contains` takes, which is evaluated once.
    fn sought(&mut self, arg: &'a syn::Expr, ty: &Ty, stmts: &mut Vec<Stmt>) -> Option<ExprId> {
        let Passed::Reference(borrow) = self.passed_reference(arg, false, stmts) else { return None };
        let value = self.load(Target { reference: false, more: 0, ..borrow.target }, borrow.loc);
        self.expect(value, ty);
        let held = self.temporary(value, stmts)?;
        Some(self.load(held, borrow.loc))
    }

    /// `starts_with`
    fn starts_with(
        &mut self,
        mut iter: Iter<'a>,
        start: &'a syn::Expr,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> Option<ExprId> {
        let Item::Element { element, .. } = iter.item.clone() else { return None };
        let start = self.slice_argument(start, &element, &mut stmts)?;
        let other = self.lent_elements(start.target, false, (start.loc, start.loc), &mut stmts)?;
        let whole = self.fixed(iter.count.end?, &mut stmts);
        let len = self.fixed(other.count.end?, &mut stmts);
        self.ends_by(&mut iter, len, &mut stmts);
        iter.item = Item::Pair(Box::new(iter.item), Box::new(other.item));
        iter.loans.extend(other.loans);
        let bool = Ty::Scalar(Scalar::Bool);
        let same = self.searched(iter, false, (loc, &mut stmts), |this, given, _| {
            let Given::Pair(a, b) = given else { return None };
            let (a, b) = (this.behind(*a, loc), this.behind(*b, loc));
            let equal = this.equal(a, b, loc)?;
            Some(this.compute(Op::Not, &[equal], &Ty::Scalar(Scalar::Bool), loc))
        })?;
        let fits = self.compute(Op::Le, &[len, whole], &bool, loc);
        let both = self.compute(Op::And, &[fits, same], &bool, loc);
        Some(self.result(stmts, both, loc))
    }

    /// `(a..b).contains(&x)`; `None` for any other method of a range.
    pub(in crate::lower) fn range_contains(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> Option<ExprId> {
        let syn::Expr::Range(range) = peel(&call.receiver) else { return None };
        if call.method != "contains" {
            return None;
        }
        if !self.arity(&call.args, 1, "contains", loc) {
            return Some(self.error(loc));
        }
        let bool = Ty::Scalar(Scalar::Bool);
        let mut stmts = Vec::new();
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let ends = match (&range.start, &range.end) {
            (Some(_), Some(_)) => match self.range(range, loc) {
                Some(Iter { count: Count { start, end, order: Order::Forward, .. }, .. }) => [Some(start), end],
                _ => return Some(self.error(loc)),
            },
            (start, end) => [start, end].map(|end| end.as_ref().map(|end| self.expr(end))),
        };
        let ends = ends.map(|end| end.map(|end| self.fixed(end, &mut stmts)));
        let Some(ty) = ends.iter().flatten().next().map(|&end| self.ty(end)) else {
            return Some(self.unsupported(range, "`contains` of a range without ends", Some("write `true`")));
        };
        let ordered = matches!(&ty, Ty::Scalar(scalar) if scalar.bits() > 1) || matches!(ty, Ty::Usize | Ty::Var(_));
        if !ordered {
            if ty != Ty::Error {
                let message = format!("a range of `{}` has no order in a kernel", self.infer.show(&ty));
                self.reporter.report(Diag::new(Code::V021, loc, message).help("compare its parts"));
            }
            return Some(self.error(loc));
        }
        let Some(value) = self.sought(&call.args[0], &ty, &mut stmts) else { return Some(self.error(loc)) };
        let ops = [Op::Ge, if inclusive { Op::Le } else { Op::Lt }];
        let mut both = None;
        for (end, op) in ends.into_iter().zip(ops) {
            let Some(end) = end else { continue };
            let holds = self.compute(op, &[value, end], &bool, loc);
            both = Some(both.map_or(holds, |both| self.compute(Op::And, &[both, holds], &bool, loc)));
        }
        Some(self.push(ExprKind::Block(Block { stmts, tail: both }), bool, loc))
    }
}
