//! Tables of private memory that never holds anything but constants.
//!
//! An array that is set to constants and then only read is a table, which nobody has to set
//! again: each of its loads sees what the last run of the stores left, and every run leaves the
//! same. That is certain where all stores stand in one region, at constant places, none within
//! a region of its own, and every load comes after the last of them there, in that region or in
//! one inside of it. What no store sets is zero, as all private memory is when the function
//! begins.
//!
//! Very small arrays are left to [`sroa`](super::sroa), which picks from values.

use crate::analysis::tree::Tree;
use crate::check;
use crate::ir::{CallArg, Function, Inst, InstKind, Memory, Place, Root, Table, Value};
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
    let fits = |memory: &Memory| fits(types, memory.ty);
    let mut found: Vec<Found> =
        function.private.iter().map(|memory| Found { wrong: !fits(memory), ..Found::default() }).collect();
    for &inst in tree.insts() {
        look(function, &tree, inst, &mut found);
    }
    let mut made: Vec<Option<Root>> = vec![None; found.len()];
    for (i, found) in found.iter().enumerate() {
        if !found.wrong && found.loaded && !found.stores.is_empty() {
            made[i] = table(function, types, &tree, i, found);
        }
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

/// What is known of the accesses to one private memory, in program order.
#[derive(Default)]
struct Found {
    stores: Vec<Inst>,
    /// Whether there was a load.
    loaded: bool,
    /// Whether it cannot be a table.
    wrong: bool,
}

fn look(function: &Function, tree: &Tree, inst: Inst, found: &mut [Found]) {
    let private = |place: &Place| match place.root {
        Root::Private(i) => Some(i as usize),
        Root::Param(_) | Root::Shared(_) | Root::Table(_) => None,
    };
    match &function.insts[inst].kind {
        InstKind::Load(place) => {
            let Some(found) = private(place).and_then(|i| found.get_mut(i)) else { return };
            found.loaded = true;
            let region = |inst: Inst| tree.parent(inst);
            let stored = found.stores.first().and_then(|&store| region(store));
            let after = stored.zip(region(inst)).is_some_and(|(stored, here)| tree.is_within(here, stored));
            found.wrong |= !after;
        }
        InstKind::Store(place, value) => {
            let Some(found) = private(place).and_then(|i| found.get_mut(i)) else { return };
            let known = constants(function, tree, *value).is_some() && offset(function, place).is_some();
            let same = found.stores.first().is_none_or(|&first| tree.parent(first) == tree.parent(inst));
            // A load before a store sees what the store changes, or zero the first time.
            found.wrong |= found.loaded || !known || !same;
            found.stores.push(inst);
        }
        InstKind::Atomic(_, place, ..) => {
            if let Some(found) = private(place).and_then(|i| found.get_mut(i)) {
                found.wrong = true;
            }
        }
        InstKind::Call { args, .. } => {
            for arg in args {
                if let CallArg::Place(place) = arg
                    && let Some(found) = private(place).and_then(|i| found.get_mut(i))
                {
                    found.wrong = true;
                }
            }
        }
        _ => {}
    }
}

/// Whether memory of a type may become a table.
fn fits(types: &Types, ty: Type) -> bool {
    types.layout(ty).is_some_and(|layout| layout.size <= MAX_TABLE_BYTES)
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

/// Where a place begins that is constant; `None` too where an index of its own is beyond its
/// bound.
fn offset(function: &Function, place: &Place) -> Option<u64> {
    place.indices.iter().try_fold(u64::from(place.offset), |at, index| {
        let value = function.constant_bits(index.value)?;
        let within = index.bound.is_none_or(|bound| value < bound.into());
        within.then(|| at + value * u64::from(index.stride))
    })
}

/// The table that private memory is, if it is one.
fn table(function: &mut Function, types: &Types, tree: &Tree, private: usize, found: &Found) -> Option<Root> {
    let memory = &function.private[private];
    let (name, ty, loc) = (memory.name.clone(), memory.ty, memory.loc);
    let size = types.layout(ty)?.size as usize;
    let mut bytes = vec![0; size];
    for &store in &found.stores {
        let InstKind::Store(place, value) = &function.insts[store].kind else { return None };
        let scalar = function.ty(*value).lane()?;
        let start = usize::try_from(offset(function, place)?).ok()?;
        let lanes = constants(function, tree, *value)?;
        let each = scalar.size() as usize;
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
