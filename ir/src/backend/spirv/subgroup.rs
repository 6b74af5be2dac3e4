//! Subgroups: those of the device where they are ours, else workgroup memory.
//!
//! Expansion leaves shuffles and ballots of scalars. Where the device's subgroups are 32
//! invocations in the order of the local index, these are the device's, in workgroups of one axis
//! that are whole subgroups: there is no other way to number their invocations. Everywhere else
//! each invocation stores the words of its value to an array of the workgroup's, and takes what
//! it wants between two barriers. The second one keeps the next exchange from overwriting what is
//! still to be read; both are passed by all, since all invocations of a workgroup take part in
//! every subgroup op. What is read was stored, so that the array needs no zeros.

use super::Target;
use super::body::Body;
use super::code::Code;
use super::memory::{Element, View};
use super::module::{Id, Reg};
use crate::check::exchange_words;
use crate::ir::{Function, Value};
use crate::ops::{SUBGROUP_SIZE, SubgroupOp};
use spirv::{Capability, Op};

/// How lanes exchange values.
pub(super) enum Exchange {
    /// The function has no subgroup ops.
    None,
    /// As the device does it.
    Native,
    /// Through an array of words, as many for each word of a value as there are invocations.
    Memory {
        /// The array.
        view: View,
        /// The invocations of the workgroup.
        invocations: u32,
    },
}

impl Exchange {
    /// Declares what an expanded function needs.
    pub fn new(code: &mut Code, function: &Function, target: &Target) -> Self {
        let words = exchange_words(function);
        let [x, y, z] = function.workgroup_size();
        let invocations = x.saturating_mul(y).saturating_mul(z);
        if words == 0 {
            Self::None
        } else if target.subgroups && [y, z] == [1, 1] && x.is_multiple_of(SUBGROUP_SIZE) {
            Self::Native
        } else {
            let view = View::of_workgroup(code, Element::of(Reg::U32), invocations.saturating_mul(words));
            Self::Memory { view, invocations }
        }
    }
}

impl Body<'_> {
    /// The registers of the result of a subgroup op.
    pub(super) fn subgroup(&mut self, op: SubgroupOp, args: &[Value]) -> Vec<Id> {
        let Some((&value, rest)) = args.split_first() else { return vec![self.code.flag(false)] };
        let registers = self.registers(value);
        if op == SubgroupOp::Ballot {
            let flag = registers.first().copied().unwrap_or_else(|| self.code.flag(false));
            return vec![self.ballot(flag)];
        }
        let words = self.words_of_value(&registers, Reg::U32);
        let from = match rest.first() {
            Some(&from) => self.register(from),
            None => self.code.word(0),
        };
        let found = self.shuffle(&words, from);
        self.value_of_words(self.function.ty(value), &found)
    }

    /// The words of the lane of a number; zero if there is none.
    fn shuffle(&mut self, words: &[Id], from: Id) -> Vec<Id> {
        let (zero, size) = (self.code.word(0), self.code.word(SUBGROUP_SIZE));
        let in_subgroup = self.code.binary(Op::ULessThan, from, size);
        match self.exchange {
            Exchange::None => words.to_vec(),
            Exchange::Native => {
                let lane = self.code.select(in_subgroup, from, zero);
                self.code.module.need(Capability::GroupNonUniform);
                self.code.module.need(Capability::GroupNonUniformShuffle);
                let scope = self.code.word(spirv::Scope::Subgroup as u32);
                let take = |&word: &Id| {
                    let found = self.code.value(Op::GroupNonUniformShuffle, Reg::U32, &[scope, word, lane]);
                    self.code.select(in_subgroup, found, zero)
                };
                words.iter().map(take).collect()
            }
            Exchange::Memory { view, invocations } => {
                let index = self.ids.local_index;
                for (word, &value) in (0..).zip(words) {
                    let place = self.exchange_place(word, invocations, index);
                    let place = view.pointer(&mut self.code, place, None);
                    view.write(&mut self.code, place, &[value]);
                }
                self.wait(false);
                let first = self.code.word(!(SUBGROUP_SIZE - 1));
                let first = self.code.binary(Op::BitwiseAnd, index, first);
                let source = self.code.binary(Op::IAdd, first, from);
                let end = self.code.word(invocations);
                let is_there = self.code.binary(Op::ULessThan, source, end);
                let is_there = self.code.binary(Op::LogicalAnd, in_subgroup, is_there);
                let source = self.code.select(is_there, source, zero);
                let take = |word| {
                    let place = self.exchange_place(word, invocations, source);
                    let place = view.pointer(&mut self.code, place, None);
                    let found = view.read_lane(&mut self.code, place);
                    self.code.select(is_there, found, zero)
                };
                let found = (0..words.len() as u32).map(take).collect();
                self.wait(false);
                found
            }
        }
    }

    /// The position of a word of an invocation's value.
    fn exchange_place(&mut self, word: u32, invocations: u32, index: Id) -> Id {
        let before = self.code.word(word * invocations);
        self.code.binary(Op::IAdd, before, index)
    }

    /// A bit for each lane.
    fn ballot(&mut self, flag: Id) -> Id {
        if let Exchange::Native = self.exchange {
            self.code.module.need(Capability::GroupNonUniform);
            self.code.module.need(Capability::GroupNonUniformBallot);
            let (scope, ty) = (self.code.word(spirv::Scope::Subgroup as u32), self.code.module.vector(Reg::U32, 4));
            let bits = self.code.value_of(Op::GroupNonUniformBallot, ty, &[scope.word(), flag.word()]);
            return self.code.part(bits, Reg::U32, 0);
        }
        let zero = self.code.word(0);
        let Exchange::Memory { view, invocations } = self.exchange else { return zero };
        let index = self.ids.local_index;
        let place = view.pointer(&mut self.code, index, None);
        let truth = self.code.truth_word(flag);
        view.write(&mut self.code, place, &[truth]);
        self.wait(false);
        let (first, end) = (self.code.word(!(SUBGROUP_SIZE - 1)), self.code.word(invocations));
        let first = self.code.binary(Op::BitwiseAnd, index, first);
        let mut bits = zero;
        for lane in 0..SUBGROUP_SIZE.min(invocations) {
            let lane_word = self.code.word(lane);
            let source = self.code.binary(Op::IAdd, first, lane_word);
            // The last subgroup may have fewer lanes.
            let is_there = if invocations.is_multiple_of(SUBGROUP_SIZE) || invocations < SUBGROUP_SIZE {
                self.code.flag(true)
            } else {
                self.code.binary(Op::ULessThan, source, end)
            };
            let source = self.code.select(is_there, source, zero);
            let place = view.pointer(&mut self.code, source, None);
            let truth = view.read_lane(&mut self.code, place);
            let truth = self.code.select(is_there, truth, zero);
            let bit = self.code.binary(Op::ShiftLeftLogical, truth, lane_word);
            bits = self.code.binary(Op::BitwiseOr, bits, bit);
        }
        self.wait(false);
        bits
    }
}
