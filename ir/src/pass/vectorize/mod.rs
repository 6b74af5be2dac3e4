//! Neighbouring accesses become one access to a vector.
//!
//! Two to four loads, or stores, of one scalar type whose places differ only in consecutive
//! constant offsets become one, if
//!
//! - all of them are in bounds or none is, whatever the indices are;
//! - nothing between the first and the last of them may touch these bytes, order accesses,
//!   leave the region, or run another region.
//!
//! The load takes the place of the first one, since loads may happen early; the store takes the
//! place of the last one. Constants that are added to indices count as part of the offset, if
//! the sum does not wrap.
//!
//! Lanes are of 4 or 8 bytes. If an alignment is known, a vector does not cross a multiple of
//! it, so that back ends find aligned vectors of up to 16 bytes.

mod places;

use crate::analysis::align::Alignment;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::ir::{Access, Function, Inst, InstDef, InstKind, MAX_INSTS, Place, Root, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};
use places::{Base, Places};
use std::collections::BTreeMap;

/// The most bytes of an access that is made.
const MAX_BYTES: u32 = 16;

/// No access has more bytes.
const MAX_ACCESS: u32 = 32;

/// Makes vector accesses of neighbouring scalar ones in a function in SSA form; says whether
/// anything changed.
pub fn vectorize(function: &mut Function, types: &Types) -> bool {
    let tree = Tree::of(function);
    let alignment = Alignment::of(function);
    let places = Places { function, types, tree: &tree, alignment: &alignment };
    let mut runs = Vec::new();
    // Regions that are placed nowhere may hold instructions that others hold now.
    let inner = tree.insts().iter().flat_map(|&inst| function.insts[inst].kind.regions());
    for region in inner.chain([function.body]) {
        let mut scan = Scan { places: &places, open: Default::default(), runs: &mut runs };
        scan.region(&function.regions[region].insts);
    }
    // A load becomes one more instruction than it was.
    if runs.is_empty() || tree.insts().len() + runs.len() > MAX_INSTS {
        return false;
    }
    apply(function, runs);
    true
}

/// Loads or stores of one type whose places differ in their offsets only.
struct Group {
    lane: Scalar,
    /// The accesses by their offset, each with its position in the region. Loads may be of
    /// the same.
    accesses: BTreeMap<u32, Vec<(usize, Inst)>>,
    /// What was stored since the first load: offsets and bytes.
    stored: BTreeMap<u32, u32>,
}

impl Group {
    /// Whether an access has a byte of these.
    fn overlaps(&self, offset: u32, bytes: u32) -> bool {
        let first = offset.saturating_sub(self.lane.size() - 1);
        self.accesses.range(first..offset.saturating_add(bytes)).next().is_some()
    }

    /// Whether a byte of these was stored since the first load.
    fn was_stored(&self, offset: u32, bytes: u32) -> bool {
        let near = self.stored.range(offset.saturating_sub(MAX_ACCESS - 1)..offset.saturating_add(bytes));
        near.into_iter().any(|(&start, &stored)| start.saturating_add(stored) > offset)
    }
}

/// The groups of a kind that may still grow.
type Open = BTreeMap<Root, BTreeMap<Base, Vec<Group>>>;

/// Accesses that become one.
struct Run {
    ty: Type,
    place: Place,
    /// The accesses of each lane.
    lanes: Vec<Vec<Inst>>,
    /// The one where the new access stands.
    at: Inst,
}

/// An access that is met.
struct Met<'a> {
    position: usize,
    inst: Inst,
    ty: Type,
    place: &'a Place,
}

/// Whether groups are of loads or of stores, and where [`Scan::open`] has them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Loads,
    Stores,
}

struct Scan<'a> {
    places: &'a Places<'a>,
    open: [Open; 2],
    runs: &'a mut Vec<Run>,
}

