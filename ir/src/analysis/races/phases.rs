//! Which accesses of one workgroup can happen in one phase, and in which rounds of loops.
//!
//! A walk through the body carries where an invocation may be, seen from the barrier that it
//! came through last, or from the kernel's start: how often each loop around has come round
//! since. All invocations of a workgroup pass the same barriers in the same rounds, so two
//! accesses can meet only if both are reached from one barrier, or from the start, without
//! another one. If they are then in the same round of a loop, what is uniform in that round is
//! one number for both.
//!
//! A branch on a condition that is the same for all, and that decides about barriers, sends both
//! the same way if both come to it in the same round. Otherwise the last phase of a loop would
//! be shared by its next round and by what comes after it.

use crate::analysis::barriers::waits;
use crate::analysis::facts::{Fact, Facts};
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Value, ValueDef};
use crate::ops::Op;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// More states than this at one point are too many to tell apart.
const MAX_STATES: usize = 200;
/// And so many steps of the walk are too many altogether.
const MAX_STEPS: usize = 200_000;
/// A number of rounds that stands for it and all greater ones.
const MANY: u8 = 3;

/// How far a loop has come since the barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Rounds {
    /// Whether it was entered since. Otherwise rounds count from that of the barrier.
    entered: bool,
    count: u8,
}

/// The way that a decision went: the branch, the rounds in which it was come to, and the arm.
type Decided = (Inst, Vec<Rounds>, u8);

/// Where an invocation may be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    /// The barrier; `None` is the start.
    since: Option<Inst>,
    /// One entry for each loop around.
    loops: Vec<Rounds>,
    decided: Vec<Decided>,
}

type States = BTreeSet<State>;

/// How two accesses can meet in a phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Meeting {
    /// In how many of the loops around both, from the outermost, they are in the same round.
    pub(super) depth: usize,
    /// How many rounds later the second access is in the next loop, if that is known.
    pub(super) later: Option<i8>,
    /// What is known of the next round of a loop that one access is in.
    pub(super) next: Option<Next>,
}

/// That in the round after that of an access a branch goes this way: the invocation of the other
/// access has come to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Next {
    /// Whether it is the second access that is in the loop.
    pub(super) of_second: bool,
    /// A loop around the access.
    pub(super) inst: Inst,
    /// A branch in the loop.
    pub(super) branch: Inst,
    /// The arm.
    pub(super) arm: u8,
}

/// The phases of a kernel.
pub(super) struct Phases {
    /// The loops around each access, the outermost first, and where its invocation may be.
    accesses: BTreeMap<Inst, (Vec<Inst>, States)>,
    /// The loops around the branches that decide.
    decisions: BTreeMap<Inst, Vec<Inst>>,
}

impl Phases {
    /// Walks through a kernel; `None` if that is too much.
    pub(super) fn of(function: &Function, tree: &Tree, facts: &Facts, uniform: &Side<ValueDef, bool>) -> Option<Self> {
        let mut walk = Walk {
            function,
            tree,
            facts,
            uniform,
            waits: waits(function),
            decides: Side::new(false),
            open: Vec::new(),
            heads: BTreeMap::new(),
            ends: BTreeMap::new(),
            accesses: BTreeMap::new(),
            decisions: BTreeMap::new(),
            steps: 0,
            changed: false,
        };
        walk.jumps(function.body);
        let start = State { since: None, loops: Vec::new(), decided: Vec::new() };
        loop {
            walk.changed = false;
            walk.region(function.body, States::from([start.clone()]))?;
            if !walk.changed {
                break;
            }
        }
        Some(Self { accesses: walk.accesses, decisions: walk.decisions })
    }

    /// What the way to one access tells of the round after that of the other one.
    fn next(&self, state: &State, loops: &[Inst], other: &State, of_second: bool) -> Option<Next> {
        other.decided.iter().find_map(|(branch, rounds, arm)| {
            let around = self.decisions.get(branch)?;
            let (last, before) = rounds.split_last()?;
            let here = state.loops.get(before.len())?;
            let is_next = last.entered == here.entered && last.count == here.count + 1 && last.count < MANY;
            let is_around = loops.starts_with(around) && state.loops.starts_with(before);
            let inst = *around.last()?;
            (is_next && is_around).then_some(Next { of_second, inst, branch: *branch, arm: *arm })
        })
    }

