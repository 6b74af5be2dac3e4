//! Memory: who may access what, and where.
//!
//! This discipline avoids races: shared memory and read-write buffers consist of records, one
//! for each invocation. Outside of windows an invocation only accesses its own. A *window* is
//! the code between two barriers of its own. In it one of these happens: one memory is read by
//! all and written by none; or all update it with one atomic op whose order does not matter and
//! whose results nobody uses; or the records have other owners. Nothing jumps out of a window.
//! An index within a record has a bound, so whatever it is, it stays within the record.

use super::build::{Gen, Val};
use samebits_ir::ir::{Access, Index, Place, Root};
use samebits_ir::ops::{AtomicOp, Class, Op};
use samebits_ir::order::{MemoryOrder, Ordering, Scope};
use samebits_ir::types::{Scalar, Type};

/// Whose a memory's records are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Owner {
    /// The invocation's alone: all of it.
    Mine,
    /// Nobody's: it is never written.
    Nobody,
    /// One record is the invocation's, that of this index.
    Record(Val),
}

/// What is done with a memory now.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mode {
    /// Invocations access what they own.
    Own,
    /// All read all records of the workgroup, and nobody writes.
    Read,
    /// All do this to all records of the workgroup, and look at nothing.
    Gather(AtomicOp),
}

/// A memory of the function that is being built.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub root: Root,
    /// What one record is; of memory without records, all of it or an element.
    pub record: Type,
    pub owner: Owner,
    pub access: Access,
    pub mode: Mode,
    /// The record of the workgroup's first invocation; 0 if there is none.
    pub first: Option<Val>,
    /// Whether other invocations ever access a record.
    pub is_exchanged: bool,
}

/// A place, and the type of what is there.
pub(super) struct Spot {
    pub place: Place,
    pub ty: Type,
    uniform: bool,
}

/// An atomic op that gives the same memory whatever the order, with others of its kind.
const GATHERING: [&[AtomicOp]; 6] = [
    &[AtomicOp::Add, AtomicOp::Sub],
    &[AtomicOp::And],
    &[AtomicOp::Or],
    &[AtomicOp::Xor],
    &[AtomicOp::Min],
    &[AtomicOp::Max],
];

impl Gen {
    /// An access to some memory.
    pub fn access(&mut self) {
        if self.random.chance(12) && self.gathered.is_some() {
            self.gather();
            return;
        }
        let at = self.random.below(self.memories.len());
        let Some(memory) = self.memories.get(at).cloned() else { return };
        if memory.access == Access::Atomic {
            self.atomic(at);
        } else if self.may_store(&memory) && self.random.chance(50) {
            self.store(at);
        } else {
            self.load(at);
        }
    }

    fn may_store(&self, memory: &Memory) -> bool {
        memory.access == Access::ReadWrite && memory.mode == Mode::Own && memory.owner != Owner::Nobody
    }

    /// The memories that may be stored to now.
    pub fn stores(&self) -> Vec<usize> {
        (0..self.memories.len()).filter(|&i| self.may_store(&self.memories[i])).collect()
    }

    pub fn load(&mut self, at: usize) -> Val {
        let spot = self.spot(at);
        self.load_from(&spot)
    }

    pub fn load_from(&mut self, spot: &Spot) -> Val {
        let value = self.b.load(spot.place.clone(), spot.ty);
        self.spend(1 + spot.ty.lanes());
        self.keep(Val { value, ty: spot.ty, uniform: spot.uniform })
    }

    fn store(&mut self, at: usize) {
        let spot = self.spot(at);
        let val = self.value(spot.ty);
        self.store_to(&spot, val);
    }

    pub fn store_to(&mut self, spot: &Spot, val: Val) {
        self.b.store(spot.place.clone(), val.value);
        self.spend(1 + spot.ty.lanes());
    }

    /// Stores a value to memory that holds its type and shows in the end; says whether
    /// there is any.
    pub fn store_somewhere(&mut self, val: Val) -> bool {
        let shown = |memory: &Memory| matches!(memory.root, Root::Param(_));
        let all: Vec<usize> = self.stores().into_iter().filter(|&i| shown(&self.memories[i])).collect();
        let Some(&at) = self.random.pick(&all) else { return false };
        for _ in 0..3 {
            let spot = self.spot(at);
            if spot.ty == val.ty {
                self.store_to(&spot, val);
                return true;
            }
        }
        false
    }

