//! Casts and bitcasts.

use super::body::Body;
use super::float_cast::Counts;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Scalar, Type};
use spirv::Op as Spirv;

impl Body<'_> {
    /// The same bits as another type.
    pub(super) fn bitcast(&mut self, from: Type, to: Type, value: &[Id]) -> Vec<Id> {
        let (Some(source), Some(target)) = (from.lane(), to.lane()) else { return value.to_vec() };
        let ((old, each), (new, count)) = (self.target.register(source), self.target.register(target));
        if old == new {
            return value.to_vec();
        }
        if each == count && old.bits() == new.bits() {
            let cast = |&register| {
                let register = self.code.bitcast(new, register);
                self.hidden_nan(register)
            };
            return value.iter().map(cast).collect();
        }
        let words = self.words_of_value(value, Reg::U32);
        let registers = self.value_of_words(to, &words);
        registers.into_iter().map(|register| self.hidden_nan(register)).collect()
    }

    /// A conversion.
    pub(super) fn cast(&mut self, (from, to): (Type, Type), value: &[Id], fact: Fact, counts: Counts) -> Vec<Id> {
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
            CastRule::Split => self.words_of_value(value, Reg::U32),
            CastRule::Join => {
                let words: Vec<Id> = value.iter().copied().take(2).collect();
                self.value_of_words(to, &words)
            }
            CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat => {
                self.float_cast((source, target), value, counts)
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
