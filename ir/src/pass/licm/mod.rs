//! Loop-invariant code motion: what every round of a loop would compute alike is computed
//! before the loop.
//!
//! One walk in order of execution finds, for each op, load, builtin and length, the innermost
//! loop that it depends on: one that contains the definition of an operand, or that may write
//! what a load reads, also by letting other invocations run. If that is not the innermost loop
//! around it, it moves before the outermost loop that it does not depend on, after what it
//! needs. So nothing moves across a barrier that could make a difference.
//!
//! Nothing that moves can trap, and an unneeded value only costs time. An instruction that a
//! round may skip is worth less than one that every round executes. So from such a place
//! nothing moves that costs more than a few instructions, loads included, and of the rest at
//! most [`MAX_RARE`] values per loop, since each takes a register for as long as the loop runs.
//! A loop that never comes round again counts as skipping everything. What is beside a way out
//! of the loop is not skipped: every round that comes round again executed it.
//!
//! Constants are not instructions and stay where they are used.

use crate::analysis::effects::{Effects, RootSet};
use crate::analysis::tree::Tree;
use crate::arena::{Side, Sparse};
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, ValueDef};
use crate::types::Scalar;

/// How many values that not every round needs may move before a loop.
const MAX_RARE: usize = 16;

/// Moves what loops compute alike in every round before them, in a function in SSA form;
/// says whether anything moved.
pub fn licm(function: &mut Function) -> bool {
    let (tree, effects) = (Tree::of(function), Effects::of(function));
    let mut pass = Licm {
        loops: Vec::new(),
        homes: Side::new(0),
        before: Sparse::new(Vec::new()),
        changed: false,
        tree,
        effects,
        function,
    };
    let body = pass.function.body;
    pass.region(body);
    pass.changed
}

/// A loop around what is looked at.
struct Around {
    inst: Inst,
    /// The memory that its rounds may change.
    writes: RootSet,
    /// How many regions around, inside the loop, are ones that a round may skip.
    branches: usize,
    /// Whether a round may have started again before it came here.
    skipped: bool,
    /// How many values moved here that not every round needs.
    rare: usize,
}

struct Licm<'a> {
    function: &'a mut Function,
    tree: Tree,
    effects: Effects,
    /// The loops around, outermost first.
    loops: Vec<Around>,
    /// How many of the loops around its definition a value depends on, outermost first.
    homes: Side<ValueDef, usize>,
    /// What moves before a loop, in order.
    before: Sparse<InstDef, Vec<Inst>>,
    changed: bool,
}

impl Licm<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let mut kept = Vec::new();
        for inst in self.function.region_insts(region) {
            let depth = self.loops.len();
            let home = self.home(inst);
            for i in 0..self.function.insts[inst].results.len() {
                let result = self.function.insts[inst].results[i];
                self.homes[result] = home;
            }
            if let Some(out_of) = self.loops.get(home) {
                self.before[out_of.inst].push(inst);
                self.changed = true;
                continue;
            }
            let kind = self.function.insts[inst].kind.clone();
            match &kind {
                InstKind::Loop { body, .. } => {
                    for i in 0..self.function.regions[*body].params.len() {
                        let param = self.function.regions[*body].params[i];
                        self.homes[param] = depth + 1;
                    }
                    self.loops.push(Around {
                        inst,
                        writes: self.effects.region(*body).writes,
                        branches: 0,
                        skipped: self.tree.continues(inst).is_empty(),
                        rare: 0,
                    });
                    self.region(*body);
                    self.loops.pop();
                    kept.append(&mut self.before[inst]);
                }
                InstKind::If { .. } | InstKind::Switch { .. } => self.branches(&kind.regions().collect::<Vec<_>>()),
                InstKind::Continue(target, _) => {
                    if let Some(around) = self.loops.iter_mut().find(|around| around.inst == *target) {
                        around.skipped = true;
                    }
                }
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {}
                InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) => {}
                InstKind::Subgroup(..) | InstKind::Call { .. } | InstKind::Get(_) | InstKind::Set(..) => {}
                InstKind::Yield(_) | InstKind::Break(..) | InstKind::Return(_) | InstKind::Unreachable => {}
            }
            kept.push(inst);
        }
        self.function.regions[region].insts = kept;
    }

    /// Goes through the regions of an `if` or `switch`. A round may skip one of them if it
    /// can go through another.
    fn branches(&mut self, regions: &[Region]) {
        let goes_on = |&&region: &&Region| {
            let leaves =
                |kind: &InstKind| matches!(kind, InstKind::Break(..) | InstKind::Return(_) | InstKind::Unreachable);
            self.function.terminator(region).is_some_and(|last| !leaves(last))
        };
        let going: Vec<Region> = regions.iter().filter(goes_on).copied().collect();
        for &region in regions {
            let is_skipped = going.iter().any(|&other| other != region);
            let loop_around = self.loops.len().checked_sub(1);
            let innermost = loop_around.filter(|_| is_skipped);
            if let Some(around) = innermost.and_then(|i| self.loops.get_mut(i)) {
                around.branches += 1;
            }
            self.region(region);
            if let Some(around) = innermost.and_then(|i| self.loops.get_mut(i)) {
                around.branches -= 1;
            }
        }
    }

    /// How many of the loops around, outermost first, an instruction stays in.
    fn home(&mut self, inst: Inst) -> usize {
        let depth = self.loops.len();
        let def = &self.function.insts[inst];
        let mut home = 0;
        let costly = match &def.kind {
            InstKind::Op(op, args) => {
                let lane = args.first().and_then(|&arg| self.function.ty(arg).lane());
                op.is_costly() || matches!(lane, Some(Scalar::F16 | Scalar::F64))
            }
            InstKind::Load(_) if self.function.flags[inst].has(Flags::RACY) => return depth,
            InstKind::Load(place) => {
                let class = self.effects.class(place.root);
                let writer = self.loops.iter().rposition(|around| around.writes.has(class));
                home = writer.map_or(0, |i| i + 1);
                true
            }
            InstKind::Len(_) | InstKind::Builtin(_) => false,
            _ => return depth,
        };
        def.kind.for_each_operand(|operand| home = home.max(self.homes[operand]));
        // The innermost loop that a move should not leave.
        let left = self.loops.get_mut(home..).unwrap_or_default();
        let stays = |around: &Around| around.skips() && (costly || around.rare >= MAX_RARE);
        let stays = left.iter().rposition(stays).map_or(0, |i| i + 1);
        for around in &mut left[stays..] {
            around.rare += usize::from(around.skips());
        }
        home += stays;
        home
    }
}

impl Around {
    /// Whether a round may come round again without having been here.
    fn skips(&self) -> bool {
        self.skipped || self.branches > 0
    }
}

#[cfg(test)]
mod tests;
