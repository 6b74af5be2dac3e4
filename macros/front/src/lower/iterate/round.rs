//! A round of the loop that an iterator becomes.

use super::super::borrow::Passed;
use super::super::place::Target;
use super::super::{Binding, Lowerer};
use super::item::{Given, Item};
use super::{Iter, Stage};
use crate::hir::{Block, ExprId, ExprKind, Local, LocalId, Loop, LoopId, Place, Stmt};
use crate::infer::Ty;
use crate::syntax::binding;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    /// A `for`.
    pub(in crate::lower) fn for_(&mut self, for_: &'a syn::ExprForLoop, loc: Loc) -> ExprId {
        let mut stmts = Vec::new();
        let changes = |name: &str| super::super::borrow::may_change_in(&for_.body, &[name]);
        let Some(iter) = self.iterator(&for_.expr, &changes, &mut stmts) else {
            return self.refused_loop(for_, loc);
        };
        if iter.count.end.is_none() {
            self.endless(&iter);
            return self.refused_loop(for_, loc);
        }
        let id = self.begin_loop(&for_.label, &for_.attrs);
        let unit = self.body.loops[id].ty.clone();
        self.infer.unify(&unit, &Ty::Unit);
        let counted = self.scoped(|this| {
            this.rounds(iter, id, Some(&for_.pat), loc, |this, given, round| {
                if let Some(given) = given {
                    this.bind_given(&for_.pat, given, round);
                }
                let (block, ty) = this.block(&for_.body);
                this.end_loop(&for_.body, &block, &ty);
                let at = this.loc(&for_.body);
                // The names of the pattern are those of the block around.
                let Block { stmts, tail } = block;
                round.push(Stmt::Expr(this.push(ExprKind::Block(Block { stmts, tail }), Ty::Unit, at)));
            })
        });
        self.after(stmts, counted, loc)
    }

    /// An expression after some statements.
    pub(in crate::lower) fn after(&mut self, mut stmts: Vec<Stmt>, last: ExprId, loc: Loc) -> ExprId {
        if stmts.is_empty() {
            return last;
        }
        stmts.push(Stmt::Expr(last));
        self.push(ExprKind::Block(Block { stmts, tail: None }), Ty::Unit, loc)
    }

    pub(super) fn endless(&mut self, iter: &Iter<'a>) {
        let message = "a range without an end is only for `zip` and `take`";
        self.reporter.report(Diag::new(Code::V100, iter.loc, message).help("write its end, or a `loop`"));
    }

    /// Looks at the body of a loop whose head was refused, for further mistakes.
    fn refused_loop(&mut self, for_: &'a syn::ExprForLoop, loc: Loc) -> ExprId {
        self.begin_loop(&for_.label, &for_.attrs);
        self.scoped(|this| {
            this.poison(&for_.pat);
            this.block(&for_.body);
        });
        self.context.loops.pop();
        self.push(ExprKind::Error, Ty::Unit, loc)
    }

    /// A loop that nothing in the source names.
    pub(super) fn own_loop(&mut self) -> LoopId {
        self.body.loops.push(Loop { label: None, ty: Ty::Unit, broken: false, is_block: false, unroll: None })
    }

    /// The loop of an iterator. A plain name of a `for` over numbers is the counter itself; of it
    /// `body` gets no item.
    pub(super) fn rounds(
        &mut self,
        iter: Iter<'a>,
        id: LoopId,
        pat: Option<&'a syn::Pat>,
        loc: Loc,
        body: impl FnOnce(&mut Self, Option<Given>, &mut Vec<Stmt>),
    ) -> ExprId {
        let Iter { count, item, stages, loans, .. } = iter;
        let Some(end) = count.end else { return self.error(loc) };
        let plain = match (&item, pat) {
            (Item::Number(super::Position::At), Some(pat)) if stages.is_empty() => match (pat, binding(pat)) {
                (_, Some((name, mutable))) => Some((name.unraw().to_string(), mutable, self.loc(name))),
                (syn::Pat::Wild(wild), _) => Some(("_".to_owned(), false, self.loc(wild))),
                _ => None,
            },
            _ => None,
        };
        let (name, mutable, at) = plain.clone().unwrap_or_else(|| ("at".to_owned(), false, loc));
        let local = Local { name: name.clone(), ty: count.ty.clone(), mutable, iterates: true, behind: false, loc: at };
        let local = self.body.locals.push(local);
        let on_loan = self.loans.len();
        self.loans.extend(loans);
        let mut round = Vec::new();
        let given = match plain {
            Some(_) => {
                self.context.names.push((name, Binding::Local(local)));
                None
            }
            None => {
                let number = self.push(ExprKind::Local(local), count.ty.clone(), loc);
                Some(self.staged_item(&item, &stages, (number, id), loc, &mut round))
            }
        };
        body(self, given, &mut round);
        self.loans.truncate(on_loan);
        let body = Block { stmts: round, tail: None };
        let super::Count { start, inclusive, step, order, .. } = count;
        self.push(ExprKind::For { id, local, start, end, inclusive, step, order, body }, Ty::Unit, loc)
    }

    /// The item of a round, behind all stages.
    fn staged_item(
        &mut self,
        item: &Item<'a>,
        stages: &[Stage<'a>],
        (number, id): (ExprId, LoopId),
        loc: Loc,
        round: &mut Vec<Stmt>,
    ) -> Given {
        for stage in stages {
            if let Stage::Take(counter, most) = stage {
                let counted = self.counted(*counter, loc);
                let done = self.compute(Op::Ge, &[counted, *most], &Ty::Scalar(Scalar::Bool), loc);
                let leave = self.push(ExprKind::Break(id, None), Ty::Never, loc);
                self.when(done, leave, loc, round);
            }
        }
        let mut given = self.give(item, number, loc, round);
        for stage in stages {
            given = match stage {
                Stage::Map(function) => Given::Value(self.apply(function, vec![given], loc)),
                Stage::Copied => Given::Value(self.behind(given, loc)),
                Stage::Filter(function) => {
                    let kept = self.kept(given, round);
                    let holds = self.apply(function, vec![Given::Borrowed(Box::new(kept.clone()))], loc);
                    self.expect(holds, &Ty::Scalar(Scalar::Bool));
                    let fails = self.compute(Op::Not, &[holds], &Ty::Scalar(Scalar::Bool), loc);
                    self.next_when(fails, id, loc, round);
                    kept
                }
                Stage::Enumerate(counter) => {
                    let kept = self.kept(given, round);
                    let before = self.counted(*counter, loc);
                    let before = self.fixed(before, round);
                    self.count_on(*counter, loc, round);
                    Given::Pair(Box::new(Given::Value(before)), Box::new(kept))
                }
                Stage::Take(counter, _) => {
                    let kept = self.kept(given, round);
                    self.count_on(*counter, loc, round);
                    kept
                }
                Stage::Skip(counter, number) => {
                    let kept = self.kept(given, round);
                    let counted = self.counted(*counter, loc);
                    let early = self.compute(Op::Lt, &[counted, *number], &Ty::Scalar(Scalar::Bool), loc);
                    let early = self.fixed(early, round);
                    let add = self.compute(Op::Cast, &[early], &Ty::Usize, loc);
                    self.add(*counter, add, loc, round);
                    self.next_when(early, id, loc, round);
                    kept
                }
                Stage::StepBy(counter, number) => {
                    // The counter says how many items are to be left out.
                    let kept = self.kept(given, round);
                    let (zero, one) = (self.int(0, &Ty::Usize, loc), self.int(1, &Ty::Usize, loc));
                    let counted = self.counted(*counter, loc);
                    let left = self.fixed(counted, round);
                    let waits = self.compute(Op::Gt, &[left, zero], &Ty::Scalar(Scalar::Bool), loc);
                    let step = self.compute(Op::Max, &[*number, one], &Ty::Usize, loc);
                    let from = Block { stmts: Vec::new(), tail: Some(left) };
                    let from = self.push(ExprKind::If(waits, from, Some(step)), Ty::Usize, loc);
                    let next = self.compute(Op::Sub, &[from, one], &Ty::Usize, loc);
                    self.set(*counter, next, loc, round);
                    self.next_when(waits, id, loc, round);
                    kept
                }
            };
        }
        given
    }

    /// The item that a number gives.
    fn give(&mut self, item: &Item<'a>, number: ExprId, loc: Loc, round: &mut Vec<Stmt>) -> Given {
        match item {
            Item::Number(position) => Given::Value(self.number(position, number, loc)),
            Item::Element { array, element, at, by_reference } => {
                let index = self.number(at, number, loc);
                let index = self.fixed(index, round);
                let target = (**array).clone().element(index, element.clone());
                match by_reference {
                    Some(_) => Given::Reference(Target { reference: true, ..target }),
                    None => Given::Value(self.load(target, loc)),
                }
            }
            Item::Part { array, at, sizes } => {
                let number = self.number(at, number, loc);
                self.part_of_number((**array).clone(), *sizes, number, (loc, round))
            }
            Item::Pair(a, b) => {
                let a = self.give(a, number, loc, round);
                // What the first does comes before what the second does.
                let a = self.kept(a, round);
                Given::Pair(Box::new(a), Box::new(self.give(b, number, loc, round)))
            }
            Item::Mapped(inner, function) => {
                let given = self.give(inner, number, loc, round);
                Given::Value(self.apply(function, vec![given], loc))
            }
            Item::Copied(inner) => {
                let given = self.give(inner, number, loc, round);
                Given::Value(self.behind(given, loc))
            }
        }
    }

    /// What a reference leads to.
    pub(super) fn behind(&mut self, given: Given, loc: Loc) -> ExprId {
        match given {
            Given::Reference(target) => self.load(Target { reference: false, more: 0, ..target }, loc),
            other => self.given_value(other, loc),
        }
    }

    /// What a function gives for items.
    pub(in crate::lower) fn apply(&mut self, function: &Binding<'a>, given: Vec<Given>, loc: Loc) -> ExprId {
        match function {
            Binding::Closure(closure) => {
                let passed = given.into_iter().map(Passed::Item).collect();
                self.inline_closure(closure, passed, Vec::new(), loc)
            }
            Binding::Unknown(function) => {
                let mut stmts = Vec::new();
                for (given, taken) in given.into_iter().zip(&function.takes) {
                    match (taken.reference, given) {
                        (None, given) => {
                            let value = self.given_value(given, loc);
                            self.expect(value, &taken.ty);
                            stmts.push(Stmt::Expr(value));
                        }
                        (Some(_), Given::Reference(target)) => {
                            self.expect_at(loc, &taken.ty, &target.ty, "the function takes another type");
                        }
                        (Some(_), _) => {
                            let message = "mismatched types: this function takes a reference, but the items are values";
                            self.reporter.report(Diag::new(Code::V200, loc, message));
                        }
                    }
                }
                self.unknown_result(stmts, &function.result, loc)
            }
            _ => self.error(loc),
        }
    }

    fn counted(&mut self, counter: LocalId, loc: Loc) -> ExprId {
        self.push(ExprKind::Local(counter), Ty::Usize, loc)
    }

    /// `local = value`
    pub(in crate::lower) fn set(&mut self, local: LocalId, value: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let place = Place::Local { local, path: Vec::new(), lane: None };
        stmts.push(Stmt::Expr(self.push(ExprKind::Assign(place, value), Ty::Unit, loc)));
    }

    fn add(&mut self, local: LocalId, value: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let place = Place::Local { local, path: Vec::new(), lane: None };
        stmts.push(Stmt::Expr(self.push(ExprKind::AssignOp(Op::Add, place, value), Ty::Unit, loc)));
    }

    pub(super) fn count_on(&mut self, counter: LocalId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let one = self.int(1, &Ty::Usize, loc);
        self.add(counter, one, loc, stmts);
    }

    /// `if condition { jump }`
    pub(in crate::lower) fn when(&mut self, condition: ExprId, jump: ExprId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let then = Block { stmts: vec![Stmt::Expr(jump)], tail: None };
        stmts.push(Stmt::Expr(self.push(ExprKind::If(condition, then, None), Ty::Unit, loc)));
    }

    fn next_when(&mut self, condition: ExprId, id: LoopId, loc: Loc, stmts: &mut Vec<Stmt>) {
        let next = self.push(ExprKind::Continue(id), Ty::Never, loc);
        self.when(condition, next, loc, stmts);
    }
}
