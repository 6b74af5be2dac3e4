//! Removing loads of known values, and stores of what memory already holds.
//!
//! One walk in order of execution keeps a list of what is known: this place holds this value. A
//! load whose place is in the list is replaced. Another load, and a store, add an entry. A
//! store removes all entries that it may touch. Before a loop, entries are removed that the
//! loop may write; after a loop or a branch, only entries stay that every way out knows.
//!
//! Private memory is zero until something is stored to it, in bounds or not, and so is
//! workgroup memory that nobody ever stores to.
//!
//! A load with the flag `nonuniform` is neither replaced nor remembered, so that its value
//! stays apart from others.

use super::{Access, MAX_KNOWN};
use crate::analysis::effects::{Effects, RootSet};
use crate::analysis::facts::Facts;
use crate::analysis::tree::Tree;
use crate::arena::{Side, Sparse};
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Replaced, Root, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};
use std::collections::HashSet;

/// Whether anything could be replaced: there is private memory, workgroup memory that may
/// still be zero, or two accesses to the very same place.
pub(super) fn has_work(function: &Function, tree: &Tree) -> bool {
    let (mut places, mut stored, mut loaded) = (HashSet::new(), HashSet::new(), HashSet::new());
    for &inst in tree.insts() {
        let (place, roots) = match &function.insts[inst].kind {
            InstKind::Load(place) => (place, &mut loaded),
            InstKind::Store(place, _) => (place, &mut stored),
            InstKind::Atomic(_, place, ..) => {
                stored.insert(place.root);
                continue;
            }
            _ => continue,
        };
        if matches!(place.root, Root::Private(_)) || !places.insert(place) {
            return true;
        }
        if matches!(place.root, Root::Shared(_)) {
            roots.insert(place.root);
        }
    }
    !loaded.is_subset(&stored)
}

/// Replaces loads of known values and removes stores of values that are there; says
/// whether anything changed.
pub(super) fn forward(function: &mut Function, types: &Types, tree: &Tree) -> bool {
    let effects = Effects::of(function);
    let proofs = super::proofs(function, types, tree);
    let mut stored = RootSet::NONE;
    for &inst in tree.insts() {
        if let InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) = &function.insts[inst].kind {
            stored = stored.with(effects.class(place.root));
        }
    }
    let mut pass = Forward {
        stored,
        facts: Vec::new(),
        exits: Sparse::new(None),
        replaced: Replaced::new(),
        gone: Side::new(false),
        changed: false,
        tree,
        effects,
        proofs,
        types,
        function,
    };
    let body = pass.function.body;
    pass.region(body, State { known: Vec::new(), clean: RootSet::ALL });
    let Forward { gone, changed, .. } = pass;
    super::remove(function, body, &gone);
    changed
}

/// At the place of an access is a value.
struct Held {
    access: Access,
    value: Value,
    /// Whether a load at the place gives the value; else the place may be out of bounds.
    loads: bool,
}

/// What is known at a point.
#[derive(Clone)]
struct State {
    /// Positions of facts, the newest last and so in order.
    known: Vec<usize>,
    /// The memory that nothing was stored to yet.
    clean: RootSet,
}

struct Forward<'a> {
    function: &'a mut Function,
    types: &'a Types,
    tree: &'a Tree,
    effects: Effects,
    proofs: Option<Facts>,
    /// The memory that anything is ever stored to.
    stored: RootSet,
    /// Every fact so far.
    facts: Vec<Held>,
    /// What is known where an instruction with regions ends, as far as its ends were met.
    exits: Sparse<InstDef, Option<State>>,
    /// What is used instead of a value.
    replaced: Replaced,
    gone: Side<InstDef, bool>,
    changed: bool,
}

