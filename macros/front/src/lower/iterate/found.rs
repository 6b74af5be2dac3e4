//! Methods that consume an iterator and may find nothing: they give an `Option`.
//!
//! What was found is in a variable, beside one that says whether it was. Before anything is found it holds a zero.

use super::super::Lowerer;
use super::Iter;
use super::item::Given;
use crate::hir::{Block, ExprId, ExprKind, LocalId, LoopId, Stmt};
use crate::infer::{NONE, SOME, Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// What is found so far: an `Option`, and the type of what it holds.
struct Best {
    local: LocalId,
    held: Ty,
}

impl<'a> Lowerer<'a, '_> {
    /// Nothing so far.
    fn nothing(&mut self, loc: Loc, stmts: &mut Vec<Stmt>) -> Best {
        let held = self.infer.var(VarKind::General);
        let ty = Ty::option(held.clone());
        let none = self.variant_of(NONE, Vec::new(), ty.clone(), loc);
        Best { local: self.held("found", &ty, none, stmts), held }
    }

    /// Makes this value what was found.
    fn found(&mut self, best: &Best, value: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) {
        self.expect(value, &best.held);
        let some = self.variant_of(SOME, vec![value], Ty::option(best.held.clone()), loc);
        self.set(best.local, some, loc, stmts);
    }

    /// Goes over all items, each of which may become what was found, and gives that.
    fn look_through(
        &mut self,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
        each: impl FnOnce(&mut Self, &Best, LoopId, Given, &mut Vec<Stmt>),
    ) -> (Best, ExprId) {
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
            each(this, &best, id, given, round);
        });
        stmts.push(Stmt::Expr(rounds));
        let value = self.of(best.local, loc);
        let value = self.result(stmts, value, loc);
        (best, value)
    }

    /// `position` and `find`: the first item for which a function holds, or its place.
    pub(super) fn first_that(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 1, &mut stmts) else { return self.error(loc) };
        let counts = call.method == "position";
        let at = counts.then(|| self.counter(loc, &mut stmts));
        let looked = self.look_through(iter, (loc, stmts), |this, best, id, given, round| {
            let asked = if counts { given.clone() } else { Given::Borrowed(Box::new(given.clone())) };
            let holds = this.apply(&function, vec![asked], loc);
            this.expect(holds, &Ty::Scalar(Scalar::Bool));
            let value = match at {
                Some(at) => this.of(at, loc),
                None => this.carried(given, loc),
            };
            let mut then = Vec::new();
            this.found(best, value, loc, &mut then);
            this.leave_where(holds, id, then, (loc, round));
            if let Some(at) = at {
                this.count_on(at, loc, round);
            }
        });
        looked.1
    }

    /// `next` and `nth`: the first item, or that of a number.
    pub(super) fn at_position(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let asked = match call.args.first() {
            Some(number) => {
                let number = self.expr(number);
                self.expect(number, &Ty::Usize);
                Some((self.fixed(number, &mut stmts), self.counter(loc, &mut stmts)))
            }
            None => None,
        };
        let looked = self.look_through(iter, (loc, stmts), |this, best, id, given, round| {
            let value = this.carried(given, loc);
            let mut then = Vec::new();
            this.found(best, value, loc, &mut then);
            let Some((number, at)) = asked else {
                then.push(Stmt::Expr(this.push(ExprKind::Break(id, None), Ty::Never, loc)));
                return round.append(&mut then);
            };
            let so_far = this.of(at, loc);
            let is_it = this.compute(Op::Eq, &[so_far, number], &Ty::Scalar(Scalar::Bool), loc);
            this.leave_where(is_it, id, then, (loc, round));
            this.count_on(at, loc, round);
        });
        looked.1
    }

    /// `last`
    pub(super) fn last_item(&mut self, iter: Iter<'a>, (loc, stmts): (Loc, Vec<Stmt>)) -> ExprId {
        let looked = self.look_through(iter, (loc, stmts), |this, best, _, given, round| {
            let value = this.carried(given, loc);
            this.found(best, value, loc, round);
        });
        looked.1
    }

    /// `reduce`
    pub(super) fn reduced(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 2, &mut stmts) else { return self.error(loc) };
        let looked = self.look_through(iter, (loc, stmts), |this, best, _, given, round| {
            let first = this.carried(given.clone(), loc);
            this.expect(first, &best.held);
            let before = this.of(best.local, loc);
            let held = best.held.clone();
            let next = this.split(before, &held, &held, first, loc, |this, before| {
                let next = this.apply(&function, vec![before, given], loc);
                this.expect(next, &held);
                next
            });
            this.found(best, next, loc, round);
        });
        looked.1
    }

    /// `min` and `max` of integers.
    pub(super) fn extreme(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let op = if call.method == "min" { Op::Min } else { Op::Max };
        let (best, value) = self.look_through(iter, (loc, stmts), |this, best, _, given, round| {
            let value = this.carried(given, loc);
            this.expect(value, &best.held);
            let value = this.fixed(value, round);
            let (before, held) = (this.of(best.local, loc), best.held.clone());
            let next = this.split(before, &held, &held, value, loc, |this, before| {
                let (before, now) = (this.behind(before, loc), this.dereferred(value));
                let ty = this.ty(now);
                let better = this.compute(op, &[before, now], &ty, loc);
                match this.infer.resolve(&held) {
                    Ty::Reference(_) => this.referred(better, loc),
                    _ => better,
                }
            });
            this.found(best, next, loc, round);
        });
        let item = self.infer.resolve(&best.held).behind().clone();
        self.ordered(call, &item, value, loc)
    }

    /// `min_by_key` and `max_by_key`: of equal keys the first for the least, and the last for the greatest.
    pub(super) fn extreme_by_key(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 1, &mut stmts) else { return self.error(loc) };
        let op = if call.method == "min_by_key" { Op::Lt } else { Op::Ge };
        let keys = self.nothing(loc, &mut stmts);
        let bool = Ty::Scalar(Scalar::Bool);
        let (_, value) = self.look_through(iter, (loc, stmts), |this, best, _, given, round| {
            let key = this.apply(&function, vec![Given::Borrowed(Box::new(given.clone()))], loc);
            this.expect(key, &keys.held);
            let key = this.fixed(key, round);
            let (before, held) = (this.of(keys.local, loc), keys.held.clone());
            let yes = this.push(ExprKind::Bits(1), bool.clone(), loc);
            let better = this.split(before, &held, &bool, yes, loc, |this, before| {
                let before = this.given_value(before, loc);
                this.compute(op, &[key, before], &bool, loc)
            });
            let mut then = Vec::new();
            this.found(&keys, key, loc, &mut then);
            let value = this.carried(given, loc);
            this.found(best, value, loc, &mut then);
            let then = Block { stmts: then, tail: None };
            round.push(Stmt::Expr(this.push(ExprKind::If(better, then, None), Ty::Unit, loc)));
        });
        let key = self.infer.resolve(&keys.held);
        self.ordered(call, &key, value, loc)
    }

    /// What was found by an order of all values of a type, if they have one.
    fn ordered(&mut self, call: &'a syn::ExprMethodCall, ty: &Ty, value: ExprId, loc: Loc) -> ExprId {
        if self.is_ordered(call, ty) {
            return value;
        }
        self.infer.give_up(ty);
        self.error(loc)
    }

    /// Whether all values of a type are ordered; reports it if not.
    fn is_ordered(&mut self, call: &'a syn::ExprMethodCall, ty: &Ty) -> bool {
        if self.infer.kind(ty) == Some(VarKind::Int) || ty.scalar().is_some_and(Scalar::is_int) {
            return true;
        }
        if *ty != Ty::Error {
            let (name, at, shown) = (call.method.to_string(), self.loc(&call.method), self.infer.show(ty));
            let message = format!("`{name}` needs an order of all values, which `{shown}` has not");
            let first = if name.starts_with("min") { "f32::INFINITY" } else { "f32::NEG_INFINITY" };
            let help = match name.as_str() {
                "min" | "max" => format!("write `.fold({first}, |a, b| a.{name}(b))`"),
                _ => "make integers of the keys, or compare in a loop".to_owned(),
            };
            self.reporter.report(Diag::new(Code::V205, at, message).help(help));
        }
        false
    }
}
