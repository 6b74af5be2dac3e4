//! Two accesses compared by enumeration: a table from each byte to who accesses it.
//!
//! The workgroup's size is a constant, so what depends on local ids and constants alone can be
//! computed for each invocation, and so can the counters of loops that take few values. What is
//! one number for both invocations cancels if it is added to both addresses. A condition that
//! cannot be computed counts as true. The work is limited.

use super::access::{Access, Conditions};
use super::compute::{Computed, Known};
use super::form::Form;
use super::phases::{Meeting, Next};
use super::values::Values;
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many values may be computed for one kernel.
pub(super) const MAX_WORK: usize = 1 << 18;
/// How many of them to spare a condition on the launch.
pub(super) const LITTLE_WORK: usize = 1 << 12;
/// How many values the parameters of a loop may take together.
const MAX_STATES: usize = 128;

/// What enumeration comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// No byte is accessed by two invocations, under these conditions on the launch.
    Disjoint(u64),
    /// These two may meet: the workgroup and the place in it of each. They do in some launch, unless
    /// it is not known whether a condition around them holds.
    Meet { places: [Place; 2], is_certain: bool },
    /// It could not be told, since this is so.
    Unknown(&'static str),
}

/// An invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) group: [u32; 3],
    pub(super) local: u32,
}

/// That an invocation accesses memory from a byte on.
#[derive(Clone, Copy)]
struct Touch {
    at: usize,
    start: i128,
    /// Whether it does so in some launch.
    is_certain: bool,
}

/// Computes what invocations access.
pub(super) struct Tables<'v, 'a> {
    pub(super) values: &'v mut Values<'a>,
    work: &'v mut usize,
    limit: usize,
    /// What must hold where a loop is continued.
    jumps: HashMap<Inst, Conditions>,
    pub(super) computed: Computed,
    needs: u64,
}

/// Why nothing could be told.
pub(super) type Reason = &'static str;

/// The bits of a loop's parameters, as far as they are known.
type State = Vec<Option<u64>>;

const TOO_LARGE: Reason = "it takes too long to enumerate all invocations and rounds of loops";
const NO_NUMBER: Reason = "the index is no function of ids, constants and counters that is understood";

impl<'v, 'a> Tables<'v, 'a> {
    pub(super) fn new(values: &'v mut Values<'a>, work: &'v mut usize, limit: usize) -> Self {
        let computed = Computed::new(values.function.values.len());
        Self { values, work, limit, jumps: HashMap::new(), computed, needs: 0 }
    }

    /// Compares two accesses by invocations of one workgroup.
    pub(super) fn group(&mut self, first: &Access<'_>, second: &Access<'_>, meeting: Meeting) -> Outcome {
        let count = self.values.function.invocations() as u32;
        let all: Vec<Place> = (0..count).map(|local| Place { group: [0; 3], local }).collect();
        // Most often the rounds of the loops that only conditions depend on are all alike.
        let mut loops = self.loops_that_matter([first, second]);
        if meeting.next.is_some() {
            loops.extend(self.loops(first.inst).into_iter().chain(self.loops(second.inst)));
        }
        let indices = [first, second].into_iter().flat_map(|access| &access.place.indices);
        let few = self.loops_behind(indices.map(|index| index.value).collect());
        if meeting.next.is_none() && few != loops {
            let told = self.enumerate(first, second, Some(meeting), &all, &few);
            if let Ok(Outcome::Disjoint(needs)) = told {
                return Outcome::Disjoint(needs);
            }
        }
        self.enumerate(first, second, Some(meeting), &all, &loops).unwrap_or_else(Outcome::Unknown)
    }

    /// Looks for two invocations that meet of workgroups that are neighbours on an axis.
    pub(super) fn grid(&mut self, first: &Access<'_>, second: &Access<'_>, axis: usize) -> Outcome {
        let count = self.values.function.invocations() as u32;
        let neighbour = [0, 1, 2].map(|other| u32::from(other == axis));
        let groups = [[0; 3], neighbour];
        let all = groups.into_iter().flat_map(|group| (0..count).map(move |local| Place { group, local }));
        let all: Vec<Place> = all.collect();
        let loops = self.loops_that_matter([first, second]);
        match self.enumerate(first, second, None, &all, &loops) {
            // Other workgroups may meet.
            Ok(Outcome::Disjoint(_)) => Outcome::Unknown(NO_NUMBER),
            Ok(outcome) => outcome,
            Err(reason) => Outcome::Unknown(reason),
        }
    }

