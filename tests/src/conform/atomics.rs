//! Atomic accesses on every device: what each gives alone, and what many give together.
//!
//! What many invocations do to one location has no single result, but a law: there is an
//! order of the accesses in which each finds what the one before left. The old values
//! that the accesses gave and the new ones that follow from them are the edges of a
//! graph, and such an order is a path over every edge once, from the first value of the
//! location to its last. It exists iff each value is left as often as it is entered, save
//! for the ends, and all edges hang together (Euler).

use super::Tally;
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Place, Root, Value};
use samebits_ir::ops::{AtomicOp, Builtin};
use samebits_ir::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, BTreeSet};

/// Invocations of a workgroup.
const GROUP: usize = 64;
/// Workgroups of a launch.
const GROUPS: usize = 4;

/// One way to try an atomic op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// What is done.
    pub op: AtomicOp,
    /// `i32` or `u32`.
    pub ty: Scalar,
    /// In workgroup memory instead of a buffer.
    pub shared: bool,
    /// Whether a workgroup's invocations all access one location instead of one each.
    pub contended: bool,
    /// The operands as literals instead of from buffers.
    pub literal: Option<[u32; 2]>,
}

/// An access: its operands, what it found, and what the location held at the end.
#[derive(Clone, Copy, Debug)]
struct Seen {
    operands: [u32; 2],
    old: u32,
    last: u32,
}

/// Every case.
pub fn cases() -> Vec<Case> {
    /// Zeros, ones, both ends and both signs.
    const LITERALS: [[u32; 2]; 4] = [[0xffff_ffff, 7], [1, 0xffff_ffff], [0x8000_0000, 1], [0, 0x7fff_ffff]];
    let mut cases = Vec::new();
    for &op in AtomicOp::ALL {
        for ty in [Scalar::I32, Scalar::U32] {
            for (shared, contended) in [(false, false), (false, true), (true, false), (true, true)] {
                let literals = LITERALS.iter().map(|&literal| Some(literal));
                // What has no operand has no literal one.
                let literals = literals.take(if op.operands() == 0 { 0 } else { LITERALS.len() });
                cases.extend([None].into_iter().chain(literals).map(|literal| Case {
                    op,
                    ty,
                    shared,
                    contended,
                    literal,
                }));
            }
        }
    }
    cases
}

/// What the location holds after an access that found `old`, in native Rust.
fn after(op: AtomicOp, ty: Scalar, old: u32, [value, new]: [u32; 2]) -> u32 {
    let signed = ty == Scalar::I32;
    match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::Min if signed => (old as i32).min(value as i32) as u32,
        AtomicOp::Min => old.min(value),
        AtomicOp::Max if signed => (old as i32).max(value as i32) as u32,
        AtomicOp::Max => old.max(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::CompareExchange if old == value => new,
        AtomicOp::CompareExchange => old,
    }
}

impl Case {
    /// What the case is called in messages.
    pub fn name(&self) -> String {
        let place = if self.shared { "workgroup" } else { "buffer" };
        let many = if self.contended { "many to one" } else { "one each" };
        format!("atomic.{} {} in {place} memory, {many}, literal {:x?}", self.op.name(), self.ty.name(), self.literal)
    }

    /// The location's first value and the operands of an invocation.
    fn given(&self, invocation: usize) -> (u32, [u32; 2]) {
        const EDGES: [u32; 8] = [0, 1, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0x5555_5555, 0xffff_fffb];
        let edge = |i: usize| EDGES[i % EDGES.len()];
        let first = if self.contended { edge(invocation / GROUP) } else { edge(invocation) };
        let mut operands = if self.contended {
            // Different for each invocation, of both signs, and comparisons that one can win.
            let mixed = (invocation as u32).wrapping_mul(0x9e37_79b1) | 1;
            if self.op == AtomicOp::CompareExchange { [first, mixed] } else { [mixed, 0] }
        } else {
            [edge(invocation / 8), edge(invocation / 3)]
        };
        if let Some(literal) = self.literal {
            operands = literal;
        }
        (first, operands)
    }

