//! The search for a proof: which accesses are compared, and by which means.

use super::access::{Access, Leaving};
use super::fields::are_apart;
use super::pair::{Compared, Where, compare, may_come_to};
use super::phases::{Meeting, Phases};
use super::rows::Row;
use super::table::{LITTLE_WORK, MAX_WORK, NO_NUMBER, Outcome, Place, Remembered, Tables};
use super::tickets::Tickets;
use super::values::{Parts, Unknown, Values};
use super::{Finding, Invocation, Phase, RaceCondition, RaceVerdict, Races, order};
use crate::analysis::facts::{Condition, Facts, Given};
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{self, Function, Inst, InstKind, Root, Value, ValueDef};
use crate::types::Types;
use std::collections::{BTreeMap, BTreeSet};

/// How many comparisons of two accesses a kernel may need.
const MAX_COMPARISONS: usize = 3000;
/// And how many pairs of accesses of one memory.
const MAX_PAIRS: usize = 1 << 20;
/// After so many findings no more are looked for.
const MAX_FINDINGS: usize = 64;

const TOO_MANY: &str = "the kernel has too many accesses to compare this one and those after it with all others";

/// Judges a kernel.
pub(super) fn races(types: &Types, function: &Function, uniform: &Side<ValueDef, bool>, orders: bool) -> Races {
    let tree = Tree::of(function);
    let (facts, leaving) = (Facts::of(types, function), Leaving::of(function));
    let phases = Phases::of(function, &tree, &facts, uniform);
    let mut accesses = Access::all(types, function, &tree, &leaving, &facts);
    accesses.retain(|access| !function.is_messages(access.place.root));
    let tickets = Tickets::of(types, function, &tree);
    let given = Given::of(function);
    let (tree, leaving, facts, tickets, given) = (&tree, &leaving, &facts, &tickets, &given);
    let parts = Parts { types, function, tree, leaving, facts, uniform, tickets, given };
    let values = |assumes, counts| Values::new(parts, assumes, counts);
    let mut prover = Prover {
        phases: phases.as_ref(),
        always: values(false, true),
        launch: values(true, true),
        tables: values(true, false),
        work: 0,
        remembered: Remembered::new(),
        comparisons: 0,
        axes: BTreeMap::new(),
        conditions: Vec::new(),
        needed_by: Vec::new(),
        rests: Rests::default(),
    };
    let mut findings: Vec<Finding> = Vec::new();
    let mut trusted = BTreeSet::new();
    let mut judge = |first: &Access<'_>, second: &Access<'_>| {
        if first.racy && second.racy {
            let in_grid = matches!(first.place.root, Root::Param(_));
            if !prover.keeps_apart(first, second, in_grid) {
                trusted.extend([first.inst, second.inst]);
            }
            return prover.comparisons < MAX_COMPARISONS;
        }
        let conflicts = |same_group| first.effect.conflicts(second.effect, same_group);
        findings.extend(prover.judge(first, second, conflicts(true), conflicts(false)));
        findings.len() < MAX_FINDINGS && prover.comparisons < MAX_COMPARISONS
    };
    if let Some((first, second)) = each_pair(&accesses, &mut judge) {
        findings.push(finding(first, second, Phase::Start, None, TOO_MANY.to_owned()));
    }
    let axes = prover.axes.iter().map(|(&axis, &accesses)| (RaceCondition::AxisIsOne(axis), accesses));
    let held = prover.conditions.iter().cloned().map(RaceCondition::Holds).zip(prover.needed_by.iter().copied());
    let are_needed = Condition::are_needed(&prover.conditions.iter().collect::<Vec<_>>());
    let held = held.zip(are_needed).filter_map(|(held, is_needed)| is_needed.then_some(held));
    let (conditions, needed_by): (Vec<RaceCondition>, Vec<[Inst; 2]>) = axes.chain(held).unzip();
    let verdict = match (findings.is_empty(), conditions.is_empty()) {
        (false, _) => RaceVerdict::Unproven(findings),
        (true, true) => RaceVerdict::Free,
        (true, false) => RaceVerdict::FreeIf(conditions),
    };
    let ordered = if orders { order::ordered(&mut prover, function, tree, &accesses) } else { Vec::new() };
    let trusted = tree.insts().iter().copied().filter(|inst| trusted.contains(inst)).collect();
    let needed_by = if matches!(verdict, RaceVerdict::FreeIf(_)) { needed_by } else { Vec::new() };
    Races { verdict, needed_by, ordered, trusted }
}

