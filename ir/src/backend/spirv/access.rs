//! Loads and stores.
//!
//! A load that is out of bounds reads element 0 of the same view instead, which exists, and
//! selects zero; stores stand under the condition. A block of a buffer whose elements are no
//! whole blocks may not exist, so that such a load stands under the condition as well.

use super::body::Body;
use super::code::Code;
use super::memory::{Element, Info, View};
use super::module::{Id, Reg};
use super::place::{WordPlace, mask};
use crate::analysis::shape::{Lane, Piece, lane, part};
use crate::ir::{Inst, Place, Root};
use crate::types::Type;
use spirv::Op;

/// Blocks of a buffer beside its main view, one after the other.
struct Blocks {
    view: View,
    first: Id,
    count: u32,
    /// Whether the first of all exists if the buffer has any element.
    exists: bool,
}

impl Body<'_> {
    /// The number of elements of a root.
    pub(super) fn len(&mut self, root: Root) -> Id {
        self.memory.info(root).map_or_else(|| self.code.word(0), |info| info.count)
    }

    /// The value at a place; zero out of bounds.
    pub(super) fn load(&mut self, inst: Inst, place: &Place, ty: Type) -> Vec<Id> {
        match self.loaded(inst, place, ty) {
            Some((value, valid)) => {
                let zero = self.zero(ty);
                value.into_iter().zip(zero).map(|(value, zero)| self.code.select(valid, value, zero)).collect()
            }
            None => self.zero(ty),
        }
    }

    /// The value that is read, which only counts if the condition holds.
    fn loaded(&mut self, inst: Inst, place: &Place, ty: Type) -> Option<(Vec<Id>, Id)> {
        let info = self.memory.info(place.root)?;
        let valid = self.test(inst, &info, place, ty)?;
        let words = match self.memory.offer.piece(&self.alignment, place, ty, info.racy) {
            Piece::Words(words) => {
                let words = self.load_words(&info, place, words, valid)?;
                match part(ty) {
                    Some(bytes) => unpack(&mut self.code, &words, bytes),
                    None => words,
                }
            }
            Piece::Parts(bytes) => {
                let view = self.memory.view(&mut self.code, place.root, info.main)?;
                let at = self.in_words(place, info.base);
                (0..ty.lanes() as u32).map(|lane| self.load_part(&view, at, (lane, bytes), valid)).collect()
            }
            Piece::Small(bytes) => {
                let (view, first) = self.small_elements(place, bytes)?;
                let load = |lane| {
                    let index = self.index(first, lane, valid);
                    let pointer = view.pointer(&mut self.code, index, None);
                    let value = view.read_lane(&mut self.code, pointer);
                    self.code.resize(Reg::U32, value)
                };
                (0..ty.lanes() as u32).map(load).collect()
            }
        };
        Some((self.value_of_words(ty, &words), valid))
    }

    /// Sets the value at a place; nothing out of bounds.
    pub(super) fn store(&mut self, inst: Inst, place: &Place, ty: Type, value: &[Id]) {
        self.stored(inst, place, ty, value);
    }

    fn stored(&mut self, inst: Inst, place: &Place, ty: Type, value: &[Id]) -> Option<()> {
        let info = self.memory.info(place.root)?;
        let valid = self.test(inst, &info, place, ty)?;
        match self.memory.offer.piece(&self.alignment, place, ty, info.racy) {
            Piece::Words(_) => {
                let mut words = self.words_of_value(value, info.main.reg);
                if let Some(bytes) = part(ty) {
                    words = pack(&mut self.code, &words, bytes);
                }
                self.store_words(&info, place, words, valid)?;
            }
            Piece::Parts(bytes) => {
                let view = self.memory.view(&mut self.code, place.root, info.main)?;
                let (at, words) = (self.in_words(place, info.base), self.words_of_value(value, Reg::U32));
                self.when(valid, |this| {
                    for (lane, value) in (0..).zip(words) {
                        this.store_part(&info, &view, at, (lane, bytes), value);
                    }
                });
            }
            Piece::Small(bytes) => {
                let (view, first) = self.small_elements(place, bytes)?;
                let words = self.words_of_value(value, Reg::U32);
                self.code.when(valid, |code| {
                    for (lane, value) in (0..).zip(words) {
                        // There are no constants of types that only memory has.
                        let value = code.value(Op::UConvert, view.element.reg, &[value]);
                        let lane = code.word(lane);
                        let index = code.binary(Op::IAdd, first, lane);
                        let pointer = view.pointer(code, index, None);
                        view.write(code, pointer, &[value]);
                    }
                });
            }
        }
        Some(())
    }

    /// Runs what `then` writes if the condition holds.
    pub(super) fn when(&mut self, condition: Id, then: impl FnOnce(&mut Self)) {
        match self.code.known_flag(condition) {
            Some(true) => then(self),
            Some(false) => {}
            None => {
                let (accept, merge) = (self.code.label(), self.code.label());
                let reached = !self.code.ended();
                self.code.branch_if(condition, accept, merge, merge);
                self.code.open(accept, reached);
                then(self);
                self.code.open(merge, reached);
            }
        }
    }

    /// The index of an element some elements after another one, or 0 out of bounds.
    fn index(&mut self, first: Id, distance: u32, valid: Id) -> Id {
        let (distance, zero) = (self.code.word(distance), self.code.word(0));
        let index = self.code.binary(Op::IAdd, first, distance);
        self.code.select(valid, index, zero)
    }

    /// A buffer's view with elements of less than a word, and which of them is at a place.
    fn small_elements(&mut self, place: &Place, bytes: u32) -> Option<(View, Id)> {
        let reg = if bytes == 1 { Reg::U8 } else { Reg::U16 };
        let view = self.memory.view(&mut self.code, place.root, Element::of(reg))?;
        Some((view, self.in_units(place, bytes)))
    }

    /// The blocks of a buffer of words that an access covers, if it covers any wholly.
    fn blocks(&mut self, info: &Info, place: &Place, words: usize) -> Option<Blocks> {
        if !info.is_buffer || info.racy || info.main.width > 1 || info.main.bytes() != 4 {
            return None;
        }
        let covers = |width: &u32| {
            words.is_multiple_of(*width as usize)
                && lane(&self.alignment, place, *width, *width as usize) == Some(Lane::At(0))
        };
        let width = [4, 2].into_iter().find(covers)?;
        let (first, _) = self.in_blocks(place, width, width as usize)?;
        let element = Element { reg: info.main.reg, width };
        let view = self.memory.view(&mut self.code, place.root, element)?;
        let exists = info.element.is_multiple_of(element.bytes());
        Some(Blocks { view, first, count: words as u32 / width, exists })
    }

    fn load_words(&mut self, info: &Info, place: &Place, words: usize, valid: Id) -> Option<Vec<Id>> {
        if words > 1
            && let Some(blocks) = self.blocks(info, place, words)
        {
            return Some(self.load_blocks(&blocks, valid));
        }
        let view = self.memory.view(&mut self.code, place.root, info.main)?;
        if info.main.width > 1 {
            let (index, within) = self.in_blocks(place, info.main.width, words)?;
            let index = self.index(index, 0, valid);
            return Some(match self.code.known(within) {
                Some(first) if words > 1 => {
                    let pointer = view.pointer(&mut self.code, index, None);
                    view.read(&mut self.code, pointer).into_iter().skip(first as usize).take(words).collect()
                }
                _ => {
                    let pointer = view.pointer(&mut self.code, index, Some(within));
                    vec![view.read_lane(&mut self.code, pointer)]
                }
            });
        }
        let first = self.at_word(place, info.base);
        let load = |word| {
            let index = self.index(first, word, valid);
            let pointer = view.pointer(&mut self.code, index, None);
            view.read_lane(&mut self.code, pointer)
        };
        Some((0..words as u32).map(load).collect())
    }

    fn load_blocks(&mut self, blocks: &Blocks, valid: Id) -> Vec<Id> {
        let &Blocks { view, first, count, exists } = blocks;
        if exists || self.code.known_flag(valid) == Some(true) {
            let mut words = Vec::new();
            for block in 0..count {
                let index = self.index(first, block, valid);
                let pointer = view.pointer(&mut self.code, index, None);
                words.extend(view.read(&mut self.code, pointer));
            }
            return words;
        }
        let Element { reg, width } = view.element;
        let variables: Vec<Id> = (0..count * width).map(|_| self.code.local(reg)).collect();
        let zero = self.code.constant(reg, 0);
        for &variable in &variables {
            self.code.store(variable, zero);
        }
        self.code.when(valid, |code| {
            for (block, variables) in (0..).zip(variables.chunks(width as usize)) {
                let block = code.word(block);
                let index = code.binary(Op::IAdd, first, block);
                let pointer = view.pointer(code, index, None);
                for (&variable, word) in variables.iter().zip(view.read(code, pointer)) {
                    code.store(variable, word);
                }
            }
        });
        variables.into_iter().map(|variable| self.code.load(reg, variable)).collect()
    }

    fn store_words(&mut self, info: &Info, place: &Place, words: Vec<Id>, valid: Id) -> Option<()> {
        if words.len() > 1
            && let Some(blocks) = self.blocks(info, place, words.len())
        {
            self.code.when(valid, |code| {
                for (block, words) in (0..).zip(words.chunks(blocks.view.element.width as usize)) {
                    let block = code.word(block);
                    let index = code.binary(Op::IAdd, blocks.first, block);
                    let pointer = blocks.view.pointer(code, index, None);
                    blocks.view.write(code, pointer, words);
                }
            });
            return Some(());
        }
        let view = self.memory.view(&mut self.code, place.root, info.main)?;
        if info.main.width > 1 {
            let (index, within) = self.in_blocks(place, info.main.width, words.len())?;
            let whole = words.len() == info.main.width as usize;
            self.code.when(valid, |code| {
                if whole {
                    let pointer = view.pointer(code, index, None);
                    return view.write(code, pointer, &words);
                }
                for (lane, word) in (0..).zip(words) {
                    let lane = code.word(lane);
                    let lane = code.binary(Op::IAdd, within, lane);
                    let pointer = view.pointer(code, index, Some(lane));
                    view.write(code, pointer, &[word]);
                }
            });
            return Some(());
        }
        let first = self.at_word(place, info.base);
        self.code.when(valid, |code| {
            for (word, value) in (0..).zip(words) {
                let word = code.word(word);
                let index = code.binary(Op::IAdd, first, word);
                let pointer = view.pointer(code, index, None);
                view.write(code, pointer, &[value]);
            }
        });
        Some(())
    }

    /// A part of a word as a word.
    fn load_part(&mut self, view: &View, at: WordPlace, (lane, bytes): (u32, u32), valid: Id) -> Id {
        let (index, shift) = at.part(&mut self.code, lane * bytes);
        let index = self.index(index, 0, valid);
        let pointer = view.pointer(&mut self.code, index, None);
        let word = view.read_lane(&mut self.code, pointer);
        let word = self.code.binary(Op::ShiftRightLogical, word, shift);
        let mask = self.code.word(mask(bytes));
        self.code.binary(Op::BitwiseAnd, word, mask)
    }

    /// Sets a part of a word and leaves the rest, which others may be setting.
    fn store_part(&mut self, info: &Info, view: &View, at: WordPlace, (lane, bytes): (u32, u32), value: Id) {
        let (index, shift) = at.part(&mut self.code, lane * bytes);
        let pointer = view.pointer(&mut self.code, index, None);
        let mask = self.code.word(mask(bytes));
        let value = self.code.binary(Op::BitwiseAnd, value, mask);
        let value = self.code.binary(Op::ShiftLeftLogical, value, shift);
        let mask = self.code.binary(Op::ShiftLeftLogical, mask, shift);
        let others = self.code.complement(mask);
        if info.atomic {
            for (op, value) in [(Op::AtomicAnd, others), (Op::AtomicOr, value)] {
                self.relaxed(op, pointer, value);
            }
        } else {
            let word = view.read_lane(&mut self.code, pointer);
            let word = self.code.binary(Op::BitwiseAnd, word, others);
            let word = self.code.binary(Op::BitwiseOr, word, value);
            view.write(&mut self.code, pointer, &[word]);
        }
    }
}

/// The parts of whole words, each as a word.
fn unpack(code: &mut Code, words: &[Id], bytes: u32) -> Vec<Id> {
    let mut parts = Vec::new();
    for &word in words {
        let word = code.bitcast(Reg::U32, word);
        for first in (0..4).step_by(bytes as usize) {
            let (shift, mask) = (code.word(8 * first), code.word(mask(bytes)));
            let part = code.binary(Op::ShiftRightLogical, word, shift);
            // Nothing stands above the last one.
            parts.push(if first + bytes == 4 { part } else { code.binary(Op::BitwiseAnd, part, mask) });
        }
    }
    parts
}

/// Parts, each a word, as whole words.
fn pack(code: &mut Code, parts: &[Id], bytes: u32) -> Vec<Id> {
    let words = parts.chunks(4 / bytes as usize).map(|parts| {
        let mut word = code.word(0);
        for (part, &value) in (0..).zip(parts) {
            let shift = code.word(8 * bytes * part);
            let value = code.binary(Op::ShiftLeftLogical, value, shift);
            word = code.binary(Op::BitwiseOr, word, value);
        }
        word
    });
    words.collect()
}
