//! How often loops come round: their counters, the tests that end them, and the number of
//! rounds where it is known.
//!
//! A *round* is one run of the loop's body, so that `for i in 0..4`, whose test stands at
//! the head, has five of which the last one only leaves. Rounds count from 0.
//!
//! A *counter* is a parameter to which every `continue` passes the parameter itself plus
//! one constant, with wrapping. A *test* is an `if` of the loop, one of whose arms always
//! leaves: the end of the arm is never reached and no `continue` of the loop is in it, nor
//! a jump within a loop inside that the `if` stands in. What is found out is true of every round that ends: an inner loop
//! or a barrier may well wait for ever.
//!
//! The round in which `first + step * round` first passes a comparison is found without
//! going through rounds, wrapping included, by a form of Euclid's algorithm. What is no sum, such as
//! a halved distance, is evaluated round by round, for a few rounds.

mod simulate;

use super::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// Loops with more `continue`s are not looked at.
pub const MAX_CONTINUES: usize = 128;
/// Further tests of a loop are exits like any other. Each `continue` may have its own.
const MAX_TESTS: usize = 192;
/// How many instructions are looked through to see that a value is a sum.
const MAX_TERMS: usize = 64;
/// How many comparisons of a condition are looked at.
const MAX_COMPARISONS: usize = 8;

/// How many rounds a loop has, each time that it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// So many.
    Exactly(u64),
    /// So many, or fewer because of an exit that was not understood.
    AtMost(u64),
    /// Nothing is known.
    Unknown,
}

/// A parameter that grows or shrinks by the same number in every round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Which of the loop's parameters it is.
    pub index: usize,
    /// The parameter.
    pub param: Value,
    /// The type, an integer.
    pub scalar: Scalar,
    /// Its value in round 0.
    pub first: Value,
    /// The bits that each round adds, with wrapping.
    pub step: u64,
}

/// A comparison that ends a loop: it does so if `counter + offset` is in the relation `op`
/// to the bound, in the counter's type and with wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The index of the counter in [`Loop::counters`].
    pub counter: usize,
    /// What is added to the counter.
    pub offset: u64,
    /// The relation in which the loop is left.
    pub op: Op,
    /// What the sum is compared with, a value from outside of the loop.
    pub bound: Value,
}

/// When a test ends its loop, if the loop lives that long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fires {
    /// In this round for the first time.
    In(u64),
    /// In no round.
    Never,
    /// Nothing is known.
    Unknown,
}

/// An `if` that ends the loop when one of its arms is taken.
#[derive(Clone, Debug)]
pub struct Test {
    /// The `if`.
    pub branch: Inst,
    /// The condition with which the loop is left.
    pub leaves_if: bool,
    /// What the condition compares, as far as it was understood. If the loop is not left
    /// here, all of these are false.
    pub comparisons: Vec<Comparison>,
    /// When it ends the loop.
    pub fires: Fires,
    /// Whether it does so then for the first time, and not then at the latest.
    pub exact: bool,
}

/// What is known of a loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of rounds.
    pub rounds: Count,
    /// The parameters that count.
    pub counters: Vec<Counter>,
    /// The `if`s that end it.
    pub tests: Vec<Test>,
}

/// What is known of the loops of a function.
///
/// ```
/// use samebits_ir::analysis::{tree::Tree, trips::{Count, Trips}};
/// use samebits_ir::{builder::Builder, ops::Op};
/// let mut b = Builder::new("k", [1, 1, 1]);
/// let (zero, three, nine) = (b.u32(0), b.u32(3), b.u32(9));
/// let (inst, i) = b.begin_loop(None, &[zero]);
/// let done = b.op(Op::Ge, &[i[0], nine]);
/// let (then, otherwise) = (b.region(&[]), b.region(&[]));
/// b.enter(then);
/// b.break_(inst, &[]);
/// b.leave();
/// b.enter(otherwise);
/// b.yield_(&[]);
/// b.leave();
/// b.if_else(done, then, otherwise, &[]);
/// let next = b.op(Op::Add, &[i[0], three]);
/// b.continue_(inst, &[next]);
/// b.end_loop(inst, &[]);
/// b.ret();
/// let function = b.finish();
/// let trips = Trips::of(&function, &Tree::of(&function));
/// // 0, 3 and 6, and the round that leaves.
/// assert_eq!(trips.rounds(inst), Count::Exactly(4));
/// ```
#[derive(Clone, Debug)]
pub struct Trips {
    loops: Side<InstDef, Option<Box<Loop>>>,
}

