//! `for` over ranges: up, down, and in steps.
//!
//! A loop never computes a number past its last one, so a range may end at the end of its type.
//! A loop with a step counts its rounds, in an unsigned type that holds both the numbers of the
//! range and a `usize`, because a step may be greater than any number of the range.

use super::{Build, Round, Slot};
use crate::hir::{Block, ExprId, ExprKind, LocalId, LoopId, Order};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Inst, Value};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

/// What a `for` goes over.
pub(super) struct Range {
    pub start: ExprId,
    pub end: ExprId,
    pub inclusive: bool,
    pub step: Option<ExprId>,
    pub order: Order,
}

/// The loop variable, the loop it belongs to, and its places in the source.
struct Head<'h> {
    id: LoopId,
    local: LocalId,
    scalar: Scalar,
    body: &'h Block,
    loc: Loc,
    /// Where the range ends, which decides how often the loop runs.
    bound: Loc,
}

impl Build<'_> {
    /// The literal behind the sign of a negated one that is not zero.
    fn below_zero(&self, id: ExprId) -> Option<u128> {
        let ExprKind::Op(Op::Neg, args) = &self.expr(id).kind else { return None };
        match self.expr(*args.first()?).kind {
            ExprKind::Int(below) if below > 0 => Some(below),
            _ => None,
        }
    }

    pub(super) fn for_(&mut self, id: LoopId, local: LocalId, range: Range, body: &Block, loc: Loc) {
        let ty = self.infer.decided(&self.body.locals[local].ty);
        let Some(scalar) = ty.scalar().filter(|s| s.is_int()) else {
            if !matches!(ty, Ty::Error | Ty::Never) {
                let message = format!("a range cannot have bounds of type `{ty}`");
                let diag = Diag::new(Code::V015, self.expr(range.start).loc, message);
                self.diags.push(diag.help("a range needs integer bounds"));
            }
            self.block(body);
            return;
        };
        if !scalar.is_signed()
            && let Some(below) = self.below_zero(range.start)
        {
            let (at, name) = (self.expr(range.start).loc, &self.body.locals[local].name);
            let message = format!("this range begins below zero, but its type is `{ty}`");
            let help = format!(
                "begin with `-{below}i32`, and convert it where you need an index, as in `(i as i32 + {name}) as usize`"
            );
            self.diags.push(Diag::new(Code::V021, at, message).help(help));
            self.block(body);
            return;
        }
        let (first, end) = (self.operand(range.start), self.operand(range.end));
        let step = range.step.map(|step| self.operand(step));
        // Whatever the way, all its numbers lie between the ends.
        let (least, greatest) = (self.range(range.start).0, self.range(range.end).1);
        let greatest = if range.inclusive { greatest } else { greatest - 1 };
        if least <= greatest {
            self.note(local, (least, greatest));
        }
        let bound = self.expr(range.end).loc;
        let head = Head { id, local, scalar, body, loc, bound };
        self.b.at(bound);
        if let (false, None, Order::Forward) = (range.inclusive, step, range.order) {
            return self.up_to(&head, first, end);
        }
        // The range is known to have a number before its last one is computed.
        let some = self.b.op(if range.inclusive { Op::Le } else { Op::Lt }, &[first, end]);
        let then = self.b.region(&[]);
        self.b.enter(then);
        let one = self.b.constant(scalar, 1);
        let last = if range.inclusive { end } else { self.b.op(Op::Sub, &[end, one]) };
        match (step, range.order) {
            (Some(step), order) => self.in_steps(&head, (first, last), step, order),
            (None, Order::Forward) => self.through(&head, first, last, Op::Add),
            (None, _) => self.through(&head, last, first, Op::Sub),
        }
        self.b.yield_(&[]);
        self.b.leave();
        let otherwise = self.empty_region();
        self.b.if_else(some, then, otherwise, &[]);
    }

    /// `start..end`
    fn up_to(&mut self, head: &Head<'_>, first: Value, end: Value) {
        let (inst, at) = self.begin(head, first);
        self.loops[head.id.index()] = Some((inst, Round::Next(at, head.scalar)));
        self.b.at(head.bound);
        let done = self.b.op(Op::Ge, &[at, end]);
        self.leave_if(done, inst);
        self.finish(head, inst, at);
    }

    /// From the first to the last number, both included, by `Add` or `Sub` of one.
    fn through(&mut self, head: &Head<'_>, first: Value, last: Value, op: Op) {
        let (inst, at) = self.begin(head, first);
        self.loops[head.id.index()] = Some((inst, Round::Until { at, last, op, scalar: head.scalar }));
        self.finish(head, inst, at);
    }

    /// Every `step`-th number; a step of zero counts as one.
    fn in_steps(&mut self, head: &Head<'_>, (first, last): (Value, Value), step: Value, order: Order) {
        let scalar = head.scalar;
        let unsigned = scalar.unsigned();
        let counter = if unsigned.bits() < Scalar::U32.bits() { Scalar::U32 } else { unsigned };
        let step = self.convert(step, Scalar::U32, counter);
        let one = self.b.constant(counter, 1);
        let step = self.b.op(Op::Max, &[step, one]);
        let distance = self.b.op(Op::Sub, &[last, first]);
        // Without a sign first: the distance between two signed numbers may be twice as far.
        let distance = self.convert(distance, scalar, unsigned);
        let distance = self.convert(distance, unsigned, counter);
        let rounds = self.b.op(Op::Div, &[distance, step]);
        let (base, op) = match order {
            Order::Forward => (first, Op::Add),
            Order::Reversed => (last, Op::Sub),
            Order::StepsReversed => {
                let reached = self.b.op(Op::Mul, &[rounds, step]);
                let reached = self.convert(reached, counter, scalar);
                (self.b.op(Op::Add, &[first, reached]), Op::Sub)
            }
        };
        let zero = self.b.constant(counter, 0);
        let (inst, round) = self.begin(head, zero);
        self.loops[head.id.index()] =
            Some((inst, Round::Until { at: round, last: rounds, op: Op::Add, scalar: counter }));
        let far = self.b.op(Op::Mul, &[round, step]);
        let far = self.convert(far, counter, scalar);
        let at = self.b.op(op, &[base, far]);
        self.finish(head, inst, at);
    }

    fn convert(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        if from == to { value } else { self.b.op_to(Op::Cast, &[value], Type::Scalar(to)) }
    }

    fn begin(&mut self, head: &Head<'_>, first: Value) -> (Inst, Value) {
        self.b.at(head.loc);
        let (inst, params) = self.begin_loop(head.id, &[first]);
        (inst, params[0])
    }

    /// The body, with the loop variable, and the end of the loop.
    fn finish(&mut self, head: &Head<'_>, inst: Inst, at: Value) {
        let def = &self.body.locals[head.local];
        self.b.name(at, &def.name);
        if def.mutable {
            self.let_(head.local, &[at]);
        } else {
            self.locals[head.local.index()] = vec![Slot::Value(at)];
        }
        self.block(head.body);
        self.b.at(head.loc);
        self.continue_(head.id);
        self.b.end_loop(inst, &[]);
    }
}
