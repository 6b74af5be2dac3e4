//! Atomic accesses and fences.
//!
//! What naga has an atomic function for, with the meaning of the table, becomes that: the
//! integer ops on whole words, and on pairs of words where the root is declared as
//! `atomic<u64>`, which devices with atomics of 64 bits have. Everything else is a loop
//! that computes the new word and exchanges it for the old one if that is still there:
//! values less than a word, floats, signed extremes of unsigned words, and the ops that
//! naga has not. Values travel as bits, so that an exchange compares bits.
//!
//! naga's atomics are relaxed. An order is a memory barrier before what releases and after
//! what acquires, over buffers and workgroup memory and as wide as the device, whatever
//! the scope: that is release and acquire between any two invocations. Of `seq_cst` it
//! leaves out that all such accesses have one order, which no target of naga can say.

use super::body::Body;
use super::code::{Code, Expr};
use super::memory::{Address, DeclaredRoot, locate, mask};
use super::op::gives_a_nan;
use crate::analysis::shape::{Word, part};
use crate::ir::{Inst, Place};
use crate::ops::{AtomicOp, Op};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type};
use naga::{AtomicFunction, BinaryOperator as Bin, Expression, Handle, Statement};

/// The results of compare-exchange.
#[derive(Clone, Copy)]
pub(super) struct ExchangeTypes {
    /// On `u32`.
    pub unsigned: Handle<naga::Type>,
    /// On `i32`.
    pub signed: Handle<naga::Type>,
    /// On `u64`, where that is used, with its type.
    pub wide: Option<[Handle<naga::Type>; 2]>,
}

/// An atomic word that is in bounds.
#[derive(Clone, Copy)]
struct Cell {
    pointer: Expr,
    word: Word,
    types: ExchangeTypes,
    /// Of a value that is a part of the word: by how much it is shifted, and its bits.
    part: Option<(Expr, u32)>,
}