    /// A place that may be accessed now.
    pub fn spot(&mut self, at: usize) -> Spot {
        let Memory { root, record, owner, access, mode, first, .. } = self.memories[at].clone();
        let mut spot = Spot { place: self.b.place(root, &[], 0), ty: record, uniform: true };
        let size = self.types.layout(record).map_or(4, |layout| layout.size);
        match (owner, mode) {
            (Owner::Mine, _) => {}
            (Owner::Nobody, _) => {
                let val = match self.random.below(4) {
                    0 => self.value(Type::U32),
                    1 => self.global.unwrap_or(self.small()),
                    _ => self.small(),
                };
                spot.push(val, size, None);
            }
            (Owner::Record(own), Mode::Own) => spot.push(own, size, None),
            (Owner::Record(_), Mode::Read | Mode::Gather(_)) => {
                let val = self.any_record(first);
                spot.push(val, size, None);
            }
        }
        let is_whole = matches!(root, Root::Private(_) | Root::Table(_));
        self.walk(&mut spot, is_whole, access == Access::Atomic);
        // What others may write meanwhile is not the same for all.
        spot.uniform &= access == Access::Read;
        spot
    }

    /// A place that may be the same, or that of a neighbour.
    pub fn maybe_same(&mut self, spot: &Spot) -> Spot {
        let mut other = Spot { place: spot.place.clone(), ..*spot };
        // The first index says whose record it is.
        let whose = usize::from(!matches!(spot.place.root, Root::Private(_) | Root::Table(_)));
        let indices = other.place.indices.len();
        if let Some(last) = other.place.indices.last_mut().filter(|last| last.bound.is_some() && indices > whose) {
            let same = Val { value: last.value, ty: Type::U32, uniform: false };
            let (condition, neighbour) = (self.value(Type::BOOL), self.index(last.bound.unwrap_or(1)));
            last.value = self.op(Op::Select, &[condition, same, neighbour]).value;
        }
        other
    }

    /// A record of the workgroup's.
    fn any_record(&mut self, first: Option<Val>) -> Val {
        let of_it = match (self.random.below(3), self.local) {
            (0, Some(local)) => {
                let (one, all) = (self.number(1), self.number(self.workgroup));
                let next = self.op(Op::Add, &[local, one]);
                self.op(Op::Rem, &[next, all])
            }
            (1, _) => {
                let n = self.random.below(self.workgroup as usize) as u32;
                self.number(n)
            }
            _ => {
                let (val, all) = (self.value(Type::U32), self.number(self.workgroup));
                self.op(Op::Rem, &[val, all])
            }
        };
        match first {
            Some(first) => self.op(Op::Add, &[first, of_it]),
            None => of_it,
        }
    }

    /// Goes on to something in a record that an access may be of.
    fn walk(&mut self, spot: &mut Spot, mut is_whole: bool, atomic: bool) {
        loop {
            match spot.ty {
                Type::Array(id) => {
                    let def = self.types.arrays[id].clone();
                    let stride = self.types.layout(def.element).map_or(4, |layout| layout.size);
                    let mut lanes = 1;
                    spot.ty = def.element;
                    if let Type::Scalar(scalar) = def.element
                        && !atomic
                        && def.len > 1
                        && self.random.chance(15)
                    {
                        lanes = 2 + self.random.below(3.min(def.len as usize - 1)) as u32;
                        spot.ty = Type::Vector(scalar, lanes as u8);
                    }
                    let bound = def.len - lanes + 1;
                    let index = self.index(bound);
                    let needs_bound = !is_whole || self.random.chance(50);
                    spot.push(index, stride, needs_bound.then_some(bound));
                }
                Type::Struct(id) => {
                    let fields = self.types.structs[id].fields.clone();
                    let field = self.random.below(fields.len());
                    spot.place.offset += self.types.field_offset(id, field).unwrap_or(0);
                    spot.ty = fields.get(field).map_or(Type::U32, |(_, ty)| *ty);
                }
                Type::Vector(scalar, lanes) if !atomic && self.random.chance(25) => {
                    spot.place.offset += self.random.below(lanes.into()) as u32 * scalar.size();
                    spot.ty = Type::Scalar(scalar);
                }
                Type::Scalar(scalar) if !atomic && scalar.bits() >= 32 && self.random.chance(6) => {
                    // Words may be looked at in parts.
                    let part = self.random.one_of([Scalar::U8, Scalar::U16, Scalar::I8]);
                    spot.place.offset += self.random.below((scalar.size() / part.size()) as usize) as u32 * part.size();
                    spot.ty = Type::Scalar(part);
                    return;
                }
                Type::Scalar(_) | Type::Vector(..) | Type::Error | Type::Bytes => return,
            }
            is_whole = false;
        }
    }

