//! Atomic accesses on every device: what each gives alone, and what many give together.
//!
//! What many invocations do to one location has no single result, but a law: there is an order
//! of the accesses in which each finds what the one before left. The old values that the
//! accesses returned and the new values that follow from them are the edges of a graph. Such an
//! order is a path over every edge once, from the first value of the location to its last. By
//! Euler, it exists if and only if each value is left as often as it is entered, except for the
//! ends, and all edges are connected.

use super::Tally;
use super::expect::expect;
use crate::engines::memory_words;
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Place, Root, Value};
use samebits_ir::ops::{AtomicOp, Builtin, Op};
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
    /// What the locations hold.
    pub ty: Scalar,
    /// In workgroup memory instead of a buffer.
    pub shared: bool,
    /// Whether a workgroup's invocations all access one location instead of one each.
    pub contended: bool,
    /// The operands as literals instead of from buffers.
    pub literal: Option<[u64; 2]>,
}

/// An access: its operands, what it found, and what the location held at the end.
#[derive(Clone, Copy, Debug)]
struct Seen {
    operands: [u64; 2],
    old: u64,
    last: u64,
}

/// Every case.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in AtomicOp::ALL {
        for ty in op.class().members() {
            // What has no operand has no literal one; words stand for the other types.
            let literals = match ty {
                _ if op.operands() == 0 => 0,
                Scalar::I32 | Scalar::U32 => 4,
                _ => 1,
            };
            for (shared, contended) in [(false, false), (false, true), (true, false), (true, true)] {
                let literals = (0..literals).map(|n| Some([edge(ty, 2 + n), edge(ty, 3 + 4 * n)]));
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

/// One of eight values at the ends of a type and between them.
fn edge(ty: Scalar, i: usize) -> u64 {
    let (mask, top) = (ty.mask(), ty.mask() ^ ty.mask() >> 1);
    let integers = [0, 1, mask, mask >> 1, top, top + 1, 0x5555_5555_5555_5555 & mask, mask - 4];
    let floats: [u64; 8] = match ty {
        Scalar::F16 => [0, 0x3c00, 0xbe00, 0x7bff, 0x8000, 0x0001, 0x7e00, 0xfc00],
        Scalar::F32 => [0, 0x3f80_0000, 0xbfc0_0000, 0x7f7f_ffff, 0x8000_0000, 0x0000_0001, 0x7fc0_0000, 0xff80_0000],
        Scalar::F64 => [
            0,
            0x3ff0_0000_0000_0000,
            0xbff8_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
            0x0000_0000_0000_0001,
            0x7ff8_0000_0000_0000,
            0xfff0_0000_0000_0000,
        ],
        _ => integers,
    };
    floats[i % floats.len()]
}

/// A value that differs from invocation to invocation, where the type has as many.
fn mixed(ty: Scalar, invocation: usize) -> u64 {
    let mixed = (invocation as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let exponent = match ty {
        Scalar::F16 => 0x3ff | 15 << 10,
        Scalar::F32 => 0x7f_ffff | 127 << 23,
        Scalar::F64 => 0xf_ffff_ffff_ffff | 1023 << 52,
        _ => return mixed >> 16 & ty.mask(),
    };
    // Numbers from 1 to 2 of either sign, none of them a NaN.
    (mixed | exponent) & (exponent | ty.mask() ^ ty.mask() >> 1) ^ mixed >> 20 & (exponent >> (exponent.ilog2() / 2))
}

/// The bits of an op on doubles; a NaN is the canonical one and loses.
fn double(op: Op, a: f64, b: f64) -> u64 {
    let least = |a: f64, b: f64| if a.is_nan() || b.total_cmp(&a).is_lt() && !b.is_nan() { b } else { a };
    let value = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Min => least(a, b),
        _ => -least(-a, -b),
    };
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

/// What the location holds after an access that found `old`, in native Rust.
fn after(op: AtomicOp, ty: Scalar, old: u64, [value, new]: [u64; 2]) -> u64 {
    let pure = |op: Op| match ty {
        Scalar::F64 => double(op, f64::from_bits(old), f64::from_bits(value)),
        _ => {
            let ty = Type::Scalar(ty);
            expect(op, &[ty, ty], ty, &[[old, 0, 0, 0], [value, 0, 0, 0]]).map_or(0, |lanes| lanes[0])
        }
    };
    match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => value,
        AtomicOp::Add => pure(Op::Add),
        AtomicOp::Sub => pure(Op::Sub),
        AtomicOp::Min => pure(Op::Min),
        AtomicOp::Max => pure(Op::Max),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Nand => !(old & value) & ty.mask(),
        AtomicOp::IncWrap if old < value => old + 1,
        AtomicOp::IncWrap => 0,
        AtomicOp::DecWrap if (1..=value).contains(&old) => old - 1,
        AtomicOp::DecWrap => value,
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
    fn given(&self, invocation: usize) -> (u64, [u64; 2]) {
        let edge = |i: usize| edge(self.ty, i);
        let first = if self.contended { edge(invocation / GROUP) } else { edge(invocation) };
        let mut operands = if self.contended {
            // Different for each invocation, of both signs, and comparisons that one can win.
            let mixed = mixed(self.ty, invocation);
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
        let (ty, size) = (Type::Scalar(self.ty), self.ty.size());
        let at = |root, value| at(root, value, size);
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
                Some(literal) => b.constant(self.ty, literal[n]),
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
        let given: Vec<(u64, [u64; 2])> = (0..all).map(|i| self.given(i)).collect();
        let upload = |values: Vec<u64>| {
            let lanes: Vec<[u64; 4]> = values.into_iter().map(|value| [value, 0, 0, 0]).collect();
            device.upload(&memory_words(Type::Scalar(self.ty), lanes.iter()))
        };
        let column = |f: fn(&(u64, [u64; 2])) -> u64| upload(given.iter().map(f).collect());
        let first = column(|given| given.0)?;
        let (a, b) = (column(|given| given.1[0])?, column(|given| given.1[1])?);
        let (mut old, mut last) = (upload(vec![0; all])?, upload(vec![0; all])?);
        let step = if self.contended { GROUP } else { 1 };
        let mut cells = upload(given.iter().step_by(step).map(|given| given.0).collect())?;
        let mut args = [&first, &a, &b].map(Arg::words).into_iter().collect::<Vec<_>>();
        args.extend([&mut old, &mut last].map(Arg::words_mut));
        if !self.shared {
            args.push(Arg::words_mut(&mut cells));
        }
        Kernel::from_module(&self.module(), 0)?.launch(device, Grid::groups(GROUPS, 1, 1), &args)?;
        let (old, last) = (self.values(&old.read()?), self.values(&last.read()?));
        Ok((0..all).map(|i| Seen { operands: given[i].1, old: old[i], last: last[i] }).collect())
    }

    /// Memory as values.
    fn values(&self, words: &[u32]) -> Vec<u64> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        bytes.chunks(self.ty.size() as usize).map(value).collect()
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

    fn judge_many(&self, first: u64, seen: &[Seen]) -> Result<(), String> {
        let last = seen.first().map_or(first, |seen| seen.last);
        if let Some(other) = seen.iter().find(|seen| seen.last != last) {
            return Err(format!("left {last:#x} to some and {:#x} to others", other.last));
        }
        if self.op == AtomicOp::Store {
            let stored = seen.iter().any(|seen| seen.operands[0] == last);
            return if stored { Ok(()) } else { Err(format!("left {last:#x}, which nobody stored")) };
        }
        let edges: Vec<(u64, u64)> =
            seen.iter().map(|seen| (seen.old, after(self.op, self.ty, seen.old, seen.operands))).collect();
        path(first, last, &edges)
    }
}

fn at(root: Root, value: Value, stride: u32) -> Place {
    Place { root, offset: 0, indices: vec![Index { value, stride, bound: None }] }
}

/// Whether a path goes over every edge once, from `first` to `last`.
fn path(first: u64, last: u64, edges: &[(u64, u64)]) -> Result<(), String> {
    let mut surplus: BTreeMap<u64, i64> = BTreeMap::new();
    let mut neighbours: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
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
            // Wide ones need hardware for them; the interpreter has every one.
            Err(Error::MissingFeature { .. }) if case.ty.bits() == 64 => {}
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

    fn seen(operand: u64, old: u64, last: u64) -> Seen {
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
