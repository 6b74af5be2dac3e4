//! Whether the results of a kernel without races depend on the order of its atomics.
//!
//! Two atomics of different invocations may be exchanged if neither gives a result that is used
//! and both are of one kind whose order does not matter, such as sums of integers. Any other two
//! on one place, of which one writes, make the order matter, unless a proof as for races shows
//! that they never meet.

use super::access::{Access, Effect};
use super::prove::{Prover, each_pair};
use crate::analysis::tree::Tree;
use crate::ir::{Function, Inst, Root};
use crate::ops::AtomicOp;
use std::collections::BTreeSet;

/// Ops of one number may be exchanged with each other.
fn kind(op: AtomicOp) -> Option<u8> {
    match op {
        AtomicOp::Add | AtomicOp::Sub => Some(0),
        AtomicOp::Min => Some(1),
        AtomicOp::Max => Some(2),
        AtomicOp::And => Some(3),
        AtomicOp::Or => Some(4),
        AtomicOp::Xor => Some(5),
        AtomicOp::Load => Some(6),
        _ => None,
    }
}

/// The atomics whose order matters, in program order.
pub(super) fn ordered(
    prover: &mut Prover<'_, '_>,
    function: &Function,
    tree: &Tree,
    accesses: &[Access<'_>],
) -> Vec<Inst> {
    let is_integer = |inst: Inst| function.accessed(inst).and_then(|ty| ty.lane()).is_some_and(|lane| lane.is_int());
    let is_used = |inst: Inst| function.insts[inst].results.iter().any(|&result| tree.uses(result) > 0);
    let mut found = BTreeSet::new();
    let rest = each_pair(accesses, |first, second| {
        let (Effect::Atomic { op, .. }, Effect::Atomic { op: other, .. }) = (first.effect, second.effect) else {
            return true;
        };
        let free = |inst: Inst, op: AtomicOp| {
            let exchanges = is_integer(inst) || matches!(op, AtomicOp::Load | AtomicOp::Min | AtomicOp::Max);
            (kind(op).filter(|_| exchanges), op != AtomicOp::Load && is_used(inst))
        };
        let ((one, used), (two, looks)) = (free(first.inst, op), free(second.inst, other));
        let writes = first.effect.writes() || second.effect.writes();
        if !writes || one.is_some() && one == two && !used && !looks {
            return true;
        }
        let in_grid = matches!(first.place.root, Root::Param(_));
        if !prover.keeps_apart(first, second, in_grid) {
            found.extend([first.inst, second.inst]);
        }
        prover.may_go_on()
    });
    // What was not looked at may matter.
    if rest.is_some() {
        let atomics = accesses.iter().filter(|access| matches!(access.effect, Effect::Atomic { .. }));
        found.extend(atomics.map(|access| access.inst));
    }
    tree.insts().iter().copied().filter(|inst| found.contains(inst)).collect()
}