impl Trips {
    /// Looks at the loops of a function in SSA form.
    pub fn of(function: &Function, tree: &Tree) -> Self {
        let mut order = Side::new(0);
        for (i, &inst) in tree.insts().iter().enumerate() {
            order[inst] = i;
        }
        let mut finder = Finder {
            function,
            tree,
            order,
            round: 0,
            holds_continue: Side::new(0),
            within: Side::new(0),
            left: simulate::MAX_EVALUATIONS,
        };
        let mut loops = Side::new(None);
        for &inst in tree.insts() {
            if let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind {
                loops[inst] = finder.look_at(inst, *body, initial).map(Box::new);
            }
        }
        Self { loops }
    }

    /// What is known of a loop, if anything is.
    pub fn get(&self, inst: Inst) -> Option<&Loop> {
        self.loops[inst].as_deref()
    }

    /// The number of rounds of a loop.
    pub fn rounds(&self, inst: Inst) -> Count {
        self.get(inst).map_or(Count::Unknown, |known| known.rounds)
    }
}

impl Counter {
    /// The counter's bits in a round, if it starts with a constant.
    pub fn bits_in(&self, function: &Function, round: u64) -> Option<u64> {
        let first = function.constant_bits(self.first)?;
        Some(first.wrapping_add(self.step.wrapping_mul(round)) & self.scalar.mask())
    }
}

/// Looks at one loop after the other.
struct Finder<'a> {
    function: &'a Function,
    tree: &'a Tree,
    /// The place of an instruction in program order.
    order: Side<InstDef, usize>,
    /// The number of the loop that is looked at, from 1: what the tables below say of it
    /// carries this number, so that they need not be cleared.
    round: usize,
    /// Whether a region holds a `continue` of the loop.
    holds_continue: Side<RegionDef, usize>,
    /// Whether a loop is inside the loop.
    within: Side<InstDef, usize>,
    /// How many evaluations may still be made.
    left: usize,
}