    /// An index, mostly below a bound.
    fn index(&mut self, bound: u32) -> Val {
        match self.random.below(10) {
            0..5 => {
                let n = self.random.below(bound as usize) as u32;
                self.number(n)
            }
            5 | 6 => {
                let (val, all) = (self.unknown(Type::U32), self.number(bound));
                self.op(Op::Rem, &[val, all])
            }
            7 => {
                let (val, most) = (self.unknown(Type::U32), self.number(bound.next_power_of_two() - 1));
                self.op(Op::And, &[val, most])
            }
            _ => match self.visible(|val| val.ty == Type::U32) {
                Some(val) if self.bits_of(val).is_none() => val,
                _ => self.number(0),
            },
        }
    }

    /// An atomic access.
    fn atomic(&mut self, at: usize) {
        let mode = self.memories[at].mode;
        let spot = self.spot(at);
        let Type::Scalar(scalar) = spot.ty else { return };
        let all: Vec<AtomicOp> = AtomicOp::ALL.iter().copied().filter(|op| op.class().contains(scalar)).collect();
        let op = match mode {
            // Only unsigned integers have these.
            Mode::Own if Class::UNSIGNED.contains(scalar) && self.random.chance(15) => {
                self.random.one_of([AtomicOp::IncWrap, AtomicOp::DecWrap])
            }
            Mode::Own => self.random.pick(&all).copied().unwrap_or(AtomicOp::Load),
            Mode::Read => AtomicOp::Load,
            Mode::Gather(op) => op,
        };
        let order = self.order(op);
        let val = self.atomic_at(op, &spot, order);
        if let (Some(val), Mode::Own | Mode::Read) = (val, mode) {
            self.keep(val);
        }
    }

    fn atomic_at(&mut self, op: AtomicOp, spot: &Spot, order: MemoryOrder) -> Option<Val> {
        let args: Vec<Val> = (0..op.operands()).map(|_| self.value(spot.ty)).collect();
        let args = super::flow::values(&args);
        self.spend(2);
        let value = self.b.atomic_with(op, spot.place.clone(), &args, spot.ty, order)?;
        Some(Val { value, ty: spot.ty, uniform: false })
    }

    /// A memory order that an atomic op may have, among those of the kernel.
    fn order(&mut self, op: AtomicOp) -> MemoryOrder {
        if self.random.chance(50) {
            return MemoryOrder::RELAXED;
        }
        let all = self.orders;
        let mut pick = || self.random.pick(all).copied().unwrap_or(Ordering::Relaxed);
        let (ordering, failure) = (pick(), pick());
        let scope = self.random.one_of([Scope::Workgroup, Scope::Device]);
        let failure = if op == AtomicOp::CompareExchange { failure } else { Ordering::Relaxed };
        let order = MemoryOrder { ordering, failure, scope };
        if order.fault(op).is_none() { order } else { MemoryOrder::RELAXED }
    }

    /// Adds to what all invocations of the launch add to, and nobody reads. Ops that do
    /// not commute with each other have slots of their own.
    fn gather(&mut self) {
        let Some((root, scalar)) = self.gathered else { return };
        let family = self.random.below(GATHERING.len());
        let Some(&op) = self.random.pick(GATHERING[family]) else { return };
        let size = scalar.size();
        let mut spot = Spot { place: self.b.place(root, &[], family as u32 * size), ty: scalar.into(), uniform: true };
        let index = self.index(2);
        spot.push(index, size * GATHERING.len() as u32, Some(2));
        // All workgroups of the launch add.
        let order = MemoryOrder { scope: Scope::Device, ..self.order(op) };
        self.atomic_at(op, &spot, order);
    }

    /// Elements of a buffer for [`gather`](Self::gather).
    pub const GATHERED: u32 = 2 * GATHERING.len() as u32;

    /// What only all invocations of a workgroup do together.
    pub fn together(&mut self) {
        match self.random.below(8) {
            0 => {
                self.b.barrier();
                self.spend(1);
            }
            1 => self.broadcast(),
            2..4 => self.rotate(),
            _ => self.window(),
        }
    }

    /// The memories that others may look into.
    fn exchanged(&self) -> Vec<usize> {
        (0..self.memories.len())
            .filter(|&i| self.memories[i].is_exchanged && self.memories[i].mode == Mode::Own)
            .collect()
    }

    /// Runs `fill` between two barriers that nothing jumps out of.
    fn between_barriers(&mut self, fill: impl FnOnce(&mut Self)) {
        self.b.barrier();
        let before = (self.floor, self.may_return);
        (self.floor, self.may_return) = (self.loops.len(), false);
        fill(self);
        (self.floor, self.may_return) = before;
        self.b.barrier();
        self.spend(2);
    }

