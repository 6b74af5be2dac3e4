//! Memory accesses: places, bounds, loads, stores and atomics.
//!
//! The address of an access is found in words of 4 bytes without ever wrapping: an index
//! is compared with a limit before it is used. A load that is out of bounds reads word 0
//! instead, which exists, and selects zero; stores and atomics stand under the
//! condition. Where the innermost indices cannot
//! leave their element, the outermost index against the number of elements is the
//! whole test.

use super::body::Body;
use super::code::{Code, Expr};
use super::types::{Register, Shape, Word, registers};
use crate::ir::{Place, Root};
use crate::ops::AtomicOp;
use crate::types::Type;
use naga::{AtomicFunction, BinaryOperator as Bin, Expression, Handle, Statement};

/// A root as the function body sees it.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    /// A pointer to its array.
    pub pointer: Expr,
    /// How it is declared.
    pub shape: Shape,
    /// The type of its elements, if that is a vector.
    pub vector: Option<Handle<naga::Type>>,
    /// The number of elements, a word.
    pub count: Expr,
    /// Bytes of an element.
    pub element: u32,
}

/// Where an access begins, in elements of the declared array, and whether it is in
/// bounds; if it is not, the index means nothing.
struct Address {
    valid: Expr,
    index: Expr,
}

impl Body<'_> {
    /// The value at a place; zero out of bounds.
    pub(super) fn load(&mut self, place: &Place, ty: Type) -> Vec<Expr> {
        let (register, words) = registers(ty);
        let Some((memory, address)) = self.address(place, ty) else { return self.zero(ty) };
        if self.code.known_flag(address.valid) == Some(false) {
            return self.zero(ty);
        }
        let raw: Vec<Expr> = if memory.shape.width > 1 {
            let index = self.lane_index(&address, 0);
            let pointer = self.code.element(memory.pointer, index);
            let vector = self.code.load(pointer);
            (0..memory.shape.width).map(|lane| self.code.member(vector, lane)).collect()
        } else {
            let read = |lane| {
                let index = self.lane_index(&address, lane);
                let pointer = self.code.element(memory.pointer, index);
                self.code.load(pointer)
            };
            (0..words as u32).map(read).collect()
        };
        let zero = self.zero(ty);
        let code = &mut self.code;
        let value = raw.into_iter().zip(zero).map(|(raw, zero)| {
            let value = from_memory(code, memory.shape.word, register, raw);
            code.select(address.valid, value, zero)
        });
        value.collect()
    }

    /// Sets the value at a place; nothing out of bounds.
    pub(super) fn store(&mut self, place: &Place, ty: Type, value: &[Expr]) {
        let (register, _) = registers(ty);
        let Some((memory, address)) = self.address(place, ty) else { return };
        let word = memory.shape.word;
        let words: Vec<Expr> = value.iter().map(|&v| to_memory(&mut self.code, word, register, v)).collect();
        let valid = address.valid;
        self.code.when(valid, |code| {
            if let Some(ty) = memory.vector {
                let pointer = code.element(memory.pointer, address.index);
                let vector = code.push(Expression::Compose { ty, components: words });
                code.store(pointer, vector);
                return;
            }
            for (lane, value) in words.into_iter().enumerate() {
                let lane = code.word(lane as u32);
                let index = code.binary(Bin::Add, address.index, lane);
                let pointer = code.element(memory.pointer, index);
                code.store(pointer, value);
            }
        });
    }

    /// An atomic access; the old value, or zero out of bounds.
    pub(super) fn atomic(&mut self, op: AtomicOp, place: &Place, ty: Type, args: &[Expr]) -> Expr {
        let zero = self.code.word(0);
        let Some((memory, address)) = self.address(place, ty) else { return zero };
        let old = self.code.local(self.code.basic.u32);
        self.code.store(old, zero);
        let signed = ty == Type::I32;
        let types = self.exchange_types;
        self.code.when(address.valid, |code| {
            let pointer = code.element(memory.pointer, address.index);
            let access = Atomics { pointer, word: memory.shape.word, results: types, old };
            access.emit(code, op, signed, args);
        });
        self.code.load(old)
    }

    /// The index of a lane's word, or 0 out of bounds.
    fn lane_index(&mut self, address: &Address, lane: u32) -> Expr {
        let (lane, zero) = (self.code.word(lane), self.code.word(0));
        let index = self.code.binary(Bin::Add, address.index, lane);
        self.code.select(address.valid, index, zero)
    }

    /// `None` for a place that no access can be in.
    fn address(&mut self, place: &Place, ty: Type) -> Option<(Memory, Address)> {
        let memory = *self.memory.get(&place.root)?;
        let size = self.types.layout(ty)?.size;
        let units = [place.offset, size, memory.element].into_iter().chain(place.indices.iter().map(|i| i.stride));
        if units.into_iter().any(|bytes| bytes % 4 != 0) {
            return None;
        }
        let end = u64::from(place.offset) + u64::from(size);
        if let Some(address) = self.within_element(&memory, place, end) {
            return Some((memory, address));
        }
        let words = (end / 4) as u32;
        let each = self.code.word(memory.element / 4);
        let total = self.code.binary(Bin::Multiply, memory.count, each);
        let words = self.code.word(words);
        let mut valid = self.code.binary(Bin::GreaterEqual, total, words);
        let rest = self.code.binary(Bin::Subtract, total, words);
        let zero = self.code.word(0);
        let mut rest = self.code.select(valid, rest, zero);
        let mut index = self.code.word(place.offset / 4);
        for step in &place.indices {
            let value = self.register(step.value);
            let stride = self.code.word((step.stride / 4).max(1));
            let most = self.code.binary(Bin::Divide, rest, stride);
            let mut fits = self.code.binary(Bin::LessEqual, value, most);
            if let Some(bound) = step.bound {
                let bound = self.code.word(bound);
                let below = self.code.binary(Bin::Less, value, bound);
                fits = self.code.binary(Bin::And, fits, below);
            }
            let value = self.code.select(fits, value, zero);
            let step = self.code.binary(Bin::Multiply, value, stride);
            valid = self.code.binary(Bin::And, valid, fits);
            rest = self.code.binary(Bin::Subtract, rest, step);
            index = self.code.binary(Bin::Add, index, step);
        }
        Some((memory, Address { valid, index }))
    }

    /// The address if the indices after the first cannot leave the element that the first
    /// one picks; then the first one decides.
    fn within_element(&mut self, memory: &Memory, place: &Place, end: u64) -> Option<Address> {
        let (first, inner) = match place.indices.split_first() {
            Some((first, inner)) if first.stride == memory.element => (Some(first), inner),
            _ => (None, place.indices.as_slice()),
        };
        let mut reach = end;
        for step in inner {
            reach += u64::from(step.bound?.saturating_sub(1)) * u64::from(step.stride);
        }
        if reach > u64::from(memory.element) {
            return None;
        }
        let zero = self.code.word(0);
        let picked = first.map_or(zero, |step| self.register(step.value));
        let mut valid = self.code.binary(Bin::Less, picked, memory.count);
        let mut index = self.code.word(place.offset / 4);
        for step in first.into_iter().chain(inner) {
            let value = self.register(step.value);
            if let Some(bound) = step.bound {
                let bound = self.code.word(bound);
                let below = self.code.binary(Bin::Less, value, bound);
                valid = self.code.binary(Bin::And, valid, below);
            }
            let stride = self.code.word(step.stride / 4);
            let words = self.code.binary(Bin::Multiply, value, stride);
            index = self.code.binary(Bin::Add, index, words);
        }
        if memory.shape.width > 1 {
            // Such a root is accessed by whole elements only.
            index = picked;
        }
        Some(Address { valid, index })
    }

    /// A root's number of elements.
    pub(super) fn len(&mut self, root: Root) -> Expr {
        match self.memory.get(&root) {
            Some(memory) => memory.count,
            None => self.code.word(0),
        }
    }
}

