//! Values as words: what memory, launches and exchanges between lanes are made of.
//!
//! A lane of 64 bits is two words, low first. Any other lane is one word, which holds its bits
//! extended by zeros. `bool` is 0 or 1. A word is a `u32`, or an `f32` of the same bits where
//! memory is declared so.

use super::body::Body;
use super::module::{Id, Reg};
use crate::types::{Scalar, Type};

impl Body<'_> {
    /// The registers of a value whose lanes are in these words.
    pub(super) fn from_words(&mut self, ty: Type, words: &[Id]) -> Vec<Id> {
        let Some(scalar) = ty.lane() else { return Vec::new() };
        let mut value = Vec::new();
        for lane in words.chunks(if scalar.bits() == 64 { 2 } else { 1 }) {
            match (scalar, lane) {
                (Scalar::F32, &[word]) => value.push(self.code.bitcast(Reg::F32, word)),
                (Scalar::Bool, &[word]) => {
                    let word = self.code.bitcast(Reg::U32, word);
                    value.push(self.code.truth(word));
                }
                _ => {
                    let words: Vec<Id> = lane.iter().map(|&word| self.code.bitcast(Reg::U32, word)).collect();
                    value.extend(self.scalar_of_words(scalar, &words));
                }
            }
        }
        value
    }

    /// The words of a value's lanes, as `u32` or as `f32`.
    pub(super) fn to_words(&mut self, value: &[Id], word: Reg) -> Vec<Id> {
        let mut words = Vec::with_capacity(value.len());
        for &register in value {
            match self.code.reg(register) {
                Reg::Bool => words.push(self.code.truth_word(register)),
                reg if reg == word => words.push(register),
                _ => words.extend(self.code.words(register)),
            }
        }
        words.into_iter().map(|value| self.code.bitcast(word, value)).collect()
    }
}
