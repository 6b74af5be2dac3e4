//! Executing the first rounds of a loop, for counters that are not sums.
//!
//! [`Op::eval`](crate::ops::Op::eval) computes each parameter in each round, as far as it
//! depends on constants only, and the condition of each test. The amount of work per function
//! is limited.

use super::{Finder, Fires, Test};
use crate::arena::Side;
use crate::ir::{Inst, InstKind, Region, Value, ValueDef};

/// How many ops are evaluated for all loops of a function.
pub(super) const MAX_EVALUATIONS: usize = 1 << 14;
/// How many rounds are gone through.
const MAX_ROUNDS: u64 = 64;
/// How many ops deep an operand may be.
const MAX_DEPTH: usize = 16;

/// What is known in one round.
struct Round {
    /// The bits of values; `None` inside is what was tried and is not known.
    known: Side<ValueDef, Option<Option<u64>>>,
    /// The values that are noted.
    noted: Vec<Value>,
}

impl Finder<'_> {
    /// Finds the first rounds in which tests fire whose conditions were not understood.
    pub(super) fn simulate(&mut self, inst: Inst, body: Region, initial: &[Value], tests: &mut [Test]) {
        let function = self.function;
        let params = &function.regions[body].params;
        let mut state: Vec<Option<u64>> = initial.iter().map(|&value| function.constant_bits(value)).collect();
        let mut round = Round { known: Side::new(None), noted: Vec::new() };
        let mut open: Vec<&mut Test> = tests.iter_mut().filter(|test| test.fires == Fires::Unknown).collect();
        for number in 0..MAX_ROUNDS {
            for value in round.noted.drain(..) {
                round.known[value] = None;
            }
            for (&param, &bits) in params.iter().zip(&state) {
                round.note(param, bits);
            }
            // If nothing is known of a test in a round, it may end the loop in any round.
            open.retain_mut(|test| {
                let InstKind::If { condition, .. } = function.insts[test.branch].kind else { return false };
                match self.evaluate(condition, &mut round, 0) {
                    Some(bits) if (bits != 0) == test.leaves_if => {
                        test.fires = Fires::In(number);
                        // The condition says everything, whatever it is made of.
                        test.exact = true;
                        false
                    }
                    known => known.is_some(),
                }
            });
            if open.is_empty() {
                return;
            }
            for (index, bits) in state.iter_mut().enumerate() {
                *bits = self.passed(inst, index, &mut round);
            }
        }
    }

    /// What every `continue` passes for a parameter.
    fn passed(&mut self, inst: Inst, index: usize, round: &mut Round) -> Option<u64> {
        let (function, tree) = (self.function, self.tree);
        let mut found = None;
        for &from in tree.continues(inst) {
            let bits = self.evaluate(*function.insts[from].kind.passed().get(index)?, round, 0)?;
            if *found.get_or_insert(bits) != bits {
                return None;
            }
        }
        found
    }

    /// The bits of a value in a round.
    fn evaluate(&mut self, value: Value, round: &mut Round, depth: usize) -> Option<u64> {
        let function = self.function;
        if let Some(bits) = function.constant_bits(value) {
            return Some(bits);
        }
        if let Some(known) = round.known[value] {
            return known;
        }
        if depth == MAX_DEPTH || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let bits = self.compute(value, round, depth);
        round.note(value, bits);
        bits
    }

    fn compute(&mut self, value: Value, round: &mut Round, depth: usize) -> Option<u64> {
        let function = self.function;
        let (op, args) = self.tree.op(function, value)?;
        function.evaluated(op, args, function.ty(value), |arg| self.evaluate(arg, round, depth + 1))
    }
}

impl Round {
    fn note(&mut self, value: Value, bits: Option<u64>) {
        self.known[value] = Some(bits);
        self.noted.push(value);
    }
}
