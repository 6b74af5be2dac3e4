//! What is known of neighbouring lanes before a loop over them begins.
//!
//! Most tests of a kernel compare a number that grows by one from lane to lane, such as an index, with one that is the
//! same for a row of lanes. So a run of neighbours passes all of them together. The loop over these needs no tests,
//! and a branch that all of them take is no branch. That is what a person would write: bounds before the loop.
//!
//! A [`Path`] is the way of those lanes through a list of instructions. The other lanes, at the edges, go the usual
//! way with all tests, so a path may demand of its lanes whatever is of use.

use super::plan::{Given, leads_away};
use crate::analysis::guard::{Extent, Guards};
use crate::analysis::tree::Def;
use crate::ir::{Function, Inst, InstKind, Region, Root, Value};
use crate::ops::{Builtin, Op};
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes from an element to that of the next lane for which vectors are loaded whole.
const SIDE_BY_SIDE: u32 = 16;
/// An index of a lane that is in bounds of so few bytes is not near the largest number.
pub(super) const MOST_BYTES: u32 = 1 << 31;
/// So many ops for each access are worth it that vectors are put together element by element.
const WORTH_MOVING: usize = 4;

/// How a value changes from lane to lane on x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// It is the same, and computed from what is the same.
    Same,
    /// It is a `u32` that grows by one, and wraps.
    Step,
}

/// A rest or a quotient of a number that grows along a row.
pub(super) struct Cut {
    /// What it is at the first lane of the row.
    pub first: String,
    /// Whether it grows by one from lane to lane; it stays the same if not.
    pub steps: bool,
}

/// What lanes have to pass.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Demand {
    /// A condition that is the same for all.
    Condition(Value, bool),
    /// A number that grows is below another one, or not.
    Below(Value, Value, bool),
    /// A number that grows does not pass another one: `number <= other`, or not.
    UpTo(Value, Value, bool),
    /// An index is below a constant.
    BelowConstant(Value, u32),
    /// An index is below the number of elements of the root of an access; none stands for 0.
    Element(Inst, Option<Value>),
    /// A number does not wrap.
    Grows(Value),
    /// An index does not wrap. It is in bounds, so that it cannot if its root is not huge; in launches that fulfil all
    /// conditions, or in any.
    GrowsWithin(Value, Root, bool),
}

/// The way of lanes that pass everything.
#[derive(Clone, Default)]
pub(super) struct Path {
    /// The instructions on the way. A branch that all take is replaced by what it leads to, up to its `yield`.
    pub list: Vec<Inst>,
    /// What the lanes have to pass, and whether only launches that do not fulfil all conditions ask for it.
    pub demands: Vec<(Demand, bool)>,
    /// The accesses whose tests are passed.
    pub passed: BTreeSet<Inst>,
    /// The branches that are replaced.
    pub replaced: BTreeSet<Inst>,
    /// Whether the lanes do little but access memory that is not side by side, so that vectors are of no use.
    pub moves_apart: bool,
    /// The accesses of memory that is not side by side.
    apart: BTreeSet<Inst>,
    /// Places on x, with the bits in which the lanes differ from those they meet. The path is that of a block then.
    pub blocks: Vec<(Value, Value)>,
    /// What is the same for the lanes of a block only, in the order in which it can be computed.
    pub fixed: Vec<Value>,
    /// How values change along x, of those that were looked at.
    pub along: BTreeMap<Value, Option<Along>>,
}

impl Path {
    /// The numbers that grow and are known not to wrap.
    pub fn firsts(&self) -> impl Iterator<Item = Value> {
        self.demands.iter().filter_map(|(demand, only_guarded)| match *demand {
            Demand::Grows(value) | Demand::GrowsWithin(value, ..) => Some(value),
            Demand::Below(value, ..) | Demand::UpTo(value, ..) if !only_guarded => Some(value),
            _ => None,
        })
    }
}