    /// Compares two accesses in each state that shared loops can be in.
    fn enumerate(
        &mut self,
        first: &Access<'_>,
        second: &Access<'_>,
        meeting: Option<Meeting>,
        all: &[Place],
        matters: &BTreeSet<Inst>,
    ) -> Result<Outcome, Reason> {
        let depth = meeting.map(|meeting| meeting.depth);
        let next = |second: bool| meeting.and_then(|meeting| meeting.next).filter(|next| next.of_second == second);
        let (loops, others) = (self.loops(first.inst), self.loops(second.inst));
        let shared = loops[..depth.unwrap_or(0).min(loops.len())].to_vec();
        // The rounds of the other loops count as one.
        let [loops, others, shared] = [loops, others, shared]
            .map(|loops| loops.into_iter().filter(|inst| matters.contains(inst)).collect::<Vec<_>>());
        let shared = shared.len();
        // Who counts as one: an invocation, or a workgroup.
        let who = |at: usize| {
            if depth.is_some() {
                at
            } else {
                all[at].group.iter().zip([1, 2, 3]).map(|(id, by)| *id as usize * by).sum()
            }
        };
        let (mut base, mut doubtful) = (None, None);
        let nothing = self.known(None, None);
        for common in self.states(&nothing, &loops[..shared], None)? {
            let common = Some((&common.params, shared));
            let mut ones = self.touched((first, next(false)), &loops, common, depth, all, &mut base)?;
            ones.sort_by_key(|touch| !touch.is_certain);
            let mut owners: HashMap<i128, [Option<Touch>; 2]> = HashMap::new();
            for &touch in &ones {
                for byte in touch.start..touch.start + i128::from(first.size) {
                    self.spend(1)?;
                    let [one, two] = owners.entry(byte).or_default();
                    match *one {
                        None => *one = Some(touch),
                        Some(one) if who(one.at) != who(touch.at) && two.is_none() => *two = Some(touch),
                        Some(_) => {}
                    }
                }
            }
            let twos = if first.inst == second.inst && next(false).is_none() && next(true).is_none() {
                ones
            } else {
                self.touched((second, next(true)), &others, common, depth, all, &mut base)?
            };
            for Touch { at, start, is_certain } in twos {
                for byte in start..start + i128::from(second.size) {
                    self.spend(1)?;
                    let others = owners.get(&byte).into_iter().flatten().flatten();
                    if let Some(other) = others.into_iter().find(|other| who(other.at) != who(at)) {
                        let is_one = first.inst == second.inst;
                        let (one, two) = if is_one { (other.at.min(at), other.at.max(at)) } else { (other.at, at) };
                        let places = [all[one], all[two]];
                        if is_certain && other.is_certain {
                            return Ok(Outcome::Meet { places, is_certain: true });
                        }
                        doubtful.get_or_insert(places);
                    }
                }
            }
        }
        Ok(match doubtful {
            Some(places) => Outcome::Meet { places, is_certain: false },
            None => Outcome::Disjoint(self.needs),
        })
    }

