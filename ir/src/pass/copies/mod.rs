//! Copies of memory: what is only read is read from the original.
//!
//! Private memory that is [set in one place](crate::analysis::settled) to what was loaded from
//! one other memory, with every byte at the same distance from its start, is a copy. Its loads
//! may read the original instead, if nothing can change there meanwhile. Then the copy is not
//! made. This helps if an element of a buffer is large and only a part of it is used.
//!
//! A load of the copy is moved only if a value of its type was stored wherever it may begin.
//! Then it is in bounds in the original exactly if the load that made the copy was. Its indices
//! are bounded by the size of the copy.

use crate::analysis::effects::{Effects, RootSet};
use crate::analysis::settled::{Settled, settled};
use crate::analysis::tree::Tree;
use crate::flags::Flags;
use crate::ir::{Function, Index, Inst, InstKind, Place, Region, Root};
use crate::types::{Type, Types};
use std::collections::BTreeMap;

/// The most places where a load may begin for which it is moved.
const MOST_PLACES: u64 = 1024;

/// Moves loads of copies to what was copied; says whether there was any.
pub fn copies(function: &mut Function, types: &Types) -> bool {
    if function.private.is_empty() || !function.vars.is_empty() {
        return false;
    }
    let tree = Tree::of(function);
    let effects = Effects::of(function);
    let mut moved = Vec::new();
    for (i, memory) in settled(function, &tree).iter().enumerate() {
        let Some(region) = memory.region().filter(|_| !memory.measured) else { continue };
        let source = Source::of(function, types, &tree, i, memory);
        let Some(source) = source.filter(|source| source.stays(function, (&tree, &effects), region, memory)) else {
            continue;
        };
        let places: Option<Vec<Place>> = memory.loads.iter().map(|&load| source.place(function, types, load)).collect();
        moved.extend(memory.loads.iter().copied().zip(places.unwrap_or_default()));
    }
    for (load, place) in &moved {
        function.insts[*load].kind = InstKind::Load(place.clone());
    }
    !moved.is_empty()
}

/// What a private memory is a copy of.
struct Source {
    /// Where the copy's first byte comes from; the offset may be negative.
    root: Root,
    indices: Vec<Index>,
    offset: i64,
    /// The copy's size.
    size: u64,
    /// The types of what was copied, by where it is in the copy.
    parts: BTreeMap<u64, Type>,
    /// The loads that it was copied by.
    loads: Vec<Inst>,
}

impl Source {
    fn of(function: &Function, types: &Types, tree: &Tree, private: usize, memory: &Settled) -> Option<Self> {
        let size = types.layout(function.private[private].ty)?.size.into();
        let mut found: Option<Self> = None;
        for &(store, at) in &memory.stores {
            let InstKind::Store(_, value) = function.insts[store].kind else { return None };
            let load = tree.inst_of(value)?;
            let InstKind::Load(place) = &function.insts[load].kind else { return None };
            let flags = function.flags[load];
            if flags.has(Flags::NONUNIFORM) || flags.has(Flags::RACY) || place.root == Root::Private(private as u32) {
                return None;
            }
            let (indices, offset) = spelled(function, place)?;
            let offset = offset.checked_sub_unsigned(at)?;
            let source = found.get_or_insert_with(|| Self {
                root: place.root,
                indices: indices.clone(),
                offset,
                size,
                parts: BTreeMap::new(),
                loads: Vec::new(),
            });
            let ty = function.ty(value);
            let fits = at + u64::from(types.layout(ty)?.size) <= size;
            let same = source.root == place.root && source.indices == indices && source.offset == offset;
            if !same || !fits || source.parts.insert(at, ty).is_some() {
                return None;
            }
            source.loads.push(load);
        }
        // Parts that overlap would have to be taken in the order of the stores.
        let found = found?;
        let mut end = 0;
        for (&at, &ty) in &found.parts {
            if at < end {
                return None;
            }
            end = at + u64::from(types.layout(ty)?.size);
        }
        Some(found)
    }

