//! Memory accesses: places, bounds, loads and stores.
//!
//! What an access tests is decided by [`guard`](crate::analysis::guard). A test never wraps: an
//! index is compared with a limit before it is used. A load that is out of bounds reads word 0
//! instead, which exists, and selects zero; stores and atomics stand under the condition.

use super::body::Body;
use super::code::{Code, Expr};
use super::types::{Register, registers};
use crate::analysis::guard::Extent;
use crate::analysis::shape::{Lane, Shape, Word, lane, part};
use crate::ir::{Inst, Place, Root};
use crate::types::Type;
use naga::{AtomicFunction, BinaryOperator as Bin, Expression, Handle, Statement};

/// A root as the function body sees it.
#[derive(Clone, Copy)]
pub(super) struct DeclaredRoot {
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
    /// The word of the array where it begins.
    pub base: u32,
}

/// Where an access begins, in elements of the declared array, and whether it is in
/// bounds; if it is not, the index means nothing.
pub(super) struct Address {
    /// Whether it is in bounds.
    pub valid: Expr,
    /// The element.
    pub index: Expr,
    /// The word of a block; 0 where an element is a word.
    pub lane: Expr,
    /// Bytes to add to that; zero unless the access is to parts of words.
    pub byte: Expr,
}

impl Body<'_> {
    /// The value at a place; zero out of bounds.
    pub(super) fn load(&mut self, inst: Inst, place: &Place, ty: Type) -> Vec<Expr> {
        let (register, words) = registers(ty);
        let Some((memory, address)) = self.address(inst, place, ty) else { return self.zero(ty) };
        if self.code.known_flag(address.valid) == Some(false) {
            return self.zero(ty);
        }
        let raw: Vec<Expr> = if memory.vector.is_some() {
            let index = self.lane_index(&address, 0);
            let pointer = self.code.element(memory.pointer, index);
            match self.code.known(address.lane) {
                Some(first) if words > 1 => {
                    let vector = self.read_element(inst, &memory, pointer);
                    (first..first + words as u32).map(|lane| self.code.member(vector, lane)).collect()
                }
                // There is no pointer to a lane for this.
                _ if self.uniform_loads[inst] => {
                    let vector = self.read_element(inst, &memory, pointer);
                    vec![self.code.element(vector, address.lane)]
                }
                _ => {
                    let pointer = self.code.element(pointer, address.lane);
                    vec![self.code.load(pointer)]
                }
            }
        } else if let Some(bytes) = part(ty) {
            (0..words as u32).map(|lane| self.load_part(inst, &memory, &address, lane, bytes)).collect()
        } else {
            let read = |lane| {
                let index = self.lane_index(&address, lane);
                let pointer = self.code.element(memory.pointer, index);
                self.read_element(inst, &memory, pointer)
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

    /// What an element of a root is, by the load that asks. An atomic cannot be loaded for
    /// all at once.
    fn read_element(&mut self, inst: Inst, memory: &DeclaredRoot, pointer: Expr) -> Expr {
        let ty = match memory.shape.word {
            _ if !self.uniform_loads[inst] => None,
            Word::Plain => Some(memory.vector.unwrap_or(self.code.basic.u32)),
            Word::Float => Some(memory.vector.unwrap_or(self.code.basic.f32)),
            Word::Atomic | Word::SignedAtomic | Word::WideAtomic => None,
        };
        match ty {
            Some(ty) => self.code.uniform_load(pointer, ty),
            None => self.code.load(pointer),
        }
    }

    /// Sets the value at a place; nothing out of bounds.
    pub(super) fn store(&mut self, inst: Inst, place: &Place, ty: Type, value: &[Expr]) {
        let (register, _) = registers(ty);
        let Some((memory, address)) = self.address(inst, place, ty) else { return };
        let word = memory.shape.word;
        let words: Vec<Expr> = value.iter().map(|&v| to_memory(&mut self.code, word, register, v)).collect();
        let valid = address.valid;
        self.code.when(valid, |code| {
            if let Some(bytes) = part(ty) {
                for (lane, value) in words.into_iter().enumerate() {
                    store_part(code, &memory, &address, lane as u32, bytes, value);
                }
                return;
            }
            if let Some(ty) = memory.vector {
                let pointer = code.element(memory.pointer, address.index);
                if words.len() == memory.shape.width as usize {
                    let vector = code.push(Expression::Compose { ty, components: words });
                    return code.store(pointer, vector);
                }
                for (lane, value) in words.into_iter().enumerate() {
                    let lane = code.word(lane as u32);
                    let lane = code.binary(Bin::Add, address.lane, lane);
                    let pointer = code.element(pointer, lane);
                    code.store(pointer, value);
                }
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

    /// The index of a lane's word, or 0 out of bounds.
    fn lane_index(&mut self, address: &Address, lane: u32) -> Expr {
        let (lane, zero) = (self.code.word(lane), self.code.word(0));
        let index = self.code.binary(Bin::Add, address.index, lane);
        self.code.select(address.valid, index, zero)
    }

    /// A part of a word as a register.
    fn load_part(&mut self, inst: Inst, memory: &DeclaredRoot, address: &Address, lane: u32, bytes: u32) -> Expr {
        let (index, shift) = locate(&mut self.code, address, lane * bytes);
        let zero = self.code.word(0);
        let index = self.code.select(address.valid, index, zero);
        let pointer = self.code.element(memory.pointer, index);
        let word = self.read_element(inst, memory, pointer);
        let word = self.code.binary(Bin::ShiftRight, word, shift);
        let mask = self.code.word(mask(bytes));
        self.code.binary(Bin::And, word, mask)
    }

    /// `None` for a place that no access can be in.
    pub(super) fn address(&mut self, inst: Inst, place: &Place, ty: Type) -> Option<(DeclaredRoot, Address)> {
        let memory = *self.memory.get(&place.root)?;
        let size = self.types.layout(ty)?.size;
        let end = place.offset.checked_add(size)?;
        let valid = self.test(inst, &memory, place, end);
        let lane = self.code.word(0);
        if memory.vector.is_some() {
            let (index, lane) = self.memory_block(place, memory.shape.width, registers(ty).1)?;
            return Some((memory, Address { valid, index, lane, byte: self.code.word(0) }));
        }
        let mut index = self.code.word(memory.base + place.offset / 4);
        let mut byte = self.code.word(place.offset % 4);
        for step in &place.indices {
            let value = self.register(step.value);
            if step.stride % 4 == 0 {
                let stride = self.code.word(step.stride / 4);
                let words = self.code.binary(Bin::Multiply, value, stride);
                index = self.code.binary(Bin::Add, index, words);
            } else {
                // Four of these elements are whole words.
                let (stride, two) = (self.code.word(step.stride), self.code.word(2));
                let (fours, rest) = (self.code.binary(Bin::ShiftRight, value, two), self.code.word(3));
                let rest = self.code.binary(Bin::And, value, rest);
                let words = self.code.binary(Bin::Multiply, fours, stride);
                let bytes = self.code.binary(Bin::Multiply, rest, stride);
                index = self.code.binary(Bin::Add, index, words);
                byte = self.code.binary(Bin::Add, byte, bytes);
            }
        }
        Some((memory, Address { valid, index, lane, byte }))
    }

    /// The block of so many words where a place is, and the word in it.
    fn memory_block(&mut self, place: &Place, width: u32, words: usize) -> Option<(Expr, Expr)> {
        let lane = lane(&self.alignment, place, width, words)?;
        let bytes = 4 * width;
        // In blocks, if every distance is some of them, else in words.
        let unit =
            if lane != Lane::Any && place.indices.iter().all(|step| step.stride % bytes == 0) { bytes } else { 4 };
        let mut index = self.code.word(place.offset / unit);
        for step in &place.indices {
            let (value, stride) = (self.register(step.value), self.code.word(step.stride / unit));
            let distance = self.code.binary(Bin::Multiply, value, stride);
            index = self.code.binary(Bin::Add, index, distance);
        }
        let rest = self.code.word(width - 1);
        let within = match lane {
            Lane::At(first) => self.code.word(first),
            Lane::Any => self.code.binary(Bin::And, index, rest),
        };
        if unit == 4 {
            let shift = self.code.word(width.trailing_zeros());
            index = self.code.binary(Bin::ShiftRight, index, shift);
        }
        Some((index, within))
    }

    /// Whether the access is in bounds.
    fn test(&mut self, inst: Inst, memory: &DeclaredRoot, place: &Place, end: u32) -> Expr {
        let test = self.guards.test(inst);
        let mut valid = match test.extent {
            Extent::Within => self.code.flag(true),
            Extent::Element(index) => {
                let zero = self.code.word(0);
                let picked = index.map_or(zero, |index| self.register(index));
                self.code.binary(Bin::Less, picked, memory.count)
            }
            Extent::Root { .. } => self.within_root(memory, place, end),
        };
        for (index, bound) in test.below {
            let (index, bound) = (self.register(index), self.code.word(bound));
            let below = self.code.binary(Bin::Less, index, bound);
            valid = self.code.binary(Bin::And, valid, below);
        }
        valid
    }

    /// Whether the bytes lie within the root, each index against the room that those before it
    /// leave. Room is counted in words, or in bytes if something is no multiple of words.
    /// More than 2³² of either is as good as 2³² - 1.
    fn within_root(&mut self, memory: &DeclaredRoot, place: &Place, end: u32) -> Expr {
        let sizes = [place.offset, end, memory.element].into_iter().chain(place.indices.iter().map(|i| i.stride));
        let unit = if sizes.into_iter().all(|bytes| bytes % 4 == 0) { 4 } else { 1 };
        let each = (memory.element / unit).max(1);
        let (most, whole) = (self.code.word(u32::MAX / each), self.code.word(u32::MAX));
        let fits = self.code.binary(Bin::LessEqual, memory.count, most);
        let each = self.code.word(each);
        let total = self.code.binary(Bin::Multiply, memory.count, each);
        let total = self.code.select(fits, total, whole);
        let (end, zero) = (self.code.word(end / unit), self.code.word(0));
        let mut valid = self.code.binary(Bin::GreaterEqual, total, end);
        let room = self.code.binary(Bin::Subtract, total, end);
        let mut room = self.code.select(valid, room, zero);
        for step in &place.indices {
            let value = self.register(step.value);
            let stride = self.code.word((step.stride / unit).max(1));
            let most = self.code.binary(Bin::Divide, room, stride);
            let fits = self.code.binary(Bin::LessEqual, value, most);
            valid = self.code.binary(Bin::And, valid, fits);
            let value = self.code.select(fits, value, zero);
            let taken = self.code.binary(Bin::Multiply, value, stride);
            room = self.code.binary(Bin::Subtract, room, taken);
        }
        valid
    }

    /// A root's number of elements.
    pub(super) fn len(&mut self, root: Root) -> Expr {
        match self.memory.get(&root) {
            Some(memory) => memory.count,
            None => self.code.word(0),
        }
    }
}

/// The bits of a part of a word.
pub(super) const fn mask(bytes: u32) -> u32 {
    (1 << (8 * bytes)) - 1
}

/// The word that a part is in, and by how many bits it is shifted there.
pub(super) fn locate(code: &mut Code, address: &Address, offset: u32) -> (Expr, Expr) {
    let (offset, two, three) = (code.word(offset), code.word(2), code.word(3));
    let byte = code.binary(Bin::Add, address.byte, offset);
    let words = code.binary(Bin::ShiftRight, byte, two);
    let index = code.binary(Bin::Add, address.index, words);
    let byte = code.binary(Bin::And, byte, three);
    (index, code.binary(Bin::ShiftLeft, byte, three))
}

/// Sets a part of a word and leaves the rest, which others may be setting.
fn store_part(code: &mut Code, memory: &DeclaredRoot, address: &Address, lane: u32, bytes: u32, value: Expr) {
    let (index, shift) = locate(code, address, lane * bytes);
    let pointer = code.element(memory.pointer, index);
    let mask = code.word(mask(bytes));
    let value = code.binary(Bin::And, value, mask);
    let (value, mask) = (code.binary(Bin::ShiftLeft, value, shift), code.binary(Bin::ShiftLeft, mask, shift));
    let others = code.complement(mask);
    if memory.shape.word == Word::Atomic {
        for (fun, value) in [(AtomicFunction::And, others), (AtomicFunction::InclusiveOr, value)] {
            code.statement(Statement::Atomic { pointer, fun, value, result: None });
        }
    } else {
        let word = code.load(pointer);
        let word = code.binary(Bin::And, word, others);
        let word = code.binary(Bin::InclusiveOr, word, value);
        code.store(pointer, word);
    }
}

/// A word of memory as a register.
fn from_memory(code: &mut Code, word: Word, register: Register, raw: Expr) -> Expr {
    match (word, register) {
        (Word::Float, Register::Float) => raw,
        (Word::Float | Word::SignedAtomic, Register::Word) => code.word_of(raw),
        (Word::Float | Word::SignedAtomic, Register::Bool) => {
            let word = code.word_of(raw);
            code.truth(word)
        }
        // Pairs of words are accessed as such only; see `atomic`.
        (Word::Plain | Word::Atomic | Word::WideAtomic, Register::Word) => raw,
        (Word::Plain | Word::Atomic | Word::WideAtomic, Register::Bool) => code.truth(raw),
        (Word::Plain | Word::Atomic | Word::SignedAtomic | Word::WideAtomic, Register::Float) => code.float_of(raw),
    }
}

/// A register as a word of memory.
fn to_memory(code: &mut Code, word: Word, register: Register, value: Expr) -> Expr {
    let plain = match register {
        Register::Float if word == Word::Float => return value,
        Register::Float => code.word_of(value),
        Register::Bool => code.truth_word(value),
        Register::Word => value,
    };
    match word {
        Word::Plain | Word::Atomic | Word::WideAtomic => plain,
        Word::SignedAtomic => code.signed_of(plain),
        Word::Float => code.float_of(plain),
    }
}

/// A word of the launch as a register.
pub(super) fn parameter(code: &mut Code, register: Register, word: Expr) -> Expr {
    from_memory(code, Word::Plain, register, word)
}