impl Path {
    /// The loops that a loop over the lanes is cut into, and whether each moves what is not side by side: moves of what
    /// is side by side have one of their own, which becomes vectors.
    ///
    /// Nothing that is loaded is stored, and no memory is stored to in both, so it does not matter which comes first.
    pub fn parts(&self, function: &Function) -> Vec<(Vec<Inst>, bool)> {
        let whole = vec![(self.list.clone(), self.moves_apart)];
        let (mut loaded, mut stored, mut stores) = (BTreeSet::new(), [BTreeSet::new(), BTreeSet::new()], Vec::new());
        for (at, &inst) in self.list.iter().enumerate() {
            match &function.insts[inst].kind {
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                InstKind::Load(place) => {
                    loaded.insert(place.root);
                }
                InstKind::Store(place, value) => {
                    let moved = self.list.iter().find(|&&load| function.insts[load].results.first() == Some(value));
                    let is_apart = [Some(&inst), moved].into_iter().flatten().any(|inst| self.apart.contains(inst));
                    // What is computed may come from anywhere.
                    let is_moved = moved.is_some_and(|&load| matches!(function.insts[load].kind, InstKind::Load(_)));
                    if !is_moved || matches!(place.root, Root::Private(_)) || is_racy(function, inst) {
                        return whole;
                    }
                    stored[usize::from(is_apart)].insert(place.root);
                    stores.push((inst, is_apart));
                }
                kind if kind.is_terminator() && at + 1 == self.list.len() => {}
                _ => return whole,
            }
        }
        let [near, far] = &stored;
        let is_cut = self.moves_apart && !near.is_empty() && !far.is_empty() && near.is_disjoint(far);
        if !is_cut || !loaded.is_disjoint(near) || !loaded.is_disjoint(far) {
            return whole;
        }
        let without = |apart: bool| {
            let list = self.list.iter().copied().filter(|&inst| !stores.contains(&(inst, apart))).collect();
            (list, !apart)
        };
        vec![without(true), without(false)]
    }
}

/// Whether others may access at the same time what an instruction does.
pub(super) fn is_racy(function: &Function, inst: Inst) -> bool {
    function.flags[inst].has(crate::flags::Flags::RACY)
}

/// Finds a path.
pub(super) struct Finder<'a, 'g> {
    pub given: Given<'a>,
    pub guards: &'g Guards<'a>,
    /// Whether a value is a variable where the loop over the lanes begins.
    pub is_there: &'g dyn Fn(Value) -> bool,
    /// Whether a value is a rest or a quotient along a row.
    pub cut: &'g dyn Fn(Value) -> Option<Cut>,
    /// Whether every lane on the path comes to all of it that was looked at.
    pub all_come: bool,
    /// Whether the path may be that of a block of lanes.
    pub in_blocks: bool,
    pub path: Path,
}

impl Finder<'_, '_> {
    /// Follows a list of instructions.
    pub fn follow(&mut self, insts: &[Inst]) {
        for &inst in insts {
            match &self.given.function.insts[inst].kind {
                InstKind::If { condition, then, otherwise } => {
                    if !self.branch(inst, *condition, *then, *otherwise) {
                        self.path.list.push(inst);
                    }
                    if self.path.list.last().is_some_and(|&last| self.leaves(last)) {
                        return;
                    }
                }
                InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {
                    self.access(inst);
                    self.path.list.push(inst);
                }
                _ => self.path.list.push(inst),
            }
            self.all_come &= self.path.list.last() != Some(&inst) || !leads_away(&self.given, &[], inst);
        }
    }

    /// Whether an instruction ends the path.
    fn leaves(&self, inst: Inst) -> bool {
        let kind = &self.given.function.insts[inst].kind;
        kind.is_terminator() && !matches!(kind, InstKind::Yield(_))
    }