/// Every two accesses of one root of which one writes, also each with itself, as long as `f` wants
/// more. Gives the pair at which that ends, or at which there are too many.
pub(super) fn each_pair<'a, 'f>(
    accesses: &'a [Access<'f>],
    mut f: impl FnMut(&'a Access<'f>, &'a Access<'f>) -> bool,
) -> Option<(&'a Access<'f>, &'a Access<'f>)> {
    let mut roots: BTreeMap<Root, [Vec<usize>; 2]> = BTreeMap::new();
    for (i, access) in accesses.iter().enumerate() {
        let [all, writes] = roots.entry(access.place.root).or_default();
        all.push(i);
        if access.effect.writes() {
            writes.push(i);
        }
    }
    let mut pairs = 0;
    for [all, writes] in roots.into_values().filter(|[_, writes]| !writes.is_empty()) {
        for &i in &all {
            let others = if accesses[i].effect.writes() { &all } else { &writes };
            for &j in others.iter().skip_while(|j| **j < i) {
                pairs += 1;
                if pairs > MAX_PAIRS || !f(&accesses[i], &accesses[j]) {
                    return Some((&accesses[i], &accesses[j]));
                }
            }
        }
    }
    None
}

/// That two accesses are apart in rows that are long enough.
struct InRows {
    /// The axes on which there must be one workgroup.
    open: Vec<usize>,
    needs: u64,
    conditions: Vec<Condition>,
}

/// What the proof that two accesses are apart rests on.
#[derive(Default)]
struct Rests {
    conditions: Vec<Condition>,
    axes: Vec<usize>,
}

/// The means of a proof, and what it rests on so far.
pub(super) struct Prover<'p, 'a> {
    phases: Option<&'p Phases>,
    /// Values without and with conditions on the launch, and for enumeration.
    always: Values<'a>,
    launch: Values<'a>,
    tables: Values<'a>,
    work: usize,
    remembered: Remembered,
    comparisons: usize,
    /// Each with the accesses that first needed it.
    axes: BTreeMap<u8, [Inst; 2]>,
    conditions: Vec<Condition>,
    needed_by: Vec<[Inst; 2]>,
    /// Of the two accesses that are compared.
    rests: Rests,
}

impl Prover<'_, '_> {
    /// What is not proven about two accesses by invocations of one workgroup, or of two.
    fn judge(&mut self, first: &Access<'_>, second: &Access<'_>, in_group: bool, in_grid: bool) -> Option<Finding> {
        self.rests = Rests::default();
        let in_group = in_group && self.always.function.invocations() > 1;
        let found = if in_group { self.in_group(first, second) } else { None };
        let in_grid = in_grid && found.is_none() && matches!(first.place.root, Root::Param(_));
        let found = if in_grid { self.in_grid(first, second) } else { found };
        if found.is_some() {
            return found;
        }
        let reason = self.why_it_says_nothing(first, second);
        self.needed_by.resize(self.conditions.len(), [first.inst, second.inst]);
        let phase = if in_grid { Phase::Grid } else { Phase::Start };
        Some(finding(first, second, phase, None, reason?))
    }

    /// Why a proof is one for no launch at all, or for none that comes to both accesses, if it is. What it rests on is
    /// taken back then.
    fn why_it_says_nothing(&mut self, first: &Access<'_>, second: &Access<'_>) -> Option<String> {
        let Rests { conditions, axes } = std::mem::take(&mut self.rests);
        if conditions.iter().any(Condition::never_holds) {
            self.conditions.retain(|condition| !condition.never_holds());
            return Some("the index wraps around, whatever the launch is".to_owned());
        }
        if conditions.is_empty() && axes.is_empty() {
            return None;
        }
        if [first, second].iter().all(|access| may_come_to(&mut self.launch, access, &conditions, &axes)) {
            return None;
        }
        let function = self.always.function;
        let axes = axes.into_iter().map(|axis| RaceCondition::AxisIsOne(axis as u8));
        let all = axes.chain(conditions.into_iter().map(RaceCondition::Holds));
        let all: Vec<String> = all.map(|condition| format!("`{}`", condition.display(function))).collect();
        self.conditions.truncate(self.needed_by.len());
        Some(format!(
            "they are apart where {}, but the kernel accesses this place only in other launches",
            all.join(" and ")
        ))
    }

    /// Whether launches that satisfy some conditions may come to both accesses.
    fn may_come_to_both(&mut self, first: &Access<'_>, second: &Access<'_>, conditions: &[Condition]) -> bool {
        [first, second].iter().all(|access| may_come_to(&mut self.launch, access, conditions, &[]))
    }

