//! Messages: how a kernel leaves them in the buffer that its launch passes for them.
//!
//! The buffer's layout is that of [`samebits_ir::messages`]. All accesses are relaxed atomics, so messages race with
//! nothing, and a store that finds no room is dropped as any store out of bounds is.

use super::Build;
use crate::hir::{ExprId, Message};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Access, Index, Place, Root, Value};
use samebits_ir::messages::{self, Layout};
use samebits_ir::ops::{AtomicOp, Builtin, Op};
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// Gives a kernel that says something the buffer for it.
    pub(super) fn messages_of(&mut self, lines: bool) {
        let says = self.body.messages.iter().any(|message| message.is_assertion || lines);
        let root = says.then(|| self.b.buffer(messages::NAME, Type::U32, Access::Atomic));
        self.messages = (root, lines);
    }

    /// A message with the values of its places, and the zeros that it gives.
    pub(super) fn message(&mut self, number: usize, args: &[ExprId], id: ExprId) -> Vec<Value> {
        let body = self.body;
        let (message, (root, lines)) = (&body.messages[number], self.messages);
        let loc = body.exprs[id].loc;
        let is_said = message.is_assertion || lines;
        match root.filter(|_| is_said) {
            Some(root) => self.say(root, (number, message), args),
            // Its values are judged, and never computed.
            None => {
                self.b.at(loc);
                let never = self.b.constant(Scalar::Bool, 0);
                let (then, _) = self.arm(0, |this| {
                    _ = this.words_of(args);
                    Vec::new()
                });
                let otherwise = self.empty_region();
                self.b.if_else(never, then, otherwise, &[]);
            }
        }
        self.b.at(loc);
        self.ty(id).flat().unwrap_or_default().into_iter().map(|ty| self.zero(ty)).collect()
    }

    fn say(&mut self, root: Root, (number, message): (usize, &Message), args: &[ExprId]) {
        let layout = Layout::new(self.body.messages.len());
        let words = self.words_of(args);
        self.b.at(message.loc);
        let before = self.b.loc();
        self.b.flags(Flags::NONE);
        let invocation = self.invocation();
        let (first, count) = layout.of(number);
        let one = self.b.u32(1);
        self.update(root, AtomicOp::Add, count, one);
        if message.is_assertion {
            // The words keep the greatest complement, which is that of the least invocation.
            let rank = self.b.op(Op::Not, &[invocation]);
            let old = self.update(root, AtomicOp::Max, first, rank);
            let leads = self.b.op(Op::Lt, &[old, rank]);
            let (then, _) = self.arm(0, |this| this.record(root, &layout, number, invocation, &words));
            let otherwise = self.empty_region();
            self.b.at(before);
            self.b.if_else(leads, then, otherwise, &[]);
        } else {
            self.record(root, &layout, number, invocation, &words);
        }
        self.b.flags(self.flags_of_accesses());
    }

    /// Appends a record, if there is room for it.
    fn record(&mut self, root: Root, layout: &Layout, number: usize, invocation: Value, words: &[Value]) -> Vec<Value> {
        let used = self.b.u32(messages::USED);
        let used = self.word(root, used);
        let Some(taken) = self.b.atomic(AtomicOp::Load, used, &[], Type::U32) else { return Vec::new() };
        let room = self.b.len(root);
        let is_room = self.b.op(Op::Lt, &[taken, room]);
        let (then, _) = self.arm(0, |this| {
            let number = this.b.u32(number as u32 + 1);
            let all: Vec<Value> = [number, invocation].into_iter().chain(words.iter().copied()).collect();
            let len = this.b.u32(all.len() as u32);
            let at = this.update(root, AtomicOp::Add, messages::USED, len);
            for (i, word) in (layout.records()..).zip(all) {
                let offset = this.b.u32(i);
                let at = this.b.op(Op::Add, &[at, offset]);
                let place = this.word(root, at);
                this.b.atomic(AtomicOp::Store, place, &[word], Type::U32);
            }
            Vec::new()
        });
        let otherwise = self.empty_region();
        self.b.if_else(is_room, then, otherwise, &[]);
        Vec::new()
    }

    /// The number of the invocation in the whole launch.
    fn invocation(&mut self) -> Value {
        let mut builtin = |builtin| self.b.builtin(builtin);
        let [x, y, z] = [Builtin::WorkgroupIdX, Builtin::WorkgroupIdY, Builtin::WorkgroupIdZ].map(&mut builtin);
        let [nx, ny] = [Builtin::NumWorkgroupsX, Builtin::NumWorkgroupsY].map(&mut builtin);
        let group = [(ny, y), (nx, x)].into_iter().fold(z, |group, (len, at)| {
            let rows = self.b.op(Op::Mul, &[group, len]);
            self.b.op(Op::Add, &[rows, at])
        });
        let size = self.b.function().workgroup_size().into_iter().product();
        let size = self.b.u32(size);
        let before = self.b.op(Op::Mul, &[group, size]);
        let local = self.b.builtin(Builtin::LocalIndex);
        self.b.op(Op::Add, &[before, local])
    }

    /// An atomic access to a word at a known place; gives what was there.
    fn update(&mut self, root: Root, op: AtomicOp, word: u32, value: Value) -> Value {
        let index = self.b.u32(word);
        let place = self.word(root, index);
        self.b.atomic(op, place, &[value], Type::U32).unwrap_or(value)
    }

    /// A word of the buffer.
    fn word(&self, root: Root, value: Value) -> Place {
        self.b.place(root, &[Index { value, stride: 4, bound: None }], 0)
    }

    /// The words of all values, as the launcher reads them; reports a value that has none.
    fn words_of(&mut self, args: &[ExprId]) -> Vec<Value> {
        let mut words = Vec::new();
        for &arg in args {
            let ty = self.ty(arg);
            let values = self.flat(arg);
            let loc = self.expr(arg).loc;
            self.b.at(loc);
            let Some(lane) = shown(&ty) else {
                if ty != Ty::Error {
                    let message = format!("a message cannot show `{}`", self.infer.show(&ty));
                    let help = "it shows numbers, `bool` and vectors: name the parts that you want to see";
                    self.diags.push(Diag::new(Code::V201, loc, message).help(help));
                }
                continue;
            };
            for value in values {
                let lanes = if self.b.function().ty(value).lanes() > 1 { self.lanes(value) } else { vec![value] };
                lanes.into_iter().for_each(|value| self.words(value, lane, &mut words));
            }
        }
        words
    }

    /// The words of a number: one, or the lower and the upper half.
    fn words(&mut self, value: Value, scalar: Scalar, words: &mut Vec<Value>) {
        let cast = |this: &mut Self, value, to| this.b.op_to(Op::Cast, &[value], Type::Scalar(to));
        match scalar {
            Scalar::Bool => {
                let (one, zero) = (self.b.u32(1), self.b.u32(0));
                words.push(self.b.op(Op::Select, &[value, one, zero]));
            }
            _ if scalar.bits() == 64 => {
                let bits = self.as_bits(value, scalar);
                let shift = self.b.constant(Scalar::U32, 32);
                let upper = self.b.op(Op::Shr, &[bits, shift]);
                words.extend([bits, upper].map(|half| cast(self, half, Scalar::U32)));
            }
            _ => {
                let bits = self.as_bits(value, scalar);
                words.push(if scalar.bits() == 32 { bits } else { cast(self, bits, Scalar::U32) });
            }
        }
    }

    /// The bits of a number as an unsigned one.
    fn as_bits(&mut self, value: Value, scalar: Scalar) -> Value {
        let unsigned = scalar.unsigned();
        if scalar == unsigned { value } else { self.b.op_to(Op::Bitcast, &[value], Type::Scalar(unsigned)) }
    }
}

/// The type of the numbers of which a message shows a value; `None` if it shows no such value.
pub(crate) fn shown(ty: &Ty) -> Option<Scalar> {
    match ty {
        Ty::Usize => Some(Scalar::U32),
        Ty::Scalar(scalar) => Some(*scalar),
        Ty::Vector(lane, _) => shown(lane),
        _ => None,
    }
}
