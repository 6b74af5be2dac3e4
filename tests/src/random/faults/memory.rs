//! Mistakes about memory: what an access may be moved over, and what it may meet.

use super::flow::remove;
use super::{becomes, each, result_scalar};
use samebits_ir::analysis::tree::Tree;
use samebits_ir::arena::Side;
use samebits_ir::ir::{Access, Function, Inst, InstKind, Place, Region, Root, Value, ValueDef};
use samebits_ir::types::{Type, Types};

/// What is taken to stand in memory.
#[derive(Clone)]
struct Known {
    place: Place,
    ty: Type,
    value: Value,
}

/// Which other places of its memory a store may meet.
#[derive(Clone, Copy, PartialEq)]
enum Alias {
    /// All: no place is told from another.
    All,
    /// Those of the same record. Between barriers nobody accesses two records of one memory.
    SameRecord,
    /// None, which is the mistake.
    None,
}

/// What a pass that forwards values takes care of.
#[derive(Clone, Copy)]
struct Care {
    /// Values of stores are known.
    from_stores: bool,
    /// Values of loads are known.
    from_loads: bool,
    /// A store ends what is known of these other places of its memory.
    alias: Alias,
    /// A store ends what is known of its own place.
    stores: bool,
    /// A barrier ends what is known of memory that others write.
    barriers: bool,
    /// A stored value is known only if the store is in bounds.
    bounds: bool,
}

const CAREFUL: Care =
    Care { from_stores: false, from_loads: false, alias: Alias::All, stores: true, barriers: true, bounds: true };

pub(super) fn load_ignores_stores(function: &mut Function, types: &Types) -> usize {
    forward(function, types, Care { from_loads: true, stores: false, alias: Alias::None, ..CAREFUL })
}

pub(super) fn load_across_barrier(function: &mut Function, types: &Types) -> usize {
    forward(function, types, Care { from_loads: true, barriers: false, alias: Alias::SameRecord, ..CAREFUL })
}

pub(super) fn forward_across_barrier(function: &mut Function, types: &Types) -> usize {
    forward(function, types, Care { from_stores: true, barriers: false, alias: Alias::SameRecord, ..CAREFUL })
}

pub(super) fn forward_ignores_alias(function: &mut Function, types: &Types) -> usize {
    forward(function, types, Care { from_stores: true, alias: Alias::None, ..CAREFUL })
}

pub(super) fn forward_out_of_bounds(function: &mut Function, types: &Types) -> usize {
    forward(function, types, Care { from_stores: true, bounds: false, ..CAREFUL })
}

/// Replaces loads by what is known to be there.
fn forward(function: &mut Function, types: &Types, care: Care) -> usize {
    let (mut changed, body) = (0, function.body);
    forward_in(function, types, body, care, &mut Vec::new(), &mut changed);
    changed
}

fn forward_in(
    f: &mut Function,
    types: &Types,
    region: Region,
    care: Care,
    known: &mut Vec<Known>,
    changed: &mut usize,
) {
    for inst in f.region_insts(region) {
        let kind = f.insts[inst].kind.clone();
        match &kind {
            InstKind::Load(place) => {
                let result = f.insts[inst].results[0];
                let ty = f.ty(result);
                match known.iter().find(|known| known.place == *place && known.ty == ty) {
                    Some(known) => *changed += usize::from(becomes(f, inst, known.value)),
                    None if care.from_loads => known.push(Known { place: place.clone(), ty, value: result }),
                    None => {}
                }
            }
            InstKind::Store(place, value) => {
                known.retain(|known| keeps(f, &kind, known, care));
                let ty = f.ty(*value);
                if care.from_stores && (!care.bounds || is_inside(f, types, place, ty)) {
                    known.push(Known { place: place.clone(), ty, value: *value });
                }
            }
            _ => {
                known.retain(|known| keeps(f, &kind, known, care));
                for inner in kind.regions() {
                    forward_in(f, types, inner, care, &mut known.clone(), changed);
                }
            }
        }
    }
}

