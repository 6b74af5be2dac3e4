//! Which bits of a value may differ between the invocations of a workgroup.
//!
//! Only asked where a barrier would be refused otherwise, since it needs facts about all
//! values. A known bit is the same for all, and so is a bit that no difference can reach
//! through arithmetic: with workgroups of 64, `global_id().x / 64` is the same for the
//! workgroup.
//!
//! Invariants: if more bits of the operands may differ, then not fewer bits of the result do,
//! so the analysis ends; in a vector each bit stands for a lane, which differs as a whole;
//! facts are ignored in a function that declares a value to differ, because they see through
//! such a declaration.

use crate::analysis::alike::first_alike;
use crate::analysis::facts::Facts;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Inst, Value, ValueDef};
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};

/// Every bit.
pub(super) const ALL: u64 = u64::MAX;

/// What is known about the values of a function.
pub(super) struct Values<'a> {
    function: &'a Function,
    tree: &'a Tree,
    facts: Facts,
    /// Of the values that are computed alike, the first one.
    first: Side<ValueDef, Option<Value>>,
}

impl<'a> Values<'a> {
    /// `None` if the function declares that a value differs.
    pub(super) fn of(types: &Types, function: &'a Function, tree: &'a Tree) -> Option<Self> {
        if function.insts.ids().any(|inst| function.flags[inst].has(Flags::NONUNIFORM)) {
            return None;
        }
        Some(Self {
            function,
            tree,
            facts: Facts::of_values(types, function, tree),
            first: first_alike(function, tree),
        })
    }

    /// The first of the values that are computed alike from the same.
    pub(super) fn first(&self, value: Value) -> Value {
        self.first[value].unwrap_or(value)
    }

    /// The only number that a value can be where an instruction uses it.
    pub(super) fn decided(&self, inst: Inst, value: Value) -> Option<u64> {
        self.facts.at(inst, value).constant()
    }

    /// Whether an invocation may come to an instruction.
    pub(super) fn is_reached(&self, inst: Inst) -> bool {
        self.facts.is_reached(inst)
    }

    /// The least and the greatest number that a value can be where an instruction uses it.
    pub(super) fn range(&self, inst: Inst, value: Value) -> (u64, u64) {
        let fact = self.facts.at(inst, value);
        (fact.least, fact.most)
    }

    /// The bits of a value that are not known.
    pub(super) fn unknown(&self, value: Value) -> u64 {
        match self.function.ty(value) {
            Type::Scalar(scalar) => {
                let (zeros, ones) = self.facts.known(value);
                scalar.mask() & !zeros & !ones
            }
            Type::Vector(..) | Type::Array(_) | Type::Struct(_) | Type::Bytes | Type::Error => ALL,
        }
    }

    /// The mask of a number's lowest bits, if the other one consists of them: `a % 32` or `a & 31`.
    fn low_bits(&self, number: Value, low: Value) -> Option<u64> {
        let (op, &[of, by]) = self.tree.op(self.function, low)? else { return None };
        let by = self.function.constant_bits(by)?;
        let Type::Scalar(scalar) = self.function.ty(number) else { return None };
        let mask = match op {
            Op::Rem if by.is_power_of_two() && !scalar.is_signed() => by - 1,
            Op::And if by.wrapping_add(1).is_power_of_two() => by,
            _ => return None,
        };
        (self.first(of) == self.first(number)).then_some(mask)
    }

