//! Atomic accesses, their orders, and fences.
//!
//! Integer ops on whole words, and on 64 bits where the root is declared so, are instructions.
//! Everything else is a loop that computes the new word and exchanges it for the old one if that
//! is still there: values less than a word, floats, and the ops that SPIR-V has not. A
//! compare-exchange of SPIR-V never fails spuriously. Values travel as bits, so that an exchange
//! compares bits.
//!
//! # Orders
//!
//! Atomics are relaxed, and an order is a fence before what releases and after what acquires:
//! Mesa's loops did not end with an ordered exchange in them. A module in which something orders
//! accesses ([`orders`]) has the Vulkan memory model, if the device has it: scopes are operands of
//! atomics and fences, and what is written is made available and visible within the scope. Vulkan
//! has no scope of the whole system; the device stands for it. Its subgroups need not be ours, so
//! that the workgroup stands for those. Vulkan has no `seq_cst` either: such an access has both
//! fences. That leaves out that all such accesses have one order.
//!
//! Without that model a fence is as wide as the device, whatever the scope. Whoever gives a kernel
//! to a device that lacks the model has to know that this orders buffers only as far as the
//! device's caches do, and refuses kernels whose results depend on orders or scopes.

use super::body::Body;
use super::code::Code;
use super::memory::{Element, View};
use super::module::{Id, Reg};
use super::place::mask;
use crate::analysis::shape::part;
use crate::ir::{Function, Inst, InstKind, Place};
use crate::ops::{AtomicOp, Op};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type};
use spirv::{Capability, LoopControl, MemorySemantics};

/// Whether something orders accesses, other than barriers.
pub(super) fn orders(function: &Function) -> bool {
    function.insts.iter().any(|(_, def)| match def.kind {
        InstKind::Atomic(.., order) => order.ordering != Ordering::Relaxed && order.scope != Scope::Invocation,
        InstKind::Fence(_, scope) => scope != Scope::Invocation,
        _ => false,
    })
}

/// An atomic word, or 64 bits, in bounds.
#[derive(Clone, Copy)]
struct Cell {
    pointer: Id,
    reg: Reg,
    /// The type of the value.
    ty: Type,
    /// Of a value that is a part of the word: by how much it is shifted, and its bits.
    part: Option<(Id, u32)>,
    /// Who the access is seen by.
    scope: Id,
}

/// What an access is about.
struct Access<'a> {
    op: AtomicOp,
    scalar: Scalar,
    args: &'a [Vec<Id>],
}

