//! What becomes of each access to a private root.
//!
//! An access may touch a range of bytes, its *footprint*: it begins where the constant offset
//! and indices lead, and extends as far as the bounds of the other indices reach, or to the end
//! of the root if an index has no bound. Overlapping ranges form a *cluster*. Clusters share no
//! bytes, so each is a memory of its own and one of these happens to it:
//!
//! - it is removed, if it is only loaded or only stored;
//! - it becomes variables, if every place is constant and every lane is accessed as one lane
//!   only, whatever its type; also if one index picks from very few lanes, which comparisons do
//!   faster than memory;
//! - it becomes a root of its own, if a part of the root's type covers it;
//! - otherwise it stays where it is.
//!
//! A root of its own ends with the cluster's footprints, or where the old root ended, so that
//! exactly the same accesses are in bounds.

use crate::flags::Flags;
use crate::ir::{CallArg, Function, Index, Inst, InstKind, Memory, Place, Root, Value, VarDef};
use crate::types::{Scalar, Type, Types};

/// The most lanes of a root that become variables. More than that are no registers of any
/// device, and every loop around would carry them.
const MAX_LANES: usize = 256;

/// The most lanes from which an index picks.
const MAX_PICKED: usize = 4;

/// What becomes of an access.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// A load gives zero; a store is nothing.
    Nothing,
    /// It is one of the variable of this index, which has its type.
    Whole(usize),
    /// Its lanes are the variables from this index on, which may be of other types of
    /// that width.
    Lanes(usize),
    /// It is one of several ranges of lanes: where the index is the first number, the lanes
    /// from the variable of the second on. Else it is out of bounds.
    Picked(Value, Vec<(u32, usize)>),
    /// It is at another place; the indices that are not constant stay.
    Moved(Place),
    /// It is this number, the length of the root.
    Length(u32),
}

/// What becomes of everything.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Accesses that change, apart from the number of their root.
    pub fates: Vec<(Inst, Fate)>,
    /// The variables.
    pub variables: Vec<VarDef>,
    /// The roots that are left or new.
    pub private: Vec<Memory>,
    /// For each old root its new number, if it is left.
    pub renumbered: Vec<Option<u32>>,
}

/// An access to a private root.
#[derive(Clone, Debug)]
struct Access {
    inst: Inst,
    ty: Type,
    store: bool,
    /// The constant part of the place.
    start: u32,
    /// The end of the footprint.
    end: u32,
    varies: Varies,
}

impl Access {
    fn is_fixed(&self) -> bool {
        matches!(self.varies, Varies::Not)
    }

    /// Where the access may begin: the index and the place, if there are few such.
    fn choices(&self, types: &Types) -> Option<Vec<(u32, u32)>> {
        let index = match self.varies {
            Varies::Not => return Some(vec![(0, self.start)]),
            Varies::By(index) => index,
            Varies::More => return None,
        };
        let bytes = types.layout(self.ty)?.size;
        let mut choices = Vec::new();
        let most = index.bound.unwrap_or(u32::MAX);
        for (i, start) in (0..most).zip((self.start..).step_by(index.stride.max(1) as usize)) {
            if start.checked_add(bytes).is_none_or(|end| end > self.end) {
                break;
            }
            choices.push((i, start));
            if choices.len() > MAX_PICKED {
                return None;
            }
        }
        Some(choices)
    }
}

/// The indices of a place that are not constant.
#[derive(Clone, Copy, Debug)]
enum Varies {
    /// There is none.
    Not,
    /// There is this one.
    By(Index),
    /// There are several.
    More,
}

/// Accesses whose footprints overlap, and a range that holds them.
#[derive(Clone, Debug)]
struct Cluster {
    start: u32,
    end: u32,
    accesses: Vec<Access>,
}

/// The accesses to a root.
#[derive(Clone, Default)]
struct Uses {
    /// Those that may be in bounds.
    accesses: Vec<Access>,
    /// Those that are not.
    outside: Vec<Inst>,
    /// What asks for the length.
    lengths: Vec<Inst>,
    /// Whether something else than loads and stores needs the root as it is.
    pinned: bool,
}

