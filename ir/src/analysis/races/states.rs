//! The states of loops: what the parameters of the loops around an access can be together, as far as they can be
//! computed, and which loops matter for it.
//!
//! A loop's states are all that its `continue`s lead to from the first one. A parameter that takes too many values,
//! or cannot be computed, is unknown in all of them, and so stands for every number.

use super::access::{Access, Conditions};
use super::compute::Known;
use super::phases::Next;
use super::table::{Reason, TOO_LARGE, Tables};
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How many values the parameters of a loop may take together.
const MAX_STATES: usize = 128;

/// The bits of a loop's parameters, as far as they are known.
type State = Vec<Option<u64>>;

impl Tables<'_, '_> {
    /// Whether the next round of a loop would not go the way that it goes. What decides that is
    /// one for all, and so must be what it is computed from.
    pub(super) fn contradicts(&mut self, next: Next, known: &Known) -> Result<bool, Reason> {
        let function = self.values.function;
        let kinds = (&function.insts[next.inst].kind, &function.insts[next.branch].kind);
        let (InstKind::Loop { body, .. }, InstKind::If { condition, .. }) = kinds else { return Ok(false) };
        let params = &function.regions[*body].params;
        // The other invocation need not be in the same round of loops further in.
        let mut around = self.loops(next.inst);
        around.push(next.inst);
        let tree = self.values.tree;
        let is_around = |param: Value| matches!(tree.def(param), Def::Param(inst, _) if around.contains(&inst));
        let alike = known.params.iter().filter(|(param, _)| self.values.uniform[**param] && is_around(**param));
        let alike: BTreeMap<Value, Option<u64>> = alike.map(|(&param, &bits)| (param, bits)).collect();
        let mut here = self.with(&Known::default(), &alike);
        for &jump in self.values.tree.continues(next.inst) {
            let mut then = BTreeMap::new();
            for (&param, &value) in params.iter().zip(function.insts[jump].kind.passed()) {
                then.insert(param, self.evaluate(value, &mut here, 0)?);
            }
            let mut following = self.with(&here, &then);
            let goes = self.evaluate(*condition, &mut following, 0)?;
            if goes.is_none_or(|bits| (bits != 0) == (next.arm == 0)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The loops around an instruction, the outermost first.
    pub(super) fn loops(&self, inst: Inst) -> Vec<Inst> {
        let mut loops: Vec<Inst> = self.values.tree.loops_around(self.values.function, inst).collect();
        loops.reverse();
        loops
    }

    /// The loops of which a parameter decides where one of some accesses goes, or whether it does.
    pub(super) fn loops_that_matter(&self, accesses: [&Access<'_>; 2]) -> BTreeSet<Inst> {
        let mut values: Vec<Value> = Vec::new();
        for access in accesses {
            values.extend(access.place.indices.iter().map(|index| index.value));
            values.extend(access.guards.iter().map(|(condition, _)| condition));
            values.extend(access.cases.iter().map(|(selector, _)| selector));
        }
        self.loops_behind(values)
    }

    /// The loops on whose parameters some values depend.
    pub(super) fn loops_behind(&self, mut todo: Vec<Value>) -> BTreeSet<Inst> {
        let (function, tree) = (self.values.function, self.values.tree);
        let (mut seen, mut loops) = (BTreeSet::new(), BTreeSet::new());
        while let Some(value) = todo.pop() {
            if !seen.insert(value) {
                continue;
            }
            match tree.def(value) {
                Def::Constant | Def::Argument(_) => {}
                Def::Param(inst, _) if loops.insert(inst) => {
                    function.insts[inst].kind.for_each_operand(|operand| todo.push(operand));
                    for &jump in tree.continues(inst) {
                        todo.extend(function.insts[jump].kind.passed());
                        let conditions = Conditions::at(function, tree, self.values.leaving, jump);
                        todo.extend(conditions.guards.iter().map(|(condition, _)| condition));
                        todo.extend(conditions.cases.iter().map(|(selector, _)| selector));
                    }
                }
                Def::Param(..) => {}
                Def::Result(inst, _) => {
                    function.insts[inst].kind.for_each_operand(|operand| todo.push(operand));
                    for region in function.insts[inst].kind.regions() {
                        todo.extend(function.yielded(region).into_iter().flatten());
                    }
                }
            }
        }
        loops
    }

    /// What is known in each state that some nested loops can be in. Of the outermost ones a state
    /// may be given already.
    pub(super) fn states(
        &mut self,
        known: &Known,
        loops: &[Inst],
        common: Option<(&BTreeMap<Value, Option<u64>>, usize)>,
    ) -> Result<Vec<Known>, Reason> {
        let mut states = vec![self.with(known, &BTreeMap::new())];
        for (i, &inst) in loops.iter().enumerate() {
            let given = common.filter(|(_, shared)| i < *shared).map(|(params, _)| params);
            let mut inside = Vec::new();
            for state in states {
                for params in self.rounds(state, inst, given)? {
                    inside.push(params);
                }
                self.spend(inside.len())?;
            }
            states = inside;
        }
        Ok(states)
    }

    /// What is known in each round of a loop.
    fn rounds(
        &mut self,
        outer: Known,
        inst: Inst,
        given: Option<&BTreeMap<Value, Option<u64>>>,
    ) -> Result<Vec<Known>, Reason> {
        let function = self.values.function;
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return Ok(vec![outer]) };
        let params = &function.regions[*body].params;
        let given = |param: &Value| given.and_then(|given| given.get(param).copied().flatten());
        if let Some(all) =
            params.iter().map(|param| given(param).map(|bits| (*param, Some(bits)))).collect::<Option<_>>()
        {
            return Ok(vec![self.with(&outer, &all)]);
        }
        // Without a local id only what is the same for all can be told.
        let is_for_all = outer.local.is_none();
        let mut dropped: Vec<bool> = params.iter().map(|param| is_for_all && !self.values.uniform[*param]).collect();
        loop {
            match self.closure(&outer, inst, params, initial, &dropped)? {
                Ok(states) => {
                    let fits = |state: &State| {
                        let pairs = params.iter().zip(state);
                        pairs
                            .into_iter()
                            .all(|(param, bits)| given(param).is_none() || bits.is_none() || given(param) == *bits)
                    };
                    let known = |state: State| {
                        let pairs = params.iter().zip(state).map(|(param, bits)| (*param, given(param).or(bits)));
                        self.with(&outer, &pairs.collect())
                    };
                    return Ok(states.into_iter().filter(fits).map(known).collect());
                }
                Err(varied) => dropped[varied] = true,
            }
        }
    }

    /// The states of a loop's parameters, save those that are dropped; if there are too many, the
    /// parameter that varies most.
    fn closure(
        &mut self,
        outer: &Known,
        inst: Inst,
        params: &[Value],
        initial: &[Value],
        dropped: &[bool],
    ) -> Result<Result<BTreeSet<State>, usize>, Reason> {
        let function = self.values.function;
        let mut known = outer.clone();
        let mut first = Vec::with_capacity(params.len());
        for (&value, &dropped) in initial.iter().zip(dropped) {
            first.push(if dropped { None } else { self.evaluate(value, &mut known, 0)? });
        }
        let mut states = BTreeSet::from([first.clone()]);
        let mut todo = vec![first];
        while let Some(state) = todo.pop() {
            let here = self.with(outer, &params.iter().copied().zip(state).collect());
            for &jump in self.values.tree.continues(inst) {
                let mut known = here.clone();
                if !self.jumps.contains_key(&jump) {
                    self.jumps.insert(jump, Conditions::at(function, self.values.tree, self.values.leaving, jump));
                }
                let conditions = self.jumps[&jump].clone();
                if self.may_hold(&conditions.guards, &conditions.cases, &mut known)?.is_none() {
                    continue;
                }
                let mut next = Vec::with_capacity(params.len());
                for (&value, &dropped) in function.insts[jump].kind.passed().iter().zip(dropped) {
                    next.push(if dropped { None } else { self.evaluate(value, &mut known, 0)? });
                }
                if states.insert(next.clone()) {
                    todo.push(next);
                }
            }
            if states.len() > MAX_STATES {
                let kinds = |i: &usize| states.iter().filter_map(|state| state.get(*i)).collect::<BTreeSet<_>>().len();
                let varied = (0..params.len()).filter(|&i| !dropped[i]).max_by_key(kinds);
                return varied.map_or(Err(TOO_LARGE), |varied| Ok(Err(varied)));
            }
        }
        Ok(Ok(states))
    }
}
