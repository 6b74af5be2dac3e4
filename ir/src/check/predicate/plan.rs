//! What predication has to take apart.
//!
//! A branch whose condition differs in the workgroup is *masked* if it holds an operation that
//! not all invocations reach, and so is a loop that not all go through alike. What is jumped out
//! of from within something masked is masked as well, since the jump becomes a mask.

use super::super::uniform::Parted;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, ValueDef};

/// What is masked, and where the operations are.
pub(super) struct Plan {
    /// What is a subgroup operation or has one inside.
    pub(super) operates: Side<InstDef, bool>,
    /// What has one inside that not all invocations reach.
    pub(super) parts: Side<InstDef, bool>,
    pub(super) masked: Side<InstDef, bool>,
    /// Whether all that follows a `return` is.
    pub(super) whole: bool,
    /// What has a jump inside that leads out of it.
    pub(super) is_left: Side<InstDef, bool>,
}

/// A jump: what it leads out of (`None` is the function), and what is around it, outermost first.
struct Jump {
    target: Option<Inst>,
    around: Vec<Inst>,
}

struct Search<'a> {
    function: &'a Function,
    parted: &'a Parted,
    uniform: &'a Side<ValueDef, bool>,
    plan: Plan,
    jumps: Vec<Jump>,
    /// Whether a `return` that only some take came before.
    some_returned: bool,
    around: Vec<Inst>,
}

impl Plan {
    pub(super) fn of(function: &Function, parted: &Parted, uniform: &Side<ValueDef, bool>) -> Self {
        let plan = Self {
            operates: Side::new(false),
            parts: Side::new(false),
            masked: Side::new(false),
            whole: false,
            is_left: Side::new(false),
        };
        let mut search =
            Search { function, parted, uniform, plan, jumps: Vec::new(), some_returned: false, around: Vec::new() };
        search.region(function.body);
        let Search { mut plan, jumps, .. } = search;
        for jump in &jumps {
            for &left in jump.left() {
                plan.is_left[left] = true;
            }
        }
        // Each round masks something, and what there is is finite.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for jump in &jumps {
                if !jump.left().iter().any(|&left| plan.masked[left]) {
                    continue;
                }
                let masked = match jump.target {
                    Some(target) => &mut plan.masked[target],
                    None => &mut plan.whole,
                };
                changed |= !std::mem::replace(masked, true);
            }
        }
        plan
    }
}

impl Jump {
    /// What the jump leads out of, but for its target.
    fn left(&self) -> &[Inst] {
        let target = self.target.and_then(|target| self.around.iter().position(|&around| around == target));
        &self.around[target.map_or(0, |target| target + 1)..]
    }
}

impl Search<'_> {
    fn region(&mut self, region: Region) {
        for &inst in &self.function.regions[region].insts {
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Subgroup(..) => self.operation(inst),
                InstKind::Break(target, _) | InstKind::Continue(target, _) => self.jump(Some(*target)),
                InstKind::Return(_) => {
                    self.some_returned |= self.parted.jumps[inst];
                    self.jump(None);
                }
                _ => {}
            }
            self.around.push(inst);
            for inner in kind.regions() {
                self.region(inner);
            }
            self.around.pop();
        }
    }

    fn jump(&mut self, target: Option<Inst>) {
        self.jumps.push(Jump { target, around: self.around.clone() });
    }

    fn operation(&mut self, inst: Inst) {
        self.plan.operates[inst] = true;
        for &around in &self.around {
            self.plan.operates[around] = true;
        }
        if !self.parted.operations.contains(&inst) {
            return;
        }
        self.plan.whole |= self.some_returned;
        for &around in &self.around {
            self.plan.parts[around] = true;
            self.plan.masked[around] |= match self.function.insts[around].kind {
                InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                    !self.uniform[value]
                }
                InstKind::Loop { .. } => self.parted.loops[around],
                _ => false,
            };
        }
    }
}
