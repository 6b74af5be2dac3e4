//! Two accesses compared by enumeration: a table from each byte to who accesses it.
//!
//! The workgroup's size is a constant, so what depends on local ids and constants alone can be
//! computed for each invocation, and so can the counters of loops that take few values. What is
//! one number for both invocations cancels if it is added to both addresses. A condition that
//! cannot be computed counts as true. The work is limited.

use super::access::{Access, Conditions};
use super::compute::{Computed, Known};
use super::form::{Form, gcd};
use super::phases::{Meeting, Next};
use super::values::Values;
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// How many values may be computed for one kernel.
pub(super) const MAX_WORK: usize = 1 << 18;
/// How many of them to spare a condition on the launch.
pub(super) const LITTLE_WORK: usize = 1 << 12;

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
pub(super) struct Touch {
    at: usize,
    start: i128,
    /// Whether it does so in some launch.
    is_certain: bool,
}

/// What the invocations of a workgroup access at one place of the program.
pub(super) struct Touched {
    all: Vec<Touch>,
    /// What is added to where each begins.
    base: Option<Form>,
    /// The conditions on the launch that this rests on.
    needs: u64,
}

/// What was computed of accesses that no loop around both accesses of a pair matters for: the same for
/// every other access, if it is in as many of its rounds and the same loops matter. What was too much has
/// the work that it was too much for.
pub(super) type Remembered = HashMap<(Inst, usize, Vec<Inst>), Result<Rc<Touched>, usize>>;

/// Computes what invocations access.
pub(super) struct Tables<'v, 'a> {
    pub(super) values: &'v mut Values<'a>,
    work: &'v mut usize,
    limit: usize,
    remembered: &'v mut Remembered,
    /// What must hold where a loop is continued.
    pub(super) jumps: HashMap<Inst, Conditions>,
    pub(super) computed: Computed,
    needs: u64,
}

/// Why nothing could be told.
pub(super) type Reason = &'static str;

pub(super) const TOO_LARGE: Reason = "it takes too long to enumerate all invocations and rounds of loops";
pub(super) const NO_NUMBER: Reason = "the index is no function of ids, constants and counters that is understood";

impl<'v, 'a> Tables<'v, 'a> {
    pub(super) fn new(
        values: &'v mut Values<'a>,
        work: &'v mut usize,
        limit: usize,
        remembered: &'v mut Remembered,
    ) -> Self {
        let computed = Computed::new(values.function.values.len());
        Self { values, work, limit, remembered, jumps: HashMap::new(), computed, needs: 0 }
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
            let twos = if first.inst == second.inst && next(false).is_none() && next(true).is_none() {
                ones.clone()
            } else {
                self.touched((second, next(true)), &others, common, depth, all, &mut base)?
            };
            // Bytes that are always accessed together count as one.
            let sizes = gcd(first.size.into(), second.size.into());
            let unit = ones.iter().chain(&twos).fold(sizes, |unit, touch| gcd(unit, touch.start));
            let units = |start: i128, size: u32| start / unit..(start + i128::from(size)) / unit;
            let mut owners: HashMap<i128, [Option<Touch>; 2]> = HashMap::new();
            for &touch in &ones {
                for byte in units(touch.start, first.size) {
                    self.spend(1)?;
                    let [one, two] = owners.entry(byte).or_default();
                    match *one {
                        None => *one = Some(touch),
                        Some(one) if who(one.at) != who(touch.at) && two.is_none() => *two = Some(touch),
                        Some(_) => {}
                    }
                }
            }
            for Touch { at, start, is_certain } in twos {
                for byte in units(start, second.size) {
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
        let key = (access.inst, depth.unwrap_or(0), loops.to_vec());
        let is_alone = depth.is_some() && next.is_none() && common.is_none_or(|(_, shared)| shared == 0);
        let left = self.limit.saturating_sub(*self.work);
        let found = match self.remembered.get(&key).filter(|_| is_alone) {
            Some(Ok(found)) => found.clone(),
            Some(Err(work)) if left <= *work => return Err(TOO_LARGE),
            Some(Err(_)) | None => {
                let found = self.compute((access, next), loops, common, depth, all).map(Rc::new);
                match &found {
                    Ok(found) if is_alone => self.remembered.insert(key, Ok(found.clone())),
                    Err(TOO_LARGE) if is_alone => self.remembered.insert(key, Err(left)),
                    Ok(_) | Err(_) => None,
                };
                found?
            }
        };
        self.needs |= found.needs;
        if let Some(rest) = &found.base
            && base.get_or_insert_with(|| rest.clone()) != rest
        {
            return Err(NO_NUMBER);
        }
        Ok(found.all.clone())
    }

    fn compute(
        &mut self,
        (access, next): (&Access<'_>, Option<Next>),
        loops: &[Inst],
        common: Option<(&BTreeMap<Value, Option<u64>>, usize)>,
        depth: Option<usize>,
        all: &[Place],
    ) -> Result<Touched, Reason> {
        let before = std::mem::take(&mut self.needs);
        let mut touched = Touched { all: Vec::new(), base: None, needs: 0 };
        for (at, place) in all.iter().enumerate() {
            let known = self.known(Some(place.local), depth.is_none().then_some(place.group));
            for mut known in self.states(&known, loops, common)? {
                if next.is_some_and(|next| self.contradicts(next, &known).unwrap_or(false)) {
                    continue;
                }
                let Some(is_certain) = self.may_hold(&access.guards, &access.cases, &mut known)? else { continue };
                let Some((start, rest)) = self.address(access, &mut known, depth)? else { continue };
                if *touched.base.get_or_insert_with(|| rest.clone()) != rest {
                    return Err(NO_NUMBER);
                }
                touched.all.push(Touch { at, start, is_certain });
            }
        }
        touched.needs = std::mem::replace(&mut self.needs, before);
        Ok(touched)
    }

    pub(super) fn spend(&mut self, work: usize) -> Result<(), Reason> {
        *self.work += work;
        if *self.work > self.limit { Err(TOO_LARGE) } else { Ok(()) }
    }

    /// Whether what must hold at a place is true, at least in some launch; `None` if it is false.
    pub(super) fn may_hold(
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
