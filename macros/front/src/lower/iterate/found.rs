//! Methods that consume an iterator and may find nothing: they give an `Option`.
//!
//! What was found is in a variable, beside one that says whether it was. Before anything is found it holds a zero.

use super::super::Lowerer;
use super::Iter;
use super::item::Given;
use crate::hir::{Block, ExprId, ExprKind, LocalId, Stmt};
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

    /// `position` and `find`: the first item for which a function holds, or its place.
    pub(super) fn first_that(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 1, &mut stmts) else { return self.error(loc) };
        let counts = call.method == "position";
        let bool = Ty::Scalar(Scalar::Bool);
        let at = counts.then(|| self.counter(loc, &mut stmts));
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
            let asked = if counts { given.clone() } else { Given::Borrowed(Box::new(given.clone())) };
            let holds = this.apply(&function, vec![asked], loc);
            this.expect(holds, &bool);
            let mut then = Vec::new();
            let value = match at {
                Some(at) => this.of(at, loc),
                None => this.carried(given, loc),
            };
            this.found(&best, value, loc, &mut then);
            then.push(Stmt::Expr(this.push(ExprKind::Break(id, None), Ty::Never, loc)));
            let then = Block { stmts: then, tail: None };
            round.push(Stmt::Expr(this.push(ExprKind::If(holds, then, None), Ty::Unit, loc)));
            if let Some(at) = at {
                this.count_on(at, loc, round);
            }
        });
        self.found_in(rounds, &best, (loc, stmts))
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
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
            let mut then = Vec::new();
            let value = this.carried(given, loc);
            this.found(&best, value, loc, &mut then);
            then.push(Stmt::Expr(this.push(ExprKind::Break(id, None), Ty::Never, loc)));
            let Some((number, at)) = asked else { return round.append(&mut then) };
            let so_far = this.of(at, loc);
            let is_it = this.compute(Op::Eq, &[so_far, number], &Ty::Scalar(Scalar::Bool), loc);
            let then = Block { stmts: then, tail: None };
            round.push(Stmt::Expr(this.push(ExprKind::If(is_it, then, None), Ty::Unit, loc)));
            this.count_on(at, loc, round);
        });
        self.found_in(rounds, &best, (loc, stmts))
    }

    /// `last`
    pub(super) fn last_item(&mut self, iter: Iter<'a>, (loc, mut stmts): (Loc, Vec<Stmt>)) -> ExprId {
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let value = this.carried(given, loc);
            this.found(&best, value, loc, round);
        });
        self.found_in(rounds, &best, (loc, stmts))
    }

    /// `reduce`
    pub(super) fn reduced(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 2, &mut stmts) else { return self.error(loc) };
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
            let first = this.carried(given.clone(), loc);
            this.expect(first, &best.held);
            let before = this.of(best.local, loc);
            let held = best.held.clone();
            let next = this.split(before, &held, &held, first, loc, |this, before| {
                let next = this.apply(&function, vec![before, given], loc);
                this.expect(next, &held);
                next
            });
            this.found(&best, next, loc, round);
        });
        self.found_in(rounds, &best, (loc, stmts))
    }

    /// `min` and `max` of integers.
    pub(super) fn extreme(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let op = if call.method == "min" { Op::Min } else { Op::Max };
        let best = self.nothing(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
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
            this.found(&best, next, loc, round);
        });
        let item = self.infer.resolve(&best.held).behind().clone();
        if !self.is_ordered(call, &item) {
            self.infer.give_up(&item);
            return self.error(loc);
        }
        self.found_in(rounds, &best, (loc, stmts))
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
        let (best, keys) = (self.nothing(loc, &mut stmts), self.nothing(loc, &mut stmts));
        let bool = Ty::Scalar(Scalar::Bool);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
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
            this.found(&best, value, loc, &mut then);
            let then = Block { stmts: then, tail: None };
            round.push(Stmt::Expr(this.push(ExprKind::If(better, then, None), Ty::Unit, loc)));
        });
        let key = self.infer.resolve(&keys.held);
        if !self.is_ordered(call, &key) {
            self.infer.give_up(&key);
            return self.error(loc);
        }
        self.found_in(rounds, &best, (loc, stmts))
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

    /// What the rounds of a loop have found.
    fn found_in(&mut self, rounds: ExprId, best: &Best, (loc, mut stmts): (Loc, Vec<Stmt>)) -> ExprId {
        stmts.push(Stmt::Expr(rounds));
        let value = self.of(best.local, loc);
        self.result(stmts, value, loc)
    }
}