/// A word of memory as a register.
fn from_memory(code: &mut Code, word: Word, register: Register, raw: Expr) -> Expr {
    match (word, register) {
        (Word::Float, Register::Float) => raw,
        (Word::Float | Word::SignedAtomic, Register::Word) => code.to_word(raw),
        (Word::Float | Word::SignedAtomic, Register::Bool) => {
            let word = code.to_word(raw);
            code.truth(word)
        }
        (Word::Plain | Word::Atomic, Register::Word) => raw,
        (Word::Plain | Word::Atomic, Register::Bool) => code.truth(raw),
        (Word::Plain | Word::Atomic | Word::SignedAtomic, Register::Float) => code.to_float(raw),
    }
}

/// A register as a word of memory.
fn to_memory(code: &mut Code, word: Word, register: Register, value: Expr) -> Expr {
    let plain = match register {
        Register::Float if word == Word::Float => return value,
        Register::Float => code.to_word(value),
        Register::Bool => code.truth_word(value),
        Register::Word => value,
    };
    match word {
        Word::Plain | Word::Atomic => plain,
        Word::SignedAtomic => code.to_signed(plain),
        Word::Float => code.to_float(plain),
    }
}

/// The results of compare-exchange on `u32` and on `i32`.
#[derive(Clone, Copy)]
pub(super) struct ExchangeTypes {
    /// On `u32`.
    pub unsigned: Handle<naga::Type>,
    /// On `i32`.
    pub signed: Handle<naga::Type>,
}

