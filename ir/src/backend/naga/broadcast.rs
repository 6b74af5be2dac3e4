//! The loads that WGSL spells `workgroupUniformLoad`.
//!
//! Tint takes a load of workgroup memory for one that differs, except through that function,
//! which has barriers around it. So a load that has them anyway, and on which all
//! invocations agree, is written so.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Place, Root, ValueDef};

/// The loads of workgroup memory on which all invocations agree. One invocation agrees
/// with itself.
pub(super) fn uniform_loads(function: &Function, uniform: &Side<ValueDef, bool>) -> Side<InstDef, bool> {
    if function.workgroup_size() == [1; 3] {
        return Side::new(false);
    }
    let mut loads = broadcasts(function);
    for (inst, def) in function.insts.iter() {
        let shared = matches!(&def.kind, InstKind::Load(Place { root: Root::Shared(_), .. }));
        if loads[inst] && !(shared && def.results.first().is_some_and(|&result| uniform[result])) {
            loads[inst] = false;
        }
    }
    loads
}

/// The loads that stand between two barriers with nothing between that writes to memory.
/// All invocations are between the same two barriers then, so that workgroup memory
/// does not change meanwhile.
fn broadcasts(function: &Function) -> Side<InstDef, bool> {
    let mut found = Side::new(false);
    for (_, region) in function.regions.iter() {
        // The loads since the last barrier; `None` after something else than a pure op.
        let mut loads: Option<Vec<Inst>> = None;
        for &inst in &region.insts {
            match &function.insts[inst].kind {
                InstKind::Barrier => {
                    for load in loads.replace(Vec::new()).unwrap_or_default() {
                        found[load] = true;
                    }
                }
                InstKind::Load(_) => {
                    if let Some(loads) = &mut loads {
                        loads.push(inst);
                    }
                }
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                InstKind::Store(..) | InstKind::Atomic(..) | InstKind::Fence(..) => loads = None,
                InstKind::Get(_) | InstKind::Set(..) => loads = None,
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => loads = None,
                InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => loads = None,
                // It orders no memory, but neither does it write to any.
                InstKind::Subgroup(..) => {}
                InstKind::Return(_) | InstKind::Unreachable | InstKind::Call { .. } => loads = None,
            }
        }
    }
    found
}
