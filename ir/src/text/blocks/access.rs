//! What functions do with memory: what they read, write and change atomically, and which
//! globals they need.
//!
//! A caller also does what its callees do. Memory that anything accesses atomically is atomic,
//! for callers and callees alike. Plain accesses to it become relaxed atomic ones.

use super::Globals;
use super::ast::{Arg, Func, Inst, Kind, Space, Ty};
use super::flow::Flow;
use super::pointer::{Address, Base, Pointers};
use crate::ir::Access;
use crate::ops::AtomicOp;
use std::collections::{BTreeMap, BTreeSet};

/// What one function does with memory, by itself and through calls.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) modes: BTreeMap<Base, Access>,
    /// The globals that are parameters or memory of the function.
    pub(super) globals: BTreeSet<usize>,
    /// The places that calls pass: the callee's name, the argument, and the memory that it is in.
    passed: Vec<(String, usize, Base)>,
    calls: Vec<String>,
}

/// The address space of a root.
pub(super) fn space(func: &Func, globals: &Globals, base: Base) -> Space {
    match base {
        Base::Param(i) => match func.params.get(i) {
            Some((_, Ty::Pointer(space, _), _)) => *space,
            Some((_, Ty::Value(_), _)) | None => Space::Generic,
        },
        Base::Global(slot) => globals.get(slot).map_or(Space::Generic, |global| global.space),
    }
}

fn at_least(modes: &mut BTreeMap<Base, Access>, base: Base, access: Access) -> bool {
    let known = modes.entry(base).or_insert(Access::Read);
    let raised = access > *known;
    *known = access.max(*known);
    raised
}

/// What a function does by itself.
pub(super) fn own(func: &Func, flow: &Flow, pointers: &Pointers, globals: &Globals) -> Uses {
    let mut uses = Uses::default();
    for &block in &flow.order {
        for inst in &func.blocks[block].insts {
            for arg in &inst.args {
                if let Some(address) = pointers.address(*arg) {
                    uses.note(address.base);
                }
            }
            if let Kind::Call(callee) = &inst.kind {
                uses.call(callee, inst, pointers);
            }
            let address = inst.args.first().and_then(|&arg| pointers.address(arg));
            let Some(Address { base, .. }) = address else { continue };
            let access = match &inst.kind {
                Kind::Store => Access::ReadWrite,
                Kind::Atomic(..) if space(func, globals, base) != Space::Local => Access::Atomic,
                Kind::Atomic(rmw, _) if rmw.op != AtomicOp::Load => Access::ReadWrite,
                _ => Access::Read,
            };
            at_least(&mut uses.modes, base, access);
        }
    }
    for param in 0..func.params.len() {
        at_least(&mut uses.modes, Base::Param(param), Access::Read);
    }
    uses
}

impl Uses {
    fn note(&mut self, base: Base) {
        at_least(&mut self.modes, base, Access::Read);
        if let Base::Global(slot) = base {
            self.globals.insert(slot);
        }
    }

    fn call(&mut self, callee: &str, inst: &Inst, pointers: &Pointers) {
        self.calls.push(callee.to_owned());
        for (i, &arg) in inst.args.iter().enumerate() {
            if let (Some(address), Arg::Value(_) | Arg::Global(_)) = (pointers.address(arg), arg.arg) {
                self.passed.push((callee.to_owned(), i, address.base));
            }
        }
    }

    /// What is done with a root.
    pub(super) fn mode(&self, base: Base) -> Access {
        self.modes.get(&base).copied().unwrap_or(Access::Read)
    }
}

/// Lets callers do what their callees do; `outside` knows the functions of the other form.
pub(super) fn close(all: &mut BTreeMap<String, Uses>, outside: &dyn Fn(&str, usize) -> Option<Access>) {
    let names: Vec<String> = all.keys().cloned().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for name in &names {
            let Some(mut uses) = all.remove(name) else { continue };
            for callee in &uses.calls {
                let Some(other) = all.get_mut(callee) else { continue };
                for &slot in &other.globals {
                    changed |= uses.globals.insert(slot);
                    changed |= same_mode(&mut uses.modes, Base::Global(slot), &mut other.modes, Base::Global(slot));
                }
            }
            for (callee, arg, base) in &uses.passed {
                match all.get_mut(callee) {
                    Some(other) => changed |= same_mode(&mut uses.modes, *base, &mut other.modes, Base::Param(*arg)),
                    None => {
                        if let Some(access) = outside(callee, *arg) {
                            changed |= at_least(&mut uses.modes, *base, access);
                        }
                    }
                }
            }
            all.insert(name.clone(), uses);
        }
    }
}

/// The caller does what the callee does, and both are atomic if one is.
fn same_mode(
    caller: &mut BTreeMap<Base, Access>,
    base: Base,
    callee: &mut BTreeMap<Base, Access>,
    param: Base,
) -> bool {
    let of = |modes: &BTreeMap<Base, Access>, base| modes.get(&base).copied().unwrap_or(Access::Read);
    let mut changed = at_least(caller, base, of(callee, param));
    if of(caller, base) == Access::Atomic {
        changed |= at_least(callee, param, Access::Atomic);
    }
    changed
}