    /// The kernel: each invocation accesses its location once between two barriers.
    pub fn module(&self) -> Module {
        let ty = Type::Scalar(self.ty);
        let mut types = Types::default();
        let array = types.array(ty, GROUP as u32);
        let mut b = Builder::new("access", [GROUP as u32, 1, 1]);
        let first = b.buffer("first", ty, Access::Read);
        let operands = [b.buffer("a", ty, Access::Read), b.buffer("b", ty, Access::Read)];
        let old = b.buffer("old", ty, Access::ReadWrite);
        let last = b.buffer("last", ty, Access::ReadWrite);
        let i = b.builtin(Builtin::GlobalIdX);
        let cells =
            if self.shared { b.shared("cells", array, Access::Atomic) } else { b.buffer("cells", ty, Access::Atomic) };
        let index = match (self.shared, self.contended) {
            (false, false) => i,
            (false, true) => b.builtin(Builtin::WorkgroupIdX),
            (true, false) => b.builtin(Builtin::LocalIndex),
            (true, true) => b.u32(0),
        };
        if self.shared {
            let value = b.load(at(first, i), ty);
            b.atomic(AtomicOp::Store, at(cells, index), &[value], ty);
        }
        let mut args = Vec::new();
        for (n, &root) in operands.iter().enumerate().take(self.op.operands()) {
            args.push(match self.literal {
                Some(literal) => b.constant(self.ty, literal[n].into()),
                None => b.load(at(root, i), ty),
            });
        }
        b.barrier();
        if let Some(value) = b.atomic(self.op, at(cells, index), &args, ty) {
            b.store(at(old, i), value);
        }
        b.barrier();
        if let Some(value) = b.atomic(AtomicOp::Load, at(cells, index), &[], ty) {
            b.store(at(last, i), value);
        }
        b.ret();
        b.into_module(types)
    }

    fn launch(&self, device: &Device) -> Result<Vec<Seen>, Error> {
        let all = GROUP * GROUPS;
        let given: Vec<(u32, [u32; 2])> = (0..all).map(|i| self.given(i)).collect();
        let column = |f: fn(&(u32, [u32; 2])) -> u32| device.upload(&given.iter().map(f).collect::<Vec<u32>>());
        let first = column(|given| given.0)?;
        let (a, b) = (column(|given| given.1[0])?, column(|given| given.1[1])?);
        let (old, last) = (device.zeros::<u32>(all)?, device.zeros::<u32>(all)?);
        let step = if self.contended { GROUP } else { 1 };
        let cells = device.upload(&given.iter().step_by(step).map(|given| given.0).collect::<Vec<u32>>())?;
        let mut args: Vec<Arg<'_>> = [&first, &a, &b, &old, &last].map(Arg::words).into();
        if !self.shared {
            args.push(Arg::words(&cells));
        }
        Kernel::from_module(&self.module(), 0)?.launch(device, Grid::groups(GROUPS, 1, 1), &args)?;
        let (old, last) = (old.read()?, last.read()?);
        Ok((0..all).map(|i| Seen { operands: given[i].1, old: old[i], last: last[i] }).collect())
    }

    /// What is wrong with what a workgroup saw, whose invocations begin at `base`.
    fn judge(&self, base: usize, seen: &[Seen]) -> Result<(), String> {
        if self.contended {
            let (first, _) = self.given(base);
            return self.judge_many(first, seen);
        }
        for (i, seen) in seen.iter().enumerate() {
            let (first, operands) = self.given(base + i);
            let last = after(self.op, self.ty, first, operands);
            let old = if self.op == AtomicOp::Store { 0 } else { first };
            if (seen.old, seen.last) != (old, last) {
                let (is_old, is_last) = (seen.old, seen.last);
                return Err(format!(
                    "of {first:#x} with {operands:x?} gave {is_old:#x} and left {is_last:#x}, not {old:#x} and {last:#x}"
                ));
            }
        }
        Ok(())
    }

