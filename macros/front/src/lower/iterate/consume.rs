//! Methods that consume an iterator: a loop and what it has found.

use super::super::borrow::{Passed, may_change};
use super::super::{Binding, Lowerer};
use super::Iter;
use super::item::{Given, Item};
use crate::hir::{Block, ExprId, ExprKind, LocalId, LoopId, Stmt};
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// The methods that kernels have.
const CONSUMERS: [&str; 17] = [
    "sum",
    "product",
    "min",
    "max",
    "any",
    "all",
    "fold",
    "count",
    "position",
    "for_each",
    "find",
    "last",
    "next",
    "nth",
    "reduce",
    "min_by_key",
    "max_by_key",
];

/// What else consumes an iterator in Rust.
const LACKING: [&str; 5] = ["collect", "min_by", "max_by", "partition", "unzip"];

impl<'a> Lowerer<'a, '_> {
    /// What a method gives that consumes an iterator; `None` for any other method.
    pub(in crate::lower) fn consumed(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> Option<ExprId> {
        let name = call.method.to_string();
        if !self.is_iterator(&call.receiver) {
            return None;
        }
        if LACKING.contains(&name.as_str()) {
            self.lacking(call);
            return Some(self.error(loc));
        }
        if !CONSUMERS.contains(&name.as_str()) {
            return None;
        }
        if let Some(refused) = self.leaves_a_rest(call, loc) {
            return Some(refused);
        }
        let takes = match &*name {
            "any" | "all" | "for_each" => 1,
            "position" | "find" | "nth" | "reduce" | "min_by_key" | "max_by_key" => 1,
            "fold" => 2,
            _ => 0,
        };
        let mut stmts = Vec::new();
        let Some(iter) = self.source_of(call, &mut stmts) else { return Some(self.error(loc)) };
        if !self.arity(&call.args, takes, &name, loc) {
            return Some(self.error(loc));
        }
        Some(match &*name {
            "sum" => self.total(call, iter, Op::Add, (loc, stmts)),
            "product" => self.total(call, iter, Op::Mul, (loc, stmts)),
            "any" => self.search(call, iter, true, (loc, stmts)),
            "all" => self.search(call, iter, false, (loc, stmts)),
            "fold" => self.fold(call, iter, (loc, stmts)),
            "count" => self.counted_items(iter, (loc, stmts)),
            "position" | "find" => self.first_that(call, iter, (loc, stmts)),
            "next" | "nth" => self.at_position(call, iter, (loc, stmts)),
            "last" => self.last_item(iter, (loc, stmts)),
            "reduce" => self.reduced(call, iter, (loc, stmts)),
            "min" | "max" => self.extreme(call, iter, (loc, stmts)),
            "min_by_key" | "max_by_key" => self.extreme_by_key(call, iter, (loc, stmts)),
            _ => self.for_each(call, iter, (loc, stmts)),
        })
    }

    /// The report of an iterator that is used as a value.
    pub(in crate::lower) fn kept_iterator(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> ExprId {
        let mut stmts = Vec::new();
        if self.source_is_wrong(call, &mut stmts) {
            return self.error(loc);
        }
        let diag = Diag::new(Code::V100, loc, "an iterator cannot be a value in a kernel");
        self.refuse(diag.help("write it in a `for`, or before what consumes it, such as `.sum::<f32>()`"))
    }

    fn source_is_wrong(&mut self, call: &'a syn::ExprMethodCall, stmts: &mut Vec<Stmt>) -> bool {
        let before = self.reporter.diags.count();
        let _ = self.source_of(call, stmts);
        self.reporter.diags.count() > before
    }

    /// The iterator before a method.
    fn source_of(&mut self, call: &'a syn::ExprMethodCall, stmts: &mut Vec<Stmt>) -> Option<Iter<'a>> {
        let args = &call.args;
        let changes =
            |name: &str| may_change(&call.receiver, &[name]) || args.iter().any(|arg| may_change(arg, &[name]));
        let iter = self.iterator(&call.receiver, &changes, stmts)?;
        if iter.count.end.is_none() {
            self.endless(&iter);
            return None;
        }
        Some(iter)
    }

    /// A variable of the loop, whose first value is set later if it is not known yet.
    pub(super) fn held(&mut self, name: &str, ty: &Ty, first: ExprId, stmts: &mut Vec<Stmt>) -> LocalId {
        let loc = self.body.exprs[first].loc;
        let local = self.variable(name, ty.clone(), true, loc);
        stmts.push(Stmt::Let(local, first));
        local
    }

    pub(super) fn of(&mut self, local: LocalId, loc: Loc) -> ExprId {
        let ty = self.body.locals[local].ty.clone();
        self.push(ExprKind::Local(local), ty, loc)
    }

    /// Statements and then a value.
    pub(super) fn result(&mut self, stmts: Vec<Stmt>, value: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty(value);
        self.push(ExprKind::Block(Block { stmts, tail: Some(value) }), ty, loc)
    }

    /// `sum` and `product`
    fn total(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        op: Op,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let written = call.turbofish.as_ref().and_then(|list| list.args.first());
        let ty = match written {
            Some(syn::GenericArgument::Type(syn::Type::Infer(_))) | None => self.open_type(),
            Some(syn::GenericArgument::Type(ty)) => self.read_type(ty),
            Some(other) => return self.unsupported(other, "this generic argument", Some("write a type")),
        };
        let first = self.push(ExprKind::Error, ty.clone(), loc);
        let total = self.held("total", &ty, first, &mut stmts);
        let id = self.own_loop();
        let mut item = Ty::Error;
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let value = this.behind(given, loc);
            item = this.ty(value);
            let before = this.of(total, loc);
            let after = this.compute(op, &[before, value], &ty, loc);
            this.set(total, after, loc, round);
        });
        stmts.push(Stmt::Expr(rounds));
        let kind = self.infer.kind(&item);
        let float = kind == Some(VarKind::Float) || item.scalar().is_some_and(Scalar::is_float);
        let int = kind == Some(VarKind::Int) || item.scalar().is_some_and(Scalar::is_int);
        let known = !matches!(self.infer.resolve(&ty), Ty::Var(_));
        if known && (float || int) && !self.is_total(&ty, &item, loc) {
            return self.error(loc);
        }
        if !float && !int {
            if item != Ty::Error {
                let (shown, name) = (self.infer.show(&item), &call.method);
                let message = format!("`{name}` is for numbers, but the items are of type `{shown}`");
                let help = "write `.fold(first, |a, b| …)`";
                self.reporter.report(Diag::new(Code::V205, loc, message).help(help));
            }
            self.infer.give_up(&ty);
            return self.error(loc);
        }
        let number = match (op == Op::Add, float) {
            (true, false) => ExprKind::Int(0),
            (false, false) => ExprKind::Int(1),
            (false, true) => ExprKind::Float("1.0".to_owned()),
            (true, true) => {
                // The sum of nothing, to which -0.0 adds nothing.
                let zero = self.push(ExprKind::Float("0.0".to_owned()), ty.clone(), loc);
                ExprKind::Op(Op::Neg, vec![zero])
            }
        };
        self.body.exprs[first].kind = number;
        self.totals.push((ty, item, loc));
        let value = self.of(total, loc);
        self.result(stmts, value, loc)
    }

    /// Holds the types of sums to those of their items, which Rust does not infer from these.
    pub(in crate::lower) fn judge_totals(&mut self) {
        for (ty, item, loc) in std::mem::take(&mut self.totals) {
            if self.infer.kind(&ty) == Some(VarKind::General) {
                let shown = self.infer.show(&self.infer.decided(&item));
                let diag = Diag::new(Code::V202, loc, "type annotations needed: a sum or a product may be of any type");
                self.reporter.report(diag.help(format!("write the type: `.sum::<{shown}>()`")));
                self.infer.unify(&ty, &Ty::Error);
            } else {
                self.is_total(&ty, &item, loc);
            }
        }
    }

    /// Whether items of a type have a sum of another, which is to be the same; reports it if not.
    fn is_total(&mut self, ty: &Ty, item: &Ty, loc: Loc) -> bool {
        let fits = self.infer.unify(ty, item);
        if !fits {
            let (sum, item) = (self.infer.show(ty), self.infer.show(item));
            let message = format!("a value of type `{sum}` cannot be made from items of type `{item}`");
            let help = format!("convert the items: `.map(|x| x as {sum})`");
            self.reporter.report(Diag::new(Code::V200, loc, message).help(help));
        }
        fits
    }

    pub(super) fn function_arg(
        &mut self,
        arg: &'a syn::Expr,
        arity: usize,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Binding<'a>> {
        match self.passed_function(arg, arity, stmts) {
            Passed::Function(function) => Some(function),
            _ => None,
        }
    }

    /// `any` and `all`: whether the function gives this for some item.
    fn search(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        sought: bool,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 1, &mut stmts) else { return self.error(loc) };
        let bool = Ty::Scalar(Scalar::Bool);
        let found = self.searched(iter, sought, (loc, &mut stmts), |this, given, _| {
            let holds = this.apply(&function, vec![given], loc);
            this.expect(holds, &bool);
            Some(if sought { holds } else { this.compute(Op::Not, &[holds], &bool, loc) })
        });
        match found {
            Some(found) => self.result(stmts, found, loc),
            None => self.error(loc),
        }
    }

    /// Whether there is a round in which a condition holds, at which the loop is left, if that is `sought`; else whether
    /// there is none. `None` if the condition was refused.
    pub(super) fn searched(
        &mut self,
        iter: Iter<'a>,
        sought: bool,
        (loc, stmts): (Loc, &mut Vec<Stmt>),
        condition: impl FnOnce(&mut Self, Given, &mut Vec<Stmt>) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let bool = Ty::Scalar(Scalar::Bool);
        let first = self.push(ExprKind::Bits(u64::from(!sought)), bool.clone(), loc);
        let found = self.held("found", &bool, first, stmts);
        let id = self.own_loop();
        let mut is_known = false;
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(holds) = given.and_then(|given| condition(this, given, round)) else { return };
            is_known = true;
            let yes = this.push(ExprKind::Bits(u64::from(sought)), bool.clone(), loc);
            let mut then = Vec::new();
            this.set(found, yes, loc, &mut then);
            this.leave_where(holds, id, then, (loc, round));
        });
        stmts.push(Stmt::Expr(rounds));
        is_known.then(|| self.of(found, loc))
    }

    /// Does these statements and leaves a loop where a condition holds.
    pub(super) fn leave_where(
        &mut self,
        holds: ExprId,
        id: LoopId,
        mut then: Vec<Stmt>,
        (loc, round): (Loc, &mut Vec<Stmt>),
    ) {
        then.push(Stmt::Expr(self.push(ExprKind::Break(id, None), Ty::Never, loc)));
        let then = Block { stmts: then, tail: None };
        round.push(Stmt::Expr(self.push(ExprKind::If(holds, then, None), Ty::Unit, loc)));
    }

    fn fold(&mut self, call: &'a syn::ExprMethodCall, iter: Iter<'a>, (loc, mut stmts): (Loc, Vec<Stmt>)) -> ExprId {
        let first = self.expr(&call.args[0]);
        let Some(function) = self.function_arg(&call.args[1], 2, &mut stmts) else { return self.error(loc) };
        let ty = self.ty(first);
        let Some(held) = self.temporary(first, &mut stmts) else { return self.error(loc) };
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let given = this.kept(given, round);
            let before = this.load(held.clone(), loc);
            let after = this.apply(&function, vec![Given::Value(before), given], loc);
            this.expect(after, &ty);
            let assign = this.push(ExprKind::Assign(held.place.clone(), after), Ty::Unit, loc);
            round.push(Stmt::Expr(assign));
        });
        stmts.push(Stmt::Expr(rounds));
        let value = self.load(held, loc);
        self.result(stmts, value, loc)
    }

    fn for_each(
        &mut self,
        call: &'a syn::ExprMethodCall,
        iter: Iter<'a>,
        (loc, mut stmts): (Loc, Vec<Stmt>),
    ) -> ExprId {
        let Some(function) = self.function_arg(&call.args[0], 1, &mut stmts) else { return self.error(loc) };
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            let Some(given) = given else { return };
            let done = this.apply(&function, vec![given], loc);
            this.expect(done, &Ty::Unit);
            round.push(Stmt::Expr(done));
        });
        self.after(stmts, rounds, loc)
    }

    /// `count`
    fn counted_items(&mut self, mut iter: Iter<'a>, (loc, mut stmts): (Loc, Vec<Stmt>)) -> ExprId {
        let pure = |item: &Item<'a>| item.functions().is_empty();
        if iter.stages.is_empty() && pure(&iter.item) && self.plainly(&mut iter, &mut stmts).is_some() {
            let (start, end) = (iter.count.start, iter.count.end.unwrap_or(iter.count.start));
            let end = self.compute(Op::Max, &[end, start], &Ty::Usize, loc);
            let number = self.compute(Op::Sub, &[end, start], &Ty::Usize, loc);
            return self.result(stmts, number, loc);
        }
        let number = self.counter(loc, &mut stmts);
        let id = self.own_loop();
        let rounds = self.rounds(iter, id, None, loc, |this, given, round| {
            if let Some(Given::Value(value)) = given {
                round.push(Stmt::Expr(value));
            }
            this.count_on(number, loc, round);
        });
        stmts.push(Stmt::Expr(rounds));
        let value = self.of(number, loc);
        self.result(stmts, value, loc)
    }
}