/// Decides; `None` if everything stays as it is. `insts` are those that regions hold.
pub(super) fn plan(function: &Function, types: &Types, insts: &[Inst]) -> Option<Plan> {
    let uses = uses(function, types, insts);
    let mut planner = Planner { types, plan: Plan::default(), parts: Vec::new() };
    let mut left = Vec::new();
    for (uses, memory) in uses.into_iter().zip(&function.private) {
        left.push(planner.root(uses, memory));
    }
    let Planner { mut plan, parts, .. } = planner;
    if plan.fates.is_empty() && left.iter().all(|&left| left) {
        return None;
    }
    for (memory, left) in function.private.iter().zip(left) {
        plan.renumbered.push(left.then_some(plan.private.len() as u32));
        if left {
            plan.private.push(memory.clone());
        }
    }
    let first = plan.private.len() as u32;
    plan.private.extend(parts);
    for (_, fate) in &mut plan.fates {
        if let Fate::Moved(Place { root: Root::Private(part), .. }) = fate {
            *part += first;
        }
    }
    Some(plan)
}

/// The accesses to each private root.
fn uses(function: &Function, types: &Types, insts: &[Inst]) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); function.private.len()];
    for &inst in insts {
        let def = &function.insts[inst];
        // A value that is to be taken for one that differs must not become one that does not.
        let apart = function.flags[inst].has(Flags::NONUNIFORM);
        let access = match &def.kind {
            InstKind::Load(place) => def.results.first().map(|&value| (place, function.ty(value), false)),
            InstKind::Store(place, value) => Some((place, function.ty(*value), true)),
            InstKind::Atomic(_, place, ..) => {
                pin(&mut uses, place.root);
                None
            }
            InstKind::Len(root) => {
                if apart {
                    pin(&mut uses, *root);
                } else if let Root::Private(index) = root
                    && let Some(uses) = uses.get_mut(*index as usize)
                {
                    uses.lengths.push(inst);
                }
                None
            }
            InstKind::Call { args, .. } => {
                for arg in args {
                    match arg {
                        CallArg::Place(place) => pin(&mut uses, place.root),
                        CallArg::Value(_) => {}
                    }
                }
                None
            }
            InstKind::Op(..) | InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) => None,
            InstKind::Subgroup(..) | InstKind::Get(_) | InstKind::Set(..) => None,
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => None,
            InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => None,
            InstKind::Return(_) | InstKind::Unreachable => None,
        };
        let Some((place, ty, store)) = access else { continue };
        if apart {
            pin(&mut uses, place.root);
        }
        let Root::Private(root) = place.root else { continue };
        let (Some(uses), Some(size)) = (uses.get_mut(root as usize), function.root_size(types, place.root)) else {
            continue;
        };
        let Some(layout) = types.layout(ty) else {
            uses.pinned = true;
            continue;
        };
        match footprint(function, place, layout.size, size) {
            Some((start, end, varies)) => uses.accesses.push(Access { inst, ty, store, start, end, varies }),
            None => uses.outside.push(inst),
        }
    }
    uses
}

fn pin(uses: &mut [Uses], root: Root) {
    if let Root::Private(index) = root
        && let Some(uses) = uses.get_mut(index as usize)
    {
        uses.pinned = true;
    }
}

/// The constant part of a place, the end of the footprint, and what varies; `None` if an access of `bytes` there is never in a root of `size`.
fn footprint(function: &Function, place: &Place, bytes: u32, size: u32) -> Option<(u32, u32, Varies)> {
    let mut start = u64::from(place.offset);
    let mut reach = u64::from(bytes);
    let mut varies = Varies::Not;
    for index in &place.indices {
        match function.constant_bits(index.value) {
            Some(value) => {
                if index.bound.is_some_and(|bound| value >= u64::from(bound)) {
                    return None;
                }
                start = start.saturating_add(value.saturating_mul(index.stride.into()));
            }
            None => {
                varies = match varies {
                    Varies::Not => Varies::By(*index),
                    Varies::By(_) | Varies::More => Varies::More,
                };
                let most = index.bound.map_or(u64::from(u32::MAX), |bound| u64::from(bound).saturating_sub(1));
                reach = reach.saturating_add(most.saturating_mul(index.stride.into()));
            }
        }
    }
    if start.saturating_add(bytes.into()) > u64::from(size) {
        return None;
    }
    let end = start.saturating_add(reach).min(size.into());
    Some((u32::try_from(start).ok()?, u32::try_from(end).ok()?, varies))
}

