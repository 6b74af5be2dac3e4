//! Expansions of ops on bits into shifts and masks, and lanes of vectors.

use super::Expander;
use crate::ir::Value;
use crate::ops::Op;
use crate::types::Scalar;

impl Expander {
    pub(super) fn of_complement(&mut self, op: Op, a: Value) -> Value {
        let complement = self.op(Op::Not, &[a]);
        self.op(op, &[complement])
    }

    pub(super) fn find_lsb(&mut self, a: Value) -> Value {
        let place = self.op(Op::TrailingZeros, &[a]);
        let none = self.op_k(Op::Eq, a, 0);
        let missing = self.u32(u32::MAX);
        let place = self.select(none, missing, place);
        self.cast(place, Scalar::I32)
    }

    pub(super) fn find_msb(&mut self, a: Value) -> Value {
        let ty = self.scalar(a);
        let mut bits = a;
        if ty.is_signed() {
            let sign = self.shift_k(Op::Shr, a, ty.bits() - 1);
            bits = self.op(Op::Xor, &[a, sign]);
        }
        let place = self.op(Op::Ilog2, &[bits]);
        self.cast(place, Scalar::I32)
    }

    pub(super) fn bit_select(&mut self, mask: Value, ones: Value, zeros: Value) -> Value {
        let others = self.op(Op::Not, &[mask]);
        let (ones, zeros) = (self.op(Op::And, &[mask, ones]), self.op(Op::And, &[others, zeros]));
        self.op(Op::Or, &[ones, zeros])
    }

    /// The high half goes left in two steps, so that it is gone for a count of zero.
    pub(super) fn funnel_shr(&mut self, high: Value, low: Value, count: Value) -> Value {
        let bits = self.scalar(high).bits();
        let count = self.op_k(Op::And, count, i64::from(bits) - 1);
        let low = self.op(Op::Shr, &[low, count]);
        let rest = self.op_k(Op::Xor, count, i64::from(bits) - 1);
        let high = self.shift_k(Op::Shl, high, 1);
        let high = self.op(Op::Shl, &[high, rest]);
        self.op(Op::Or, &[high, low])
    }

    /// A field's place and its number of bits, within the width.
    fn field(&mut self, bits: u32, offset: Value, count: Value) -> (Value, Value) {
        let width = self.u32(bits);
        let offset = self.op(Op::Min, &[offset, width]);
        let left = self.op(Op::Sub, &[width, offset]);
        (offset, self.op(Op::Min, &[count, left]))
    }

    pub(super) fn bit_extract(&mut self, a: Value, offset: Value, count: Value) -> Value {
        let bits = self.scalar(a).bits();
        let (offset, count) = self.field(bits, offset, count);
        let width = self.u32(bits);
        let unused = self.op(Op::Sub, &[width, count]);
        let above = self.op(Op::Sub, &[unused, offset]);
        let left = self.op(Op::Shl, &[a, above]);
        let field = self.op(Op::Shr, &[left, unused]);
        // Without any bits the counts are those of the width, which shift nothing.
        let none = self.op_k(Op::Eq, count, 0);
        let zero = self.like(a, 0);
        self.select(none, zero, field)
    }

    pub(super) fn bit_insert(&mut self, base: Value, new: Value, offset: Value, count: Value) -> Value {
        let ty = self.scalar(base);
        let (offset, count) = self.field(ty.bits(), offset, count);
        let width = self.u32(ty.bits());
        let unused = self.op(Op::Sub, &[width, count]);
        let ones = self.constant(ty.unsigned(), ty.mask());
        let ones = self.op(Op::Shr, &[ones, unused]);
        let none = self.op_k(Op::Eq, count, 0);
        let zero = self.constant(ty.unsigned(), 0);
        let ones = self.select(none, zero, ones);
        let mask = self.op(Op::Shl, &[ones, offset]);
        let mask = self.cast(mask, ty);
        let new = self.op(Op::Shl, &[new, offset]);
        self.op(Op::BitSelect, &[mask, new, base])
    }

    pub(super) fn test_bit(&mut self, a: Value, place: Value) -> Value {
        let low = self.op(Op::Shr, &[a, place]);
        let bit = self.op_k(Op::And, low, 1);
        self.op_k(Op::Ne, bit, 0)
    }

    pub(super) fn insert(&mut self, vector: Value, index: Value, new: Value) -> Value {
        let lanes = self.function.ty(vector).lanes() as u32;
        let values: Vec<Value> = (0..lanes)
            .map(|lane| {
                let old = self.lane(vector, lane.into());
                let here = self.op_k(Op::Eq, index, lane.into());
                self.select(here, new, old)
            })
            .collect();
        self.op(Op::Construct, &values)
    }

    pub(super) fn reduce(&mut self, op: Op, vector: Value) -> Value {
        let lanes = self.function.ty(vector).lanes() as u64;
        let first = self.lane(vector, 0);
        (1..lanes).fold(first, |value, lane| {
            let lane = self.lane(vector, lane);
            self.op(op, &[value, lane])
        })
    }
}