impl Scan<'_> {
    fn region(&mut self, insts: &[Inst]) {
        let function = self.places.function;
        for (position, &inst) in insts.iter().enumerate() {
            let def = &function.insts[inst];
            match &def.kind {
                InstKind::Load(place) => {
                    let Some(&result) = def.results.first() else { continue };
                    self.load(&Met { position, inst, ty: function.ty(result), place });
                }
                InstKind::Store(place, value) => {
                    self.store(&Met { position, inst, ty: function.ty(*value), place });
                }
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                _ => self.close(),
            }
        }
    }

    fn load(&mut self, met: &Met<'_>) {
        let root = met.place.root;
        let (Some((base, offset)), Some(bytes)) = (self.places.split(met.place), self.bytes(met.ty)) else {
            return self.close_groups(Kind::Stores, root, None);
        };
        if self.places.function.root_access(root) != Some(Access::Read) {
            self.close_groups(Kind::Stores, root, Some((&base, offset, bytes)));
        }
        let Some(lane) = self.lane(met) else { return };
        let groups = self.open[Kind::Loads as usize].entry(root).or_default().entry(base.clone()).or_default();
        if let Some(i) = groups.iter().position(|group| group.lane == lane) {
            // It would stand before what stored this.
            if groups[i].was_stored(offset, bytes) {
                let group = groups.swap_remove(i);
                self.end(Kind::Loads, root, &base, &group);
            }
        }
        join(self.open[Kind::Loads as usize].entry(root).or_default().entry(base).or_default(), lane, offset, met);
    }

    fn store(&mut self, met: &Met<'_>) {
        let root = met.place.root;
        let (Some((base, offset)), Some(bytes)) = (self.places.split(met.place), self.bytes(met.ty)) else {
            self.close_groups(Kind::Loads, root, None);
            return self.close_groups(Kind::Stores, root, None);
        };
        self.close_groups(Kind::Loads, root, Some((&base, offset, bytes)));
        self.close_groups(Kind::Stores, root, Some((&base, offset, bytes)));
        if let Some(groups) = self.open[Kind::Loads as usize].get_mut(&root).and_then(|bases| bases.get_mut(&base)) {
            for group in groups {
                let stored = group.stored.entry(offset).or_default();
                *stored = bytes.max(*stored);
            }
        }
        let Some(lane) = self.lane(met) else { return };
        join(self.open[Kind::Stores as usize].entry(root).or_default().entry(base).or_default(), lane, offset, met);
    }

    fn bytes(&self, ty: Type) -> Option<u32> {
        self.places.types.layout(ty).map(|layout| layout.size).filter(|&size| size <= MAX_ACCESS)
    }

    /// The type of an access that may become a lane.
    fn lane(&self, met: &Met<'_>) -> Option<Scalar> {
        let plain = self.places.function.flags[met.inst].is_empty();
        match met.ty {
            Type::Scalar(lane) if plain && lane != Scalar::Bool && lane.size() >= 4 => Some(lane),
            Type::Scalar(_) | Type::Vector(..) => None,
            Type::Error | Type::Bytes | Type::Array(_) | Type::Struct(_) => None,
        }
    }

    /// Ends every group.
    fn close(&mut self) {
        for kind in [Kind::Loads, Kind::Stores] {
            for root in self.open[kind as usize].keys().copied().collect::<Vec<_>>() {
                self.close_groups(kind, root, None);
            }
        }
    }

    /// Ends the groups of a root that are not certainly apart from some bytes: those of another
    /// base, and those that have such bytes.
    fn close_groups(&mut self, kind: Kind, root: Root, but: Option<(&Base, u32, u32)>) {
        let Some(mut bases) = self.open[kind as usize].remove(&root) else { return };
        if let Some((base, offset, bytes)) = but
            && let Some((base, groups)) = bases.remove_entry(base)
        {
            let (ended, kept): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.overlaps(offset, bytes));
            for group in ended {
                self.end(kind, root, &base, &group);
            }
            self.open[kind as usize].entry(root).or_default().insert(base, kept);
        }
        for (base, groups) in bases {
            for group in groups {
                self.end(kind, root, &base, &group);
            }
        }
    }

    /// Makes runs of a group that does not grow any more.
    fn end(&mut self, kind: Kind, root: Root, base: &Base, group: &Group) {
        if group.accesses.len() < 2 {
            return;
        }
        let size = group.lane.size();
        let known = self.places.alignment.indices(&self.places.place(root, base, 0));
        // Vectors do not cross a multiple of this, and begin at a multiple of two lanes.
        let block = [16, 8].into_iter().find(|&block| known >= block && block >= 2 * size);
        let offsets: Vec<u32> = group.accesses.keys().copied().collect();
        let mut first = 0;
        while let Some(&offset) = offsets.get(first) {
            let most = match block {
                Some(_) if !offset.is_multiple_of(2 * size) => 1,
                Some(block) => (block - offset % block) / size,
                None => MAX_BYTES / size,
            };
            let follow = |&(i, &at): &(u32, &u32)| at.checked_sub(offset) == Some(i * size) && i < most;
            let count = (0..).zip(&offsets[first..]).take_while(follow).count() as u32;
            let lanes = (2..=count).rev().find(|&n| self.places.stand_together(root, base, offset, n * size));
            let Some(lanes) = lanes else {
                first += 1;
                continue;
            };
            let taken: Vec<&Vec<(usize, Inst)>> =
                offsets[first..].iter().take(lanes as usize).filter_map(|offset| group.accesses.get(offset)).collect();
            let all = taken.iter().flat_map(|accesses| accesses.iter().copied());
            if let Some((_, at)) = if kind == Kind::Stores { all.max() } else { all.min() } {
                self.runs.push(Run {
                    ty: Type::Vector(group.lane, lanes as u8),
                    place: self.places.place(root, base, offset),
                    lanes: taken.iter().map(|accesses| accesses.iter().map(|access| access.1).collect()).collect(),
                    at,
                });
            }
            first += lanes as usize;
        }
    }
}