struct Planner<'a> {
    types: &'a Types,
    plan: Plan,
    /// The new roots.
    parts: Vec<Memory>,
}

impl Planner<'_> {
    /// Decides about the accesses to a root; whether the root is still needed.
    fn root(&mut self, uses: Uses, memory: &Memory) -> bool {
        if uses.pinned {
            return true;
        }
        let length = match memory.ty {
            Type::Array(id) => self.types.arrays.get(id).map_or(1, |array| array.len),
            Type::Error | Type::Bytes | Type::Scalar(_) | Type::Vector(..) | Type::Struct(_) => 1,
        };
        self.plan.fates.extend(uses.lengths.into_iter().map(|inst| (inst, Fate::Length(length))));
        self.plan.fates.extend(uses.outside.into_iter().map(|inst| (inst, Fate::Nothing)));
        let clusters = clusters(uses.accesses);
        let fixed = clusters.iter().filter(|cluster| cluster.accesses.iter().all(Access::is_fixed));
        if fixed
            .filter_map(|cluster| lanes(cluster.accesses.iter().map(|access| (access.start, access.ty)).collect()))
            .map(|lanes| lanes.len())
            .sum::<usize>()
            > MAX_LANES
        {
            return true;
        }
        let mut others = Vec::new();
        for cluster in clusters {
            if cluster.accesses.iter().all(|access| access.store == cluster.accesses[0].store) {
                self.plan.fates.extend(cluster.accesses.iter().map(|access| (access.inst, Fate::Nothing)));
            } else if !self.variables(&cluster, memory) {
                others.push(cluster);
            }
        }
        let mut left = false;
        for cluster in self.grown(others, memory.ty) {
            left |= !self.part(&cluster, memory);
        }
        left
    }

    /// Makes variables of a cluster, if that is possible.
    fn variables(&mut self, cluster: &Cluster, memory: &Memory) -> bool {
        let accesses = &cluster.accesses;
        let variable = |ty| VarDef { name: memory.name.clone(), ty, loc: memory.loc };
        let first = self.plan.variables.len();
        let ty = accesses[0].ty;
        let all_fixed = accesses.iter().all(Access::is_fixed);
        if all_fixed && accesses.iter().all(|access| (access.start, access.ty) == (cluster.start, ty)) {
            self.plan.variables.push(variable(ty));
            self.plan.fates.extend(accesses.iter().map(|access| (access.inst, Fate::Whole(first))));
            return true;
        }
        let choices: Option<Vec<_>> = accesses.iter().map(|access| access.choices(self.types)).collect();
        let Some(choices) = choices else { return false };
        let starts =
            choices.iter().zip(accesses).flat_map(|(choices, access)| choices.iter().map(|c| (c.1, access.ty)));
        let Some(lanes) = lanes(starts.collect()) else { return false };
        if !all_fixed && lanes.len() > MAX_PICKED {
            return false;
        }
        let lane = |start| first + lanes.partition_point(|lane: &Lane| lane.start < start);
        for (access, choices) in accesses.iter().zip(choices) {
            let fate = match access.varies {
                Varies::By(index) => {
                    Fate::Picked(index.value, choices.into_iter().map(|(i, start)| (i, lane(start))).collect())
                }
                Varies::Not | Varies::More => Fate::Lanes(lane(access.start)),
            };
            self.plan.fates.push((access.inst, fate));
        }
        self.plan.variables.extend(lanes.into_iter().map(|lane| variable(lane.ty.into())));
        true
    }

    /// The clusters with their ranges grown to parts of the root's type. Those that then
    /// overlap are one.
    fn grown(&self, mut clusters: Vec<Cluster>, ty: Type) -> Vec<Cluster> {
        loop {
            for cluster in &mut clusters {
                if let Some(part) = self.part_of(ty, cluster.start, cluster.end) {
                    (cluster.start, cluster.end) = (part.start, part.start + part.size);
                }
            }
            let before = clusters.len();
            clusters = joined(clusters);
            if clusters.len() == before {
                return clusters;
            }
        }
    }

    /// Gives a cluster a root of its own, if that is smaller.
    fn part(&mut self, cluster: &Cluster, memory: &Memory) -> bool {
        let Some(part) = self.part_of(memory.ty, cluster.start, cluster.end) else { return false };
        let whole = self.types.layout(memory.ty).map(|layout| layout.size);
        let aligned = |access: &Access| {
            self.types.layout(access.ty).is_some_and(|layout| part.start.is_multiple_of(layout.align))
        };
        if whole.is_none_or(|whole| part.size >= whole) || !cluster.accesses.iter().all(aligned) {
            return false;
        }
        let root = Root::Private(self.parts.len() as u32);
        self.parts.push(Memory { ty: part.ty, ..memory.clone() });
        for access in &cluster.accesses {
            // The indices that are left are those of the old place that are not constant.
            let place = Place { root, offset: access.start - part.start, indices: Vec::new() };
            self.plan.fates.push((access.inst, Fate::Moved(place)));
        }
        true
    }

    /// The smallest part of a type that holds a range of it.
    fn part_of(&self, ty: Type, start: u32, end: u32) -> Option<Part> {
        let mut part = Part { ty, start: 0, size: self.types.layout(ty)?.size };
        while let Some(inner) = self.inner(part, start, end) {
            part = inner;
        }
        Some(part)
    }

    /// The element or field that holds a range.
    fn inner(&self, part: Part, start: u32, end: u32) -> Option<Part> {
        let fits = |inner: &Part| inner.start <= start && end <= inner.start + inner.size;
        match part.ty {
            Type::Array(id) => {
                let element = self.types.arrays.get(id)?.element;
                let size = self.types.layout(element)?.size;
                let index = (start - part.start).checked_div(size)?;
                Some(Part { ty: element, start: part.start + index * size, size }).filter(fits)
            }
            Type::Struct(id) => {
                let mut at = part.start;
                for (_, ty) in &self.types.structs.get(id)?.fields {
                    let layout = self.types.layout(*ty)?;
                    at = at.checked_next_multiple_of(layout.align)?;
                    let field = Part { ty: *ty, start: at, size: layout.size };
                    if fits(&field) {
                        return Some(field);
                    }
                    at += layout.size;
                }
                None
            }
            Type::Error | Type::Bytes | Type::Scalar(_) | Type::Vector(..) => None,
        }
    }
}

