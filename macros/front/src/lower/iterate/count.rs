//! The numbers that the loop of an iterator counts.

use super::item::{Item, Line, Position};
use super::{Iter, Lowerer};
use crate::hir::{Block, ExprId, ExprKind, Order, Stmt};
use crate::infer::{Ty, VarKind};
use crate::syntax::peel;
use crate::types::integer;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use std::rc::Rc;

/// Numbers in a row, as a `for` counts them.
#[derive(Clone)]
pub(super) struct Count {
    pub start: ExprId,
    /// Nothing for `start..`, which only a `zip` or a `take` ends.
    pub end: Option<ExprId>,
    pub inclusive: bool,
    pub step: Option<ExprId>,
    pub order: Order,
    /// The type of the numbers.
    pub ty: Ty,
}

impl<'a> Lowerer<'a, '_> {
    /// `start..end`, `start..=end` and `start..`
    pub(super) fn range(&mut self, range: &'a syn::ExprRange, loc: Loc) -> Option<Iter<'a>> {
        let Some(start) = &range.start else {
            self.unsupported(range, "a range without a beginning", Some("write `0..end`"));
            return None;
        };
        let start = self.expr(start);
        let end = range.end.as_ref().map(|end| self.expr(end));
        let ty = self.ty(start);
        if let Some(end) = end {
            let b = self.ty(end);
            if !self.infer.unify(&ty, &b) {
                let at = self.body.exprs[end].loc;
                let (l, r) = (self.infer.show(&ty), self.infer.show(&b));
                let message = format!("the bounds of this range have different types: `{l}` and `{r}`");
                let diag =
                    Diag::new(Code::V015, at, message).label(self.body.exprs[start].loc, format!("this is `{l}`"));
                self.reporter.report(match self.conversion(&ty, &b) {
                    Some(help) => diag.help(help),
                    None => diag,
                });
            }
        }
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let ty = self.infer.resolve(&ty);
        let count = Count { start, end, inclusive, step: None, order: Order::Forward, ty };
        Some(Iter { count, item: Item::Number(Position::At), stages: Vec::new(), loans: Vec::new(), loc })
    }

    /// `0..end` of indices.
    pub(super) fn count_to(&mut self, end: ExprId, loc: Loc) -> Count {
        let start = self.push(ExprKind::Int(0), Ty::Usize, loc);
        Count { start, end: Some(end), inclusive: false, step: None, order: Order::Forward, ty: Ty::Usize }
    }

    /// The argument of `step_by`, which Rust does not let be zero.
    pub(super) fn step(&mut self, expr: &'a syn::Expr) -> ExprId {
        let zero = integer::evaluate(expr, self).is_some_and(|known| known.value == 0);
        let step = self.expr(expr);
        self.expect(step, &Ty::Usize);
        let loc = self.body.exprs[step].loc;
        if zero {
            let diag = Diag::new(Code::V015, loc, "a step must be at least 1, but this is 0");
            let literal = matches!(peel(expr), syn::Expr::Lit(_));
            let other = "write `.step_by(n.max(1))` if it may be 0";
            self.reporter.report(diag.help(if literal { "write `.step_by(1)`, or a greater step" } else { other }));
        }
        if let ExprKind::Local(local) = self.body.exprs[step].kind
            && self.body.outer.iter().any(|outer| outer.local == local)
        {
            // Only rustc knows its value.
            self.body.steps.push((local, loc));
        }
        step
    }

    fn is_zero(&self, value: ExprId) -> bool {
        matches!(self.body.exprs[value].kind, ExprKind::Int(0))
    }

    /// Whether it counts `0..end` of indices.
    fn is_plain(&self, count: &Count) -> bool {
        count.order == Order::Forward
            && count.step.is_none()
            && !count.inclusive
            && self.infer.resolve(&count.ty) == Ty::Usize
            && self.is_zero(count.start)
    }

    /// A value that is computed once.
    pub(in crate::lower) fn fixed(&mut self, value: ExprId, stmts: &mut Vec<Stmt>) -> ExprId {
        if self.is_fixed(value) {
            return value;
        }
        let (loc, ty) = (self.body.exprs[value].loc, self.ty(value));
        let local = self.variable("count", ty.clone(), false, loc);
        stmts.push(Stmt::Let(local, value));
        self.push(ExprKind::Local(local), ty, loc)
    }

    pub(in crate::lower) fn compute(&mut self, op: Op, args: &[ExprId], ty: &Ty, loc: Loc) -> ExprId {
        self.push(ExprKind::Op(op, args.to_vec()), ty.clone(), loc)
    }

    pub(in crate::lower) fn int(&mut self, value: u128, ty: &Ty, loc: Loc) -> ExprId {
        self.push(ExprKind::Int(value), ty.clone(), loc)
    }

    fn cast_to(&mut self, value: ExprId, ty: &Ty, loc: Loc) -> ExprId {
        if self.ty(value) == self.infer.resolve(ty) { value } else { self.compute(Op::Cast, &[value], ty, loc) }
    }

    /// Makes the loop count `0..n`, by which the numbers from before are computed; `None` if it cannot,
    /// which is reported.
    pub(super) fn plainly(&mut self, iter: &mut Iter<'a>, stmts: &mut Vec<Stmt>) -> Option<()> {
        if self.is_plain(&iter.count) {
            return Some(());
        }
        let loc = iter.loc;
        let Count { start, end, inclusive, step, order, ty } = iter.count.clone();
        let ty = self.infer.resolve(&ty);
        if matches!(&ty, Ty::Scalar(scalar) if !scalar.is_int() || scalar.bits() > 32) {
            let message = format!("this iterator over a range of `{ty}` cannot be counted");
            let diag = Diag::new(Code::V015, loc, message);
            self.reporter.report(diag.help("count in `usize` or `u32`, and convert the numbers"));
            return None;
        }
        let start = self.fixed(start, stmts);
        let one = self.int(1, &Ty::Usize, loc);
        let step = step.map(|step| {
            let step = self.fixed(step, stmts);
            let step = self.compute(Op::Max, &[step, one], &Ty::Usize, loc);
            self.fixed(step, stmts)
        });
        let Some(end) = end else {
            let zero = self.int(0, &Ty::Usize, loc);
            iter.count = Count { start: zero, end: None, inclusive, step: None, order: Order::Forward, ty: Ty::Usize };
            iter.item.along(&Rc::new(Line { base: start, step, down: false, ty }));
            return Some(());
        };
        let end = self.fixed(end, stmts);
        let numbers = self.numbers_between((start, end), inclusive, &ty, loc);
        let numbers = self.fixed(numbers, stmts);
        let rounds = match step {
            None => numbers,
            Some(step) => {
                let whole = self.compute(Op::Div, &[numbers, step], &Ty::Usize, loc);
                let rest = self.compute(Op::Rem, &[numbers, step], &Ty::Usize, loc);
                let zero = self.int(0, &Ty::Usize, loc);
                let more = self.compute(Op::Ne, &[rest, zero], &Ty::Scalar(Scalar::Bool), loc);
                let more = self.compute(Op::Cast, &[more], &Ty::Usize, loc);
                let rounds = self.compute(Op::Add, &[whole, more], &Ty::Usize, loc);
                self.fixed(rounds, stmts)
            }
        };
        let base = match order {
            Order::Forward => start,
            Order::Reversed if inclusive => end,
            Order::Reversed => {
                let one = self.int(1, &ty, loc);
                self.compute(Op::Sub, &[end, one], &ty, loc)
            }
            Order::StepsReversed => {
                let last = self.compute(Op::Sub, &[rounds, one], &Ty::Usize, loc);
                let last = self.compute(Op::Mul, &[last, step.unwrap_or(one)], &Ty::Usize, loc);
                let last = self.cast_to(last, &ty, loc);
                self.compute(Op::Add, &[start, last], &ty, loc)
            }
        };
        let base = self.fixed(base, stmts);
        iter.count = self.count_to(rounds, loc);
        iter.item.along(&Rc::new(Line { base, step, down: order != Order::Forward, ty }));
        Some(())
    }

    /// How many numbers there are from one to another.
    fn numbers_between(&mut self, (start, end): (ExprId, ExprId), inclusive: bool, ty: &Ty, loc: Loc) -> ExprId {
        // Of wider numbers that wrap, the difference is the distance.
        let (from, to) = (self.cast_to(start, &Ty::Usize, loc), self.cast_to(end, &Ty::Usize, loc));
        let unsigned = match ty {
            Ty::Usize => true,
            Ty::Scalar(scalar) => !scalar.is_signed(),
            _ => false,
        };
        if self.is_zero(start) && unsigned && !inclusive {
            return to;
        }
        let mut distance = self.compute(Op::Sub, &[to, from], &Ty::Usize, loc);
        if inclusive {
            // Nobody counts further.
            let (most, one) = (self.int(u32::MAX as u128 - 1, &Ty::Usize, loc), self.int(1, &Ty::Usize, loc));
            distance = self.compute(Op::Min, &[distance, most], &Ty::Usize, loc);
            distance = self.compute(Op::Add, &[distance, one], &Ty::Usize, loc);
        }
        let compare = if inclusive { Op::Le } else { Op::Lt };
        let some = self.compute(compare, &[start, end], &Ty::Scalar(Scalar::Bool), loc);
        let none = self.int(0, &Ty::Usize, loc);
        let then = Block { stmts: Vec::new(), tail: Some(distance) };
        self.push(ExprKind::If(some, then, Some(none)), Ty::Usize, loc)
    }

    /// The number that a position is in a round.
    pub(super) fn number(&mut self, position: &Position, at: ExprId, loc: Loc) -> ExprId {
        let Position::Line(line, inner) = position else { return at };
        let mut far = self.number(inner, at, loc);
        if let Some(step) = line.step {
            far = self.compute(Op::Mul, &[far, step], &Ty::Usize, loc);
        }
        let far = self.cast_to(far, &line.ty, loc);
        match (line.down, self.is_zero(line.base)) {
            (false, true) => far,
            (false, false) => self.compute(Op::Add, &[line.base, far], &line.ty, loc),
            (true, _) => self.compute(Op::Sub, &[line.base, far], &line.ty, loc),
        }
    }

    /// `rev`
    pub(super) fn reversed(&mut self, iter: &mut Iter<'a>, stmts: &mut Vec<Stmt>) -> Option<()> {
        iter.count.order = match (iter.count.order, iter.count.step) {
            (Order::Forward, None) => Order::Reversed,
            (Order::Forward, Some(_)) => Order::StepsReversed,
            (Order::Reversed, None) => Order::Forward,
            _ => {
                self.plainly(iter, stmts)?;
                Order::Reversed
            }
        };
        Some(())
    }

    /// `step_by`
    pub(super) fn stepped(&mut self, iter: &mut Iter<'a>, step: ExprId, stmts: &mut Vec<Stmt>) -> Option<()> {
        if iter.count.step.is_some() || iter.count.order == Order::StepsReversed {
            self.plainly(iter, stmts)?;
        }
        iter.count.step = Some(step);
        Some(())
    }

    /// `skip`
    pub(super) fn skipped(&mut self, iter: &mut Iter<'a>, number: ExprId, stmts: &mut Vec<Stmt>) -> Option<()> {
        self.plainly(iter, stmts)?;
        iter.count.start = self.fixed(number, stmts);
        Some(())
    }

    /// `take`
    pub(super) fn taken(&mut self, iter: &mut Iter<'a>, number: ExprId, stmts: &mut Vec<Stmt>) -> Option<()> {
        self.plainly(iter, stmts)?;
        self.ends_by(iter, number, stmts);
        Some(())
    }

    /// Makes `0..n` end at a number at the latest.
    pub(super) fn ends_by(&mut self, iter: &mut Iter<'a>, number: ExprId, stmts: &mut Vec<Stmt>) {
        let end = match iter.count.end {
            Some(end) => self.compute(Op::Min, &[end, number], &Ty::Usize, iter.loc),
            None => number,
        };
        iter.count.end = Some(self.fixed(end, stmts));
    }

    /// A variable that counts items.
    pub(super) fn counter(&mut self, loc: Loc, stmts: &mut Vec<Stmt>) -> crate::hir::LocalId {
        let local = self.variable("counter", Ty::Usize, true, loc);
        let zero = self.int(0, &Ty::Usize, loc);
        stmts.push(Stmt::Let(local, zero));
        local
    }

    /// A type that nothing says yet.
    pub(super) fn open_type(&mut self) -> Ty {
        self.infer.var(VarKind::General)
    }
}
