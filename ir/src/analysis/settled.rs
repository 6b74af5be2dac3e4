//! Private memory that is set in one place and only read after it.
//!
//! All of its stores are in one region, at constant places, none of them in a region inside,
//! and every load comes after the last store, in that region or in one inside of it. So each
//! load sees what the last run of the stores left, however often they run. Bytes that no store
//! sets are zero, as all private memory is when the function begins.

use crate::analysis::tree::Tree;
use crate::ir::{CallArg, Function, Inst, InstKind, Place, Region, Root};

/// What is known of the accesses to one private memory.
#[derive(Default)]
pub struct Settled {
    /// Its stores, in program order, each with the byte where it begins.
    pub stores: Vec<(Inst, u64)>,
    /// Its loads, in program order.
    pub loads: Vec<Inst>,
    /// Whether its length is asked for.
    pub measured: bool,
    region: Option<Region>,
    unsettled: bool,
}

impl Settled {
    /// The region of the stores, if there are stores and loads and they are as they must be.
    pub fn region(&self) -> Option<Region> {
        self.region.filter(|_| !self.unsettled && !self.loads.is_empty())
    }
}

/// What is known of each private memory of a function in SSA form.
pub fn settled(function: &Function, tree: &Tree) -> Vec<Settled> {
    let mut all: Vec<Settled> = function.private.iter().map(|_| Settled::default()).collect();
    for &inst in tree.insts() {
        look(function, tree, inst, &mut all);
    }
    all
}

fn look(function: &Function, tree: &Tree, inst: Inst, all: &mut [Settled]) {
    match &function.insts[inst].kind {
        InstKind::Load(place) => {
            let Some(memory) = memory_of(all, place.root) else { return };
            let within = memory.region.zip(tree.parent(inst)).is_some_and(|(outer, here)| tree.is_within(here, outer));
            memory.unsettled |= !within;
            memory.loads.push(inst);
        }
        InstKind::Store(place, _) => {
            let Some(memory) = memory_of(all, place.root) else { return };
            let here = tree.parent(inst);
            let same = memory.stores.is_empty() || memory.region == here;
            // A load before a store sees what the store changes, or zero the first time.
            memory.unsettled |= !same || !memory.loads.is_empty();
            memory.region = here;
            match constant_offset(function, place) {
                Some(at) => memory.stores.push((inst, at)),
                None => memory.unsettled = true,
            }
        }
        InstKind::Len(root) => {
            if let Some(memory) = memory_of(all, *root) {
                memory.measured = true;
            }
        }
        InstKind::Atomic(_, place, ..) => {
            if let Some(memory) = memory_of(all, place.root) {
                memory.unsettled = true;
            }
        }
        InstKind::Call { args, .. } => {
            for arg in args {
                if let CallArg::Place(place) = arg
                    && let Some(memory) = memory_of(all, place.root)
                {
                    memory.unsettled = true;
                }
            }
        }
        _ => {}
    }
}

fn memory_of(all: &mut [Settled], root: Root) -> Option<&mut Settled> {
    match root {
        Root::Private(i) => all.get_mut(i as usize),
        Root::Param(_) | Root::Shared(_) | Root::Table(_) => None,
    }
}

/// Where a place begins that is constant; `None` too where an index is beyond its bound.
fn constant_offset(function: &Function, place: &Place) -> Option<u64> {
    place.indices.iter().try_fold(u64::from(place.offset), |at, index| {
        let value = function.constant_bits(index.value)?;
        let within = index.bound.is_none_or(|bound| value < bound.into());
        within.then(|| at + value * u64::from(index.stride))
    })
}