    /// The bits of an op's result that may differ if these of its operands do.
    pub(super) fn of_op(&self, op: Op, args: &[Value], result: Value, varying: &Side<ValueDef, u64>) -> u64 {
        let Some(&first) = args.first() else { return 0 };
        if args.iter().all(|&arg| varying[arg] == 0) {
            return 0;
        }
        let (Type::Scalar(scalar), Type::Scalar(out)) = (self.function.ty(first), self.function.ty(result)) else {
            return ALL;
        };
        if scalar.is_float() {
            return ALL;
        }
        let arg = |n: usize| args.get(n).copied().unwrap_or(first);
        let (a, b, c) = (arg(0), arg(1), arg(2));
        let (va, vb) = (varying[a], varying[b]);
        let ((za, oa), (zb, ob)) = (self.facts.known(a), self.facts.known(b));
        let by = self.facts.fact(b).constant();
        match op {
            Op::Sub | Op::Xor if a == b => 0,
            Op::Sub if let Some(low) = self.low_bits(a, b) => va & !low,
            Op::And => va & !zb | vb & !za,
            Op::Or => va & !ob | vb & !oa,
            Op::Xor => va | vb,
            Op::Not => va,
            // Nothing is carried.
            Op::Add if !za & !zb == 0 => va | vb,
            Op::Add | Op::Sub => from_lowest(va | vb),
            Op::Neg => from_lowest(va),
            Op::Mul => from_lowest(left(va, zb.trailing_ones())) | from_lowest(left(vb, za.trailing_ones())),
            Op::Shl => by.map_or(ALL, |by| left(va, by as u32 % scalar.bits())),
            Op::Shr => by.map_or(ALL, |by| right(scalar, va, by as u32 % scalar.bits())),
            Op::Div => match by.filter(|by| by.is_power_of_two() && !scalar.is_signed()) {
                Some(by) => right(scalar, va, by.trailing_zeros()),
                None => ALL,
            },
            Op::Rem => match by.filter(|by| by.is_power_of_two() && !scalar.is_signed()) {
                Some(by) => va & (by - 1),
                None => ALL,
            },
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge if a == b => 0,
            Op::Lt | Op::Ge if !scalar.is_signed() && is_uniform_below([va, vb], oa, zb) => 0,
            Op::Gt | Op::Le if !scalar.is_signed() && is_uniform_below([vb, va], ob, za) => 0,
            Op::Select if b == c => vb,
            Op::Select if va == 0 => vb | varying[c],
            Op::Min | Op::Max if a == b => va,
            Op::Bitcast => va,
            Op::Cast if out.is_int() && !scalar.is_signed() => va,
            _ => ALL,
        }
    }
}

/// The lanes of an op's result that may differ if these of its operands do, where the op takes
/// or gives a vector; a lane that is extracted is [`ALL`] of a value.
pub(super) fn of_lanes(
    function: &Function,
    op: Op,
    args: &[Value],
    result: Value,
    varying: &Side<ValueDef, u64>,
) -> Option<u64> {
    let is_vector = |value: Value| matches!(function.ty(value), Type::Vector(..));
    if !is_vector(result) && !args.iter().any(|&arg| is_vector(arg)) {
        return None;
    }
    let lanes = function.ty(result).lanes();
    let lane_by_lane = |ty: Type| matches!(ty, Type::Vector(_, n) if usize::from(n) == lanes);
    Some(match (op, args) {
        (Op::Construct, _) if args.len() == lanes => {
            let lane = |(lane, &arg): (usize, &Value)| u64::from(varying[arg] != 0) << lane;
            args.iter().enumerate().map(lane).fold(0, |all, lane| all | lane)
        }
        (Op::Extract, &[vector, lane]) => match function.constant_bits(lane) {
            Some(lane) if lane < 64 && varying[vector] >> lane & 1 == 0 => 0,
            _ => ALL,
        },
        (Op::Construct | Op::Extract | Op::Bitcast, _) => ALL,
        _ if op.is_compound() => ALL,
        // A scalar beside vectors counts for all lanes.
        _ if lane_by_lane(function.ty(result)) => args.iter().fold(0, |all, &arg| {
            all | if lane_by_lane(function.ty(arg)) || varying[arg] == 0 { varying[arg] } else { ALL }
        }),
        _ => ALL,
    })
}

/// The lowest of these bits and all above, which a carry may reach.
const fn from_lowest(bits: u64) -> u64 {
    if bits == 0 { 0 } else { ALL << bits.trailing_zeros() }
}

const fn left(bits: u64, by: u32) -> u64 {
    if by < 64 { bits << by } else { 0 }
}

/// Bits after a shift to the right, in which a sign that differs spreads.
const fn right(scalar: Scalar, bits: u64, by: u32) -> u64 {
    let sign = scalar.bits() - 1;
    let spreads = scalar.is_signed() && bits >> sign & 1 == 1;
    (bits >> by) | if spreads { ALL << (sign - by) } else { 0 }
}

/// Whether all find the same answer to whether one number is below another, though low bits
/// of one of them differ: if the other one has nothing but ones there, or zeros.
const fn is_uniform_below([less, more]: [u64; 2], ones_of_less: u64, zeros_of_more: u64) -> bool {
    more == 0 && up_to_highest(less) & !zeros_of_more == 0 || less == 0 && up_to_highest(more) & !ones_of_less == 0
}

/// The highest of these bits and all below.
const fn up_to_highest(bits: u64) -> u64 {
    if bits == 0 { 0 } else { ALL >> bits.leading_zeros() }
}
