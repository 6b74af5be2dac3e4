//! Casts and bitcasts, and values as words.

use super::body::Body;
use super::code::Code;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Scalar, Type};
use spirv::Op as Spirv;

impl Code {
    /// The halves of a value of 64 bits, low first.
    pub fn halves(&mut self, value: Id) -> [Id; 2] {
        if let Some(bits) = self.known(value) {
            return [self.word(bits as u32), self.word((bits >> 32) as u32)];
        }
        if let Some(halves) = self.halves_of(value) {
            return halves;
        }
        let pair = self.module.vector(Reg::U32, 2);
        let pair = self.value_of(Spirv::Bitcast, pair, &[value.word()]);
        let halves = [self.part(pair, Reg::U32, 0), self.part(pair, Reg::U32, 1)];
        self.are_halves(halves, value);
        halves
    }

    /// A value of 64 bits, of its halves.
    pub fn joined(&mut self, reg: Reg, halves: [Id; 2]) -> Id {
        if let [Some(low), Some(high)] = halves.map(|half| self.known(half)) {
            return self.constant(reg, low | high << 32);
        }
        if let Some(whole) = self.whole_of(halves) {
            return self.bitcast(reg, whole);
        }
        let (pair, ty) = (self.compose(&halves), self.module.reg(reg));
        let whole = self.value_of(Spirv::Bitcast, ty, &[pair.word()]);
        self.is_joined(whole, halves);
        self.is_reg(whole, reg)
    }

    /// The bits of a value as words: two of 64 bits, low first, else one, zero-extended.
    pub fn words(&mut self, value: Id) -> Vec<Id> {
        match self.reg(value) {
            Reg::U64 | Reg::F64 => self.halves(value).to_vec(),
            Reg::F16 => {
                let zero = self.constant(Reg::F16, 0);
                let (pair, word) = (self.compose(&[value, zero]), self.module.reg(Reg::U32));
                let word = self.value_of(Spirv::Bitcast, word, &[pair.word()]);
                vec![self.is_reg(word, Reg::U32)]
            }
            Reg::F32 => vec![self.bitcast(Reg::U32, value)],
            Reg::Bool | Reg::U8 | Reg::U16 | Reg::U32 => vec![value],
        }
    }

    /// A value of such a register of its words.
    pub fn of_words(&mut self, reg: Reg, words: &[Id]) -> Vec<Id> {
        match (reg, words) {
            (Reg::U64 | Reg::F64, &[low, high]) => vec![self.joined(reg, [low, high])],
            (Reg::F16, &[word]) => {
                let pair = self.module.vector(Reg::F16, 2);
                let pair = self.value_of(Spirv::Bitcast, pair, &[word.word()]);
                vec![self.part(pair, Reg::F16, 0)]
            }
            (Reg::F32, &[word]) => vec![self.bitcast(reg, word)],
            _ => words.to_vec(),
        }
    }
}

impl Body<'_> {
    /// The registers of a scalar of these words.
    pub(super) fn scalar_of_words(&mut self, scalar: Scalar, words: &[Id]) -> Vec<Id> {
        let (reg, _) = self.target.register(scalar);
        self.code.of_words(reg, words)
    }

    /// The same bits as another type.
    pub(super) fn bitcast(&mut self, from: Type, to: Type, value: &[Id]) -> Vec<Id> {
        let (Some(source), Some(target)) = (from.lane(), to.lane()) else { return value.to_vec() };
        let ((old, each), (new, count)) = (self.target.register(source), self.target.register(target));
        if old == new {
            return value.to_vec();
        }
        if each == count && old.bits() == new.bits() {
            return value.iter().map(|&register| self.code.bitcast(new, register)).collect();
        }
        let mut registers = Vec::new();
        for lane in value.chunks(each) {
            let words: Vec<Id> = lane.iter().flat_map(|&register| self.code.words(register)).collect();
            registers.extend(self.code.of_words(new, &words));
        }
        registers
    }

    /// A conversion; `observed` says whether anybody can tell one NaN from another.
    pub(super) fn cast(&mut self, (from, to): (Type, Type), value: &[Id], fact: Fact, observed: bool) -> Vec<Id> {
        let (Some(rule), Some(source), Some(target)) = (cast_rule(from, to), from.lane(), to.lane()) else {
            return self.zero(to);
        };
        let Some(&first) = value.first() else { return self.zero(to) };
        match rule {
            CastRule::Identity => value.to_vec(),
            CastRule::Resize => self.resize((source, target), value, fact),
            CastRule::Truth => {
                let mut any = first;
                for &more in value.iter().skip(1) {
                    any = self.code.binary(Spirv::BitwiseOr, any, more);
                }
                vec![self.code.truth(any)]
            }
            CastRule::Splat => {
                let word = if source == Scalar::Bool { self.code.truth_word(first) } else { first };
                vec![word; to.lanes()]
            }
            CastRule::Lanes => value.iter().copied().take(to.lanes()).collect(),
            CastRule::Split => value.iter().flat_map(|&register| self.code.words(register)).collect(),
            CastRule::Join => {
                let words: Vec<Id> = value.iter().copied().take(2).collect();
                self.scalar_of_words(target, &words)
            }
            CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat => {
                self.float_cast((source, target), value, observed)
            }
        }
    }

    /// Between integers, or from `bool`: extended by the source's sign, then cut.
    pub(super) fn resize(&mut self, (source, target): (Scalar, Scalar), value: &[Id], fact: Fact) -> Vec<Id> {
        let Some(&first) = value.first() else { return self.zero(target.into()) };
        let (reg, count) = self.target.register(target);
        if source == Scalar::Bool {
            let (one, zero) = (self.code.constant(reg, 1), self.code.constant(reg, 0));
            let low = self.code.select(first, one, zero);
            return if count == 2 { vec![low, zero] } else { vec![low] };
        }
        let negative = source.is_signed() && fact.low < 0;
        if target.bits() < 64 {
            let mut word = self.code.resize(Reg::U32, first);
            if negative && source.bits() < target.bits() {
                word = self.code.sign_extended(word, source.bits());
            }
            let kept = if negative { source.bits() == target.bits() } else { fact.most <= target.mask() };
            let fits = kept || target.bits() == 32;
            return vec![if fits { word } else { self.code.masked(word, target.mask()) }];
        }
        if source.bits() == 64 {
            return value.to_vec();
        }
        let word = if negative && source.bits() < 32 { self.code.sign_extended(first, source.bits()) } else { first };
        if reg == Reg::U64 {
            return vec![self.code.lengthened(negative, word)];
        }
        let high = self.code.word(if negative { 31 } else { 0 });
        vec![word, if negative { self.code.binary(Spirv::ShiftRightArithmetic, word, high) } else { high }]
    }
}
