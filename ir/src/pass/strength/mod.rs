//! Strength reduction: the same numbers by cheaper instructions.
//!
//! - Quotients and remainders by constants become products and shifts ([`divide`]), and 64-bit
//!   products with powers of two become shifts.
//! - The product of a loop's counter with an invariant is computed along with the counter
//!   ([`induction`]).
//!
//! Integers wrap, so both are exact without proof.
//!
//! This runs once and late, because its results tell other passes less than the original code.
//! For the same reason it leaves alone what compilers of targets reduce as well themselves:
//! 32-bit division and multiplication.

mod divide;
mod induction;

use crate::flags::Flags;
use crate::ir::{Function, Inst, InstKind, Region, Replaced, Value};
use crate::loc::Loc;
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// Reduces the strength of a function in SSA form; says whether anything changed.
pub fn strength(function: &mut Function) -> bool {
    let changed = induction::induction(function);
    let mut pass = Strength { kept: Vec::new(), loc: Loc::NONE, replaced: Replaced::new(), changed: false, function };
    let body = pass.function.body;
    pass.region(body);
    changed | pass.changed
}

/// Replaces ops one by one.
struct Strength<'a> {
    function: &'a mut Function,
    /// What the region that is walked over keeps.
    kept: Vec<Inst>,
    /// Where the instruction that is replaced is.
    loc: Loc,
    replaced: Replaced,
    changed: bool,
}

impl Strength<'_> {
    /// Walks in program order. The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let outer = std::mem::take(&mut self.kept);
        for inst in self.function.region_insts(region) {
            self.replaced.follow(&mut self.function.insts[inst].kind);
            match self.reduced(inst) {
                Some((result, value)) => {
                    self.replaced.set(result, value);
                    self.changed = true;
                }
                None => self.kept.push(inst),
            }
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
        }
        self.function.regions[region].insts = std::mem::replace(&mut self.kept, outer);
    }

    /// An op's result and what gives it at less cost.
    fn reduced(&mut self, inst: Inst) -> Option<(Value, Value)> {
        let def = &self.function.insts[inst];
        let (InstKind::Op(op, args), &[result]) = (&def.kind, def.results.as_slice()) else { return None };
        let (&[a, b], Type::Scalar(scalar)) = (args.as_slice(), self.function.ty(result)) else { return None };
        let number = self.function.constant_bits(b)?;
        if !scalar.is_int()
            || self.function.constant_bits(a).is_some()
            || self.function.flags[inst].has(Flags::NONUNIFORM)
        {
            return None;
        }
        self.loc = def.loc;
        let value = match *op {
            Op::Mul if scalar.bits() == 64 && number.is_power_of_two() => {
                self.shifted(Op::Shl, a, number.trailing_zeros())
            }
            Op::Div if divide::is_worth(scalar, number) => self.quotient(scalar, a, number),
            Op::Rem if divide::is_worth(scalar, number) => self.remainder(scalar, a, number),
            _ => return None,
        };
        Some((result, value))
    }

    fn op(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let (inst, value) = self.function.made(InstKind::Op(op, args.to_vec()), ty, self.loc);
        self.kept.push(inst);
        value
    }

    /// An op on two values of one type that gives this type.
    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.op(op, &[a, b], ty)
    }

    /// An op on a value and a number of its type; wraps.
    fn with(&mut self, op: Op, a: Value, number: u64) -> Value {
        let scalar = self.function.ty(a).lane().unwrap_or(Scalar::U32);
        let number = self.function.constant(scalar, number);
        self.binary(op, a, number)
    }

    fn shifted(&mut self, op: Op, a: Value, count: u32) -> Value {
        if count == 0 {
            return a;
        }
        let ty = self.function.ty(a);
        let count = self.function.constant(Scalar::U32, count.into());
        self.op(op, &[a, count], ty)
    }

    fn cast(&mut self, a: Value, to: Scalar) -> Value {
        let to = Type::Scalar(to);
        if self.function.ty(a) == to { a } else { self.op(Op::Cast, &[a], to) }
    }
}

#[cfg(test)]
mod tests;