/// Whether something is still known after an instruction, and within it.
fn keeps(f: &Function, kind: &InstKind, known: &Known, care: Care) -> bool {
    let Place { root, .. } = known.place;
    match kind {
        InstKind::Store(place, _) if place.root == root && *place == known.place => !care.stores,
        InstKind::Store(place, _) if place.root == root => match care.alias {
            Alias::All => false,
            Alias::SameRecord => {
                !matches!(root, Root::Private(_)) && place.indices.first() != known.place.indices.first()
            }
            Alias::None => true,
        },
        InstKind::Barrier => {
            !care.barriers || matches!(root, Root::Private(_)) || f.root_access(root) == Some(Access::Read)
        }
        _ => kind
            .regions()
            .all(|inner| f.regions[inner].insts.iter().all(|&inst| keeps(f, &f.insts[inst].kind, known, care))),
    }
}

/// Whether an access is in bounds for sure; records of workgroup memory are.
fn is_inside(f: &Function, types: &Types, place: &Place, ty: Type) -> bool {
    let skipped = match place.root {
        Root::Private(_) | Root::Table(_) => 0,
        Root::Shared(_) => 1,
        Root::Param(_) => return false,
    };
    let size = types.layout(ty).map_or(0, |layout| layout.size);
    let mut end = u64::from(place.offset) + u64::from(size);
    for index in place.indices.iter().skip(skipped) {
        let Some(value) = f.constant_bits(index.value) else { return false };
        if index.bound.is_some_and(|bound| value >= u64::from(bound)) {
            return false;
        }
        end += value * u64::from(index.stride);
    }
    let step = place.indices.first().map_or(u32::MAX, |index| index.stride);
    let whole = if skipped == 0 { f.root_size(types, place.root) } else { Some(step) };
    whole.is_some_and(|whole| end <= u64::from(whole))
}

pub(super) fn hoist_load(function: &mut Function, _: &Types) -> usize {
    hoist(function, |kind| matches!(kind, InstKind::Load(_)))
}

pub(super) fn hoist_store(function: &mut Function, _: &Types) -> usize {
    hoist(function, |kind| matches!(kind, InstKind::Store(..)))
}

/// Moves what does not depend on a loop from the loop's body to before the loop.
fn hoist(function: &mut Function, moves: impl Fn(&InstKind) -> bool) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Loop { body, .. } = f.insts[inst].kind else { return false };
        let Some(parent) = tree.parent(inst) else { return false };
        let mut inside: Side<ValueDef, bool> = Side::new(false);
        defined(f, body, &mut inside);
        let is_invariant = |f: &Function, other: Inst| {
            let mut all = true;
            f.insts[other].kind.for_each_operand(|value| all &= !inside[value]);
            all && moves(&f.insts[other].kind)
        };
        let (out, stay): (Vec<Inst>, Vec<Inst>) = f.region_insts(body).into_iter().partition(|&i| is_invariant(f, i));
        let Some(at) = f.regions[parent].insts.iter().position(|&other| other == inst) else { return false };
        let changed = !out.is_empty();
        f.regions[body].insts = stay;
        f.regions[parent].insts.splice(at..at, out);
        changed
    })
}

/// Notes what a region defines.
fn defined(f: &Function, region: Region, inside: &mut Side<ValueDef, bool>) {
    for &param in &f.regions[region].params {
        inside[param] = true;
    }
    for &inst in &f.regions[region].insts {
        for &result in &f.insts[inst].results {
            inside[result] = true;
        }
        for inner in f.insts[inst].kind.regions() {
            defined(f, inner, inside);
        }
    }
}

/// Moves stores at the beginning of a branch to before it.
pub(super) fn store_on_both_paths(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::If { then, .. } = f.insts[inst].kind else { return false };
        let Some(parent) = tree.parent(inst) else { return false };
        let first = f.region_insts(then).into_iter().find(|&i| !matches!(f.insts[i].kind, InstKind::Load(_)));
        let Some(store) = first.filter(|&i| matches!(f.insts[i].kind, InstKind::Store(..))) else { return false };
        let mut inside: Side<ValueDef, bool> = Side::new(false);
        defined(f, then, &mut inside);
        let mut all = true;
        f.insts[store].kind.for_each_operand(|value| all &= !inside[value]);
        let at = f.regions[parent].insts.iter().position(|&other| other == inst).filter(|_| all);
        let Some(at) = at else { return false };
        f.regions[then].insts.retain(|&other| other != store);
        f.regions[parent].insts.insert(at, store);
        true
    })
}