impl Forward<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region, mut state: State) {
        for inst in self.function.region_insts(region) {
            self.replaced.follow(&mut self.function.insts[inst].kind);
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Load(place) => self.load(inst, place.root, &mut state),
                InstKind::Store(place, value) => self.store(inst, place.root, *value, &mut state),
                InstKind::Atomic(..)
                | InstKind::Barrier
                | InstKind::Subgroup(..)
                | InstKind::Fence(..)
                | InstKind::Call { .. } => {
                    self.forget(&mut state, self.effects.inst(self.function, inst).writes);
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    let regions = kind.regions();
                    for inner in regions {
                        self.region(inner, state.clone());
                    }
                    state = self.after(inst);
                }
                &InstKind::Loop { body, .. } => {
                    self.forget(&mut state, self.effects.region(body).writes);
                    self.region(body, state);
                    state = self.after(inst);
                }
                InstKind::Yield(_) => {
                    if let Some(owner) = self.tree.owner(region) {
                        self.meet(owner, &state);
                    }
                }
                InstKind::Break(target, _) => self.meet(*target, &state),
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                InstKind::Get(_) | InstKind::Set(..) => {}
                InstKind::Continue(..) | InstKind::Return(_) | InstKind::Unreachable => {}
            }
        }
    }

    /// What is known after an instruction with regions. What never ends is followed by
    /// nothing that happens.
    fn after(&mut self, inst: Inst) -> State {
        self.exits[inst].take().unwrap_or(State { known: Vec::new(), clean: RootSet::NONE })
    }

    /// Forgets what memory held that may have changed.
    fn forget(&self, state: &mut State, written: RootSet) {
        state.known.retain(|&fact| !written.has(self.facts[fact].access.bytes.class()));
        state.clean = state.clean.without(written);
    }

    fn know(&mut self, state: &mut State, fact: Held) {
        if state.known.len() == MAX_KNOWN {
            state.known.remove(0);
        }
        state.known.push(self.facts.len());
        self.facts.push(fact);
    }

    /// Notes that an instruction may end with what is known here.
    fn meet(&mut self, owner: Inst, state: &State) {
        let met = match self.exits[owner].take() {
            Some(met) => State { known: self.common(&met.known, &state.known), clean: met.clean.common(state.clean) },
            None => {
                // What is known about values that are not seen outside is of no use there.
                let known = state.known.iter().copied().filter(|&fact| self.is_seen(fact, owner)).collect();
                State { known, clean: state.clean }
            }
        };
        self.exits[owner] = Some(met);
    }

    /// The facts of one list that the other has or has the like of.
    fn common(&self, some: &[usize], others: &[usize]) -> Vec<usize> {
        let (mut kept, mut next) = (Vec::new(), 0);
        for &fact in some {
            while others.get(next).is_some_and(|&other| other < fact) {
                next += 1;
            }
            // Facts that are not from before where the ways parted are few and the newest.
            if others.get(next) == Some(&fact) || others[next..].iter().any(|&other| self.is_alike(fact, other)) {
                kept.push(fact);
            }
        }
        kept
    }

    fn is_alike(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.facts[a], &self.facts[b]);
        a.value == b.value && a.loads == b.loads && a.access.is_same(&b.access, self.function)
    }

    /// Whether the values of a fact are seen where an instruction stands.
    fn is_seen(&self, fact: usize, at: Inst) -> bool {
        let Some(here) = self.tree.parent(at) else { return false };
        let seen =
            |value: Value| self.tree.home(self.function, value).is_some_and(|home| self.tree.is_within(here, home));
        let Held { access, value, .. } = &self.facts[fact];
        let place = self.function.insts[access.inst].kind.place();
        seen(*value) && place.is_some_and(|place| place.indices.iter().all(|index| seen(index.value)))
    }

    fn access(&self, inst: Inst) -> Option<Access> {
        Access::of(self.function, self.types, (self.tree, &self.effects, self.proofs.as_ref()), inst)
    }

    /// What the list says about the place of an access, the newest first.
    fn find(&self, state: &State, access: &Access) -> Option<&Held> {
        let mut facts = state.known.iter().rev().map(|&fact| &self.facts[fact]);
        facts.find(|fact| fact.access.is_same(access, self.function))
    }

    fn load(&mut self, inst: Inst, root: Root, state: &mut State) {
        let Some(&result) = self.function.insts[inst].results.first() else { return };
        let flags = self.function.flags[inst];
        if flags.has(Flags::NONUNIFORM) || flags.has(Flags::RACY) {
            return;
        }
        let class = self.effects.class(root);
        let is_zero = match root {
            Root::Private(_) => state.clean.has(class),
            Root::Shared(_) => !self.stored.has(class),
            Root::Param(_) | Root::Table(_) => false,
        };
        if is_zero {
            self.zero(inst, result);
            return;
        }
        let Some(access) = self.access(inst) else { return };
        match self.find(state, &access) {
            Some(&Held { value, loads: true, .. }) => {
                self.replaced.set(result, value);
                self.gone[inst] = true;
                self.changed = true;
            }
            // What was stored there comes back only if the place is in bounds; this load's
            // value comes back in any case.
            _ => self.know(state, Held { access, value: result, loads: true }),
        }
    }

    /// Makes zero of a load.
    fn zero(&mut self, inst: Inst, result: Value) {
        let (ty, function) = (self.function.ty(result), &mut *self.function);
        let Some(lane) = ty.lane() else { return };
        let zero = function.constant(lane, 0);
        if let Type::Vector(_, lanes) = ty {
            function.insts[inst].kind = InstKind::Op(Op::Construct, vec![zero; lanes.into()]);
        } else {
            self.replaced.set(result, zero);
            self.gone[inst] = true;
        }
        self.changed = true;
    }

    fn store(&mut self, inst: Inst, root: Root, value: Value, state: &mut State) {
        let Some(access) = self.access(inst) else { return };
        let class = access.bytes.class();
        let is_zero =
            matches!(root, Root::Private(_)) && state.clean.has(class) && self.function.constant_bits(value) == Some(0);
        // A word that a `bool` was loaded from may be neither 0 nor 1 and must become it.
        let from_load = |fact: &Held| matches!(self.function.insts[fact.access.inst].kind, InstKind::Load(_));
        let is_there = self
            .find(state, &access)
            .is_some_and(|fact| fact.value == value && !(access.ty.lane() == Some(Scalar::Bool) && from_load(fact)));
        if is_zero || is_there {
            self.gone[inst] = true;
            self.changed = true;
            return;
        }
        state.known.retain(|&fact| !self.facts[fact].access.bytes.may_overlap(&access.bytes));
        state.clean = state.clean.without(RootSet::NONE.with(class));
        let loads = access.in_bounds;
        self.know(state, Held { access, value, loads });
    }
}