    /// Whether nothing can change what was copied, from the first load that copied to the last
    /// load of the copy.
    fn stays(&self, function: &Function, (tree, effects): (&Tree, &Effects), region: Region, memory: &Settled) -> bool {
        let written = RootSet::NONE.with(effects.class(self.root));
        if effects.region(function.body).writes.common(written) == RootSet::NONE {
            return true;
        }
        let insts = &function.regions[region].insts;
        // The instruction of the region that is one or has it inside.
        let holder = |mut inst: Inst| {
            while let Some(parent) = tree.parent(inst).filter(|&parent| parent != region) {
                inst = tree.owner(parent)?;
            }
            insts.iter().position(|&other| other == inst)
        };
        let first = self.loads.iter().map(|&load| insts.iter().position(|&inst| inst == load)).min().flatten();
        let last = memory.loads.iter().map(|&load| holder(load)).max().flatten();
        let direct = self.loads.iter().all(|&load| tree.parent(load) == Some(region));
        let (Some(first), Some(last), true) = (first, last, direct) else { return false };
        insts[first..=last].iter().all(|&inst| effects.inst(function, inst).writes.common(written) == RootSet::NONE)
    }

    /// Where a load of the copy finds the same in what was copied.
    fn place(&self, function: &Function, types: &Types, load: Inst) -> Option<Place> {
        let def = &function.insts[load];
        let (InstKind::Load(place), &[result]) = (&def.kind, def.results.as_slice()) else { return None };
        if function.flags[load].has(Flags::NONUNIFORM) {
            return None;
        }
        let ty = function.ty(result);
        let (mut inner, offset) = spelled(function, place)?;
        let end = u64::try_from(offset).ok()? + u64::from(types.layout(ty)?.size);
        let room = self.size.checked_sub(end)?;
        // One index may be bounded by the size of the copy; the others have bounds.
        let reach = |index: &Index| u64::from(index.bound.unwrap_or(1).saturating_sub(1)) * u64::from(index.stride);
        let others: u64 = inner.iter().map(reach).sum();
        let mut open = inner.iter_mut().filter(|index| index.bound.is_none());
        if let Some(index) = open.next() {
            let stride = u64::from(index.stride);
            let bound = room.checked_sub(others)? / stride + 1;
            // Beyond it no access is in bounds, whatever the other indices are.
            if bound * stride <= room {
                return None;
            }
            index.bound = Some(u32::try_from(bound).ok()?);
        }
        if open.next().is_some() || inner.iter().map(reach).sum::<u64>() > room {
            return None;
        }
        let ways = inner.iter().map(|index| u64::from(index.bound.unwrap_or(1))).try_fold(1, u64::checked_mul)?;
        if ways > MOST_PLACES {
            return None;
        }
        let mut starts = vec![u64::try_from(offset).ok()?];
        for index in &inner {
            let steps = 0..u64::from(index.bound.unwrap_or(1));
            let step = |start: &u64| {
                let start = *start;
                steps.clone().map(move |n| start + n * u64::from(index.stride))
            };
            starts = starts.iter().flat_map(step).collect();
        }
        if !starts.iter().all(|start| self.parts.get(start) == Some(&ty)) {
            return None;
        }
        let offset = u32::try_from(self.offset.checked_add(offset)?).ok()?;
        let indices = self.indices.iter().copied().chain(inner).collect();
        Some(Place { root: self.root, offset, indices })
    }
}

/// A place whose constant indices are part of its offset; `None` where one is beyond its bound.
fn spelled(function: &Function, place: &Place) -> Option<(Vec<Index>, i64)> {
    let (mut indices, mut offset) = (Vec::new(), i64::from(place.offset));
    for index in &place.indices {
        match function.constant_bits(index.value) {
            Some(value) if index.bound.is_some_and(|bound| value >= bound.into()) => return None,
            Some(value) => offset = offset.checked_add_unsigned(value.checked_mul(index.stride.into())?)?,
            None => indices.push(*index),
        }
    }
    Some((indices, offset))
}

#[cfg(test)]
mod tests;
