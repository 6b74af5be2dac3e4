//! Subgroups: those of the device where they are ours, else workgroup memory.
//!
//! Expansion leaves shuffles and ballots of scalars. Where the consumer says that the
//! device's subgroups are 32 invocations in the order of the local index, these are the
//! device's, in workgroups of one axis that are whole subgroups: there is no other way to
//! number their invocations. Everywhere else each invocation stores the words of its value
//! to an array of the workgroup's, and takes what it wants between two barriers. The second
//! one keeps the next exchange from overwriting what is still to be read; both are passed
//! by all, since all invocations of a workgroup take part in every subgroup op.

use super::body::Body;
use super::code::{Code, Expr};
use super::types::{Register, Table, register};
use crate::analysis::shape::{Shape, Word};
use crate::check::exchange_words;
use crate::ir::{Function, Value};
use crate::ops::{SUBGROUP_SIZE, SubgroupOp};
use crate::types::Scalar;
use naga::{AddressSpace, Barrier, BinaryOperator as Bin, Expression, GatherMode, Statement};

/// How lanes exchange values.
pub(super) enum Exchange {
    /// The function has no subgroup ops.
    None,
    /// As the device does it.
    Native,
    /// Through an array of words, as many for each word of a value as there are invocations.
    Memory {
        /// A pointer to the array.
        pointer: Expr,
        /// The invocations of the workgroup.
        invocations: u32,
    },
}

impl Exchange {
    /// Declares what an expanded function needs.
    pub fn new(table: &mut Table<'_>, code: &mut Code, function: &Function, native: bool) -> Self {
        let words = exchange_words(function);
        let [x, y, z] = function.workgroup_size();
        let invocations = x.saturating_mul(y).saturating_mul(z);
        if words == 0 {
            Self::None
        } else if native && [y, z] == [1, 1] && x.is_multiple_of(SUBGROUP_SIZE) {
            Self::Native
        } else {
            let ty = table.array(Shape { width: 1, word: Word::Plain }, Some(invocations.saturating_mul(words)));
            let pointer = super::global(table, code, "exchange", AddressSpace::WorkGroup, None, ty);
            Self::Memory { pointer, invocations }
        }
    }
}

impl Body<'_> {
    /// The registers of the result of a subgroup op.
    pub(super) fn subgroup(&mut self, op: SubgroupOp, args: &[Value]) -> Vec<Expr> {
        let Some((&value, rest)) = args.split_first() else { return vec![self.code.flag(false)] };
        let registers = self.registers(value);
        if op == SubgroupOp::Ballot {
            let flag = registers.first().copied().unwrap_or_else(|| self.code.flag(false));
            return vec![self.ballot(flag)];
        }
        let kind = register(self.function.ty(value).lane().unwrap_or(Scalar::U32)).0;
        let words: Vec<Expr> = registers.iter().map(|&register| to_word(&mut self.code, kind, register)).collect();
        let from = match rest.first() {
            Some(&from) => self.register(from),
            None => self.code.word(0),
        };
        let found = self.shuffle(&words, from);
        found.into_iter().map(|word| super::memory::parameter(&mut self.code, kind, word)).collect()
    }

    /// The words of the lane of a number; zero if there is none.
    fn shuffle(&mut self, words: &[Expr], from: Expr) -> Vec<Expr> {
        let (zero, size) = (self.code.word(0), self.code.word(SUBGROUP_SIZE));
        let in_subgroup = self.code.binary(Bin::Less, from, size);
        match self.exchange {
            Exchange::None => words.to_vec(),
            Exchange::Native => {
                let lane = self.code.select(in_subgroup, from, zero);
                let gather = |&argument: &Expr| {
                    let ty = self.code.basic.u32;
                    let result = self.code.plain(Expression::SubgroupOperationResult { ty });
                    self.code.statement(Statement::SubgroupGather {
                        mode: GatherMode::Shuffle(lane),
                        argument,
                        result,
                    });
                    self.code.select(in_subgroup, result, zero)
                };
                words.iter().map(gather).collect()
            }
            Exchange::Memory { pointer, invocations } => {
                let index = self.ids.local_index;
                for (word, &value) in (0..).zip(words) {
                    let place = self.exchange_place(word, invocations, index);
                    let place = self.code.element(pointer, place);
                    self.code.store(place, value);
                }
                self.wait(Barrier::WORK_GROUP);
                let first = self.code.word(!(SUBGROUP_SIZE - 1));
                let first = self.code.binary(Bin::And, index, first);
                let source = self.code.binary(Bin::Add, first, from);
                let end = self.code.word(invocations);
                let is_there = self.code.binary(Bin::Less, source, end);
                let is_there = self.code.binary(Bin::And, in_subgroup, is_there);
                let source = self.code.select(is_there, source, zero);
                let take = |word| {
                    let place = self.exchange_place(word, invocations, source);
                    let place = self.code.element(pointer, place);
                    let found = self.code.load(place);
                    self.code.select(is_there, found, zero)
                };
                let found = (0..words.len() as u32).map(take).collect();
                self.wait(Barrier::WORK_GROUP);
                found
            }
        }
    }

    /// The position of a word of an invocation's value.
    fn exchange_place(&mut self, word: u32, invocations: u32, index: Expr) -> Expr {
        let before = self.code.word(word * invocations);
        self.code.binary(Bin::Add, before, index)
    }

    /// A bit for each lane.
    fn ballot(&mut self, flag: Expr) -> Expr {
        if let Exchange::Native = self.exchange {
            let result = self.code.plain(Expression::SubgroupBallotResult);
            self.code.statement(Statement::SubgroupBallot { result, predicate: Some(flag) });
            return self.code.member(result, 0);
        }
        let zero = self.code.word(0);
        let Exchange::Memory { pointer, invocations } = self.exchange else { return zero };
        let index = self.ids.local_index;
        let place = self.code.element(pointer, index);
        let truth = self.code.truth_word(flag);
        self.code.store(place, truth);
        self.wait(Barrier::WORK_GROUP);
        let (first, end) = (self.code.word(!(SUBGROUP_SIZE - 1)), self.code.word(invocations));
        let first = self.code.binary(Bin::And, index, first);
        let mut bits = zero;
        for lane in 0..SUBGROUP_SIZE.min(invocations) {
            let lane_word = self.code.word(lane);
            let source = self.code.binary(Bin::Add, first, lane_word);
            // The last subgroup may have fewer lanes.
            let is_there = if invocations.is_multiple_of(SUBGROUP_SIZE) || invocations < SUBGROUP_SIZE {
                self.code.flag(true)
            } else {
                self.code.binary(Bin::Less, source, end)
            };
            let source = self.code.select(is_there, source, zero);
            let place = self.code.element(pointer, source);
            let truth = self.code.load(place);
            let truth = self.code.select(is_there, truth, zero);
            let bit = if lane == 0 { truth } else { self.code.binary(Bin::ShiftLeft, truth, lane_word) };
            bits = if lane == 0 { bit } else { self.code.binary(Bin::InclusiveOr, bits, bit) };
        }
        self.wait(Barrier::WORK_GROUP);
        bits
    }
}

