//! Tables made of private memory that only ever holds constants.
//!
//! An array that is [set in one place](crate::analysis::settled) to constants and then only
//! read becomes a table, which nobody has to set again. Very small arrays are left to
//! [`sroa`](super::sroa), which picks from values.

use crate::analysis::settled::{Settled, settled};
use crate::analysis::tree::Tree;
use crate::check;
use crate::ir::{Function, InstKind, Place, Root, Table, Value};
use crate::limits::MAX_TABLE_BYTES;
use crate::ops::Op;
use crate::types::{Type, Types};

/// Arrays of at most this many scalars are left as they are.
const SMALL: usize = 4;

/// Makes tables of private memory; says whether there was any.
pub fn tables(function: &mut Function, types: &Types) -> bool {
    if function.private.is_empty() || !function.vars.is_empty() {
        return false;
    }
    let tree = Tree::of(function);
    let mut made = Vec::new();
    for (i, memory) in settled(function, &tree).iter().enumerate() {
        let table = memory.region().and_then(|_| table(function, types, &tree, i, memory));
        made.push(table);
    }
    if made.iter().all(Option::is_none) {
        return false;
    }
    // The stores have nobody left who looks, so that they and the memory go in `sroa`.
    for &inst in tree.insts() {
        if let InstKind::Load(Place { root, .. }) | InstKind::Len(root) = &mut function.insts[inst].kind
            && let Root::Private(i) = *root
            && let Some(Some(table)) = made.get(i as usize)
        {
            *root = *table;
        }
    }
    true
}

/// The lanes of a value that is constant.
fn constants(function: &Function, tree: &Tree, value: Value) -> Option<Vec<u64>> {
    if let Some(bits) = function.constant_bits(value) {
        return Some(vec![bits]);
    }
    match &function.insts[tree.inst_of(value)?].kind {
        InstKind::Op(Op::Construct, lanes) => lanes.iter().map(|&lane| function.constant_bits(lane)).collect(),
        _ => None,
    }
}

/// The table that private memory is, if it is one.
fn table(function: &mut Function, types: &Types, tree: &Tree, private: usize, memory: &Settled) -> Option<Root> {
    let declared = &function.private[private];
    let (name, ty, loc) = (declared.name.clone(), declared.ty, declared.loc);
    let size = types.layout(ty).filter(|layout| layout.size <= MAX_TABLE_BYTES)?.size;
    let mut bytes = vec![0; size as usize];
    for &(store, start) in &memory.stores {
        let InstKind::Store(_, value) = &function.insts[store].kind else { return None };
        let each = function.ty(*value).lane()?.size() as usize;
        let lanes = constants(function, tree, *value)?;
        let start = usize::try_from(start).ok()?;
        // Out of bounds a store does nothing.
        let Some(to) = bytes.get_mut(start..).and_then(|bytes| bytes.get_mut(..each * lanes.len())) else { continue };
        for (to, bits) in to.chunks_exact_mut(each).zip(lanes) {
            to.copy_from_slice(&bits.to_le_bytes()[..each]);
        }
    }
    let table = Table { name, ty, bytes: bytes.into(), loc };
    let scalars = table.scalars(types);
    let bits: Vec<u64> = scalars.iter().map(|&(at, ty)| table.value(Type::Scalar(ty), at.into())[0]).collect();
    // What is in padding, or no `bool` where one is, no table holds.
    let sound = Table::bytes_of(types, ty, &bits).is_some_and(|sound| sound == table.bytes);
    if scalars.len() <= SMALL || !sound {
        return None;
    }
    let before = function.tables.len();
    let root = function.table(table);
    if check::fits_tables(types, function) {
        return Some(root);
    }
    function.tables.truncate(before);
    None
}

#[cfg(test)]
mod tests;