    /// Whether more accesses may be compared.
    pub(super) fn may_go_on(&self) -> bool {
        self.comparisons < MAX_COMPARISONS
    }

    /// Whether two accesses of different invocations are proven never to meet, without conditions
    /// on the launch that were not needed before.
    pub(super) fn keeps_apart(&mut self, first: &Access<'_>, second: &Access<'_>, in_grid: bool) -> bool {
        let (axes, conditions) = (self.axes.clone(), self.conditions.len());
        let is_apart = self.judge(first, second, true, in_grid).is_none();
        let is_new = self.axes != axes || self.conditions.len() > conditions;
        self.axes = axes;
        self.conditions.truncate(conditions);
        self.needed_by.truncate(conditions);
        is_apart && !is_new
    }

    fn in_group(&mut self, first: &Access<'_>, second: &Access<'_>) -> Option<Finding> {
        let Some(phases) = self.phases else {
            let reason = "the kernel has too many ways from one barrier to the next".to_owned();
            return Some(finding(first, second, Phase::Start, None, reason));
        };
        let phase = || phases.since(first.inst, second.inst).map_or(Phase::Start, Phase::After);
        for meeting in phases.meetings(first.inst, second.inst) {
            if self.comparisons > MAX_COMPARISONS {
                return Some(finding(first, second, phase(), None, TOO_MANY.to_owned()));
            }
            let at = Where::Group(meeting);
            if self.is_apart(first, second, at).is_empty() {
                continue;
            }
            let rows = self.in_rows(first, second, at);
            let reason = match rows {
                Some(rows) if rows.needs == 0 && rows.conditions.is_empty() => continue,
                rows => match (self.enumerated(first, second, meeting, rows.is_some()), rows) {
                    (Ok(()), _) => continue,
                    (Err(Outcome::Unknown(_)), Some(rows)) => {
                        self.rely_on_rows(rows);
                        continue;
                    }
                    (Err(reason), _) => reason,
                },
            };
            let (example, reason) = match reason {
                Outcome::Meet { places, is_certain: true } => {
                    (Some(places), "two invocations of a workgroup may access the same bytes".to_owned())
                }
                Outcome::Meet { places, is_certain: false } => {
                    let [one, other] =
                        self.example(places).map(|Invocation { local: [x, y, z], .. }| format!("({x}, {y}, {z})"));
                    (
                        None,
                        format!(
                            "those with local ids {one} and {other} meet, unless a condition on data keeps one away"
                        ),
                    )
                }
                Outcome::Unknown(reason) => {
                    let found = if reason == NO_NUMBER { self.not_understood([first, second]) } else { None };
                    (None, found.map_or_else(|| reason.to_owned(), |what| format!("the index depends on {what}")))
                }
                Outcome::Disjoint(_) => continue,
            };
            let example = example.map(|places| self.example(places));
            return Some(finding(first, second, phase(), example, reason));
        }
        None
    }

    /// The axes on which two accesses are not proven to be apart.
    fn is_apart(&mut self, first: &Access<'_>, second: &Access<'_>, at: Where) -> Vec<usize> {
        self.comparisons += 1;
        if are_apart(first, second) {
            return Vec::new();
        }
        let size = self.always.function.workgroup_size();
        let axes: Vec<usize> = match at {
            Where::Group(_) => (0..3).filter(|&axis| size[axis] > 1).collect(),
            Where::Grid(differ) => (0..3).filter(|&axis| differ[axis]).collect(),
        };
        if let Some((open, _)) = self.always.by_digits((first, second), at, &axes) {
            return open;
        }
        let digits = self.launch.by_digits((first, second), at, &axes);
        let (open, needs) = match digits.filter(|(open, _)| open.len() < axes.len()) {
            Some(told) => told,
            None => {
                let Compared { open, needs } = compare(&mut self.launch, (first, second), at, [&[]; 2]);
                (open, needs)
            }
        };
        // Without conditions no more is known, unless there are too many of them.
        let all = self.needed(needs, false);
        if open.len() == axes.len() && !self.launch.is_full() || !all.iter().any(|condition| self.is_new(condition)) {
            all.into_iter().filter(|_| open.len() < axes.len()).for_each(|condition| self.rely_on(condition));
            return open;
        }
        let always = compare(&mut self.always, (first, second), at, [&[]; 2]);
        if open.len() < always.open.len() {
            self.rely(needs, false);
            return open;
        }
        always.open
    }

