//! What is assumed about the parameters of loops, and whether loops end.
//!
//! An assumption is weakened where a walk contradicts it. A limit that was exceeded moves to a
//! constant that the parameter is compared with, and after that is dropped, so that few walks
//! are needed. A loop ends if one of its parameters always moves in one direction and never
//! wraps.
//!
//! A parameter that is compared for equality with a value from outside, to leave the loop there,
//! is assumed to be at most that value. The assumption stands as long as the loop begins at most
//! there and each `continue` keeps it: then a count by one cannot miss the value.

use super::Rounds;
use super::fact::Fact;
use super::flow::{Flow, State};
use crate::analysis::tree::Def;
use crate::ir::{InstKind, Value};
use crate::ops::Op;
use crate::scalar::signed;
use crate::types::{Scalar, Type};

/// How often a limit moves before it is given up.
const MOVES: u8 = 2;
/// How often the bits of a parameter may be weakened before none is assumed.
const PATIENCE: u8 = 2;

/// A loop's parameters.
#[derive(Clone, Default, Debug)]
pub(super) struct Loop {
    params: Vec<Param>,
    /// Values from outside that parameters do not exceed, read without a sign.
    ends: Vec<(usize, Value)>,
    /// Whether assumptions hold and are no longer weakened.
    settled: bool,
    /// Whether this walk came to the loop.
    visited: bool,
    /// Whether this walk came to one of its `continue`s.
    continued: bool,
}

#[derive(Clone, Debug)]
struct Param {
    ty: Scalar,
    assumed: State,
    weakened: u8,
    /// The constants that it is compared with, and how often a limit has moved to one.
    compared: Vec<u64>,
    moved: u8,
    initial: State,
    /// What the `continue`s of this walk pass on.
    given: Option<State>,
    /// By how much each round moves it at least.
    steps: Steps,
}

/// By how much a value moves at least without wrapping: up or down, read without a sign,
/// then with one.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Steps([Option<u64>; 4]);

const UP: usize = 0;
const DOWN: usize = 1;
const SIGNED_UP: usize = 2;
const SIGNED_DOWN: usize = 3;

impl Steps {
    const NONE: Self = Self([None; 4]);
    /// Before any step was seen.
    const ALL: Self = Self([Some(u64::MAX); 4]);

    fn and(self, other: Self) -> Self {
        let mut both = [None; 4];
        for ((both, a), b) in both.iter_mut().zip(self.0).zip(other.0) {
            *both = a.zip(b).map(|(a, b)| a.min(b));
        }
        Self(both)
    }

    fn one(direction: usize, by: u64) -> Self {
        let mut steps = [None; 4];
        steps[direction] = Some(by);
        Self(steps)
    }
}

impl Loop {
    /// Begins a walk through the body. Of `ends` the initial values keep all.
    pub fn enter(
        &mut self,
        types: &[Scalar],
        initial: Vec<State>,
        ends: Vec<(usize, Value)>,
        compared: impl Fn(usize) -> Vec<u64>,
    ) {
        (self.visited, self.continued) = (true, false);
        if self.params.len() != initial.len() {
            self.ends = if self.settled { Vec::new() } else { ends };
            let new = |(i, (state, &ty)): (usize, (State, &Scalar))| Param {
                ty,
                compared: compared(i),
                moved: 0,
                assumed: if self.settled { State::default() } else { state.clone() },
                weakened: 0,
                initial: state,
                given: None,
                steps: Steps::ALL,
            };
            self.params = initial.into_iter().zip(types).enumerate().map(new).collect();
            return;
        }
        if !self.settled {
            self.ends.retain(|end| ends.contains(end));
        }
        for (param, initial) in self.params.iter_mut().zip(initial) {
            // What is weakened before the walk uses it contradicts nothing yet.
            if !self.settled {
                param.weaken(&initial);
            }
            (param.initial, param.given, param.steps) = (initial, None, Steps::ALL);
        }
    }

    /// What is assumed about a parameter.
    pub fn assumed(&self, param: usize) -> State {
        self.params.get(param).map_or_else(State::default, |param| param.assumed.clone())
    }

    /// Notes what a `continue` passes on; whether that contradicts what was assumed.
    pub fn again(&mut self, given: Vec<State>) -> bool {
        self.continued = true;
        let mut changed = false;
        for (param, state) in self.params.iter_mut().zip(given) {
            if !self.settled {
                changed |= param.weaken(&state);
            }
            param.given = Some(param.given.as_ref().map_or_else(|| state.clone(), |given| given.or(&state)));
        }
        changed
    }

