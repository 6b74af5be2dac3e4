//! Pointers become places: which memory they are in, and where.
//!
//! A pointer that is made of `gep`, `mov` and `bitcast` is its root, a constant number of
//! bytes, and indices times strides. A `phi` or `select` of pointers into one root becomes a
//! `u32` that is chosen in the same way: the distance from the root's start in *units*. A unit
//! is the greatest number of bytes that divides all parts of the distance. A distance that does
//! not fit a `u32` becomes the greatest one, which is outside of any memory.

use super::Globals;
use super::ast::{Arg, Conv, Func, Inst, Kind, Operand, Val};
use super::flow::Flow;
use super::infer::{Sort, Typed};
use crate::diag::{Code, Diag, Diags};
use crate::loc::Loc;
use crate::ops::Op;
use std::collections::HashMap;

/// What a pointer is into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Base {
    /// The parameter at this position.
    Param(usize),
    /// The global of this number.
    Global(usize),
}

/// An index of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) index: Operand,
    pub(super) stride: u32,
    pub(super) bound: Option<u32>,
}

/// Where a pointer points.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Address {
    pub(super) base: Base,
    /// The pointer whose distance is chosen at run time, which this one begins at.
    pub(super) chosen: Option<Val>,
    pub(super) offset: u64,
    pub(super) steps: Vec<Step>,
}

/// The most indices of a pointer.
const MAX_STEPS: usize = 64;

/// A unit for pointers that are never moved: what every alignment divides.
const ANY_UNIT: u64 = 16;

/// All pointers of a function.
#[derive(Debug)]
pub(super) struct Pointers {
    addresses: Vec<Option<Address>>,
    /// The bytes of a step of each chosen pointer.
    units: HashMap<Val, u64>,
    params: HashMap<Val, usize>,
}

impl Pointers {
    /// Where an operand points; `None` for what is no pointer or was reported.
    pub(super) fn address(&self, operand: Operand) -> Option<Address> {
        let at = |base| Some(Address { base, chosen: None, offset: 0, steps: Vec::new() });
        match operand.arg {
            Arg::Global(global) => at(Base::Global(global)),
            Arg::Value(val) => match self.params.get(&val) {
                Some(&param) => at(Base::Param(param)),
                None => self.addresses.get(val)?.clone(),
            },
            Arg::Const(..) => None,
        }
    }

    /// The bytes of a step of a chosen pointer, at least 1.
    pub(super) fn unit(&self, val: Val) -> u32 {
        let unit = self.units.get(&val).copied().unwrap_or(0);
        u32::try_from(if unit == 0 { ANY_UNIT } else { unit }).unwrap_or(1)
    }

    fn unit_of(&self, address: &Address) -> u64 {
        let chosen = address.chosen.map_or(0, |val| self.units.get(&val).copied().unwrap_or(0));
        address.steps.iter().fold(gcd(chosen, address.offset), |unit, step| gcd(unit, u64::from(step.stride)))
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A pointer that is chosen from others.
struct Choice {
    val: Val,
    loc: Loc,
    /// The instruction, in messages.
    what: &'static str,
    from: Vec<Operand>,
}

/// Resolves every pointer that a reachable block defines.
pub(super) fn resolve(
    func: &Func,
    flow: &Flow,
    typed: &Typed,
    globals: &Globals,
    diags: &mut Diags,
) -> Option<Pointers> {
    let before = diags.count();
    let params = func.params.iter().enumerate().map(|(i, param)| (param.0, i)).collect();
    let mut pointers = Pointers { addresses: vec![None; func.values.len()], units: HashMap::new(), params };
    let is_pointer = |val: Val| matches!(typed.sorts[val], Sort::Pointer(_));
    let mut choices = Vec::new();
    for &block in &flow.order {
        let block = &func.blocks[block];
        for phi in block.phis.iter().filter(|phi| is_pointer(phi.result)) {
            // One predecessor comes before, and gives the root that the others must have.
            let reached = phi.from.iter().filter(|from| flow.reaches(from.1));
            let from: Vec<Operand> = reached.map(|from| from.0).collect();
            if let Some(Address { base, .. }) = from.iter().find_map(|&from| pointers.address(from)) {
                let chosen = Address { base, chosen: Some(phi.result), offset: 0, steps: Vec::new() };
                pointers.addresses[phi.result] = Some(chosen);
                choices.push(Choice { val: phi.result, loc: phi.loc, what: "phi", from });
            }
        }
        for inst in &block.insts {
            let Some(result) = inst.result.filter(|&val| is_pointer(val)) else { continue };
            let of = |n: usize| inst.args.get(n).and_then(|&arg| pointers.address(arg));
            pointers.addresses[result] = match inst.kind {
                Kind::Mov | Kind::Conv(Conv::Bitcast) => of(0),
                Kind::Gep { stride, bound } => match of(0) {
                    Some(address) => step(address, inst, stride, bound, diags),
                    None => None,
                },
                Kind::Op(Op::Select) => of(1).map(|address| {
                    choices.push(Choice { val: result, loc: inst.loc, what: "select", from: inst.args[1..].to_vec() });
                    Address { base: address.base, chosen: Some(result), offset: 0, steps: Vec::new() }
                }),
                _ => None,
            };
        }
    }
    for Choice { val, loc, what, from } in &choices {
        let Some(base) = pointers.addresses[*val].as_ref().map(|address| address.base) else { continue };
        let other = from.iter().filter_map(|&arg| pointers.address(arg)).find(|a| a.base != base);
        if let Some(other) = other {
            let (a, b) = (name(func, globals, base), name(func, globals, other.base));
            let message = format!("`{what}` of pointers into two memories, `{a}` and `{b}`");
            diags.push(Diag::new(Code::V303, *loc, message).help("load from each, and choose between the values"));
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for Choice { val, from, .. } in &choices {
            let addresses = from.iter().filter_map(|&arg| pointers.address(arg));
            let unit = addresses.fold(0, |unit, address| gcd(unit, pointers.unit_of(&address)));
            changed |= pointers.units.insert(*val, unit).unwrap_or(0) != unit;
        }
    }
    (diags.count() == before).then_some(pointers)
}

fn step(mut address: Address, inst: &Inst, stride: u32, bound: Option<u32>, diags: &mut Diags) -> Option<Address> {
    let index = inst.args[1];
    let end = match index.arg {
        Arg::Const(_, value) if bound.is_none() => {
            u128::from(value).checked_mul(stride.into()).map(|by| by + u128::from(address.offset))
        }
        Arg::Const(..) | Arg::Value(_) | Arg::Global(_) => None,
    };
    match end.and_then(|end| u32::try_from(end).ok()) {
        Some(offset) => address.offset = u64::from(offset),
        // Also for a constant that is farther than memory can be, where there is no memory.
        None => address.steps.push(Step { index, stride, bound }),
    }
    if address.steps.len() > MAX_STEPS {
        let message = format!("a pointer of more than {MAX_STEPS} indices");
        diags.push(Diag::new(Code::V302, inst.loc, message).help("add the indices up first"));
        return None;
    }
    Some(address)
}

/// A root's name in messages.
fn name(func: &Func, globals: &Globals, base: Base) -> String {
    match base {
        Base::Param(i) => func.params.get(i).map_or("?".to_owned(), |p| format!("%{}", func.values[p.0].name)),
        Base::Global(slot) => globals.get(slot).map_or("?".to_owned(), |global| format!("@{}", global.name)),
    }
}
