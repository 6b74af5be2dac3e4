//! Numbers that are known to differ: elements of a buffer that has no two equal ones, and tickets,
//! the results of `fetch_add(1)` on one counter.
//!
//! A counter gives each of its numbers once in a launch if nothing but these additions of one
//! writes to it, and if there are no more of them than it has numbers. So an addition in a loop
//! gives no tickets, and several additions, or those to a narrow counter, do under a condition on
//! the grid. The counter must be a buffer's element at a constant index, which the buffer must have:
//! out of bounds all get 0. Workgroup memory has as many counters as there are workgroups, and the
//! same numbers in each.

use super::form::Form;
use super::values::Values;
use crate::analysis::facts::{Condition, Poly, Symbol, Verdict};
use crate::analysis::tree::Tree;
use crate::ir::{Elements, Function, Inst, InstKind, Place, Root, Value};
use crate::ops::AtomicOp;
use crate::types::Types;
use std::collections::{BTreeMap, HashMap};

/// The tickets of a kernel.
#[derive(Default)]
pub(super) struct Tickets {
    /// The counter that each ticket is of.
    pub(super) counters: HashMap<Value, usize>,
    /// What a launch must satisfy so that a counter is there and none of its numbers comes again.
    pub(super) needs: Vec<Vec<Condition>>,
}

/// An element of a buffer of which no two elements are equal, known to be in bounds.
pub(super) struct Element {
    pub(super) root: Root,
    pub(super) index: Form,
    /// What its index rests on, one bit for each condition.
    pub(super) needs: u64,
}

impl Values<'_> {
    /// The element of such a buffer that a value is.
    pub(super) fn element(&mut self, value: Value) -> Option<Element> {
        let inst = self.tree.inst_of(value)?;
        let InstKind::Load(place) = &self.function.insts[inst].kind else { return None };
        let Root::Param(param) = place.root else { return None };
        let is_distinct =
            self.function.params.get(param as usize).is_some_and(|param| param.elements == Elements::Distinct);
        let (&[index], 0) = (place.indices.as_slice(), place.offset) else { return None };
        if !is_distinct {
            return None;
        }
        // Out of bounds all loads give 0.
        let mut needs = match self.facts.access(inst) {
            Verdict::Proven => 0,
            Verdict::IfLaunch(conditions) => {
                let (facts, mut needs) = (self.facts, 0);
                for (_, condition) in (0..).zip(facts.conditions()).filter(|(bit, _)| conditions >> bit & 1 == 1) {
                    needs |= self.assume(condition)?;
                }
                needs
            }
            Verdict::Guarded(_) => return None,
        };
        let known = self.of(index.value)?;
        needs |= known.needs;
        Some(Element { root: place.root, index: known.form, needs })
    }
}

impl Tickets {
    pub(super) fn of(types: &Types, function: &Function, tree: &Tree) -> Self {
        let mut tickets = Self::default();
        // The additions of one to each element of a buffer, and what else may write to the buffer.
        let mut additions: BTreeMap<(Root, u64), Vec<Inst>> = BTreeMap::new();
        let mut others: Vec<(Root, Option<(u64, u64)>)> = Vec::new();
        for &inst in tree.insts() {
            let kind = &function.insts[inst].kind;
            let (InstKind::Store(place, _) | InstKind::Atomic(_, place, ..)) = kind else { continue };
            let start = constant(function, place);
            match (kind, start) {
                (InstKind::Atomic(AtomicOp::Load, ..), _) => {}
                (InstKind::Atomic(AtomicOp::Add, _, args, _), Some(start))
                    if matches!(place.root, Root::Param(_)) && is_one(function, args) =>
                {
                    additions.entry((place.root, start)).or_default().push(inst);
                }
                _ => {
                    let size = function.accessed(inst).and_then(|ty| types.layout(ty)).map(|layout| layout.size);
                    others.push((place.root, start.zip(size.map(u64::from))));
                }
            }
        }
        for ((root, start), insts) in additions {
            // Parts of a wider number, or other parts of this one, are no counter.
            let is_near = |&(other, place): &(Root, Option<(u64, u64)>)| {
                other == root && place.is_none_or(|(at, size)| at < start + 8 && start < at + size)
            };
            let is_in_loop = |&inst: &Inst| tree.loops_around(function, inst).next().is_some();
            if others.iter().any(is_near) || insts.iter().any(is_in_loop) {
                continue;
            }
            let Some(need) = needs(types, function, (root, start), &insts) else { continue };
            for &inst in &insts {
                let results = function.insts[inst].results.iter();
                tickets.counters.extend(results.map(|&result| (result, tickets.needs.len())));
            }
            tickets.needs.push(need);
        }
        tickets
    }
}

/// Where a place with constant indices begins.
fn constant(function: &Function, place: &Place) -> Option<u64> {
    let mut start = u64::from(place.offset);
    for index in &place.indices {
        start = start.checked_add(function.constant_bits(index.value)?.checked_mul(index.stride.into())?)?;
    }
    Some(start)
}

fn is_one(function: &Function, args: &[Value]) -> bool {
    matches!(args, &[by] if function.constant_bits(by) == Some(1))
}

/// The conditions under which additions to a counter give different numbers.
fn needs(types: &Types, function: &Function, (root, start): (Root, u64), additions: &[Inst]) -> Option<Vec<Condition>> {
    let Root::Param(param) = root else { return None };
    let lane = function.accessed(*additions.first()?)?.lane()?;
    let element = types.layout(function.root_element(types, root)?)?.size.max(1);
    let index = i128::from(start / u64::from(element));
    let rest = Poly::symbol(Symbol::Len(u16::try_from(param).ok()?)).add(&Poly::constant(-1 - index))?;
    let mut needs = vec![Condition::natural(&rest)?];
    // A launch has fewer than 2³² invocations.
    if additions.len() > 1 || lane.bits() < 32 {
        let each = i128::try_from(additions.len()).ok()?.checked_mul(function.invocations().into())?;
        let mut all = Poly::constant(each);
        for axis in 0..3 {
            all = all.mul(&Poly::symbol(Symbol::LastGroup(axis)).add(&Poly::constant(1))?)?;
        }
        let rest = Poly::constant(1 << lane.bits()).sub(&all)?;
        // One workgroup may be too many.
        if rest.at_most(&Poly::constant(-1)) {
            return None;
        }
        needs.push(Condition::natural(&rest)?);
    }
    Some(needs)
}