impl Body<'_> {
    /// An atomic access; the registers of the old value, or of zero out of bounds.
    pub(super) fn atomic(
        &mut self,
        inst: Inst,
        (op, order): (AtomicOp, MemoryOrder),
        place: &Place,
        ty: Type,
        args: &[Vec<Id>],
    ) -> Vec<Id> {
        self.accessed(inst, (op, order), place, ty, args).unwrap_or_else(|| self.zero(ty))
    }

    fn accessed(
        &mut self,
        inst: Inst,
        (op, order): (AtomicOp, MemoryOrder),
        place: &Place,
        ty: Type,
        args: &[Vec<Id>],
    ) -> Option<Vec<Id>> {
        let (scalar, info) = (ty.lane()?, self.memory.info(place.root)?);
        let valid = self.test(inst, &info, place, ty)?;
        let view = self.memory.view(&mut self.code, place.root, info.main)?;
        if view.element.reg == Reg::U64 {
            self.code.module.need(Capability::Int64Atomics);
        }
        let access = Access { op, scalar, args };
        let old = match self.code.known_flag(valid) {
            Some(_) => None,
            None => Some(self.code.local(view.element.reg)),
        };
        if let Some(old) = old {
            let zero = self.code.constant(view.element.reg, 0);
            self.code.store(old, zero);
        }
        let (before, after) = Self::fences(order.ordering);
        self.order(before, order.scope);
        let mut found = None;
        self.when(valid, |this| {
            let cell = this.cell(&view, (place, info.base), ty, order);
            let value = this.change(&cell, &access);
            match old {
                Some(old) => this.code.store(old, value),
                None => found = Some(value),
            }
        });
        self.order(after, order.scope);
        if op == AtomicOp::Store {
            return Some(Vec::new());
        }
        let raw = found.or_else(|| old.map(|old| self.code.load(view.element.reg, old)))?;
        Some(self.value_of_raw(ty, raw))
    }

    /// The order of the fences before and after an access.
    const fn fences(ordering: Ordering) -> (Ordering, Ordering) {
        let before = if ordering.releases() { ordering } else { Ordering::Relaxed };
        let after = if ordering.acquires() { ordering } else { Ordering::Relaxed };
        (before, after)
    }

    /// A fence.
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) {
        self.order(ordering, scope);
    }

    /// Orders all accesses before with all accesses after; an invocation is always in order with
    /// itself.
    fn order(&mut self, ordering: Ordering, scope: Scope) {
        if ordering == Ordering::Relaxed || scope == Scope::Invocation {
            return;
        }
        let (scope, ordering) = match self.code.module.has_vulkan_memory_model() {
            true => (scope, ordering),
            false => (Scope::Device, Ordering::AcqRel),
        };
        let (scope, semantics) = (self.scope(scope), self.semantics(ordering));
        self.code.effect(spirv::Op::MemoryBarrier, &[scope.word(), semantics.word()]);
    }

    /// What an order is in SPIR-V, over buffers and workgroup memory.
    fn semantics(&mut self, ordering: Ordering) -> Id {
        let (available, visible) = match self.code.module.has_vulkan_memory_model() {
            true => (MemorySemantics::MAKE_AVAILABLE, MemorySemantics::MAKE_VISIBLE),
            false => (MemorySemantics::RELAXED, MemorySemantics::RELAXED),
        };
        let order = match ordering {
            Ordering::Relaxed => return self.code.word(0),
            Ordering::Acquire => MemorySemantics::ACQUIRE | visible,
            Ordering::Release => MemorySemantics::RELEASE | available,
            Ordering::AcqRel | Ordering::SeqCst => MemorySemantics::ACQUIRE_RELEASE | available | visible,
        };
        let memory = MemorySemantics::UNIFORM_MEMORY | MemorySemantics::WORKGROUP_MEMORY;
        self.code.word((order | memory).bits())
    }

    /// An atomic access in no order whose old value nobody wants.
    pub(super) fn relaxed(&mut self, op: spirv::Op, pointer: Id, value: Id) {
        let (scope, relaxed) = (self.scope(Scope::Device), self.code.word(0));
        self.code.value(op, Reg::U32, &[pointer, scope, relaxed, value]);
    }

    fn cell(&mut self, view: &View, (place, base): (&Place, u32), ty: Type, order: MemoryOrder) -> Cell {
        let Element { reg, .. } = view.element;
        let (index, part) = match part(ty) {
            Some(bytes) => {
                let (index, shift) = self.in_words(place, base).part(&mut self.code, 0);
                (index, Some((shift, mask(bytes))))
            }
            None if reg == Reg::U64 => (self.in_units(place, 8), None),
            None => (self.at_word(place, base), None),
        };
        let pointer = view.pointer(&mut self.code, index, None);
        let ordered = self.code.module.has_vulkan_memory_model() && order.scope != Scope::Invocation;
        let scope = self.scope(if ordered { order.scope } else { Scope::Device });
        Cell { pointer, reg, ty, part, scope }
    }

    /// Does the access; the old word or 64 bits, of a part that part alone.
    fn change(&mut self, cell: &Cell, access: &Access<'_>) -> Id {
        match self.by_instruction(cell, access) {
            Some(old) => old,
            None => self.exchange_loop(cell, access),
        }
    }

    /// The access by one instruction; `None` if there is none.
    fn by_instruction(&mut self, cell: &Cell, access: &Access<'_>) -> Option<Id> {
        let Access { op, scalar, args } = *access;
        let relaxed = self.code.word(0);
        if op == AtomicOp::Load {
            let word = self.code.value(spirv::Op::AtomicLoad, cell.reg, &[cell.pointer, cell.scope, relaxed]);
            return Some(cell.value(&mut self.code, word));
        }
        if cell.part.is_some() {
            return None;
        }
        let integer = scalar.is_int();
        let instruction = match op {
            AtomicOp::Store | AtomicOp::CompareExchange => None,
            AtomicOp::Exchange => Some(spirv::Op::AtomicExchange),
            AtomicOp::Add if integer => Some(spirv::Op::AtomicIAdd),
            AtomicOp::Sub if integer => Some(spirv::Op::AtomicISub),
            AtomicOp::Min if integer && scalar.is_signed() => Some(spirv::Op::AtomicSMin),
            AtomicOp::Min if integer => Some(spirv::Op::AtomicUMin),
            AtomicOp::Max if integer && scalar.is_signed() => Some(spirv::Op::AtomicSMax),
            AtomicOp::Max if integer => Some(spirv::Op::AtomicUMax),
            AtomicOp::And => Some(spirv::Op::AtomicAnd),
            AtomicOp::Or => Some(spirv::Op::AtomicOr),
            AtomicOp::Xor => Some(spirv::Op::AtomicXor),
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => return None,
            AtomicOp::Nand | AtomicOp::IncWrap | AtomicOp::DecWrap | AtomicOp::Load => return None,
        };
        let first = self.raw_of(cell.reg, args.first()?);
        Some(match instruction {
            Some(op) => self.code.value(op, cell.reg, &[cell.pointer, cell.scope, relaxed, first]),
            None if op == AtomicOp::Store => {
                let operands = [cell.pointer, cell.scope, relaxed, first].map(Id::word);
                self.code.effect(spirv::Op::AtomicStore, &operands);
                self.code.constant(cell.reg, 0)
            }
            None => {
                let new = self.raw_of(cell.reg, args.get(1)?);
                self.compare_exchange(cell, (first, new))
            }
        })
    }

    /// Sets the word if it is the expected one; what it was.
    fn compare_exchange(&mut self, cell: &Cell, (expected, new): (Id, Id)) -> Id {
        let relaxed = self.code.word(0);
        let operands = [cell.pointer, cell.scope, relaxed, relaxed, new, expected];
        self.code.value(spirv::Op::AtomicCompareExchange, cell.reg, &operands)
    }

    /// Exchanges the word for the one that the op makes of it until that succeeds; the old value.
    /// Each round in which this fails, another invocation succeeds.
    fn exchange_loop(&mut self, cell: &Cell, access: &Access<'_>) -> Id {
        let relaxed = self.code.word(0);
        // What an exchange finds is what the next one expects: Mesa does not load again in a loop.
        let expected = self.code.local(cell.reg);
        let word = self.code.value(spirv::Op::AtomicLoad, cell.reg, &[cell.pointer, cell.scope, relaxed]);
        self.code.store(expected, word);
        self.enter_loop();
        // It ends, but a device that runs loops once more would change the old value.
        let bound = self.loop_bound(true);
        let [header, body, next, leave, again, merge] = [(); 6].map(|()| self.code.label());
        self.code.open(header, true);
        self.code.begin_loop(merge, next, body, LoopControl::NONE);
        self.code.open(body, true);
        if let Some(bound) = bound {
            self.count_round(bound, merge);
        }
        let word = self.code.load(cell.reg, expected);
        let before = cell.value(&mut self.code, word);
        let value = self.value_of_raw(cell.ty, before);
        let after = self.atomic_result(access, &value);
        let after = self.raw_of(cell.reg, &after);
        let after = cell.merged(&mut self.code, word, after);
        let found = self.compare_exchange(cell, (word, after));
        self.code.store(expected, found);
        let done = self.code.binary(spirv::Op::IEqual, found, word);
        self.code.branch_if(done, leave, again, again);
        self.code.open(leave, true);
        self.leave_loops(1);
        self.code.branch(merge);
        self.code.open(again, true);
        self.code.open(next, true);
        self.code.branch(header);
        self.code.open(merge, true);
        let word = self.code.load(cell.reg, expected);
        cell.value(&mut self.code, word)
    }

    /// The value that memory holds afterwards.
    fn atomic_result(&mut self, access: &Access<'_>, old: &[Id]) -> Vec<Id> {
        let Access { op, scalar, args } = *access;
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
                let both = self.on(Op::And, scalar, &[old, &value]);
                return self.on(Op::Not, scalar, &[&both]);
            }
            AtomicOp::IncWrap => {
                let wraps = self.on(Op::Ge, scalar, &[old, &value]);
                let (zero, one) = (self.small(scalar, 0), self.small(scalar, 1));
                let next = self.on(Op::Add, scalar, &[old, &one]);
                return self.either(&wraps, &zero, &next);
            }
            AtomicOp::DecWrap => {
                let (zero, one) = (self.small(scalar, 0), self.small(scalar, 1));
                let none = self.on(Op::Eq, scalar, &[old, &zero]);
                let above = self.on(Op::Gt, scalar, &[old, &value]);
                let next = self.on(Op::Sub, scalar, &[old, &one]);
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
        self.on(op, scalar, &[old, &value])
    }

    /// An op of one lane, of which every bit counts.
    fn on(&mut self, op: Op, scalar: Scalar, operands: &[&[Id]]) -> Vec<Id> {
        let operands: Vec<Vec<Id>> = operands.iter().map(|operand| operand.to_vec()).collect();
        self.is_loose = false;
        self.lane(op, scalar, &operands, true)
    }

    /// A small number of an integer type.
    fn small(&mut self, scalar: Scalar, value: u32) -> Vec<Id> {
        match self.target.register(scalar) {
            (reg, 2) => vec![self.code.constant(reg, value.into()), self.code.constant(reg, 0)],
            (reg, _) => vec![self.code.constant(reg, value.into())],
        }
    }

    fn same_bits(&mut self, a: &[Id], b: &[Id]) -> Id {
        let (a, b) = (self.words_of_value(a, Reg::U32), self.words_of_value(b, Reg::U32));
        let mut same = self.code.flag(true);
        for (a, b) in a.into_iter().zip(b) {
            let equal = self.code.binary(spirv::Op::IEqual, a, b);
            same = self.code.binary(spirv::Op::LogicalAnd, same, equal);
        }
        same
    }

    fn either(&mut self, condition: &[Id], accept: &[Id], reject: &[Id]) -> Vec<Id> {
        let Some(&condition) = condition.first() else { return reject.to_vec() };
        accept.iter().zip(reject).map(|(&a, &b)| self.code.select(condition, a, b)).collect()
    }

    /// A value as what memory holds.
    fn raw_of(&mut self, reg: Reg, value: &[Id]) -> Id {
        if let ([only], Reg::U64) = (value, reg) {
            return self.code.bitcast(reg, *only);
        }
        match (self.words_of_value(value, Reg::U32).as_slice(), reg) {
            (&[low, high], Reg::U64) => self.code.join(reg, [low, high]),
            (&[word, ..], _) => word,
            ([], _) => self.code.constant(reg, 0),
        }
    }

    /// What memory holds as a value.
    fn value_of_raw(&mut self, ty: Type, raw: Id) -> Vec<Id> {
        if self.code.reg(raw) != Reg::U64 {
            return self.value_of_words(ty, &[raw]);
        }
        match self.target.registers(ty) {
            (reg, 1) => vec![self.code.bitcast(reg, raw)],
            _ => self.code.split(raw).to_vec(),
        }
    }
}

impl Cell {
    /// The value that is in the word.
    fn value(&self, code: &mut Code, word: Id) -> Id {
        let Some((shift, mask)) = self.part else { return word };
        let mask = code.word(mask);
        let word = code.binary(spirv::Op::ShiftRightLogical, word, shift);
        code.binary(spirv::Op::BitwiseAnd, word, mask)
    }

    /// The word with another value in it.
    fn merged(&self, code: &mut Code, word: Id, value: Id) -> Id {
        let Some((shift, mask)) = self.part else { return value };
        let mask = code.word(mask);
        let value = code.binary(spirv::Op::BitwiseAnd, value, mask);
        let value = code.binary(spirv::Op::ShiftLeftLogical, value, shift);
        let here = code.binary(spirv::Op::ShiftLeftLogical, mask, shift);
        let others = code.complement(here);
        let others = code.binary(spirv::Op::BitwiseAnd, word, others);
        code.binary(spirv::Op::BitwiseOr, others, value)
    }
}