    /// The barrier after which two accesses can meet, or the start if that is one; the first of several.
    pub(super) fn since(&self, first: Inst, second: Inst) -> Option<Inst> {
        let states = |access: Inst| self.accesses.get(&access).map(|(_, states)| states);
        let (ones, others) = (states(first)?, states(second)?);
        let meets = |one: &&State| others.iter().any(|two| two.since == one.since && !parted(one, two));
        ones.iter().find(meets)?.since
    }

    /// How two accesses can meet; empty if there is always a barrier between.
    pub(super) fn meetings(&self, first: Inst, second: Inst) -> BTreeSet<Meeting> {
        let (Some((outer, ones)), Some((other, others))) = (self.accesses.get(&first), self.accesses.get(&second))
        else {
            return BTreeSet::new();
        };
        let common = outer.iter().zip(other).take_while(|(a, b)| a == b).count();
        let mut meetings = BTreeSet::new();
        for one in ones {
            for two in others.iter().filter(|two| two.since == one.since && !parted(one, two)) {
                let next = self.next(one, outer, two, false).or_else(|| self.next(two, other, one, true));
                meetings.insert(Meeting { next, ..meeting(one, two, common) });
            }
        }
        meetings
    }
}

/// Whether two invocations in these states went different ways where all go the same way.
fn parted(one: &State, two: &State) -> bool {
    let differs = |(branch, rounds, arm): &Decided| {
        let same = two.decided.iter().find(|(other, theirs, _)| other == branch && theirs == rounds);
        same.is_some_and(|(.., other)| other != arm)
    };
    one.decided.iter().any(differs)
}

fn meeting(one: &State, two: &State, common: usize) -> Meeting {
    let mut pairs = one.loops.iter().zip(&two.loops).take(common);
    let is_same = |(a, b): &(&Rounds, &Rounds)| a == b && a.count < MANY;
    let depth = pairs.clone().take_while(is_same).count();
    let later = match pairs.nth(depth) {
        Some((a, b)) if a.entered == b.entered && a.count < MANY && b.count < MANY => {
            Some(b.count as i8 - a.count as i8)
        }
        Some(_) | None => None,
    };
    Meeting { depth, later, next: None }
}

struct Walk<'f> {
    function: &'f Function,
    tree: &'f Tree,
    facts: &'f Facts,
    uniform: &'f Side<ValueDef, bool>,
    /// What has a barrier inside.
    waits: Side<InstDef, bool>,
    /// The branches that decide about barriers, alike for all.
    decides: Side<InstDef, bool>,
    open: Vec<Inst>,
    /// The states that a `continue` brings to a loop, and a `break` out of it.
    heads: BTreeMap<Inst, States>,
    ends: BTreeMap<Inst, States>,
    accesses: BTreeMap<Inst, (Vec<Inst>, States)>,
    decisions: BTreeMap<Inst, Vec<Inst>>,
    steps: usize,
    changed: bool,
}

