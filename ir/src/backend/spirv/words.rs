//! Values as words: what memory, launches and exchanges between lanes are made of.
//!
//! A lane of 64 bits is two words, low first. Any other lane is one word, which holds its bits
//! extended by zeros. `bool` is 0 or 1. A word is a `u32`, or an `f32` of the same bits where
//! memory is declared so.

use super::body::Body;
use super::code::Code;
use super::module::{Id, Reg};
use crate::types::Type;
use spirv::Op;

impl Body<'_> {
    /// The registers of a value whose lanes are in these words.
    pub(super) fn value_of_words(&mut self, ty: Type, words: &[Id]) -> Vec<Id> {
        let (reg, _) = self.target.registers(ty);
        match reg {
            Reg::U64 | Reg::F64 => {
                let (pairs, _) = words.as_chunks::<2>();
                pairs.iter().map(|&pair| self.code.join(reg, pair)).collect()
            }
            _ => words.iter().map(|&word| from_word(&mut self.code, reg, word)).collect(),
        }
    }

    /// The words of a value's lanes, as `u32` or, where it is an `f32` already, as that.
    pub(super) fn words_of_value(&mut self, value: &[Id], word: Reg) -> Vec<Id> {
        let mut words = Vec::with_capacity(value.len());
        for &register in value {
            match self.code.reg(register) {
                Reg::U64 | Reg::F64 => words.extend(self.code.split(register)),
                reg if reg == word => words.push(register),
                _ => words.push(to_word(&mut self.code, register)),
            }
        }
        words.into_iter().map(|value| self.code.bitcast(word, value)).collect()
    }
}

/// A word as the register of a lane of at most 32 bits.
fn from_word(code: &mut Code, reg: Reg, word: Id) -> Id {
    match reg {
        Reg::Bool => {
            let word = code.bitcast(Reg::U32, word);
            code.truth(word)
        }
        Reg::F16 => {
            if let Some(bits) = code.known(word) {
                return code.constant(reg, bits & reg.mask());
            }
            let ty = code.module.vector(Reg::F16, 2);
            let halves = code.value_of(Op::Bitcast, ty, &[word.word()]);
            code.part(halves, Reg::F16, 0)
        }
        Reg::U8 | Reg::U16 | Reg::U32 | Reg::U64 | Reg::F32 | Reg::F64 => code.bitcast(reg, word),
    }
}

/// The register of a lane of at most 32 bits as a `u32`.
fn to_word(code: &mut Code, register: Id) -> Id {
    match code.reg(register) {
        Reg::Bool => code.truth_word(register),
        Reg::F16 => {
            if let Some(bits) = code.known(register) {
                return code.constant(Reg::U32, bits);
            }
            let zero = code.constant(Reg::F16, 0);
            let halves = code.compose(&[register, zero]);
            let ty = code.module.reg(Reg::U32);
            let word = code.value_of(Op::Bitcast, ty, &[halves.word()]);
            code.is_reg(word, Reg::U32)
        }
        Reg::U8 | Reg::U16 | Reg::U32 | Reg::U64 | Reg::F32 | Reg::F64 => code.bitcast(Reg::U32, register),
    }
}

impl Code {
    /// Two words, low first, as 64 bits.
    pub(super) fn join(&mut self, reg: Reg, words: [Id; 2]) -> Id {
        let words = words.map(|word| self.bitcast(Reg::U32, word));
        if let [Some(low), Some(high)] = words.map(|word| self.known(word)) {
            return self.constant(reg, low | high << 32);
        }
        if let Some(whole) = self.whole_of(words) {
            return self.bitcast(reg, whole);
        }
        let (pair, ty) = (self.compose(&words), self.module.reg(reg));
        let value = self.value_of(Op::Bitcast, ty, &[pair.word()]);
        self.is_joined(value, words);
        self.is_reg(value, reg)
    }

    /// 64 bits as two words, low first.
    pub(super) fn split(&mut self, value: Id) -> [Id; 2] {
        if let Some(bits) = self.known(value) {
            return [bits as u32, (bits >> 32) as u32].map(|word| self.word(word));
        }
        if let Some(halves) = self.halves_of(value) {
            return halves;
        }
        let ty = self.module.vector(Reg::U32, 2);
        let pair = self.value_of(Op::Bitcast, ty, &[value.word()]);
        let halves = [0, 1].map(|half| self.part(pair, Reg::U32, half));
        self.are_halves(halves, value);
        halves
    }
}