    /// Who accesses memory, and from which byte on, but for what is added for all.
    fn touched(
        &mut self,
        (access, next): (&Access<'_>, Option<Next>),
        loops: &[Inst],
        common: Option<(&BTreeMap<Value, Option<u64>>, usize)>,
        depth: Option<usize>,
        all: &[Place],
        base: &mut Option<Form>,
    ) -> Result<Vec<Touch>, Reason> {
        let mut touched = Vec::new();
        for (at, place) in all.iter().enumerate() {
            let known = self.known(Some(place.local), depth.is_none().then_some(place.group));
            for mut known in self.states(&known, loops, common)? {
                if next.is_some_and(|next| self.contradicts(next, &known).unwrap_or(false)) {
                    continue;
                }
                let Some(is_certain) = self.may_hold(&access.guards, &access.cases, &mut known)? else { continue };
                let Some((start, rest)) = self.address(access, &mut known, depth)? else { continue };
                if *base.get_or_insert_with(|| rest.clone()) != rest {
                    return Err(NO_NUMBER);
                }
                touched.push(Touch { at, start, is_certain });
            }
        }
        Ok(touched)
    }

    /// Whether the next round of a loop would not go the way that it goes. What decides that is
    /// one for all, and so must be what it is computed from.
    fn contradicts(&mut self, next: Next, known: &Known) -> Result<bool, Reason> {
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
    fn loops(&self, inst: Inst) -> Vec<Inst> {
        let mut loops: Vec<Inst> = self.values.tree.loops_around(self.values.function, inst).collect();
        loops.reverse();
        loops
    }

    /// The loops of which a parameter decides where one of some accesses goes, or whether it does.
    fn loops_that_matter(&self, accesses: [&Access<'_>; 2]) -> BTreeSet<Inst> {
        let mut values: Vec<Value> = Vec::new();
        for access in accesses {
            values.extend(access.place.indices.iter().map(|index| index.value));
            values.extend(access.guards.iter().map(|(condition, _)| condition));
            values.extend(access.cases.iter().map(|(selector, _)| selector));
        }
        self.loops_behind(values)
    }

    /// The loops on whose parameters some values depend.
    fn loops_behind(&self, mut todo: Vec<Value>) -> BTreeSet<Inst> {
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

    pub(super) fn spend(&mut self, work: usize) -> Result<(), Reason> {
        *self.work += work;
        if *self.work > self.limit { Err(TOO_LARGE) } else { Ok(()) }
    }

    /// What is known in each state that some nested loops can be in. Of the outermost ones a state
    /// may be given already.
    fn states(
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

    /// Whether what must hold at a place is true, at least in some launch; `None` if it is false.
    fn may_hold(
        &mut self,
        guards: &[(Value, bool)],
        cases: &[(Value, Vec<u64>)],
        known: &mut Known,
    ) -> Result<Option<bool>, Reason> {
        let mut is_certain = true;
        for &(condition, truth) in guards {
            match self.evaluate(condition, known, 0)? {
                Some(bits) if (bits != 0) != truth => return Ok(None),
                Some(_) => {}
                None => is_certain &= self.is_told_by_launch(condition, known),
            }
        }
        for (selector, values) in cases {
            match self.evaluate(*selector, known, 0)? {
                Some(bits) if !values.contains(&bits) => return Ok(None),
                Some(_) => {}
                None => is_certain &= self.is_told_by_launch(*selector, known),
            }
        }
        Ok(Some(is_certain))
    }

    /// Whether only the launch decides what a value is for this invocation.
    fn is_told_by_launch(&self, value: Value, known: &Known) -> bool {
        let (function, tree) = (self.values.function, self.values.tree);
        let mut todo = vec![value];
        let mut seen = BTreeSet::new();
        while let Some(value) = todo.pop() {
            let is_known =
                self.computed(value, known).or_else(|| known.params.get(&value).copied().flatten()).is_some();
            if is_known || !seen.insert(value) {
                continue;
            }
            match tree.def(value) {
                Def::Constant | Def::Argument(_) => {}
                Def::Param(..) => return false,
                Def::Result(inst, _) => match &function.insts[inst].kind {
                    InstKind::Op(_, args) => todo.extend(args),
                    InstKind::Len(_) | InstKind::Builtin(_) => {}
                    _ => return false,
                },
            }
        }
        true
    }

    /// Where an access begins: a number, and what is added to it for all alike. `None` if it is out
    /// of bounds.
    fn address(
        &mut self,
        access: &Access<'_>,
        known: &mut Known,
        depth: Option<usize>,
    ) -> Result<Option<(i128, Form)>, Reason> {
        let mut start = i128::from(access.place.offset);
        let mut base = Form::constant(0);
        for index in &access.place.indices {
            let stride = i128::from(index.stride);
            if let Some(bits) = self.evaluate(index.value, known, 0)? {
                if index.bound.is_some_and(|bound| bits >= bound.into()) {
                    return Ok(None);
                }
                start += i128::from(bits) * stride;
                continue;
            }
            let found = self.values.of(index.value).ok_or(NO_NUMBER)?;
            self.needs |= found.needs;
            let constant = found.form.constant.checked_mul(stride).and_then(|bytes| start.checked_add(bytes));
            start = constant.ok_or(NO_NUMBER)?;
            for (product, value) in &found.form.terms {
                let mut number = Some(value * stride);
                for &unknown in product {
                    let factor = self.number(unknown, known)?;
                    number = number.zip(factor).and_then(|(a, b)| a.checked_mul(b));
                }
                if let Some(number) = number {
                    start = start.checked_add(number).ok_or(NO_NUMBER)?;
                } else if product.iter().all(|&unknown| self.values.is_shared(unknown, depth)) {
                    let term = Form { terms: vec![(product.clone(), value * stride)], constant: 0 };
                    base = base.add(&term).ok_or(NO_NUMBER)?;
                } else {
                    return Err(NO_NUMBER);
                }
            }
        }
        let size = match access.place.root {
            Root::Param(_) => None,
            root => self.values.function.root_size(self.values.types, root),
        };
        let ends_beyond = size.is_some_and(|size| start + i128::from(access.size) > size.into());
        Ok((!ends_beyond || !base.terms.is_empty()).then_some((start, base)))
    }
}
