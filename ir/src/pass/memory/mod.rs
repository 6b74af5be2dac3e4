//! Memory: removing loads of known values and stores that nobody sees.
//!
//! [`forward`](mod@forward) walks in order of execution and knows what memory holds. [`dead`]
//! walks against it and knows what will be stored before anybody looks. Both rely on
//! [`effects`](crate::analysis::effects): other invocations look and write at barriers, fences
//! and ordered atomic accesses, and at no other time, since anything else would be a race.
//!
//! Accesses out of bounds are considered throughout: they store nothing and load zero. So a
//! load gives what was stored at its place only if that is in bounds, and a store hides another
//! only if it happens wherever the other does.
//!
//! Accesses of different types at one place are different; values are not reinterpreted.

mod dead;
mod forward;

use crate::analysis::effects::{Bytes, Effects, in_bounds};
use crate::analysis::facts::{Facts, Verdict};
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::ir::{Function, Index, Inst, InstDef, InstKind, Place, Region, Root};
use crate::types::{Type, Types};

/// How many accesses are kept in mind at once. The oldest is forgotten for a new one.
const MAX_KNOWN: usize = 64;

/// Removes needless accesses from a function in SSA form; says whether anything changed.
pub fn memory(function: &mut Function, types: &Types) -> bool {
    let mut tree = Tree::of(function);
    let forwarded = forward::has_work(function, &tree) && forward::forward(function, types, &tree);
    if forwarded {
        tree = Tree::of(function);
    }
    let removed = dead::has_work(function, &tree) && dead::dead(function, types, &tree);
    forwarded || removed
}

/// What is known about accesses, for a function with a load from a buffer after a store to
/// it that may be of the same place: only there does more than [`in_bounds`] sees make a
/// difference.
fn proofs(function: &Function, types: &Types, tree: &Tree) -> Option<Facts> {
    let mut stored: Vec<&Place> = Vec::new();
    let mut met = tree.insts().iter().map(|&inst| &function.insts[inst].kind);
    let comes_back = met.any(|kind| match kind {
        InstKind::Store(place, _) if matches!(place.root, Root::Param(_)) => {
            stored.push(place);
            false
        }
        InstKind::Load(place) => stored.iter().any(|stored| has_form_of(stored, place)),
        _ => false,
    });
    comes_back.then(|| Facts::of(types, function))
}

/// Whether two places differ in nothing but the values of their indices.
fn has_form_of(a: &Place, b: &Place) -> bool {
    let alike = |(a, b): (&Index, &Index)| a.stride == b.stride && a.bound == b.bound;
    a.root == b.root
        && a.offset == b.offset
        && a.indices.len() == b.indices.len()
        && a.indices.iter().zip(&b.indices).all(alike)
}

/// A load or store.
struct Access {
    inst: Inst,
    ty: Type,
    bytes: Bytes,
    in_bounds: bool,
}

impl Access {
    /// What an instruction accesses, if it is a plain load or store.
    fn of(
        function: &Function,
        types: &Types,
        (tree, effects, proofs): (&Tree, &Effects, Option<&Facts>),
        inst: Inst,
    ) -> Option<Self> {
        let def = &function.insts[inst];
        let (place, value) = match &def.kind {
            InstKind::Load(place) => (place, *def.results.first()?),
            InstKind::Store(place, value) => (place, *value),
            _ => return None,
        };
        let ty = function.ty(value);
        let bytes = effects.bytes(function, types, place, ty);
        let proven = proofs.is_some_and(|facts| facts.access(inst) == Verdict::Proven);
        Some(Self { inst, ty, bytes, in_bounds: proven || in_bounds(function, types, tree, inst) })
    }

    /// Whether two accesses are of one type at one place, so that both are in bounds or
    /// neither is.
    fn is_same(&self, other: &Self, function: &Function) -> bool {
        self.bytes.class() == other.bytes.class()
            && self.ty == other.ty
            && function.insts[self.inst].kind.place() == function.insts[other.inst].kind.place()
    }
}

/// Takes instructions out of a region and the ones in it. The checks limit how deep they are
/// nested.
fn remove(function: &mut Function, region: Region, gone: &Side<InstDef, bool>) {
    let mut insts = std::mem::take(&mut function.regions[region].insts);
    insts.retain(|&inst| !gone[inst]);
    for &inst in &insts {
        for inner in function.insts[inst].kind.regions() {
            remove(function, inner, gone);
        }
    }
    function.regions[region].insts = insts;
}

#[cfg(test)]
mod tests;