    /// What parameters are assumed not to exceed.
    pub fn ends(&self) -> &[(usize, Value)] {
        &self.ends
    }

    /// Drops the ends that a `continue` does not keep; whether there are any.
    pub fn keep_ends(&mut self, kept: &[(usize, Value)]) -> bool {
        let before = self.ends.len();
        if !self.settled {
            self.ends.retain(|end| kept.contains(end));
        }
        self.ends.len() < before
    }

    /// Notes by how much a `continue` moves a parameter.
    pub fn step(&mut self, param: usize, steps: Steps) {
        if let Some(param) = self.params.get_mut(param) {
            param.steps = param.steps.and(steps);
        }
    }

    /// Narrows what is assumed, all assumptions of the last walk being true; whether that
    /// is anything new.
    pub fn narrow(&mut self) -> bool {
        self.settled = true;
        if !std::mem::take(&mut self.visited) {
            return false;
        }
        let mut changed = false;
        for param in &mut self.params {
            let state = param.given.as_ref().map_or_else(|| param.initial.clone(), |given| given.or(&param.initial));
            let assumed = param.assumed.fact.unwrap_or(Fact::any(param.ty));
            let fact = state.fact.map_or(assumed, |fact| fact.and(assumed, param.ty));
            if !fact.is_impossible() {
                let bounds = param.assumed.bounds.and(&state.bounds);
                changed |= param.assumed.fact != Some(fact) || param.assumed.bounds != bounds;
                param.assumed = State { fact: Some(fact), bounds };
            }
        }
        changed
    }

    /// Assumes nothing any more.
    pub fn forget(&mut self) {
        self.settled = true;
        self.ends.clear();
        for param in &mut self.params {
            param.assumed = State::default();
        }
    }

    /// How often the loop comes round.
    pub fn rounds(&self) -> Rounds {
        if !self.continued {
            return Rounds::AtMost(1);
        }
        let mut fewest: Option<u64> = None;
        for param in &self.params {
            let Some(fact) = param.assumed.fact else { continue };
            let (room, signed) = (fact.most - fact.least.min(fact.most), fact.high.abs_diff(fact.low));
            for (direction, room) in [(UP, room), (DOWN, room), (SIGNED_UP, signed), (SIGNED_DOWN, signed)] {
                if let Some(step) = param.steps.0[direction] {
                    let rounds = (room / step.max(1)).saturating_add(1);
                    fewest = Some(fewest.map_or(rounds, |fewest| fewest.min(rounds)));
                }
            }
        }
        fewest.map_or(Rounds::Unknown, Rounds::AtMost)
    }
}

impl Param {
    /// Whether a limit may move once more.
    fn moves(&mut self) -> Option<()> {
        self.moved = self.moved.saturating_add(1);
        (self.moved <= MOVES).then_some(())
    }

    /// Weakens the assumption so that a state satisfies it; whether that was necessary.
    fn weaken(&mut self, state: &State) -> bool {
        let any = Fact::any(self.ty);
        let (now, new) = (self.assumed.fact.unwrap_or(any), state.fact.unwrap_or(any));
        let mut fact = now;
        if self.ty.is_signed() {
            fact.low = if new.low < now.low { any.low } else { now.low };
            if new.high > now.high {
                let number = |bits: &u64| signed(self.ty, *bits);
                let next = self.compared.iter().map(number).filter(|&number| number >= new.high).min();
                fact.high = self.moves().and(next).unwrap_or(any.high);
            }
            if fact != now || new.least < now.least || new.most > now.most {
                (fact.least, fact.most) = (any.least, any.most);
            }
        } else {
            fact.least = if new.least < now.least { any.least } else { now.least };
            if new.most > now.most {
                let next = self.compared.iter().copied().filter(|&bits| bits >= new.most).min();
                fact.most = self.moves().and(next).unwrap_or(any.most);
            }
            if fact != now || new.low < now.low || new.high > now.high {
                (fact.low, fact.high) = (any.low, any.high);
            }
        }
        let lost = now.zeros & !new.zeros | now.ones & !new.ones;
        if fact != now || lost != 0 {
            // Bits that follow from the limits go with them; those below do not.
            let low = (now.zeros & new.zeros).trailing_ones().min(63);
            let kept = if self.weakened < PATIENCE { (1u64 << low) - 1 } else { 0 };
            (fact.zeros, fact.ones) = (kept | any.zeros, 0);
            if lost != 0 {
                self.weakened = self.weakened.saturating_add(1);
            }
            if self.ty == Scalar::Bool {
                fact = any;
            }
        }
        let bounds = self.assumed.bounds.kept_by(&state.bounds, new.most);
        let changed = fact != now || bounds != self.assumed.bounds;
        if changed {
            self.assumed = State { fact: Some(fact.settled(self.ty)), bounds };
        }
        changed
    }
}

