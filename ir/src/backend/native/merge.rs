//! Arrays that two values have together: what a loop of a workgroup carries for each lane, and what a round gives it.
//!
//! A sum that lives across barriers is in the array of the loop's parameter. What the round has added up would be in an
//! array of its own, and be copied at the round's end. It goes into the parameter's array at once, if nobody looks at
//! what was there any more: all that use the parameter come before, in the order of the text, and no other loop repeats
//! any of it meanwhile.

use super::plan::Kept;
use super::writer::Writer;
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Value};
use std::collections::BTreeMap;

/// The parameters into whose arrays values go, by value.
pub(super) fn merged(writer: &Writer<'_>) -> BTreeMap<Value, Value> {
    let (function, tree) = (writer.function, writer.tree);
    let level = writer.level();
    // The last place where a value is used, and where instructions are.
    let (mut places, mut last_use) = (BTreeMap::new(), BTreeMap::new());
    for (place, &inst) in tree.insts().iter().enumerate() {
        places.insert(inst, place);
        function.insts[inst].kind.for_each_operand(|value| {
            last_use.insert(value, place);
        });
    }
    let innermost = |inst: Inst| tree.loops_around(function, inst).next();
    let mut merged = BTreeMap::new();
    for &around in tree.insts() {
        let InstKind::Loop { body, .. } = &function.insts[around].kind else { continue };
        let plan = &level.plan;
        // Lanes that leave it or go on by themselves would find what others have.
        if !plan.collective[around] || plan.masked[around] || writer.left_by_lanes.contains(&around) {
            continue;
        }
        let &[next] = tree.continues(around) else { continue };
        if innermost(next) != Some(around) {
            continue;
        }
        let passed = function.insts[next].kind.passed();
        for (&param, &value) in function.regions[*body].params.iter().zip(passed) {
            let Def::Result(inst, _) = tree.def(value) else { continue };
            let is_kept = plan.kept[value] == Kept::Lanes && !writer.uniform[param] && !writer.observed[param];
            let is_once = passed.iter().filter(|&&other| other == value).count() == 1;
            let is_before = last_use.get(&param).is_none_or(|last| places.get(&inst).is_some_and(|at| last <= at));
            if is_kept && is_once && is_before && innermost(inst) == Some(around) && !merged.contains_key(&value) {
                merged.insert(value, param);
            }
        }
    }
    merged
}