pub(super) fn drop_unread_stores(function: &mut Function, _: &Types) -> usize {
    let tree = Tree::of(function);
    let loaded: Vec<Root> = tree
        .insts()
        .iter()
        .filter_map(|&inst| match &function.insts[inst].kind {
            InstKind::Load(place) => Some(place.root),
            _ => None,
        })
        .collect();
    each(function, |f, tree, inst| match &f.insts[inst].kind {
        InstKind::Store(place, _) if !loaded.contains(&place.root) => remove(f, tree, inst),
        _ => false,
    })
}

pub(super) fn drop_unused_atomics(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| match &f.insts[inst].kind {
        InstKind::Atomic(..) => {
            let results = &f.insts[inst].results;
            let is_unused = !results.is_empty() && results.iter().all(|&result| tree.uses(result) == 0);
            is_unused && remove(f, tree, inst)
        }
        _ => false,
    })
}

/// Removes the last barrier of a loop's body.
pub(super) fn drop_last_barrier(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let InstKind::Loop { body, .. } = f.insts[inst].kind else { return false };
        let last = f.region_insts(body).into_iter().rfind(|&i| matches!(f.insts[i].kind, InstKind::Barrier));
        last.is_some_and(|last| remove(f, tree, last))
    })
}

/// Pairs of stores of a region, one after the other, with the instructions between.
fn dead_stores(function: &mut Function, kills: impl Fn(&Function, Inst, &[Inst], Inst) -> bool) -> usize {
    each(function, |f, tree, inst| {
        let (InstKind::Store(..), Some(region)) = (&f.insts[inst].kind, tree.parent(inst)) else { return false };
        let insts = f.region_insts(region);
        let Some(at) = insts.iter().position(|&other| other == inst) else { return false };
        let next = (at + 1..insts.len()).find(|&i| {
            // What has regions or orders accesses ends the search.
            let kind = &f.insts[insts[i]].kind;
            matches!(kind, InstKind::Store(..) | InstKind::Barrier) || kind.has_regions()
        });
        let Some(next) = next else { return false };
        kills(f, inst, &insts[at + 1..next], insts[next]) && remove(f, tree, inst)
    })
}

pub(super) fn dead_despite_load(function: &mut Function, _: &Types) -> usize {
    dead_stores(function, |f, store, _, next| match (&f.insts[store].kind, &f.insts[next].kind) {
        (InstKind::Store(a, x), InstKind::Store(b, y)) => a == b && f.ty(*x) == f.ty(*y),
        _ => false,
    })
}

pub(super) fn dead_by_narrower(function: &mut Function, _: &Types) -> usize {
    let start = |place: &Place| {
        (place.root, place.offset, place.indices.iter().map(|i| (i.value, i.stride)).collect::<Vec<_>>())
    };
    dead_stores(function, |f, store, between, next| match (&f.insts[store].kind, &f.insts[next].kind) {
        (InstKind::Store(a, _), InstKind::Store(b, _)) => {
            let is_loaded = between.iter().any(|&i| f.insts[i].kind.place().is_some_and(|p| p.root == a.root));
            start(a) == start(b) && !is_loaded
        }
        _ => false,
    })
}

/// Exchanges a barrier with a store of memory that others see after it.
pub(super) fn store_over_barrier(function: &mut Function, _: &Types) -> usize {
    each(function, |f, tree, inst| {
        let (InstKind::Barrier, Some(region)) = (&f.insts[inst].kind, tree.parent(inst)) else { return false };
        let insts = f.region_insts(region);
        let Some(at) = insts.iter().position(|&other| other == inst) else { return false };
        let Some(&next) = insts.get(at + 1) else { return false };
        let is_seen = |place: &Place| !matches!(place.root, Root::Private(_));
        let fits = matches!(&f.insts[next].kind, InstKind::Store(place, _) if is_seen(place));
        if fits {
            f.regions[region].insts.swap(at, at + 1);
        }
        fits
    })
}