impl Flow<'_> {
    /// By how much a `continue` moves a parameter.
    pub(super) fn steps(&self, param: Value, value: Value, depth: usize) -> Steps {
        let Type::Scalar(ty) = self.function.ty(param) else { return Steps::NONE };
        if !ty.is_int() || depth == 0 {
            return Steps::NONE;
        }
        if let Def::Result(inst, index) = self.tree.def(value)
            && let InstKind::If { .. } | InstKind::Switch { .. } = self.function.insts[inst].kind
        {
            // What each way yields was visible only there, and so is known there only.
            let passed = self.tree.exits(inst).iter().map(|&exit| self.function.insts[exit].kind.passed().get(index));
            return passed.fold(Steps::ALL, |all, value| {
                value.map_or(Steps::NONE, |&value| all.and(self.steps(param, value, depth - 1)))
            });
        }
        let Some((op, args)) = self.tree.op(self.function, value) else { return Steps::NONE };
        match (op, args) {
            (Op::Select, &[_, yes, no]) => self.steps(param, yes, depth - 1).and(self.steps(param, no, depth - 1)),
            (Op::Add, &[a, b]) if a == param => self.added(ty, a, b),
            (Op::Add, &[b, a]) if a == param => self.added(ty, a, b),
            (Op::Sub, &[a, b]) if a == param => self.taken_off(ty, a, b),
            (Op::Shr, &[a, b]) if a == param => {
                self.halved(ty, a, self.fact(b).constant().is_some_and(|n| n % u64::from(ty.bits()) > 0))
            }
            (Op::Div, &[a, b]) if a == param => {
                self.halved(ty, a, self.fact(b).least > 1 && (!ty.is_signed() || self.fact(b).is_natural()))
            }
            _ => Steps::NONE,
        }
    }

    fn added(&self, ty: Scalar, a: Value, b: Value) -> Steps {
        let (a, b) = (self.fact(a), self.fact(b));
        let any = Fact::any(ty);
        let mask = ty.mask();
        let mut steps = Steps::NONE;
        if b.least > 0 && a.most <= mask - b.most {
            steps.0[UP] = Some(b.least);
        }
        // Adding a number that always wraps takes off what is missing to the next turn.
        if b.least > 0 && a.least > mask - b.least {
            steps.0[DOWN] = Some(mask - b.most + 1);
        }
        if b.low > 0 && i128::from(a.high) + i128::from(b.high) <= i128::from(any.high) {
            steps.0[SIGNED_UP] = Some(b.low.unsigned_abs());
        }
        if b.high < 0 && i128::from(a.low) + i128::from(b.low) >= i128::from(any.low) {
            steps.0[SIGNED_DOWN] = Some(b.high.unsigned_abs());
        }
        steps
    }

    fn taken_off(&self, ty: Scalar, a: Value, b: Value) -> Steps {
        let ordered = self.is_ordered(b, a);
        let (a, b) = (self.fact(a), self.fact(b));
        let any = Fact::any(ty);
        let mut steps = Steps::NONE;
        if b.least > 0 && (a.least >= b.most || ordered) {
            steps.0[DOWN] = Some(b.least);
        }
        if b.low > 0 && i128::from(a.low) - i128::from(b.high) >= i128::from(any.low) {
            steps.0[SIGNED_DOWN] = Some(b.low.unsigned_abs());
        }
        if b.high < 0 && i128::from(a.high) - i128::from(b.low) <= i128::from(any.high) {
            steps.0[SIGNED_UP] = Some(b.high.unsigned_abs());
        }
        steps
    }

    /// The steps of a parameter that each round makes smaller, such as by halving it.
    fn halved(&self, ty: Scalar, a: Value, shrinks: bool) -> Steps {
        let fact = self.fact(a);
        let natural = !ty.is_signed() || fact.is_natural();
        if shrinks && natural && fact.least > 0 { Steps::one(DOWN, 1) } else { Steps::NONE }
    }
}