impl Finder<'_> {
    fn look_at(&mut self, inst: Inst, body: Region, initial: &[Value]) -> Option<Loop> {
        self.round += 1;
        let tree = self.tree;
        let continues = tree.continues(inst);
        if continues.len() > MAX_CONTINUES {
            return None;
        }
        for &from in continues {
            self.mark_upwards(from, body);
        }
        let counters = self.counters(inst, body, initial);
        let mut tests = Vec::new();
        self.find_tests((inst, 0), body, &counters, &mut tests);
        let mut found = Loop { rounds: Count::Unknown, counters, tests };
        self.close(&mut found);
        found.rounds = self.count(inst, body, &found.tests);
        if found.rounds == Count::Unknown && found.tests.iter().any(|test| test.fires == Fires::Unknown) {
            self.simulate(inst, body, initial, &mut found.tests);
            found.rounds = self.count(inst, body, &found.tests);
        }
        Some(found)
    }

    /// Notes the regions around a `continue`, up to the loop's body.
    fn mark_upwards(&mut self, from: Inst, body: Region) {
        for here in self.tree.around(from) {
            let known = std::mem::replace(&mut self.holds_continue[here], self.round) == self.round;
            if known || here == body {
                break;
            }
        }
    }

    fn counters(&self, inst: Inst, body: Region, initial: &[Value]) -> Vec<Counter> {
        let params = &self.function.regions[body].params;
        let mut counters = Vec::new();
        for (index, (&param, &first)) in params.iter().zip(initial).enumerate() {
            let Type::Scalar(scalar) = self.function.ty(param) else { continue };
            if !scalar.is_int() {
                continue;
            }
            let mut steps = self.tree.continues(inst).iter().map(|&from| {
                let arg = *self.function.insts[from].kind.passed().get(index)?;
                self.distance(arg, param, scalar, &mut { MAX_TERMS })
            });
            if let Some(Some(step)) = steps.next()
                && step != 0
                && steps.all(|other| other == Some(step))
            {
                counters.push(Counter { index, param, scalar, first, step });
            }
        }
        counters
    }

    /// What a value is more than a parameter, also where branches bring it.
    fn distance(&self, value: Value, param: Value, scalar: Scalar, left: &mut usize) -> Option<u64> {
        if value == param {
            return Some(0);
        }
        *left = left.checked_sub(1)?;
        let Def::Result(inst, index) = self.tree.def(value) else { return None };
        if let Some((other, offset)) = self.sum(inst, scalar) {
            return Some(self.distance(other, param, scalar, left)?.wrapping_add(offset) & scalar.mask());
        }
        if !matches!(self.function.insts[inst].kind, InstKind::If { .. } | InstKind::Switch { .. }) {
            return None;
        }
        let mut found = None;
        for &exit in self.tree.exits(inst) {
            let arg = *self.function.insts[exit].kind.passed().get(index)?;
            let distance = self.distance(arg, param, scalar, left)?;
            if *found.get_or_insert(distance) != distance {
                return None;
            }
        }
        found
    }

    /// The operand and the constant that an instruction adds to it.
    fn sum(&self, inst: Inst, scalar: Scalar) -> Option<(Value, u64)> {
        let InstKind::Op(op, args) = &self.function.insts[inst].kind else { return None };
        let &[a, b] = args.as_slice() else { return None };
        let bits = |value| self.function.constant_bits(value);
        match (op, bits(a), bits(b)) {
            (Op::Add, _, Some(offset)) => Some((a, offset)),
            (Op::Add, Some(offset), None) => Some((b, offset)),
            (Op::Sub, None, Some(offset)) => Some((a, offset.wrapping_neg() & scalar.mask())),
            _ => None,
        }
    }

    /// Finds the tests of a region that so many loops inside the loop are around. The checks
    /// limit how deep regions are nested.
    fn find_tests(
        &mut self,
        (inst, loops): (Inst, usize),
        region: Region,
        counters: &[Counter],
        tests: &mut Vec<Test>,
    ) {
        let function = self.function;
        for &branch in &function.regions[region].insts {
            let kind = &function.insts[branch].kind;
            if let InstKind::If { condition, then, otherwise } = kind {
                let leaves = |arm| self.always_leaves(arm) && (loops == 0 || !self.stays_inside(arm));
                let leaves_if = match (leaves(*then), leaves(*otherwise)) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                };
                if let Some(leaves_if) = leaves_if
                    && tests.len() < MAX_TESTS
                {
                    let mut comparisons = Vec::new();
                    let mut left = MAX_COMPARISONS;
                    let exact = self.compare(inst, *condition, leaves_if, counters, &mut comparisons, &mut left);
                    tests.push(Test { branch, leaves_if, comparisons, exact, fires: Fires::Unknown });
                }
            }
            match kind {
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in kind.regions() {
                        self.find_tests((inst, loops), inner, counters, tests);
                    }
                }
                // Only the tests before its `continue`s matter.
                InstKind::Loop { body, .. } if self.holds_continue[*body] == self.round => {
                    self.within[branch] = self.round;
                    self.find_tests((inst, loops + 1), *body, counters, tests);
                }
                _ => {}
            }
        }
    }

    /// Whether a region of an `if` ends the loop when it is entered, unless a jump leads on
    /// within a loop inside: it neither comes to its end nor starts the next round.
    fn always_leaves(&self, region: Region) -> bool {
        let leaves = self.function.terminator(region).is_some_and(|last| !matches!(last, InstKind::Yield(_)));
        leaves && self.holds_continue[region] != self.round
    }

    /// Whether a region has a jump to a loop inside the loop that is around the region.
    fn stays_inside(&self, region: Region) -> bool {
        self.function.regions[region].insts.iter().any(|&inner| match &self.function.insts[inner].kind {
            InstKind::Break(target, _) | InstKind::Continue(target, _) => self.within[*target] == self.round,
            kind => kind.regions().into_iter().any(|region| self.stays_inside(region)),
        })
    }

    /// Collects what is compared if `condition` is to be `wanted`; says whether the
    /// condition is so exactly if the one comparison that was found is true.
    fn compare(
        &self,
        inst: Inst,
        condition: Value,
        wanted: bool,
        counters: &[Counter],
        out: &mut Vec<Comparison>,
        left: &mut usize,
    ) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let Some((op, args)) = self.tree.op(self.function, condition) else { return false };
        match (op, args) {
            (Op::Not, &[a]) => self.compare(inst, a, !wanted, counters, out, left),
            (Op::Or | Op::And, &[a, b]) if (op == Op::Or) == wanted => {
                self.compare(inst, a, wanted, counters, out, left);
                self.compare(inst, b, wanted, counters, out, left);
                false
            }
            (op, &[a, b]) => {
                let Some(other) = opposite(op) else { return false };
                let op = if wanted { op } else { other };
                let found = self.comparison(inst, a, op, b, counters);
                let found = found.or_else(|| self.comparison(inst, b, mirrored(op)?, a, counters));
                out.extend(found);
                found.is_some()
            }
            _ => false,
        }
    }

    fn comparison(&self, inst: Inst, sum: Value, op: Op, bound: Value, counters: &[Counter]) -> Option<Comparison> {
        if !self.is_from_outside(bound, inst) {
            return None;
        }
        let (mut value, mut offset) = (sum, 0u64);
        for _ in 0..MAX_TERMS {
            if let Some(counter) = counters.iter().position(|counter| counter.param == value) {
                let offset = offset & counters[counter].scalar.mask();
                return Some(Comparison { counter, offset, op, bound });
            }
            let Type::Scalar(scalar) = self.function.ty(value) else { return None };
            let (other, more) = self.sum(self.tree.inst_of(value)?, scalar)?;
            (value, offset) = (other, offset.wrapping_add(more));
        }
        None
    }

    /// Whether a value is the same in all rounds because nothing in the loop gives it.
    fn is_from_outside(&self, value: Value, inst: Inst) -> bool {
        let Some(body) = self.function.insts[inst].kind.regions().next() else { return false };
        self.tree.home(self.function, value).is_some_and(|home| !self.tree.is_within(home, body))
    }

    /// Finds when the tests fire whose comparisons are with constants.
    fn close(&self, found: &mut Loop) {
        for test in &mut found.tests {
            let fires = test.comparisons.iter().map(|comparison| self.first_round(comparison, &found.counters));
            test.fires = match (test.exact, fires.clone().filter_map(round_of).min()) {
                (true, _) => fires.into_iter().next().unwrap_or(Fires::Unknown),
                (false, Some(round)) => Fires::In(round),
                (false, None) => Fires::Unknown,
            };
        }
    }

    fn first_round(&self, comparison: &Comparison, counters: &[Counter]) -> Fires {
        let counter = &counters[comparison.counter];
        let bits = |value| self.function.constant_bits(value).map(u128::from);
        let (Some(first), Some(bound)) = (bits(counter.first), bits(comparison.bound)) else { return Fires::Unknown };
        let modulus = 1u128 << counter.scalar.bits();
        // The numbers in order begin here on the circle of all bit patterns.
        let least = if counter.scalar.is_signed() { modulus / 2 } else { 0 };
        let rank = (bound + modulus - least) % modulus;
        // All relations hold on an arc of the circle.
        let (start, len) = match comparison.op {
            Op::Lt => (least, rank),
            Op::Le => (least, rank + 1),
            Op::Gt => (bound + 1, modulus - 1 - rank),
            Op::Ge => (bound, modulus - rank),
            Op::Eq => (bound, 1),
            _ => (bound + 1, modulus - 1),
        };
        if len == 0 {
            return Fires::Never;
        }
        let at = first + u128::from(comparison.offset);
        let distance = (start + 2 * modulus - at) % modulus;
        if distance == 0 || modulus - distance < len {
            return Fires::In(0);
        }
        match first_in(counter.step.into(), modulus, distance, distance + len - 1) {
            Some(round) => u64::try_from(round).map_or(Fires::Unknown, Fires::In),
            None => Fires::Never,
        }
    }

    /// The number of rounds, from the tests that every `continue` has to get past.
    fn count(&mut self, inst: Inst, body: Region, tests: &[Test]) -> Count {
        let tree = self.tree;
        let mut last: Option<u64> = None;
        for &from in tree.continues(inst) {
            let Some(parent) = tree.parent(from) else { return Count::Unknown };
            let before = tests.iter().filter(|test| {
                let region = tree.parent(test.branch);
                self.order[test.branch] < self.order[from]
                    && region.is_some_and(|region| tree.is_within(parent, region))
            });
            let Some(round) = before.filter_map(|test| round_of(test.fires)).min() else { return Count::Unknown };
            // Tests need not fire again, so that they must stop all in the same round.
            if *last.get_or_insert(round) != round {
                return Count::Unknown;
            }
        }
        // Nothing continues a loop that runs once.
        let last = last.unwrap_or(0);
        let Some(rounds) = last.checked_add(1) else { return Count::Unknown };
        let understood = |test: &&Test| test.exact && test.fires != Fires::Unknown;
        let early = tests.iter().filter(understood).filter_map(|test| round_of(test.fires)).any(|round| round < last);
        let mut arms: Vec<Region> = Vec::new();
        for test in tests.iter().filter(understood) {
            if let InstKind::If { then, otherwise, .. } = self.function.insts[test.branch].kind {
                arms.push(if test.leaves_if { then } else { otherwise });
            }
        }
        let once = tree.continues(inst).is_empty();
        if once || !early && !self.has_other_exits(inst, body, &arms) {
            Count::Exactly(rounds)
        } else {
            Count::AtMost(rounds)
        }
    }

    /// Whether a region leaves the loop other than through these regions.
    fn has_other_exits(&mut self, inst: Inst, region: Region, arms: &[Region]) -> bool {
        if arms.contains(&region) {
            return false;
        }
        let function = self.function;
        function.regions[region].insts.iter().any(|&inner| {
            let kind = &function.insts[inner].kind;
            match kind {
                InstKind::Break(target, _) => self.within[*target] != self.round,
                InstKind::Continue(target, _) => *target != inst && self.within[*target] != self.round,
                InstKind::Return(_) => true,
                InstKind::Loop { body, .. } => {
                    self.within[inner] = self.round;
                    self.has_other_exits(inst, *body, arms)
                }
                _ => kind.regions().any(|inner| self.has_other_exits(inst, inner, arms)),
            }
        })
    }
}