impl Body<'_> {
    /// An atomic access; the registers of the old value, or of zero out of bounds.
    pub(super) fn atomic(
        &mut self,
        inst: Inst,
        (op, order): (AtomicOp, MemoryOrder),
        place: &Place,
        ty: Type,
        args: &[Vec<Expr>],
    ) -> Vec<Expr> {
        let (Some(scalar), Some((memory, address))) = (ty.lane(), self.address(inst, place, ty)) else {
            return self.zero(ty);
        };
        if self.code.known_flag(address.valid) == Some(false) {
            return self.zero(ty);
        }
        let args: Vec<Vec<Expr>> = args.iter().map(|value| self.bits(scalar, value)).collect();
        let words = if scalar.bits() == 64 { 2 } else { 1 };
        let zero = self.code.word(0);
        let old: Vec<Expr> = (0..words).map(|_| self.code.local(self.code.basic.u32)).collect();
        for &variable in &old {
            self.code.store(variable, zero);
        }
        if order.ordering.releases() {
            self.memory_barrier(order.scope);
        }
        self.code.open();
        let cell = self.cell(&memory, &address, ty);
        if op == AtomicOp::CompareExchange && cell.part.is_none() {
            self.compare_exchange(&cell, &args, &old);
        } else if let Some(value) = self.native(&cell, op, scalar, &args) {
            for (&variable, value) in old.iter().zip(value) {
                self.code.store(variable, value);
            }
        } else {
            self.exchange_loop(&cell, op, scalar, &args, &old);
        }
        let accept = self.code.close();
        match self.code.known_flag(address.valid) {
            Some(_) => self.code.statement(Statement::Block(accept)),
            None => {
                let reject = naga::Block::new();
                self.code.statement(Statement::If { condition: address.valid, accept, reject });
            }
        }
        if order.ordering.acquires() {
            self.memory_barrier(order.scope);
        }
        let old: Vec<Expr> = old.iter().map(|&variable| self.code.load(variable)).collect();
        if scalar == Scalar::F32 { old.into_iter().map(|word| self.code.float_of(word)).collect() } else { old }
    }

    /// A fence.
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) {
        if ordering != Ordering::Relaxed {
            self.memory_barrier(scope);
        }
    }

    /// A release and an acquire; an invocation is always in order with itself.
    fn memory_barrier(&mut self, scope: Scope) {
        if scope != Scope::Invocation {
            let flags = naga::Barrier::STORAGE | naga::Barrier::WORK_GROUP;
            self.code.statement(Statement::MemoryBarrier(flags));
        }
    }

    /// The bits of a value as words.
    fn bits(&mut self, scalar: Scalar, value: &[Expr]) -> Vec<Expr> {
        value.iter().map(|&v| if scalar == Scalar::F32 { self.code.word_of(v) } else { v }).collect()
    }

    fn cell(&mut self, memory: &DeclaredRoot, address: &Address, ty: Type) -> Cell {
        let types = self.exchange_types;
        let word = memory.shape.word;
        if let Some(bytes) = part(ty) {
            let (index, shift) = locate(&mut self.code, address, 0);
            let pointer = self.code.element(memory.pointer, index);
            return Cell { pointer, word, types, part: Some((shift, mask(bytes))) };
        }
        let index = if word == Word::WideAtomic {
            // Places of 8 bytes are at even words.
            let one = self.code.word(1);
            self.code.binary(Bin::ShiftRight, address.index, one)
        } else {
            address.index
        };
        Cell { pointer: self.code.element(memory.pointer, index), word, types, part: None }
    }

    /// The access by naga's own functions; `None` if they do not have it.
    fn native(&mut self, cell: &Cell, op: AtomicOp, scalar: Scalar, args: &[Vec<Expr>]) -> Option<Vec<Expr>> {
        let code = &mut self.code;
        if op == AtomicOp::Load {
            let word = code.load(cell.pointer);
            let words = cell.words(code, word);
            return Some(cell.value(code, words));
        }
        if cell.part.is_some() {
            return None;
        }
        let signed = cell.word == Word::SignedAtomic;
        let fun = match op {
            AtomicOp::Store => {
                let value = cell.raw(code, args.first()?);
                code.store(cell.pointer, value);
                return Some(Vec::new());
            }
            AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
            AtomicOp::Add if scalar.is_int() => AtomicFunction::Add,
            AtomicOp::Sub if scalar.is_int() => AtomicFunction::Subtract,
            AtomicOp::Min if scalar.is_int() && scalar.is_signed() == signed => AtomicFunction::Min,
            AtomicOp::Max if scalar.is_int() && scalar.is_signed() == signed => AtomicFunction::Max,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => return None,
            AtomicOp::Nand | AtomicOp::IncWrap | AtomicOp::DecWrap | AtomicOp::CompareExchange => return None,
            AtomicOp::Load => return None,
        };
        let value = cell.raw(code, args.first()?);
        let result = code.plain(Expression::AtomicResult { ty: cell.ty(code), comparison: false });
        code.statement(Statement::Atomic { pointer: cell.pointer, fun, value, result: Some(result) });
        Some(cell.words(code, result))
    }

    /// Some targets' exchange may fail although the value is the expected one; that is tried again.
    fn compare_exchange(&mut self, cell: &Cell, args: &[Vec<Expr>], old: &[Expr]) {
        let [expected, new] = args else { return };
        self.code.enter_loop();
        self.code.open();
        let raw = cell.raw(&mut self.code, expected);
        let result = cell.exchange(&mut self.code, raw, new);
        let found = self.code.member(result, 0);
        let found = cell.words(&mut self.code, found);
        for (&variable, &value) in old.iter().zip(&found) {
            self.code.store(variable, value);
        }
        let same = self.same_bits(&found, expected);
        let (exchanged, other) = (self.code.member(result, 1), self.code.not(same));
        let done = self.code.binary(Bin::InclusiveOr, exchanged, other);
        self.leave_if(done);
        self.code.repeat_block();
    }

    /// Exchanges the word for the one that the op makes of it until that succeeds. Each
    /// round in which this fails, another invocation succeeds.
    fn exchange_loop(&mut self, cell: &Cell, op: AtomicOp, scalar: Scalar, args: &[Vec<Expr>], old: &[Expr]) {
        self.code.enter_loop();
        self.code.open();
        let word = self.code.load(cell.pointer);
        let before = cell.words(&mut self.code, word);
        let value = cell.value(&mut self.code, before.clone());
        for (&variable, &value) in old.iter().zip(&value) {
            self.code.store(variable, value);
        }
        let new = self.atomic_result(op, scalar, &value, args);
        let after = cell.merged(&mut self.code, &before, &new);
        let result = cell.exchange(&mut self.code, word, &after);
        let done = self.code.member(result, 1);
        self.leave_if(done);
        self.code.repeat_block();
    }

    /// Leaves the loop of the open block if the condition holds.
    fn leave_if(&mut self, condition: Expr) {
        self.code.open();
        self.code.leave_loops(1);
        self.code.statement(Statement::Break);
        let accept = self.code.close();
        self.code.statement(Statement::If { condition, accept, reject: naga::Block::new() });
    }

    fn same_bits(&mut self, a: &[Expr], b: &[Expr]) -> Expr {
        let mut same = self.code.flag(true);
        for (&a, &b) in a.iter().zip(b) {
            let equal = self.code.binary(Bin::Equal, a, b);
            same = self.code.binary(Bin::And, same, equal);
        }
        same
    }

    /// The bits that memory holds afterwards.
    fn atomic_result(&mut self, op: AtomicOp, ty: Scalar, old: &[Expr], args: &[Vec<Expr>]) -> Vec<Expr> {
        let operand = |n: usize| args.get(n).cloned().unwrap_or_default();
        let value = operand(0);
        let op = match op {
            AtomicOp::Load => return old.to_vec(),
            AtomicOp::Store | AtomicOp::Exchange => return value,
            AtomicOp::CompareExchange => {
                let same = self.same_bits(old, &value);
                return self.either(&[same], &operand(1), old);
            }
            AtomicOp::Nand => {
                let both = self.on_words(Op::And, ty, old, &value);
                return self.on_words(Op::Not, ty, &both, &both);
            }
            AtomicOp::IncWrap => {
                let wraps = self.on_words(Op::Ge, ty, old, &value);
                let one = self.small(ty, 1);
                let next = self.on_words(Op::Add, ty, old, &one);
                let zero = self.small(ty, 0);
                return self.either(&wraps, &zero, &next);
            }
            AtomicOp::DecWrap => {
                let zero = self.small(ty, 0);
                let none = self.on_words(Op::Eq, ty, old, &zero);
                let above = self.on_words(Op::Gt, ty, old, &value);
                let one = self.small(ty, 1);
                let next = self.on_words(Op::Sub, ty, old, &one);
                let next = self.either(&above, &value, &next);
                return self.either(&none, &value, &next);
            }
            AtomicOp::Add => Op::Add,
            AtomicOp::Sub => Op::Sub,
            AtomicOp::Min => Op::Min,
            AtomicOp::Max => Op::Max,
            AtomicOp::And => Op::And,
            AtomicOp::Or => Op::Or,
            AtomicOp::Xor => Op::Xor,
        };
        self.on_words(op, ty, old, &value)
    }

    /// An op on a value's bits; a comparison gives a condition.
    fn on_words(&mut self, op: Op, ty: Scalar, a: &[Expr], b: &[Expr]) -> Vec<Expr> {
        if ty != Scalar::F32 {
            return self.lane(op, ty, &[a.to_vec(), b.to_vec()]);
        }
        let floats = [a, b].map(|words| words.iter().map(|&word| self.code.float_of(word)).collect());
        let mut value = self.lane(op, ty, &floats);
        if gives_a_nan(self.native, op, ty) {
            value = value.into_iter().map(|value| self.canonical(value)).collect();
        }
        value.into_iter().map(|value| self.code.word_of(value)).collect()
    }

    /// A small number as a value's words.
    fn small(&mut self, ty: Scalar, value: u32) -> Vec<Expr> {
        let mut words = vec![self.code.word(value)];
        if ty.bits() == 64 {
            words.push(self.code.word(0));
        }
        words
    }

    fn either(&mut self, condition: &[Expr], accept: &[Expr], reject: &[Expr]) -> Vec<Expr> {
        let Some(&condition) = condition.first() else { return reject.to_vec() };
        accept.iter().zip(reject).map(|(&a, &b)| self.code.select(condition, a, b)).collect()
    }
}