/// An atomic access that is in bounds.
struct Atomics {
    pointer: Expr,
    word: Word,
    results: ExchangeTypes,
    /// The variable that the old value goes to.
    old: Expr,
}

impl Atomics {
    fn emit(&self, code: &mut Code, op: AtomicOp, signed: bool, args: &[Expr]) {
        let zero = code.word(0);
        let argument = |n: usize| args.get(n).copied().unwrap_or(zero);
        let fun = match op {
            AtomicOp::Load => {
                let value = self.read(code);
                code.store(self.old, value);
                return;
            }
            AtomicOp::Store => {
                let value = to_memory(code, self.word, Register::Word, argument(0));
                code.store(self.pointer, value);
                return;
            }
            AtomicOp::CompareExchange => return self.compare_exchange(code, argument(0), argument(1)),
            // Memory that is also accessed as the other sort of integer compares that way.
            AtomicOp::Min | AtomicOp::Max if signed != (self.word == Word::SignedAtomic) => {
                return self.extreme(code, op, signed, argument(0));
            }
            AtomicOp::Min => AtomicFunction::Min,
            AtomicOp::Max => AtomicFunction::Max,
            AtomicOp::Add => AtomicFunction::Add,
            AtomicOp::Sub => AtomicFunction::Subtract,
            AtomicOp::And => AtomicFunction::And,
            AtomicOp::Or => AtomicFunction::InclusiveOr,
            AtomicOp::Xor => AtomicFunction::ExclusiveOr,
            AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
        };
        let value = to_memory(code, self.word, Register::Word, argument(0));
        let ty = if self.word == Word::SignedAtomic { code.basic.i32 } else { code.basic.u32 };
        let result = code.plain(Expression::AtomicResult { ty, comparison: false });
        code.statement(Statement::Atomic { pointer: self.pointer, fun, value, result: Some(result) });
        let value = from_memory(code, self.word, Register::Word, result);
        code.store(self.old, value);
    }

    fn read(&self, code: &mut Code) -> Expr {
        let raw = code.load(self.pointer);
        from_memory(code, self.word, Register::Word, raw)
    }

    /// Tries once; whether it worked. The old value is stored.
    fn attempt(&self, code: &mut Code, expected: Expr, new: Expr) -> Expr {
        let compare = Some(to_memory(code, self.word, Register::Word, expected));
        let value = to_memory(code, self.word, Register::Word, new);
        let ty = if self.word == Word::SignedAtomic { self.results.signed } else { self.results.unsigned };
        let result = code.plain(Expression::AtomicResult { ty, comparison: true });
        let fun = AtomicFunction::Exchange { compare };
        code.statement(Statement::Atomic { pointer: self.pointer, fun, value, result: Some(result) });
        let raw = code.member(result, 0);
        let old = from_memory(code, self.word, Register::Word, raw);
        code.store(self.old, old);
        code.member(result, 1)
    }

    /// Some targets' exchange may fail although the value is the expected one; that is tried again.
    fn compare_exchange(&self, code: &mut Code, expected: Expr, new: Expr) {
        code.open();
        let done = self.attempt(code, expected, new);
        let old = code.load(self.old);
        let other = code.binary(Bin::NotEqual, old, expected);
        let done = code.binary(Bin::InclusiveOr, done, other);
        self.repeat_until(code, done);
    }

    fn extreme(&self, code: &mut Code, op: AtomicOp, signed: bool, value: Expr) {
        let old = self.read(code);
        code.store(self.old, old);
        code.open();
        let old = code.load(self.old);
        let (a, b) = if signed { (code.to_signed(old), code.to_signed(value)) } else { (old, value) };
        let order = if op == AtomicOp::Min { Bin::Less } else { Bin::Greater };
        let keep = code.raw(order, a, b);
        let new = code.select(keep, old, value);
        let done = self.attempt(code, old, new);
        self.repeat_until(code, done);
    }

    /// Closes the open block as the body of a loop that ends when `done` holds.
    fn repeat_until(&self, code: &mut Code, done: Expr) {
        code.open();
        code.statement(Statement::Break);
        let accept = code.close();
        code.statement(Statement::If { condition: done, accept, reject: naga::Block::new() });
        let body = code.close();
        code.statement(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
    }
}

/// A word of the launch as a register.
pub(super) fn parameter(code: &mut Code, register: Register, word: Expr) -> Expr {
    from_memory(code, Word::Plain, register, word)
}
