//! The loads of workgroup memory during which nobody writes there.
//!
//! A phase is what runs from one barrier to the next, or from the kernel's start or to its
//! end. Where all barriers are uniform, all invocations are in one phase at a time. So a
//! load at a place that is the same for all gives all the same if no invocation can, in the
//! phase that it is in, write to that memory.
//!
//! A phase has segments: a decision, a branch to which all invocations come and where all go
//! the same way, ends one and begins another in each arm. All invocations go through the same
//! segments in the same order, though not at the same time. So a load and a write are in one
//! phase only if the segment of one leads to that of the other without a barrier. The last
//! phase of a loop that ends with a barrier is thus not shared by its next round and by what
//! comes after it, since the head of the loop decides between them. Only branches count that
//! have to do with barriers: those with one inside, and those that leave or continue a loop
//! with one inside.
//!
//! Why that holds though loads decide: let a load be the first that gives an invocation
//! something else than another one. All decisions before it were the same for all, so that
//! the write that it saw is in a segment before or after its own, in the same phase.

use super::Mistake;
use crate::analysis::barriers::waits;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Root};
use crate::ops::AtomicOp;
use std::collections::{BTreeMap, BTreeSet};

/// What begins a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    /// The kernel's start.
    Start,
    /// A barrier.
    After(Inst),
    /// An arm of a branch.
    Arm(Inst, usize),
}

/// The segments that a point may be in.
type Segments = BTreeSet<Segment>;

/// The loads and atomic loads of workgroup memory that is not written meanwhile, if not all go
/// the same way at those branches that `parts` says.
pub(super) fn steady(
    function: &Function,
    parts: &Side<InstDef, bool>,
    mistake: Option<Mistake>,
) -> Side<InstDef, bool> {
    let mut steady = Side::new(false);
    if function.shared.is_empty() {
        return steady;
    }
    let mut decisions = Decisions { function, waits: waits(function), branches: Side::new(false), parts };
    decisions.jumps(function.body);
    let mut walk = Walk {
        function,
        decides: decisions.branches,
        mistake,
        heads: BTreeMap::new(),
        ends: BTreeMap::new(),
        next: BTreeMap::new(),
        loads: Vec::new(),
        writes: BTreeSet::new(),
    };
    // What comes round adds segments to the heads of loops, until there are no more.
    loop {
        let before = walk.heads.clone();
        walk.loads.clear();
        walk.region(function.body, only(Segment::Start));
        if walk.heads == before {
            break;
        }
    }
    // Where an invocation may be that has written, or will write, in this phase.
    let mut around: BTreeSet<(Root, Segment)> = BTreeSet::new();
    for &(root, segment) in &walk.writes {
        around.extend(walk.reach(segment).into_iter().map(|segment| (root, segment)));
    }
    let mut loaded = Segments::new();
    for (.., segments) in &walk.loads {
        loaded.extend(segments);
    }
    for segment in loaded {
        let ahead = walk.reach(segment);
        let roots = walk.writes.iter().filter(|(_, written)| ahead.contains(written));
        around.extend(roots.map(|&(root, _)| (root, segment)));
    }
    for (inst, root, segments) in walk.loads {
        steady[inst] = !segments.iter().any(|&segment| around.contains(&(root, segment)));
    }
    steady
}

/// Finds the branches that end segments.
struct Decisions<'f> {
    function: &'f Function,
    /// What has a barrier inside.
    waits: Side<InstDef, bool>,
    branches: Side<InstDef, bool>,
    parts: &'f Side<InstDef, bool>,
}

impl Decisions<'_> {
    /// Whether a region jumps to a loop with a barrier inside. The loop may be within the
    /// region, which then decides more than it must.
    fn jumps(&mut self, region: Region) -> bool {
        let mut jumps = false;
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            let mut inside = match kind {
                InstKind::Break(target, _) | InstKind::Continue(target, _) => self.waits[*target],
                _ => false,
            };
            for inner in kind.regions() {
                inside |= self.jumps(inner);
            }
            let is_branch = matches!(kind, InstKind::If { .. } | InstKind::Switch { .. });
            self.branches[inst] = is_branch && !self.parts[inst] && (inside || self.waits[inst]);
            jumps |= inside;
        }
        jumps
    }
}

struct Walk<'f> {
    function: &'f Function,
    /// The branches that end segments.
    decides: Side<InstDef, bool>,
    mistake: Option<Mistake>,
    /// The segments that a `continue` brings to a loop, and a `break` out of it.
    heads: BTreeMap<Inst, Segments>,
    ends: BTreeMap<Inst, Segments>,
    /// The segments that follow one without a barrier between.
    next: BTreeMap<Segment, Segments>,
    loads: Vec<(Inst, Root, Segments)>,
    writes: BTreeSet<(Root, Segment)>,
}

/// The set of one segment. `from` would compile a sort into every user's build.
fn only(segment: Segment) -> Segments {
    let mut segments = Segments::new();
    segments.insert(segment);
    segments
}

impl Walk<'_> {
    /// The segments at the end of a region that is entered in these; none if nothing comes there.
    fn region(&mut self, region: Region, mut now: Segments) -> Segments {
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Barrier if !now.is_empty() => now = only(Segment::After(inst)),
                InstKind::Load(place) | InstKind::Atomic(AtomicOp::Load, place, ..) => {
                    if let Root::Shared(_) = place.root {
                        self.loads.push((inst, place.root, now.clone()));
                    }
                }
                InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) => {
                    if let Root::Shared(_) = place.root {
                        self.writes.extend(now.iter().map(|&segment| (place.root, segment)));
                    }
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    let before = std::mem::take(&mut now);
                    for (arm, inner) in kind.regions().enumerate() {
                        let entered = self.enter(inst, arm, &before);
                        now.extend(self.region(inner, entered));
                    }
                }
                InstKind::Loop { body, .. } => {
                    now.extend(self.heads.entry(inst).or_default().iter().copied());
                    self.region(*body, now);
                    now = self.ends.get(&inst).cloned().unwrap_or_default();
                }
                InstKind::Break(target, _) => {
                    self.ends.entry(*target).or_default().extend(std::mem::take(&mut now));
                }
                InstKind::Continue(target, _) => {
                    if self.mistake == Some(Mistake::PhasesOfRoundsForgotten) {
                        now.clear();
                    }
                    self.heads.entry(*target).or_default().extend(std::mem::take(&mut now));
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

    /// The segments at the start of an arm of a branch that is come to in these.
    fn enter(&mut self, branch: Inst, arm: usize, before: &Segments) -> Segments {
        if !self.decides[branch] || before.is_empty() {
            return before.clone();
        }
        let arm = Segment::Arm(branch, arm);
        for &segment in before {
            self.next.entry(segment).or_default().insert(arm);
        }
        only(arm)
    }

    /// A segment and all that it leads to without a barrier.
    fn reach(&self, from: Segment) -> Segments {
        let mut reached = only(from);
        let mut todo = vec![from];
        while let Some(segment) = todo.pop() {
            let next = self.next.get(&segment).into_iter().flatten();
            todo.extend(next.filter(|&&next| reached.insert(next)));
        }
        reached
    }
}
