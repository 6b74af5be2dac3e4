//! The accesses of a kernel that other invocations may meet, and what must hold where they are.

use crate::analysis::facts::Facts;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstDef, InstKind, Place, Region, Root, Value};
use crate::ops::{AtomicOp, Op};
use crate::order::Scope;
use crate::types::Types;
use std::collections::HashMap;

/// How many operands of one condition are looked through.
const MAX_PARTS: usize = 16;

/// How many branches before an instruction in one region count.
const MAX_BEFORE: usize = 32;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Load,
    Store,
    Atomic { op: AtomicOp, scope: Scope },
}

impl Effect {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Self::Load | Self::Atomic { op: AtomicOp::Load, .. })
    }

    /// Whether two accesses of one place by two invocations need an order, if these are of one
    /// workgroup or of two.
    pub(super) fn conflicts(self, other: Self, same_group: bool) -> bool {
        let reaches = |scope: Scope| match scope {
            Scope::Invocation => false,
            Scope::Subgroup | Scope::Workgroup => same_group,
            Scope::Device | Scope::System => true,
        };
        let both_atomic = match (self, other) {
            (Self::Atomic { scope, .. }, Self::Atomic { scope: theirs, .. }) => reaches(scope) && reaches(theirs),
            (Self::Load | Self::Store, _) | (_, Self::Load | Self::Store) => false,
        };
        (self.writes() || other.writes()) && !both_atomic
    }
}

/// A load, store or atomic access of workgroup memory or of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Access<'f> {
    pub(super) inst: Inst,
    pub(super) place: &'f Place,
    pub(super) size: u32,
    pub(super) effect: Effect,
    /// Whether its author answers for races with accesses that are racy too.
    pub(super) racy: bool,
    /// Conditions that hold here, or whose negations do.
    pub(super) guards: Vec<(Value, bool)>,
    /// Values that are one of some here: the selectors of switches.
    pub(super) cases: Vec<(Value, Vec<u64>)>,
}

impl<'f> Access<'f> {
    /// The accesses that an invocation may come to, in program order.
    pub(super) fn all(
        types: &Types,
        function: &'f Function,
        tree: &Tree,
        leaving: &Leaving,
        facts: &Facts,
    ) -> Vec<Self> {
        let reached = tree.insts().iter().copied().filter(|&inst| facts.is_reached(inst));
        reached.filter_map(|inst| Self::of(types, function, tree, leaving, inst)).collect()
    }

    fn of(types: &Types, function: &'f Function, tree: &Tree, leaving: &Leaving, inst: Inst) -> Option<Self> {
        let kind = &function.insts[inst].kind;
        let effect = match kind {
            InstKind::Load(_) => Effect::Load,
            InstKind::Store(..) => Effect::Store,
            InstKind::Atomic(op, _, _, order) => Effect::Atomic { op: *op, scope: order.scope },
            _ => return None,
        };
        let place = kind.place()?;
        let (Root::Param(_) | Root::Shared(_)) = place.root else { return None };
        let size = function.accessed(inst).and_then(|ty| types.layout(ty)).map_or(u32::MAX, |layout| layout.size);
        let Conditions { guards, cases } = Conditions::at(function, tree, leaving, inst);
        let racy = function.flags[inst].has(Flags::RACY);
        Some(Self { inst, place, size, effect, racy, guards, cases })
    }
}

/// The branches that let only some go on.
pub(super) struct Leaving {
    /// The place of each instruction in its region.
    positions: Side<InstDef, u32>,
    /// By region, in order: the place of a branch, and its condition where it lets go on.
    branches: HashMap<Region, Vec<(u32, Value, bool)>>,
}

impl Leaving {
    pub(super) fn of(function: &Function) -> Self {
        let mut leaving = Self { positions: Side::new(0), branches: HashMap::new() };
        for (region, def) in function.regions.iter() {
            for (position, &inst) in (0..).zip(&def.insts) {
                leaving.positions[inst] = position;
                let InstKind::If { condition, then, otherwise } = function.insts[inst].kind else { continue };
                let (one, other) = (goes_on(function, then), goes_on(function, otherwise));
                if one != other {
                    leaving.branches.entry(region).or_default().push((position, condition, one));
                }
            }
        }
        leaving
    }
}

/// What must hold for an invocation to be at an instruction.
#[derive(Clone, Default, Debug)]
pub(super) struct Conditions {
    pub(super) guards: Vec<(Value, bool)>,
    pub(super) cases: Vec<(Value, Vec<u64>)>,
}

impl Conditions {
    /// Of the branches around, and of those before that let only some go on.
    pub(super) fn at(function: &Function, tree: &Tree, leaving: &Leaving, inst: Inst) -> Self {
        let mut found = Self::default();
        let mut at = inst;
        while let Some(region) = tree.parent(at) {
            let branches = leaving.branches.get(&region).map_or(&[][..], Vec::as_slice);
            let before = branches.partition_point(|(position, ..)| *position < leaving.positions[at]);
            for &(_, condition, truth) in branches[before.saturating_sub(MAX_BEFORE)..before].iter() {
                found.guard(function, tree, condition, truth);
            }
            let Some(owner) = tree.owner(region) else { break };
            match &function.insts[owner].kind {
                InstKind::If { condition, then, .. } => found.guard(function, tree, *condition, region == *then),
                InstKind::Switch { selector, cases, .. } => {
                    let case = cases.iter().find(|case| case.region == region);
                    found.cases.extend(case.map(|case| (*selector, case.values.clone())));
                }
                _ => {}
            }
            at = owner;
        }
        found
    }

    /// A condition, and the parts of it that must hold if it does.
    fn guard(&mut self, function: &Function, tree: &Tree, condition: Value, truth: bool) {
        let mut todo = vec![(condition, truth)];
        let mut parts = 0;
        while let Some((condition, truth)) = todo.pop() {
            self.guards.push((condition, truth));
            parts += 1;
            match tree.op(function, condition) {
                _ if parts > MAX_PARTS => {}
                Some((Op::And, &[a, b])) if truth => todo.extend([(a, true), (b, true)]),
                Some((Op::Or, &[a, b])) if !truth => todo.extend([(a, false), (b, false)]),
                Some((Op::Not, &[a])) => todo.push((a, !truth)),
                _ => {}
            }
        }
    }
}

/// Whether the end of a region leads to what comes after its owner.
fn goes_on(function: &Function, region: Region) -> bool {
    function.yielded(region).is_some()
}