/// A register as a word of its bits.
fn to_word(code: &mut Code, kind: Register, value: Expr) -> Expr {
    match kind {
        Register::Bool => code.truth_word(value),
        Register::Float => code.word_of(value),
        Register::Word => value,
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::naga::{Options, emit};
    use crate::check::check;
    use crate::soft::plan::Native;
    use crate::text::parse;
    use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

    /// The WGSL of a kernel with this size and body, on a device with or without our subgroups.
    fn wgsl(size: &str, body: &str, subgroups: bool) -> String {
        let text = format!("func kernel workgroup_size({size}) @k(%x: u32, %d: f64, @y: mut [u32]) {{ {body} ret }}");
        let module = parse(&text).unwrap_or_else(|diags| panic!("{diags:?}"));
        let checked = check(module).expect("the kernel is right");
        let options =
            Options { native: Native::EXACT_F32, lane_stores: true, wgsl_rules: false, subgroups, ..Options::WEBGPU };
        let shader = emit(&checked, 0, &options).expect("there is a kernel");
        let offered = if subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
        let info = Validator::new(ValidationFlags::all(), offered)
            .subgroup_stages(ShaderStages::COMPUTE)
            .subgroup_operations(SubgroupOperationSet::all())
            .validate(&shader.module)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string("")));
        naga::back::spv::write_vec(&shader.module, &info, &naga::back::spv::Options::default(), None)
            .expect("SPIR-V can be written");
        naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty())
            .expect("WGSL can be written")
    }

    const SHUFFLE: &str = "%i = local_index %a = subgroup.shuffle %i, %x store @y[%i], %a";
    const VOTE: &str = "%i = local_index %b = lt %i, %x %a = subgroup.ballot %b store @y[%i], %a";

    #[test]
    fn whole_subgroups_of_one_axis_are_the_devices_where_they_are_ours() {
        assert!(wgsl("64, 1, 1", SHUFFLE, true).contains("subgroupShuffle("));
        assert!(wgsl("64, 1, 1", VOTE, true).contains("subgroupBallot("));
    }

    #[test]
    fn all_others_go_through_workgroup_memory() {
        for (size, subgroups) in [("64, 1, 1", false), ("40, 1, 1", true), ("32, 2, 1", true), ("1, 32, 1", true)] {
            for body in [SHUFFLE, VOTE] {
                let text = wgsl(size, body, subgroups);
                assert!(!text.contains("subgroup") && text.contains("var<workgroup> exchange"), "{text}");
            }
        }
    }

    #[test]
    fn what_is_exchanged_is_stored_read_and_not_overwritten_too_early() {
        let text = wgsl("64, 1, 1", &format!("{SHUFFLE} %c = subgroup.shuffle %a, 1u32 store @y[%i], %c"), false);
        let (accesses, barriers) = ("exchange[", "workgroupBarrier();");
        let mut seen = text.match_indices(accesses).chain(text.match_indices(barriers)).collect::<Vec<_>>();
        seen.sort_unstable();
        let order: Vec<&str> = seen.into_iter().map(|(_, what)| what).collect();
        let once = [accesses, barriers, accesses, barriers];
        assert_eq!(order, [once, once].concat(), "{text}");
    }

    #[test]
    fn the_widest_value_says_how_much_memory_there_is() {
        assert!(wgsl("64, 1, 1", SHUFFLE, false).contains("exchange: array<u32, 64>"));
        let wide = "%e = subgroup.shuffle %d, %x %i = local_index %b = eq %d, %e %w = subgroup.any %b";
        assert!(wgsl("64, 1, 1", wide, false).contains("exchange: array<u32, 128>"));
        assert!(!wgsl("64, 1, 1", "%b = subgroup.elect", false).contains("exchange"));
    }
}