    /// Goes into the arm of a branch that does something, if the lanes can be asked to take it.
    fn branch(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) -> bool {
        let taken = match (self.is_trivial(then), self.is_trivial(otherwise)) {
            (false, true) => true,
            (true, false) => false,
            // Of two arms that do nothing, one may lead away.
            (true, true) => match (self.yields(then), self.yields(otherwise)) {
                (true, false) => true,
                (false, true) => false,
                _ => return false,
            },
            (false, false) => return false,
        };
        let mut demands = Vec::new();
        // Lanes that do not take the branch of a block have nothing to do; there is no such branch in it.
        if self.in_blocks && !self.path.replaced.is_empty() || !self.condition(condition, taken, &mut demands) {
            return false;
        }
        self.path.demands.extend(demands.into_iter().map(|demand| (demand, false)));
        self.path.replaced.insert(inst);
        let region = if taken { then } else { otherwise };
        let insts = self.given.function.regions[region].insts.clone();
        self.follow(&insts);
        true
    }

    fn yields(&self, region: Region) -> bool {
        self.given.function.yielded(region).is_some()
    }

    /// Whether a region does nothing but lead somewhere.
    fn is_trivial(&self, region: Region) -> bool {
        let function = self.given.function;
        let idle = |&inst: &Inst| {
            let kind = &function.insts[inst].kind;
            kind.is_terminator() || matches!(kind, InstKind::Op(..))
        };
        function.regions[region].insts.len() <= 2 && function.regions[region].insts.iter().all(idle)
    }

    /// What lanes have to pass so that a condition has a value; `false` if that cannot be asked.
    fn condition(&mut self, value: Value, wanted: bool, demands: &mut Vec<Demand>) -> bool {
        if self.along(value) == Some(Along::Same) {
            demands.push(Demand::Condition(value, wanted));
            return true;
        }
        let Def::Result(inst, _) = self.given.tree.def(value) else { return false };
        let InstKind::Op(op, args) = &self.given.function.insts[inst].kind else { return false };
        let &[a, b] = args.as_slice() else {
            return *op == Op::Not && args.first().is_some_and(|&arg| self.condition(arg, !wanted, demands));
        };
        match (op, wanted) {
            (Op::And, true) | (Op::Or, false) => {
                return self.condition(a, wanted, demands) && self.condition(b, wanted, demands);
            }
            _ => {}
        }
        if self.given.function.ty(a) != Type::U32 {
            return false;
        }
        let (below, up_to) = (|a, b, is| Demand::Below(a, b, is), |a, b, is| Demand::UpTo(a, b, is));
        let demand = match (self.along(a), self.along(b)) {
            (Some(Along::Step), Some(Along::Same)) => match op {
                Op::Lt => below(a, b, wanted),
                Op::Ge => below(a, b, !wanted),
                Op::Le => up_to(a, b, wanted),
                Op::Gt => up_to(a, b, !wanted),
                _ => return false,
            },
            (Some(Along::Same), Some(Along::Step)) => match op {
                Op::Gt => below(b, a, wanted),
                Op::Le => below(b, a, !wanted),
                Op::Ge => up_to(b, a, wanted),
                Op::Lt => up_to(b, a, !wanted),
                _ => return false,
            },
            _ => return false,
        };
        demands.push(demand);
        true
    }

    /// Asks lanes to pass the tests of an access, and its indices not to wrap.
    fn access(&mut self, inst: Inst) {
        let function = self.given.function;
        let Some(place) = function.insts[inst].kind.place() else { return };
        let guarded = self.guards.test(inst);
        let only_guarded = self.guards.test_under(inst, u64::MAX).is_none();
        for index in &place.indices {
            let within = (self.all_come && only_guarded).then_some((place.root, !guarded.is_none()));
            self.grows(index.value, within);
        }
        let mut demands = Vec::new();
        match guarded.extent {
            Extent::Within => {}
            Extent::Element(index) => demands.push((index, Demand::Element(inst, index))),
            Extent::Root { .. } => return,
        }
        demands.extend(guarded.below.iter().map(|&(index, bound)| (Some(index), Demand::BelowConstant(index, bound))));
        if demands.iter().all(|(index, _)| index.is_none_or(|index| self.along(index).is_some())) {
            self.path.demands.extend(demands.into_iter().map(|(_, demand)| (demand, only_guarded)));
            self.path.passed.insert(inst);
        }
    }

