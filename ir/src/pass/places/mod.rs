//! Moving constants into places: `x[i + 3]` is three elements after `x[i]`.
//!
//! A place is computed without wrapping, and an index may wrap. So the sum must be known not to
//! wrap: a few facts about its ops give both parts a greatest value. A bound on the index is
//! lowered by the same amount. An index that would always be out of bounds stays.

use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Index, Inst, InstDef, InstKind, Place, Region, Value, ValueDef};
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// How many ops deep greatest values are looked for. Those of operands are kept, so that a
/// chain is long at its first look only.
const MAX_DEPTH: usize = 16;

/// Moves constants from indices to offsets in a function in SSA form; says whether any was.
pub fn places(function: &mut Function) -> bool {
    let mut pass = Places { most: Side::new(None), defs: Side::new(None), changed: false, function };
    let body = pass.function.body;
    pass.region(body);
    pass.changed
}

struct Places<'a> {
    function: &'a mut Function,
    /// Greatest values that were found.
    most: Side<ValueDef, Option<u64>>,
    /// The instructions that were met so far, by their results.
    defs: Side<ValueDef, Option<Inst>>,
    changed: bool,
}

impl Places<'_> {
    /// Walks in program order. The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        for inst in self.function.region_insts(region) {
            let InstDef { kind, results, .. } = &self.function.insts[inst];
            if let (InstKind::Op(..) | InstKind::Builtin(_), &[result]) = (kind, results.as_slice())
                && !self.function.flags[inst].has(Flags::NONUNIFORM)
            {
                self.defs[result] = Some(inst);
            }
            if let Some(place) = kind.place()
                && let Some(new) = self.moved(place.clone())
            {
                self.changed = true;
                if let Some(place) = self.function.insts[inst].kind.place_mut() {
                    *place = new;
                }
            }
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
        }
    }

    /// The place with constants in its offset, if there are any to move there.
    fn moved(&mut self, mut place: Place) -> Option<Place> {
        let mut any = false;
        let mut offset = place.offset;
        for index in &mut place.indices {
            // A sum of sums has one constant once `algebra` was there.
            if let Some((value, constant)) = self.sum(index.value)
                && let Some((new, more)) = less(*index, value, constant)
                && let Some(sum) = offset.checked_add(more)
            {
                *index = new;
                offset = sum;
                any = true;
            }
        }
        place.offset = offset;
        any.then_some(place)
    }

    /// The parts of an index that is the sum of a value and a constant and does not wrap.
    fn sum(&mut self, index: Value) -> Option<(Value, u32)> {
        let InstKind::Op(Op::Add, args) = &self.function.insts[self.defs[index]?].kind else { return None };
        let &[a, b] = args.as_slice() else { return None };
        let (value, constant) = match (self.function.constant_bits(a), self.function.constant_bits(b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            _ => return None,
        };
        let most = self.most(value, MAX_DEPTH);
        (most.checked_add(constant)? <= u64::from(u32::MAX)).then_some((value, constant as u32))
    }

    /// A number that an unsigned value does not exceed.
    fn most(&mut self, value: Value, depth: usize) -> u64 {
        if let Some(bits) = self.function.constant_bits(value) {
            return bits;
        }
        let Type::Scalar(scalar) = self.function.ty(value) else { return u64::MAX };
        if scalar.is_signed() || scalar.is_float() {
            return scalar.mask();
        }
        if let Some(most) = self.most[value] {
            return most;
        }
        let most = match self.defs[value].map(|inst| &self.function.insts[inst].kind) {
            Some(InstKind::Builtin(builtin)) => self.function.greatest(*builtin).unwrap_or(scalar.mask()),
            Some(InstKind::Op(op, args)) if depth > 0 => {
                let (op, args) = (*op, args.clone());
                self.most_of_op(op, &args, scalar, depth - 1).map_or(scalar.mask(), |most| most.min(scalar.mask()))
            }
            _ => scalar.mask(),
        };
        // What was cut off for its depth may be found again from nearer.
        if depth > 0 {
            self.most[value] = Some(most);
        }
        most
    }

    /// What an op that gives this type does not exceed; `None` if it may wrap.
    fn most_of_op(&mut self, op: Op, args: &[Value], ty: Scalar, depth: usize) -> Option<u64> {
        let fits = |most: u64| (most <= ty.mask()).then_some(most);
        match (op, args) {
            (Op::Add, &[a, b]) => fits(self.most(a, depth).checked_add(self.most(b, depth))?),
            (Op::Mul, &[a, b]) => fits(self.most(a, depth).checked_mul(self.most(b, depth))?),
            (Op::And | Op::Min, &[a, b]) => Some(self.most(a, depth).min(self.most(b, depth))),
            (Op::Max, &[a, b]) => Some(self.most(a, depth).max(self.most(b, depth))),
            (Op::Or | Op::Xor, &[a, b]) => {
                let bits = self.most(a, depth) | self.most(b, depth);
                Some(u64::MAX.checked_shr(bits.leading_zeros()).unwrap_or(0))
            }
            (Op::Select, &[_, a, b]) => Some(self.most(a, depth).max(self.most(b, depth))),
            (Op::Rem, &[a, b]) => {
                // Without a remainder, and by zero, it is zero.
                let divisor = self.most(b, depth).saturating_sub(1);
                Some(self.most(a, depth).min(divisor))
            }
            (Op::Div, &[a, b]) => {
                let divisor = self.function.constant_bits(b).filter(|&bits| bits > 0).unwrap_or(1);
                Some(self.most(a, depth) / divisor)
            }
            (Op::Shr, &[a, count]) => {
                let count = self.function.constant_bits(count).unwrap_or(0) % u64::from(ty.bits());
                Some(self.most(a, depth) >> count)
            }
            (Op::Shl, &[a, count]) => {
                let count = self.function.constant_bits(count)? % u64::from(ty.bits());
                fits(self.most(a, depth).checked_mul(1 << count)?)
            }
            (Op::Cast, &[a]) => match self.function.ty(a) {
                Type::Scalar(from) if !from.is_signed() && !from.is_float() => fits(self.most(a, depth)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An index without a constant part of its value, and the bytes that this is.
fn less(index: Index, value: Value, constant: u32) -> Option<(Index, u32)> {
    let bytes = constant.checked_mul(index.stride)?;
    let bound = match index.bound {
        Some(bound) => Some(bound.checked_sub(constant).filter(|&bound| bound > 0)?),
        None => None,
    };
    Some((Index { value, bound, ..index }, bytes))
}

#[cfg(test)]
mod tests;
