//! The loads of workgroup memory during which nobody writes there.
//!
//! A phase is what runs from one barrier to the next, or from the kernel's start or to its
//! end. Where all barriers are uniform, all invocations are in one phase at a time. So a
//! load at a place that is the same for all gives all the same if no invocation can, in the
//! phase that it is in, write to that memory. A phase is named by the barrier that begins
//! it; a load or a write may belong to several.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Root};
use crate::ops::AtomicOp;
use std::collections::{BTreeMap, BTreeSet};

/// The phases that a point may be in: the barriers that begin them, `None` for the start.
type Phases = BTreeSet<Option<Inst>>;

/// The loads and atomic loads of workgroup memory that is not written meanwhile.
pub(super) fn steady(function: &Function) -> Side<InstDef, bool> {
    let mut steady = Side::new(false);
    if function.shared.is_empty() {
        return steady;
    }
    let mut walk =
        Walk { function, heads: BTreeMap::new(), ends: BTreeMap::new(), loads: Vec::new(), writes: BTreeSet::new() };
    // What comes round adds phases to the heads of loops, until there are no more.
    loop {
        let before = walk.heads.clone();
        walk.loads.clear();
        walk.region(function.body, Phases::from([None]));
        if walk.heads == before {
            break;
        }
    }
    for (inst, root, phases) in &walk.loads {
        steady[*inst] = !phases.iter().any(|&phase| walk.writes.contains(&(*root, phase)));
    }
    steady
}

struct Walk<'f> {
    function: &'f Function,
    /// The phases that a `continue` brings to a loop, and a `break` out of it.
    heads: BTreeMap<Inst, Phases>,
    ends: BTreeMap<Inst, Phases>,
    loads: Vec<(Inst, Root, Phases)>,
    writes: BTreeSet<(Root, Option<Inst>)>,
}

impl Walk<'_> {
    /// The phases at the end of a region that is entered in these; none if nothing comes there.
    fn region(&mut self, region: Region, mut now: Phases) -> Phases {
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Barrier if !now.is_empty() => now = Phases::from([Some(inst)]),
                InstKind::Load(place) | InstKind::Atomic(AtomicOp::Load, place, ..) => {
                    if let Root::Shared(_) = place.root {
                        self.loads.push((inst, place.root, now.clone()));
                    }
                }
                InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) => {
                    if let Root::Shared(_) = place.root {
                        self.writes.extend(now.iter().map(|&phase| (place.root, phase)));
                    }
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    let before = std::mem::take(&mut now);
                    for inner in kind.regions() {
                        now.extend(self.region(inner, before.clone()));
                    }
                }
                InstKind::Loop { body, .. } => {
                    let around = self.heads.entry(inst).or_default().iter().copied();
                    let entered = now.iter().copied().chain(around).collect();
                    self.region(*body, entered);
                    now = self.ends.get(&inst).cloned().unwrap_or_default();
                }
                InstKind::Break(target, _) => {
                    self.ends.entry(*target).or_default().append(&mut now);
                }
                InstKind::Continue(target, _) => {
                    self.heads.entry(*target).or_default().append(&mut now);
                }
                InstKind::Return(_) | InstKind::Unreachable => now.clear(),
                InstKind::Barrier | InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                InstKind::Fence(..)
                | InstKind::Subgroup(..)
                | InstKind::Get(_)
                | InstKind::Set(..)
                | InstKind::Yield(_) => {}
                // What is judged has none.
                InstKind::Call { .. } => {}
            }
        }
        now
    }
}