fn round_of(fires: Fires) -> Option<u64> {
    match fires {
        Fires::In(round) => Some(round),
        Fires::Never | Fires::Unknown => None,
    }
}

/// The comparison that is true where this one is false; `None` for other ops.
fn opposite(op: Op) -> Option<Op> {
    Some(match op {
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        Op::Lt => Op::Ge,
        Op::Ge => Op::Lt,
        Op::Gt => Op::Le,
        Op::Le => Op::Gt,
        _ => return None,
    })
}

/// The comparison with the operands exchanged.
fn mirrored(op: Op) -> Option<Op> {
    Some(match op {
        Op::Eq => Op::Eq,
        Op::Ne => Op::Ne,
        Op::Lt => Op::Gt,
        Op::Ge => Op::Le,
        Op::Gt => Op::Lt,
        Op::Le => Op::Ge,
        _ => return None,
    })
}

/// The least `n` for which `step * n` modulo `modulus` is from `low` to `high`, where
/// `1 <= low <= high < modulus <= 2^64`.
///
/// As in Euclid's algorithm: if no multiple of the step falls between before the first
/// time round, what counts is by how much each time round begins beyond zero, which is the
/// same question about smaller numbers.
fn first_in(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    let step = step % modulus;
    if step == 0 {
        return None;
    }
    let direct = low.div_ceil(step);
    if direct * step <= high {
        return Some(direct);
    }
    // No multiple is between, so neither is divisible and their quotients are equal.
    let around = first_in(modulus % step, step, step - high % step, step - low % step)?;
    Some((low + modulus * around).div_ceil(step))
}

#[cfg(test)]
mod tests;