    /// A window in which a memory is read, or gathered in, by all.
    pub fn window(&mut self) {
        let Some(&at) = self.random.pick(&self.exchanged()) else { return };
        let gathers = self.memories[at].access == Access::Atomic && self.random.chance(50);
        let mode = match self.memory_scalar(at).filter(|s| gathers && Class::INT.contains(*s)) {
            Some(_) => {
                let op = self.random.one_of([
                    AtomicOp::Add,
                    AtomicOp::And,
                    AtomicOp::Or,
                    AtomicOp::Xor,
                    AtomicOp::Min,
                    AtomicOp::Max,
                ]);
                Mode::Gather(op)
            }
            None => Mode::Read,
        };
        self.between_barriers(|g| {
            g.memories[at].mode = mode;
            for _ in 0..1 + g.random.below(3) {
                if mode == Mode::Read && g.memories[at].access != Access::Atomic {
                    g.load(at);
                } else {
                    g.atomic(at);
                }
                g.body(2);
                g.sink();
            }
            g.memories[at].mode = Mode::Own;
        });
    }

    fn memory_scalar(&self, at: usize) -> Option<Scalar> {
        let element = match self.memories[at].record {
            Type::Array(id) => self.types.arrays[id].element,
            other => other,
        };
        element.lane()
    }

    /// A window in which records have other owners.
    fn rotate(&mut self) {
        let Some(&at) = self.random.pick(&self.exchanged()) else { return };
        let (Owner::Record(own), Some(local)) = (self.memories[at].owner, self.local) else { return };
        let (by, all) = (self.uniform_u32(), self.number(self.workgroup));
        let by = self.op(Op::Rem, &[by, all]);
        // Whose turn it is would not be known if the invocations disagreed.
        if !by.uniform {
            return;
        }
        let sum = self.op(Op::Add, &[local, by]);
        let mut other = self.op(Op::Rem, &[sum, all]);
        if let Some(first) = self.memories[at].first {
            other = self.op(Op::Add, &[first, other]);
        }
        if self.memories[at].access == Access::ReadWrite {
            // What stands here before the barrier is not what stands here after it.
            let spot = self.spot(at);
            if self.random.chance(50) {
                let val = self.value(spot.ty);
                self.store_to(&spot, val);
            } else {
                let val = self.load_from(&spot);
                self.mix_in(val);
            }
            self.between_barriers(|g| {
                g.memories[at].owner = Owner::Record(other);
                if g.random.chance(60) {
                    let mut there = spot.after(0);
                    if let Some(first) = there.place.indices.first_mut() {
                        first.value = other.value;
                    }
                    let val = g.unknown(there.ty);
                    g.store_to(&there, val);
                } else {
                    g.store(at);
                }
                g.body(2);
                g.store(at);
                g.memories[at].owner = Owner::Record(own);
            });
            let val = self.load_from(&spot);
            self.mix_in(val);
        } else {
            self.between_barriers(|g| {
                g.memories[at].owner = Owner::Record(other);
                g.atomic(at);
                g.body(2);
                g.memories[at].owner = Owner::Record(own);
            });
        }
    }

    /// What stands in one record of workgroup memory, which all read between two barriers
    /// and which therefore is the same for all.
    fn broadcast(&mut self) {
        let plain = |memory: &Memory| memory.access == Access::ReadWrite && matches!(memory.root, Root::Shared(_));
        let all: Vec<usize> = self.exchanged().into_iter().filter(|&i| plain(&self.memories[i])).collect();
        let Some(&at) = self.random.pick(&all) else { return };
        let Memory { root, record, .. } = self.memories[at];
        let Type::Array(id) = record else { return };
        let Type::Scalar(_) = self.types.arrays[id].element else { return };
        let size = self.types.layout(record).map_or(4, |layout| layout.size);
        let mut spot = Spot { place: self.b.place(root, &[], 0), ty: self.types.arrays[id].element, uniform: true };
        let record = self.random.below(self.workgroup as usize) as u32;
        let record = self.number(record);
        spot.push(record, size, None);
        self.b.barrier();
        let value = self.b.load(spot.place.clone(), spot.ty);
        self.b.barrier();
        self.spend(4);
        self.keep(Val { value, ty: spot.ty, uniform: true });
    }

    /// A fence of any scope, if the kernel has orders.
    pub fn fence(&mut self) {
        let Some(&ordering) = self.orders.get(1..).and_then(|orders| self.random.pick(orders)) else { return };
        let scope = self.random.one_of([Scope::Workgroup, Scope::Device]);
        self.b.fence(ordering, scope);
        self.spend(1);
    }
}

impl Spot {
    fn push(&mut self, index: Val, stride: u32, bound: Option<u32>) {
        self.uniform &= index.uniform;
        self.place.indices.push(Index { value: index.value, stride, bound });
    }

    /// The same place so many bytes further on.
    pub fn after(&self, bytes: u32) -> Self {
        let mut place = self.place.clone();
        place.offset += bytes;
        Self { place, ty: self.ty, uniform: self.uniform }
    }
}
