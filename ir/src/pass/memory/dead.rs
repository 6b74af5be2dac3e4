//! Removing stores that nobody sees.
//!
//! One walk against the order of execution keeps a list of the stores that come next before
//! anybody may look. A store is dead if one of them overwrites its bytes. These look: a load
//! that may touch the bytes, whatever lets other invocations look, the end of the function, and
//! a loop, since a loop need not end and what was stored before it then stays.
//!
//! Private memory dies with the invocation: a store to it is dead if no load may follow. The
//! same holds for any store to workgroup memory that is never read.

use super::{Access, MAX_KNOWN};
use crate::analysis::effects::{Effects, RootSet};
use crate::analysis::tree::Tree;
use crate::arena::{Side, Sparse};
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Root};
use crate::types::Types;

/// Whether any store could be removed: there is one to private memory, one to workgroup
/// memory that nobody looks at, or two to memory that may be the same.
pub(super) fn has_work(function: &Function, tree: &Tree) -> bool {
    let (mut stored, mut looked_at) = (Vec::new(), Vec::new());
    for &inst in tree.insts() {
        match &function.insts[inst].kind {
            InstKind::Load(place) | InstKind::Atomic(_, place, ..) => looked_at.push(place.root),
            InstKind::Store(place, _) => {
                let again = !function.is_kernel() || stored.contains(&place.root);
                if again || matches!(place.root, Root::Private(_)) {
                    return true;
                }
                stored.push(place.root);
            }
            _ => {}
        }
    }
    stored.iter().any(|root| matches!(root, Root::Shared(_)) && !looked_at.contains(root))
}

/// Removes stores that nobody sees; says whether any was there.
pub(super) fn dead(function: &mut Function, types: &Types, tree: &Tree) -> bool {
    let effects = Effects::of(function);
    let mut looked_at = RootSet::NONE;
    for &inst in tree.insts() {
        if let InstKind::Load(place) | InstKind::Atomic(_, place, ..) = &function.insts[inst].kind {
            looked_at = looked_at.with(effects.class(place.root));
        }
    }
    let mut pass = Dead {
        looked_at,
        stores: Vec::new(),
        heads: Side::new(RootSet::NONE),
        ends: Sparse::new(None),
        gone: Side::new(false),
        changed: false,
        tree,
        effects,
        types,
        function,
    };
    let body = pass.function.body;
    pass.region(body);
    let Dead { gone, changed, .. } = pass;
    super::remove(function, body, &gone);
    changed
}

/// What is known about the execution after a point.
#[derive(Clone)]
struct State {
    /// Positions of stores that happen before anybody looks at their bytes, in order.
    next: Vec<usize>,
    /// The private memory that may be looked at.
    live: RootSet,
}

impl State {
    /// The function ends.
    const END: Self = Self { next: Vec::new(), live: RootSet::NONE };
}

struct Dead<'a> {
    function: &'a Function,
    types: &'a Types,
    tree: &'a Tree,
    effects: Effects,
    /// All memory that is ever looked at.
    looked_at: RootSet,
    /// Every store so far.
    stores: Vec<Access>,
    /// The private memory that may be looked at when a loop starts, or starts again.
    heads: Side<InstDef, RootSet>,
    /// What comes after an instruction with regions.
    ends: Sparse<InstDef, Option<State>>,
    gone: Side<InstDef, bool>,
    changed: bool,
}