impl Walk<'_> {
    /// Whether a region jumps to a loop with a barrier inside, or ends the kernel.
    fn jumps(&mut self, region: Region) -> bool {
        let mut jumps = false;
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            let mut inside = match kind {
                InstKind::Break(target, _) | InstKind::Continue(target, _) => self.waits[*target],
                InstKind::Return(_) => true,
                _ => false,
            };
            for inner in kind.regions() {
                inside |= self.jumps(inner);
            }
            self.decides[inst] = self.waits[inst] || inside;
            jumps |= inside;
        }
        jumps
    }

    /// The states at the end of a region; `None` if there are too many.
    fn region(&mut self, region: Region, mut now: States) -> Option<States> {
        for &inst in &self.function.regions[region].insts {
            self.steps += 1 + now.len() / 8;
            if now.len() > MAX_STATES || self.steps > MAX_STEPS {
                return None;
            }
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Barrier if !now.is_empty() => {
                    let loops = vec![Rounds { entered: false, count: 0 }; self.open.len()];
                    now = States::from([State { since: Some(inst), loops, decided: Vec::new() }]);
                }
                InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {
                    let open = &self.open;
                    let (_, known) = self.accesses.entry(inst).or_insert_with(|| (open.clone(), States::new()));
                    known.extend(now.iter().cloned());
                }
                InstKind::If { condition: decision, .. } | InstKind::Switch { selector: decision, .. } => {
                    let before = std::mem::take(&mut now);
                    for (arm, inner) in kind.regions().enumerate() {
                        let entered = self.enter(inst, *decision, arm, &before);
                        now.extend(self.region(inner, entered)?);
                    }
                }
                InstKind::Loop { body, .. } => {
                    // Where no barrier keeps rounds together they need not be told apart.
                    let count = if self.waits[inst] { 0 } else { MANY };
                    let enter = |mut state: State| {
                        state.loops.push(Rounds { entered: true, count });
                        state
                    };
                    let mut inside: States = now.into_iter().map(enter).collect();
                    inside.extend(self.heads.get(&inst).into_iter().flatten().cloned());
                    self.open.push(inst);
                    self.region(*body, inside)?;
                    self.open.pop();
                    now = self.ends.get(&inst).cloned().unwrap_or_default();
                }
                InstKind::Break(target, _) => {
                    let depth = self.depth(*target);
                    let leave = |mut state: State| {
                        state.loops.truncate(depth);
                        state
                    };
                    let left = std::mem::take(&mut now).into_iter().map(leave);
                    self.ends.entry(*target).or_default().extend(left);
                }
                InstKind::Continue(target, _) => {
                    let depth = self.depth(*target);
                    let again = |mut state: State| {
                        state.loops.truncate(depth + 1);
                        if let Some(rounds) = state.loops.last_mut() {
                            rounds.count = (rounds.count + 1).min(MANY);
                        }
                        state
                    };
                    let heads = self.heads.entry(*target).or_default();
                    let known = heads.len();
                    heads.extend(std::mem::take(&mut now).into_iter().map(again));
                    self.changed |= heads.len() > known;
                }
                InstKind::Return(_) | InstKind::Unreachable => now.clear(),
                InstKind::Barrier | InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                InstKind::Fence(..)
                | InstKind::Subgroup(..)
                | InstKind::Get(_)
                | InstKind::Set(..)
                | InstKind::Call { .. }
                | InstKind::Yield(_) => {}
            }
        }
        Some(now)
    }

    /// How many loops are around a loop that is open.
    fn depth(&self, target: Inst) -> usize {
        self.open.iter().position(|&open| open == target).unwrap_or(0)
    }

    /// The states at the start of an arm.
    fn enter(&mut self, branch: Inst, decision: Value, arm: usize, before: &States) -> States {
        if !self.decides[branch] {
            return before.clone();
        }
        self.decisions.entry(branch).or_insert_with(|| self.open.clone());
        // The arms of an `if` are that of a true and that of a false condition.
        let at_first = self.open.last().and_then(|&inst| self.at_first(inst, decision));
        let is_first = |state: &State| state.loops.last() == Some(&Rounds { entered: true, count: 0 });
        let is_possible = |state: &&State| !is_first(state) || at_first.is_none_or(|truth| truth == (arm == 0));
        let decide = |state: &State| {
            let mut state = state.clone();
            if self.uniform[decision] && state.loops.iter().all(|rounds| rounds.count < MANY) {
                state.decided.push((branch, state.loops.clone(), arm.min(usize::from(u8::MAX)) as u8));
            }
            state
        };
        before.iter().filter(is_possible).map(decide).collect()
    }

    /// What a comparison comes to in the first round of a loop, if that is known.
    fn at_first(&self, inst: Inst, condition: Value) -> Option<bool> {
        let (op, &[a, b]) = self.tree.op(self.function, condition)? else { return None };
        let Type::Scalar(ty) = self.function.ty(a) else { return None };
        if !ty.is_int() {
            return None;
        }
        let InstKind::Loop { initial, .. } = &self.function.insts[inst].kind else { return None };
        let limits = |fact: Fact| match ty.is_signed() {
            true => (i128::from(fact.low), i128::from(fact.high)),
            false => (i128::from(fact.least), i128::from(fact.most)),
        };
        let fact = |value: Value| match self.tree.def(value) {
            Def::Param(owner, i) if owner == inst => initial.get(i).map(|&first| self.facts.at(inst, first)),
            _ => Some(self.facts.fact(value)),
        };
        let ((least, most), (low, high)) = (limits(fact(a)?), limits(fact(b)?));
        let (is, is_not) = match op {
            Op::Lt => (most < low, least >= high),
            Op::Le => (most <= low, least > high),
            Op::Gt => (least > high, most <= low),
            Op::Ge => (least >= high, most < low),
            Op::Eq => (false, most < low || high < least),
            Op::Ne => (most < low || high < least, false),
            _ => (false, false),
        };
        (is || is_not).then_some(is)
    }
}