/// Adds an access to the group of its type.
fn join(groups: &mut Vec<Group>, lane: Scalar, offset: u32, met: &Met<'_>) {
    let access = (met.position, met.inst);
    match groups.iter_mut().find(|group| group.lane == lane) {
        Some(group) => group.accesses.entry(offset).or_default().push(access),
        None => {
            let mut group = Group { lane, accesses: BTreeMap::new(), stored: BTreeMap::new() };
            group.accesses.insert(offset, vec![access]);
            groups.push(group);
        }
    }
}

/// Puts vector accesses in the place of the accesses of their lanes.
fn apply(function: &mut Function, runs: Vec<Run>) {
    let mut instead: Side<InstDef, Option<Vec<Inst>>> = Side::new(None);
    for Run { ty, place, lanes, at } in runs {
        let loc = function.insts[at].loc;
        let stored = |&inst: &Inst| match function.insts[inst].kind {
            InstKind::Store(_, value) => Some(value),
            _ => None,
        };
        let values: Vec<Value> = lanes.iter().filter_map(|accesses| accesses.first().and_then(stored)).collect();
        if values.len() == lanes.len() {
            let (made, value) = function.made(InstKind::Op(Op::Construct, values), ty, loc);
            for &inst in lanes.iter().flatten() {
                instead[inst] = Some(Vec::new());
            }
            instead[at] = Some(vec![made, at]);
            function.insts[at].kind = InstKind::Store(place, value);
            continue;
        }
        let (made, vector) = function.made(InstKind::Load(place), ty, loc);
        instead[at] = Some(vec![made, at]);
        for (i, accesses) in lanes.into_iter().enumerate() {
            let index = function.constant(Scalar::U32, i as u64);
            for inst in accesses {
                function.insts[inst].kind = InstKind::Op(Op::Extract, vec![vector, index]);
            }
        }
    }
    function.put_instead(&instead);
}

#[cfg(test)]
mod tests;