impl Dead<'_> {
    /// What comes when the region begins. The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) -> State {
        let mut state = State::END;
        for inst in self.function.region_insts(region).into_iter().rev() {
            self.inst(inst, region, &mut state);
        }
        state
    }

    fn end(&self, inst: Inst) -> State {
        self.ends[inst].clone().unwrap_or(State { next: Vec::new(), live: RootSet::ALL })
    }

    fn inst(&mut self, inst: Inst, region: Region, state: &mut State) {
        let function = self.function;
        let kind = &function.insts[inst].kind;
        match kind {
            InstKind::Load(place) => {
                let class = self.effects.class(place.root);
                state.live = state.live.with(class);
                match Access::of(function, self.types, (self.tree, &self.effects, None), inst) {
                    Some(load) => state.next.retain(|&store| !self.stores[store].bytes.may_overlap(&load.bytes)),
                    None => self.look(state, RootSet::NONE.with(class)),
                }
            }
            InstKind::Store(place, _) => self.store(inst, place.root, state),
            InstKind::Atomic(..)
            | InstKind::Barrier
            | InstKind::Subgroup(..)
            | InstKind::Fence(..)
            | InstKind::Call { .. } => {
                let reads = self.effects.inst(function, inst).reads;
                self.look(state, reads);
                state.live = state.live.and(reads);
            }
            InstKind::If { .. } | InstKind::Switch { .. } => {
                self.ends[inst] = Some(state.clone());
                let starts: Vec<State> = kind.regions().map(|inner| self.region(inner)).collect();
                if let Some(all) = starts.into_iter().reduce(|one, other| self.both(&one, &other)) {
                    *state = all;
                }
            }
            InstKind::Loop { body, .. } => {
                let around = self.around(region);
                let reads = self.effects.region(*body).reads;
                let head = state.live.and(around).and(reads);
                self.heads[inst] = head;
                self.ends[inst] = Some(state.clone());
                self.region(*body);
                // It need not end, so that nothing after it is sure to happen.
                *state = State { next: Vec::new(), live: head };
            }
            InstKind::Yield(_) => {
                *state = self.tree.owner(region).map_or(State::END, |owner| self.end(owner));
            }
            InstKind::Break(target, _) => *state = self.end(*target),
            InstKind::Continue(target, _) => *state = State { next: Vec::new(), live: self.heads[*target] },
            InstKind::Return(_) | InstKind::Unreachable => *state = State::END,
            InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
            InstKind::Get(_) | InstKind::Set(..) => {}
        }
    }

    /// The private memory that may be looked at once a loop in this region is left for
    /// another one around it.
    fn around(&self, mut region: Region) -> RootSet {
        while let Some(owner) = self.tree.owner(region) {
            if matches!(self.function.insts[owner].kind, InstKind::Loop { .. }) {
                return self.heads[owner];
            }
            let Some(parent) = self.tree.parent(owner) else { break };
            region = parent;
        }
        RootSet::NONE
    }

    /// Lets others look at all of some memory.
    fn look(&self, state: &mut State, reads: RootSet) {
        state.next.retain(|&store| !reads.has(self.stores[store].bytes.class()));
    }

    fn store(&mut self, inst: Inst, root: Root, state: &mut State) {
        let Some(store) = Access::of(self.function, self.types, (self.tree, &self.effects, None), inst) else {
            return;
        };
        let class = store.bytes.class();
        let unseen = match root {
            Root::Private(_) => !state.live.has(class),
            Root::Shared(_) => !self.looked_at.has(class),
            Root::Param(_) | Root::Table(_) => false,
        };
        let hidden = || state.next.iter().any(|&next| self.hides(&self.stores[next], &store));
        if unseen || hidden() {
            self.gone[inst] = true;
            self.changed = true;
            return;
        }
        if state.next.len() == MAX_KNOWN {
            state.next.remove(0);
        }
        state.next.push(self.stores.len());
        self.stores.push(store);
    }

    /// Whether a later store overwrites an earlier one completely.
    fn hides(&self, later: &Access, earlier: &Access) -> bool {
        later.is_same(earlier, self.function) || later.in_bounds && later.bytes.covers(&earlier.bytes)
    }

    /// What is known where either of two ways may be taken. Where private memory is not
    /// looked at on one way, that way hides every store to it.
    fn both(&self, one: &State, other: &State) -> State {
        let hides = |state: &State, store: usize| {
            let store = &self.stores[store];
            let root = self.function.insts[store.inst].kind.place().map(|place| place.root);
            matches!(root, Some(Root::Private(_))) && !state.live.has(store.bytes.class())
        };
        let (mut ours, mut theirs) = (one.next.iter().peekable(), other.next.iter().peekable());
        let mut next = Vec::new();
        while let Some(&&store) = ours.peek().into_iter().chain(theirs.peek()).min() {
            let here = ours.next_if_eq(&&store).is_some();
            let there = theirs.next_if_eq(&&store).is_some();
            if (here || hides(one, store)) && (there || hides(other, store)) {
                next.push(store);
            }
        }
        let surplus = next.len().saturating_sub(MAX_KNOWN);
        next.drain(..surplus);
        State { next, live: one.live.and(other.live) }
    }
}