    /// The axes on which two accesses are not proven to be apart if rows are long enough, which are none
    /// on which they differ, with what that rests on: as few conditions as possible.
    fn in_rows(&mut self, first: &Access<'_>, second: &Access<'_>, at: Where) -> Option<InRows> {
        let mut rows = [self.launch.rows(first), self.launch.rows(second)];
        if rows.iter().all(Vec::is_empty) {
            return None;
        }
        let (mut kept, mut old): (Vec<Condition>, Vec<Condition>) = (Vec::new(), Vec::new());
        for condition in rows.iter().flatten().filter_map(|row| row.condition.as_ref()) {
            // What something else rests on already comes for nothing.
            let list = if self.is_new(condition) { &mut kept } else { &mut old };
            if !list.contains(condition) {
                list.push(condition.clone());
            }
        }
        // What limits arguments and grids by a number goes first if it can: more launches satisfy the others.
        kept.sort_by_key(|condition| condition.has_room_that_grows());
        // Conditions that contradict each other prove anything.
        while !kept.is_empty() && !self.may_come_to_both(first, second, &[&kept[..], &old].concat()) {
            let mut without = |at: usize| {
                let others = [&kept[..at], &kept[at + 1..], &old].concat();
                self.may_come_to_both(first, second, &others)
            };
            let gone = kept.remove((0..kept.len()).find(|&at| without(at)).unwrap_or(0));
            for rows in &mut rows {
                rows.retain(|row| row.condition.as_ref() != Some(&gone));
            }
        }
        let mut compared = |rows: &[Vec<Row>; 2]| {
            self.comparisons += 1;
            let [one, other] = rows;
            compare(&mut self.launch, (first, second), at, [one, other])
        };
        let mut found = compared(&rows);
        for condition in kept.clone() {
            let is_other = |row: &&Row| row.condition.as_ref() != Some(&condition);
            let fewer = rows.each_ref().map(|rows| rows.iter().filter(is_other).cloned().collect::<Vec<_>>());
            let less = compared(&fewer);
            if less.open == found.open {
                (rows, found) = (fewer, less);
                kept.retain(|one| *one != condition);
            }
        }
        let differ = |axis: usize| matches!(at, Where::Group(_)) || self.uses(first, axis) || self.uses(second, axis);
        if found.open.iter().any(|&axis| differ(axis)) {
            return None;
        }
        Some(InRows { open: found.open, needs: found.needs, conditions: kept })
    }

    fn rely_on_rows(&mut self, rows: InRows) -> Vec<usize> {
        self.rely(rows.needs, false);
        rows.conditions.into_iter().for_each(|condition| self.rely_on(condition));
        rows.open
    }