impl Cell {
    /// The type of what the pointer points to.
    fn ty(&self, code: &Code) -> Handle<naga::Type> {
        match (self.word, self.types.wide) {
            (Word::SignedAtomic, _) => code.basic.i32,
            (Word::WideAtomic, Some([_, ty])) => ty,
            _ => code.basic.u32,
        }
    }

    /// What naga loaded, as words.
    fn words(&self, code: &mut Code, raw: Expr) -> Vec<Expr> {
        match self.word {
            Word::SignedAtomic => vec![code.word_of(raw)],
            Word::WideAtomic => {
                let bits = code.word(32);
                let high = code.push(Expression::Binary { op: Bin::ShiftRight, left: raw, right: bits });
                [raw, high].map(|wide| convert(code, wide, 4)).to_vec()
            }
            Word::Plain | Word::Float | Word::Atomic => vec![raw],
        }
    }

    /// Words as what naga stores.
    fn raw(&self, code: &mut Code, words: &[Expr]) -> Expr {
        let zero = code.word(0);
        let at = |i: usize| words.get(i).copied().unwrap_or(zero);
        match self.word {
            Word::SignedAtomic => code.signed_of(at(0)),
            Word::WideAtomic => {
                let (low, high) = (convert(code, at(0), 8), convert(code, at(1), 8));
                let bits = code.word(32);
                let high = code.push(Expression::Binary { op: Bin::ShiftLeft, left: high, right: bits });
                code.push(Expression::Binary { op: Bin::InclusiveOr, left: low, right: high })
            }
            Word::Plain | Word::Float | Word::Atomic => at(0),
        }
    }