    fn judge_many(&self, first: u32, seen: &[Seen]) -> Result<(), String> {
        let last = seen.first().map_or(first, |seen| seen.last);
        if let Some(other) = seen.iter().find(|seen| seen.last != last) {
            return Err(format!("left {last:#x} to some and {:#x} to others", other.last));
        }
        if self.op == AtomicOp::Store {
            let stored = seen.iter().any(|seen| seen.operands[0] == last);
            return if stored { Ok(()) } else { Err(format!("left {last:#x}, which nobody stored")) };
        }
        let edges: Vec<(u32, u32)> =
            seen.iter().map(|seen| (seen.old, after(self.op, self.ty, seen.old, seen.operands))).collect();
        path(first, last, &edges)
    }
}

fn at(root: Root, value: Value) -> Place {
    Place { root, offset: 0, indices: vec![Index { value, stride: 4, bound: None }] }
}

/// Whether a path goes over every edge once, from `first` to `last`.
fn path(first: u32, last: u32, edges: &[(u32, u32)]) -> Result<(), String> {
    let mut surplus: BTreeMap<u32, i64> = BTreeMap::new();
    let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(from, to) in edges {
        *surplus.entry(from).or_default() += 1;
        *surplus.entry(to).or_default() -= 1;
        neighbours.entry(from).or_default().push(to);
        neighbours.entry(to).or_default().push(from);
    }
    *surplus.entry(first).or_default() -= 1;
    *surplus.entry(last).or_default() += 1;
    if let Some((value, _)) = surplus.iter().find(|(_, surplus)| **surplus != 0) {
        return Err(format!("in no order from {first:#x} to {last:#x}: {value:#x} is not left as often as reached"));
    }
    let (mut reached, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some(value) = open.pop() {
        for &next in neighbours.get(&value).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    match neighbours.keys().find(|value| !reached.contains(value)) {
        Some(value) => Err(format!("found {value:#x}, which no order from {first:#x} leads to")),
        None => Ok(()),
    }
}

/// Runs the cases on a device.
pub fn run(device: &Device, cases: &[Case], tally: &mut Tally) {
    for case in cases {
        match case.launch(device) {
            Ok(seen) => {
                tally.count(case.op.name(), Some(case.ty), seen.len() as u64);
                for (group, seen) in seen.chunks(GROUP).enumerate() {
                    if let Err(what) = case.judge(group * GROUP, seen) {
                        tally.wrong(format!("{} {what}", case.name()));
                    }
                }
            }
            Err(error) => tally.wrong(format!("{}: {error}", case.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(op: AtomicOp) -> Case {
        Case { op, ty: Scalar::U32, shared: false, contended: true, literal: None }
    }

    fn seen(operand: u32, old: u32, last: u32) -> Seen {
        Seen { operands: [operand, 0], old, last }
    }

    #[test]
    fn sums_in_some_order_are_right() {
        assert_eq!(case(AtomicOp::Add).judge_many(0, &[seen(5, 3, 8), seen(3, 0, 8)]), Ok(()));
    }

    #[test]
    fn a_lost_update_is_noticed() {
        assert!(case(AtomicOp::Add).judge_many(0, &[seen(5, 0, 5), seen(3, 0, 5)]).is_err());
        assert!(case(AtomicOp::Exchange).judge_many(0, &[seen(5, 0, 3), seen(3, 0, 3)]).is_err());
    }

    #[test]
    fn two_winners_of_one_comparison_are_noticed() {
        let both = [1, 2].map(|new| Seen { operands: [0, new], old: 0, last: 2 });
        assert!(case(AtomicOp::CompareExchange).judge_many(0, &both).is_err());
    }

    #[test]
    fn accesses_apart_from_the_rest_are_noticed() {
        assert!(case(AtomicOp::Exchange).judge_many(0, &[seen(7, 0, 7), seen(9, 9, 7)]).is_err());
        assert!(case(AtomicOp::Load).judge_many(0, &[seen(0, 0, 0), seen(0, 4, 0)]).is_err());
    }

    #[test]
    fn a_signed_maximum_taken_as_unsigned_is_noticed() {
        let case = Case { ty: Scalar::I32, literal: Some([0xffff_ffff, 0]), ..case(AtomicOp::Max) };
        assert!(case.judge_many(0, &[seen(0, 0, 0xffff_ffff)]).is_err());
        assert_eq!(case.judge_many(0, &[Seen { operands: [0xffff_ffff, 0], old: 0, last: 0 }]), Ok(()));
    }
}