/// Loads of private memory to which nothing was stored before give something.
pub(super) fn private_not_zero(function: &mut Function, _: &Types) -> usize {
    let mut stored: Vec<Root> = Vec::new();
    each(function, |f, _, inst| match &f.insts[inst].kind {
        InstKind::Store(place, _) => {
            stored.push(place.root);
            false
        }
        InstKind::Load(place) if matches!(place.root, Root::Private(_)) && !stored.contains(&place.root) => {
            let bits = 0x5a5a_5a5a_5a5a_5a5a & result_scalar(f, inst).map_or(0, |scalar| scalar.mask());
            super::becomes_constant(f, inst, bits)
        }
        _ => false,
    })
}

pub(super) fn wrong_element(function: &mut Function, _: &Types) -> usize {
    each(function, |f, _, inst| {
        let InstKind::Load(mut place) = f.insts[inst].kind.clone() else { return false };
        let (Root::Private(_), Some(last)) = (place.root, place.indices.last_mut()) else { return false };
        let (Some(at), Some(bound)) = (f.constant_bits(last.value), last.bound) else { return false };
        last.value = f.constant(samebits_ir::types::Scalar::U32, (at + 1) % u64::from(bound));
        f.insts[inst].kind = InstKind::Load(place);
        bound > 1
    })
}

/// Loads right after one another, of which the second begins where the first ends.
pub(super) fn same_lane_loads(function: &mut Function, types: &Types) -> usize {
    let mut first: Option<(Place, Value)> = None;
    each(function, |f, _, inst| {
        let InstKind::Load(place) = f.insts[inst].kind.clone() else {
            // Only ops may stand between.
            if !matches!(f.insts[inst].kind, InstKind::Op(..)) {
                first = None;
            }
            return false;
        };
        let result = f.insts[inst].results[0];
        let size = types.layout(f.ty(result)).map_or(0, |layout| layout.size);
        match first.take() {
            Some((Place { root, offset, indices }, value))
                if place.root == root
                    && place.indices == indices
                    && place.offset == offset + size
                    && f.ty(value) == f.ty(result) =>
            {
                becomes(f, inst, value)
            }
            _ => {
                first = Some((place, result));
                false
            }
        }
    })
}

/// Stores right after one another, of which the second ends where the first begins:
/// their values change places.
pub(super) fn stores_in_program_order(function: &mut Function, types: &Types) -> usize {
    each(function, |f, tree, inst| {
        let (InstKind::Store(high, a), Some(region)) = (f.insts[inst].kind.clone(), tree.parent(inst)) else {
            return false;
        };
        let insts = &f.regions[region].insts;
        let Some(at) = insts.iter().position(|&other| other == inst) else { return false };
        let Some(&next) = insts.get(at + 1) else { return false };
        let InstKind::Store(low, b) = f.insts[next].kind.clone() else { return false };
        let size = types.layout(f.ty(b)).map_or(0, |layout| layout.size);
        let fits = high.root == low.root
            && high.indices == low.indices
            && high.offset == low.offset + size
            && f.ty(a) == f.ty(b);
        if fits {
            f.insts[inst].kind = InstKind::Store(high, b);
            f.insts[next].kind = InstKind::Store(low, a);
        }
        fits
    })
}

pub(super) fn bound_one_too_far(function: &mut Function, _: &Types) -> usize {
    bounds(function, |bound| bound.map(|bound| bound + 1))
}

pub(super) fn bound_goes(function: &mut Function, _: &Types) -> usize {
    bounds(function, |_| None)
}

/// Changes the bounds of indices that are not known.
fn bounds(function: &mut Function, change: impl Fn(Option<u32>) -> Option<u32>) -> usize {
    each(function, |f, _, inst| {
        let mut kind = f.insts[inst].kind.clone();
        let (InstKind::Load(place) | InstKind::Store(place, _) | InstKind::Atomic(_, place, ..)) = &mut kind else {
            return false;
        };
        let mut changed = false;
        for index in &mut place.indices {
            if index.bound.is_some() && f.constant_bits(index.value).is_none() {
                index.bound = change(index.bound);
                changed = true;
            }
        }
        f.insts[inst].kind = kind;
        changed
    })
}