/// A part of a type.
#[derive(Clone, Copy)]
struct Part {
    ty: Type,
    start: u32,
    size: u32,
}

/// The clusters of a root's accesses.
fn clusters(accesses: Vec<Access>) -> Vec<Cluster> {
    let alone = |access: Access| Cluster { start: access.start, end: access.end, accesses: vec![access] };
    joined(accesses.into_iter().map(alone).collect())
}

/// Joins ranges that overlap; in order of their starts.
fn joined(mut clusters: Vec<Cluster>) -> Vec<Cluster> {
    clusters.sort_by_key(|cluster| cluster.start);
    let mut out: Vec<Cluster> = Vec::new();
    for mut cluster in clusters {
        match out.last_mut() {
            Some(last) if cluster.start < last.end => {
                last.end = last.end.max(cluster.end);
                last.accesses.append(&mut cluster.accesses);
            }
            _ => out.push(cluster),
        }
    }
    out
}

/// A lane of memory that is accessed as a whole only.
#[derive(Clone, Copy)]
struct Lane {
    start: u32,
    ty: Scalar,
}

/// The lanes of accesses of these types at these places, in order; `None` if some overlap in
/// part.
fn lanes(accesses: Vec<(u32, Type)>) -> Option<Vec<Lane>> {
    let mut all = Vec::new();
    for (start, ty) in accesses {
        let lane = ty.lane()?;
        all.extend((0..ty.lanes() as u32).map(|i| Lane { start: start + i * lane.size(), ty: lane }));
    }
    all.sort_by_key(|lane| lane.start);
    let mut out: Vec<Lane> = Vec::new();
    for lane in all {
        match out.last_mut() {
            Some(last) if last.start == lane.start => {
                if last.ty.size() != lane.ty.size() {
                    return None;
                }
                if last.ty != lane.ty {
                    last.ty = lane.ty.unsigned();
                }
            }
            Some(last) if lane.start < last.start + last.ty.size() => return None,
            _ => out.push(lane),
        }
    }
    Some(out)
}
