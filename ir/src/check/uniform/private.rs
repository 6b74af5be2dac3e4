//! Which bytes of private memory may differ between invocations.
//!
//! A store of a value that differs, or a store that only some invocations execute, taints the
//! bytes that it may touch: those of its element if the index is constant, else those of all
//! elements that the index may name. A field of a struct, an element or a lane of a vector
//! stays untainted beside a tainted one. Tainted bytes stay tainted, whatever is stored there
//! later.
//!
//! Memory of more than [`MAX_BYTES`] is tainted as a whole.

use super::Why;
use super::values::Values;
use crate::ir::{Function, Index, Inst, InstKind, Place, Root, Value};
use crate::types::{Type, Types};
use std::collections::HashMap;
use std::rc::Rc;

/// Private memory that is larger is not looked at byte by byte.
const MAX_BYTES: u32 = 8192;

/// A set of bytes of a root.
type Bytes = Rc<[u64]>;

/// What the analysis knows that asks.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) types: &'k Types,
    pub(super) function: &'k Function,
    /// What is known about values, if that was needed.
    pub(super) values: Option<&'k Values<'k>>,
}

/// An access, or of one to a vector the lane of this index.
pub(super) type Part = (Inst, Option<u32>);

/// What private memory holds.
pub(super) struct Private {
    /// Of each root the bytes that may differ, and the stores that made them so, with reasons.
    roots: Vec<Tainted>,
    touched: HashMap<Part, Bytes>,
}

#[derive(Clone)]
struct Tainted {
    size: u32,
    bytes: Vec<u64>,
    stores: Vec<(Part, Why)>,
}

impl Private {
    pub(super) fn new(types: &Types, function: &Function) -> Self {
        let tainted = |i| {
            let size = function.root_size(types, Root::Private(i)).unwrap_or(1);
            let size = if size > MAX_BYTES { 1 } else { size.max(1) };
            Tainted { size, bytes: vec![0; words(size)], stores: Vec::new() }
        };
        Self { roots: (0..function.private.len() as u32).map(tainted).collect(), touched: HashMap::new() }
    }

    /// The lanes that an access to a value is looked at by.
    pub(super) fn parts(function: &Function, inst: Inst, value: Value) -> impl Iterator<Item = Part> + use<> {
        let lanes = match function.ty(value) {
            Type::Vector(..) => function.ty(value).lanes() as u32,
            _ => 0,
        };
        (0..lanes.max(1)).map(move |lane| (inst, (lanes > 0).then_some(lane)))
    }

    /// Taints what a store may touch; whether any of it was not tainted yet.
    pub(super) fn taint(&mut self, known: Known<'_>, part: Part, why: Why) -> bool {
        let Some((root, bytes)) = self.touched(known, part) else { return false };
        let tainted = &mut self.roots[root];
        let mut new = false;
        for (word, more) in tainted.bytes.iter_mut().zip(bytes.iter()) {
            new |= more & !*word != 0;
            *word |= more;
        }
        if new {
            tainted.stores.push((part, why));
        }
        new
    }

    /// The first store by which what a load gives may differ.
    pub(super) fn tainted_by(&mut self, known: Known<'_>, part: Part) -> Option<Inst> {
        let (root, bytes) = self.touched(known, part)?;
        if !meet(&self.roots[root].bytes, &bytes) {
            return None;
        }
        // What a store touches is known since it tainted that.
        let meets = |store: &Part| self.touched.get(store).is_some_and(|other| meet(other, &bytes));
        self.roots[root].stores.iter().find(|(store, _)| meets(store)).map(|((store, _), _)| *store)
    }

    /// Why a store tainted anything.
    pub(super) fn reason(&self, store: Inst) -> Option<Why> {
        let mut stores = self.roots.iter().flat_map(|root| &root.stores);
        stores.find(|((inst, _), _)| *inst == store).map(|(_, why)| *why)
    }

    /// The number of the root that an access is to, and the bytes that it may touch.
    fn touched(&mut self, known: Known<'_>, part: Part) -> Option<(usize, Bytes)> {
        let (inst, lane) = part;
        let def = &known.function.insts[inst];
        let place = def.kind.place()?;
        let Root::Private(root) = place.root else { return None };
        let size = self.roots.get(root as usize)?.size;
        if let Some(bytes) = self.touched.get(&part) {
            return Some((root as usize, Rc::clone(bytes)));
        }
        let value = match &def.kind {
            InstKind::Store(_, value) => *value,
            _ => *def.results.first()?,
        };
        let bytes: Bytes = reach(known, inst, place, (known.function.ty(value), lane), size).into();
        self.touched.insert(part, Rc::clone(&bytes));
        Some((root as usize, bytes))
    }
}

/// The bytes below `size` that an access of a type, or of a lane of it, may touch.
fn reach(known: Known<'_>, inst: Inst, place: &Place, (ty, lane): (Type, Option<u32>), size: u32) -> Vec<u64> {
    let mut bytes = vec![0; words(size)];
    let width = |ty: Type| known.types.layout(ty).map(|layout| u64::from(layout.size));
    let (Some(all), one) = (width(ty), ty.lane().and_then(|lane| width(Type::Scalar(lane)))) else {
        return vec![u64::MAX; words(size)];
    };
    if size <= 1 {
        return vec![u64::MAX; words(size)];
    }
    let (mut from, len) = match (lane, one) {
        (Some(lane), Some(one)) => (u64::from(lane) * one, one),
        _ => (0, all),
    };
    from += u64::from(place.offset);
    let range = |index: &Index| match (known.function.constant_bits(index.value), known.values) {
        (Some(bits), _) => (bits, bits),
        (None, Some(values)) => values.range(inst, index.value),
        (None, None) => (0, u64::MAX),
    };
    for index in &place.indices {
        from = from.saturating_add(range(index).0.saturating_mul(index.stride.into()));
    }
    for byte in from..from.saturating_add(len).min(size.into()) {
        bytes[byte as usize / 64] |= 1 << (byte % 64);
    }
    for index in place.indices.iter().filter(|index| index.stride != 0) {
        let (least, most) = range(index);
        let most = index.bound.map_or(most, |bound| most.min(u64::from(bound).saturating_sub(1)));
        let count = most.saturating_sub(least).min(u64::from(size / index.stride)) + 1;
        // Each step doubles how many elements are in the set.
        let mut have = 1;
        while have < count {
            let more = have.min(count - have);
            shift_in(&mut bytes, more * u64::from(index.stride));
            have += more;
        }
    }
    if let Some(last) = bytes.last_mut()
        && !size.is_multiple_of(64)
    {
        *last &= (1 << (size % 64)) - 1;
    }
    bytes
}

/// Adds to a set of bytes those so far behind its own.
fn shift_in(bytes: &mut [u64], by: u64) {
    let (words, bits) = ((by / 64) as usize, by % 64);
    for to in (words..bytes.len()).rev() {
        let low = bytes[to - words] << bits;
        let carried = if bits == 0 || to == words { 0 } else { bytes[to - words - 1] >> (64 - bits) };
        bytes[to] |= low | carried;
    }
}

fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

const fn words(size: u32) -> usize {
    size.div_ceil(64) as usize
}