    /// The value that is in the words.
    fn value(&self, code: &mut Code, words: Vec<Expr>) -> Vec<Expr> {
        let Some((shift, mask)) = self.part else { return words };
        let mask = code.word(mask);
        let part = |word| {
            let word = code.binary(Bin::ShiftRight, word, shift);
            code.binary(Bin::And, word, mask)
        };
        words.into_iter().map(part).collect()
    }

    /// The words with another value in them.
    fn merged(&self, code: &mut Code, words: &[Expr], value: &[Expr]) -> Vec<Expr> {
        let (Some((shift, mask)), Some(&word), Some(&value)) = (self.part, words.first(), value.first()) else {
            return value.to_vec();
        };
        let mask = code.word(mask);
        let value = code.binary(Bin::And, value, mask);
        let value = code.binary(Bin::ShiftLeft, value, shift);
        let here = code.binary(Bin::ShiftLeft, mask, shift);
        let others = code.complement(here);
        let others = code.binary(Bin::And, word, others);
        vec![code.binary(Bin::InclusiveOr, others, value)]
    }

    /// Sets the word if it is the expected one: what it was, and whether it was set.
    fn exchange(&self, code: &mut Code, expected: Expr, new: &[Expr]) -> Expr {
        let value = self.raw(code, new);
        let ty = match (self.word, self.types.wide) {
            (Word::SignedAtomic, _) => self.types.signed,
            (Word::WideAtomic, Some([ty, _])) => ty,
            _ => self.types.unsigned,
        };
        let result = code.plain(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare: Some(expected) };
        code.statement(Statement::Atomic { pointer: self.pointer, fun, value, result: Some(result) });
        result
    }
}

/// An unsigned number in this many bytes.
fn convert(code: &mut Code, expr: Expr, bytes: u8) -> Expr {
    code.push(Expression::As { expr, kind: naga::ScalarKind::Uint, convert: Some(bytes) })
}