    /// Asks an index not to wrap. It may be known to be within a root, in any launch or in those that fulfil all
    /// conditions.
    fn grows(&mut self, value: Value, within: Option<(Root, bool)>) {
        // What is where a lane is does not wrap.
        let is_builtin = matches!(self.given.tree.def(value), Def::Result(inst, _)
            if matches!(self.given.function.insts[inst].kind, InstKind::Builtin(_)));
        if is_builtin || self.along(value) != Some(Along::Step) {
            return;
        }
        let demand = match within {
            Some((root, bare)) => (Demand::GrowsWithin(value, root, bare), false),
            None => (Demand::Grows(value), false),
        };
        if !self.path.demands.contains(&demand) {
            self.path.demands.push(demand);
        }
    }

    /// Finds out whether the lanes do little but move what is not side by side. Machines gather and scatter a vector's
    /// elements one after the other, and no quicker than a loop does.
    pub fn judge_moves(&mut self) {
        let function = self.given.function;
        let (mut pending, mut stored, mut apart) = (self.path.list.clone(), Vec::new(), BTreeSet::new());
        while let Some(inst) = pending.pop() {
            let kind = &function.insts[inst].kind;
            match kind {
                InstKind::Loop { .. } | InstKind::Atomic(..) => return,
                InstKind::Store(_, value) => stored.push(*value),
                _ => {}
            }
            if let Some(place) = kind.place().filter(|place| !matches!(place.root, Root::Private(_))) {
                let steps = place.indices.clone();
                let is_near = steps.iter().all(|index| match self.along(index.value) {
                    Some(Along::Same) => true,
                    Some(Along::Step) => index.stride <= SIDE_BY_SIDE,
                    None => false,
                });
                if !is_near {
                    apart.insert(inst);
                }
            }
            for region in kind.regions() {
                pending.extend(&function.regions[region].insts);
            }
        }
        let (mut computed, mut seen) = (0, BTreeSet::new());
        while let Some(value) = stored.pop() {
            if let Def::Result(inst, _) = self.given.tree.def(value)
                && let InstKind::Op(_, args) = &function.insts[inst].kind
                && seen.insert(value)
            {
                computed += 1;
                stored.extend(args);
            }
        }
        self.path.moves_apart = computed < WORTH_MOVING * apart.len();
        self.path.apart = apart;
    }

    /// How a value changes along x.
    pub fn along(&mut self, value: Value) -> Option<Along> {
        if let Some(&known) = self.path.along.get(&value) {
            return known;
        }
        let along = self.along_of(value);
        self.path.along.insert(value, along);
        along
    }

    fn along_of(&mut self, value: Value) -> Option<Along> {
        if (self.is_there)(value) {
            return Some(Along::Same);
        }
        let Def::Result(inst, _) = self.given.tree.def(value) else { return None };
        if let Some(cut) = (self.cut)(value) {
            return Some(if cut.steps { Along::Step } else { Along::Same });
        }
        match &self.given.function.insts[inst].kind {
            InstKind::Len(_) => Some(Along::Same),
            InstKind::Builtin(Builtin::GlobalIdX | Builtin::LocalIdX | Builtin::LocalIndex) => Some(Along::Step),
            InstKind::Builtin(Builtin::SubgroupId | Builtin::SubgroupLane) => None,
            InstKind::Builtin(_) => Some(Along::Same),
            InstKind::Op(op, args) => {
                let is_number = self.given.function.ty(value) == Type::U32;
                let along: Vec<Option<Along>> = args.clone().into_iter().map(|arg| self.along(arg)).collect();
                match (op, along.as_slice()) {
                    (_, all) if all.iter().all(|&along| along == Some(Along::Same)) => Some(Along::Same),
                    (Op::Add, [Some(a), Some(b)]) if is_number && a != b => Some(Along::Step),
                    (Op::Sub, [Some(Along::Step), Some(Along::Same)]) if is_number => Some(Along::Step),
                    _ => self.along_of_block(value, *op, args),
                }
            }
            _ => None,
        }
    }
}