    fn enumerated(
        &mut self,
        first: &Access<'_>,
        second: &Access<'_>,
        meeting: Meeting,
        is_proven: bool,
    ) -> Result<(), Outcome> {
        let outcome = match self.work {
            work if work > MAX_WORK => Outcome::Unknown("the kernel takes too long to enumerate"),
            work => {
                let limit = if is_proven { (work + LITTLE_WORK).min(MAX_WORK) } else { MAX_WORK };
                Tables::new(&mut self.tables, &mut self.work, limit, &mut self.remembered).group(first, second, meeting)
            }
        };
        match outcome {
            Outcome::Disjoint(needs) => {
                self.rely(needs, true);
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Notes the conditions of a proof.
    fn rely(&mut self, needs: u64, by_table: bool) {
        self.needed(needs, by_table).into_iter().for_each(|condition| self.rely_on(condition));
    }

    /// The conditions of a proof.
    fn needed(&self, needs: u64, by_table: bool) -> Vec<Condition> {
        let from = if by_table { &self.tables } else { &self.launch };
        let needed = from.conditions.iter().zip(0..64).filter(|(_, bit)| needs >> bit & 1 == 1);
        needed.map(|(condition, _)| condition.clone()).collect()
    }

    /// Whether nothing rests on a condition yet.
    fn is_new(&self, condition: &Condition) -> bool {
        !self.conditions.contains(condition)
    }

    fn rely_on(&mut self, condition: Condition) {
        if self.is_new(&condition) {
            self.conditions.push(condition.clone());
        }
        if !self.rests.conditions.contains(&condition) {
            self.rests.conditions.push(condition);
        }
    }

    fn in_grid(&mut self, first: &Access<'_>, second: &Access<'_>) -> Option<Finding> {
        if self.comparisons > MAX_COMPARISONS {
            return Some(finding(first, second, Phase::Grid, None, TOO_MANY.to_owned()));
        }
        // On an axis of one workgroup, as the launch must have it already, none differ.
        let differ = [0, 1, 2].map(|axis| !self.axes.contains_key(&axis));
        if differ == [false; 3] {
            return None;
        }
        let at = Where::Grid(differ);
        let mut open = self.is_apart(first, second, at);
        let mut used = open.iter().copied().find(|&axis| self.uses(first, axis) || self.uses(second, axis));
        if used.is_some()
            && let Some(rows) = self.in_rows(first, second, at)
        {
            (open, used) = (self.rely_on_rows(rows), None);
        }
        let Some(axis) = used else {
            for &axis in &open {
                self.axes.entry(axis as u8).or_insert([first.inst, second.inst]);
            }
            self.rests.axes = open;
            return None;
        };
        let mut work = self.work;
        let mut tables = Tables::new(&mut self.tables, &mut work, MAX_WORK, &mut self.remembered);
        let example = match tables.grid(first, second, axis) {
            Outcome::Meet { places, is_certain: true } => Some(self.example(places)),
            Outcome::Meet { .. } | Outcome::Disjoint(_) | Outcome::Unknown(_) => None,
        };
        let reason = match example {
            Some(_) => "invocations of two workgroups may access the same bytes".to_owned(),
            None => {
                let axis = ["x", "y", "z"][axis.min(2)];
                let end = format!("not understood well enough to tell workgroups apart that differ on {axis}");
                match self.not_understood([first, second]) {
                    Some(what) => format!("the index depends on {what}, which is {end}"),
                    None => format!("the index is {end}"),
                }
            }
        };
        Some(finding(first, second, Phase::Grid, example, reason))
    }

    /// What the indices of two accesses depend on and is not understood, in words.
    fn not_understood(&mut self, accesses: [&Access<'_>; 2]) -> Option<String> {
        let (function, tree) = (self.always.function, self.always.tree);
        accesses.into_iter().find_map(|access| {
            let (address, _) = self.launch.start(access)?;
            address.unknowns().find_map(|unknown| {
                let &Unknown::Value(value) = self.launch.unknown(unknown) else { return None };
                let loaded = match tree.def(value) {
                    Def::Argument(_) => return None,
                    Def::Result(inst, _) => match &function.insts[inst].kind {
                        InstKind::Load(place) => Some(function.root_name(place.root)),
                        _ => None,
                    },
                    _ => None,
                };
                let named = function.values[value].name.as_ref();
                loaded.map(|name| format!("what is loaded from `{name}`")).or(named.map(|name| format!("`{name}`")))
            })
        })
    }

    /// Whether the index of an access may depend on the workgroup's id on an axis.
    fn uses(&self, access: &Access<'_>, axis: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Value> = access.place.indices.iter().map(|index| index.value).collect();
        let (function, tree) = (self.always.function, self.always.tree);
        while let Some(value) = todo.pop() {
            if !seen.insert(value) {
                continue;
            }
            let inst = match tree.def(value) {
                Def::Constant | Def::Argument(_) => continue,
                Def::Param(inst, i) => {
                    if let InstKind::Loop { initial, .. } = &function.insts[inst].kind {
                        todo.extend(initial.get(i));
                    }
                    let passed = |&jump: &Inst| function.insts[jump].kind.passed().get(i).copied();
                    todo.extend(tree.continues(inst).iter().filter_map(passed));
                    continue;
                }
                Def::Result(inst, _) => inst,
            };
            match &function.insts[inst].kind {
                InstKind::Len(_) => {}
                InstKind::Builtin(builtin) => {
                    let name = builtin.rust();
                    if builtin.axis() == Some(axis) && matches!(name, "global_id" | "workgroup_id") {
                        return true;
                    }
                }
                InstKind::Load(place) if function.root_access(place.root) != Some(ir::Access::Read) => return true,
                InstKind::Atomic(..) | InstKind::Subgroup(..) => return true,
                kind if kind.has_regions() => {
                    kind.for_each_operand(|operand| todo.push(operand));
                    let passed = tree.exits(inst).iter().flat_map(|&exit| function.insts[exit].kind.passed());
                    todo.extend(passed.copied());
                }
                kind => kind.for_each_operand(|operand| todo.push(operand)),
            }
        }
        false
    }

    fn example(&self, places: [Place; 2]) -> [Invocation; 2] {
        let [x, y, _] = self.always.function.workgroup_size().map(|extent| extent.max(1));
        places.map(|Place { group, local }| Invocation { group, local: [local % x, local / x % y, local / x / y] })
    }
}

fn finding(
    first: &Access<'_>,
    second: &Access<'_>,
    phase: Phase,
    example: Option<[Invocation; 2]>,
    reason: String,
) -> Finding {
    Finding { first: first.inst, second: second.inst, root: first.place.root, phase, example, reason }
}
