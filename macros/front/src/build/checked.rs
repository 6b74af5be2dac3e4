//! Methods of integers that give an `Option`: the number that an op gives, and whether it is the right one.

use super::Build;
use samebits_ir::ir::Value;
use samebits_ir::ops::{NumberMethod, Op};
use samebits_ir::types::{Scalar, Type};

/// Up to this number a power that is known is a chain of products instead of a loop.
const CHAIN: u64 = 64;

impl Build<'_> {
    /// Whether there is a number, and the number; any number if there is none.
    pub(super) fn checked_method(
        &mut self,
        method: NumberMethod,
        (a, b): (Value, Value),
        ty: Scalar,
    ) -> (Value, Value) {
        use NumberMethod as M;
        let by = |this: &mut Self, op, overflows| {
            let wrong = this.b.op(overflows, &[a, b]);
            (this.b.op(Op::Not, &[wrong]), this.b.op(op, &[a, b]))
        };
        match method {
            M::CheckedAdd => by(self, Op::Add, Op::AddOverflows),
            M::CheckedSub => by(self, Op::Sub, Op::SubOverflows),
            M::CheckedMul => by(self, Op::Mul, Op::MulOverflows),
            M::CheckedDiv | M::CheckedRem | M::CheckedDivEuclid | M::CheckedRemEuclid => {
                let op = match method {
                    M::CheckedDiv => Op::Div,
                    M::CheckedRem => Op::Rem,
                    M::CheckedDivEuclid => Op::DivEuclid,
                    _ => Op::RemEuclid,
                };
                (self.divides(a, b, ty), self.b.op(op, &[a, b]))
            }
            M::CheckedNeg => {
                let zero = self.b.constant(ty, 0);
                let negated = self.b.op(Op::Sub, &[zero, a]);
                let right = if ty.is_signed() { self.is_above_min(a, ty) } else { self.b.op(Op::Eq, &[a, zero]) };
                (right, negated)
            }
            M::CheckedAbs => (self.is_above_min(a, ty), self.b.op(Op::Abs, &[a])),
            M::CheckedShl | M::CheckedShr => {
                let width = self.b.u32(ty.bits());
                let op = if method == M::CheckedShl { Op::Shl } else { Op::Shr };
                (self.b.op(Op::Lt, &[b, width]), self.b.op(op, &[a, b]))
            }
            M::CheckedPow => self.checked_pow(a, b, ty),
            M::CheckedNextMultipleOf => {
                let zero = self.b.constant(ty, 0);
                let rest = self.b.op(Op::Rem, &[a, b]);
                let more = self.b.op(Op::Sub, &[b, rest]);
                let wraps = self.b.op(Op::AddOverflows, &[a, more]);
                let none = self.b.op(Op::Ne, &[rest, zero]);
                let wrong = self.b.op(Op::And, &[none, wraps]);
                let (fits, some) = (self.b.op(Op::Not, &[wrong]), self.b.op(Op::Ne, &[b, zero]));
                (self.b.op(Op::And, &[some, fits]), self.b.op(Op::NextMultipleOf, &[a, b]))
            }
            M::CheckedNextPowerOfTwo => {
                let (zero, power) = (self.b.constant(ty, 0), self.b.op(Op::NextPowerOfTwo, &[a]));
                (self.b.op(Op::Ne, &[power, zero]), power)
            }
            M::CheckedIlog2 => (self.is_positive(a, ty), self.b.op(Op::Ilog2, &[a])),
            M::CheckedIlog10 => (self.is_positive(a, ty), self.ilog10(a, ty)),
            M::CheckedIlog => {
                let (positive, one) = (self.is_positive(a, ty), self.b.constant(ty, 1));
                let is_base = self.b.op(Op::Gt, &[b, one]);
                (self.b.op(Op::And, &[positive, is_base]), self.ilog(a, b, ty))
            }
            M::CheckedIsqrt => {
                let zero = self.b.constant(ty, 0);
                let natural = self.as_type(a, ty.unsigned());
                let root = self.b.op(Op::Isqrt, &[natural]);
                (self.b.op(Op::Ge, &[a, zero]), self.as_type(root, ty))
            }
            // A mixed sum overflows where the plain one does, unless the other number is below zero as seen with a
            // sign: then it is the other way round.
            _ => {
                let adds = matches!(method, M::CheckedAddSigned | M::CheckedAddUnsigned);
                let (op, overflows) = if adds { (Op::Add, Op::AddOverflows) } else { (Op::Sub, Op::SubOverflows) };
                let signed = self.as_type(b, ty.signed());
                let zero = self.b.constant(ty.signed(), 0);
                let below = self.b.op(Op::Lt, &[signed, zero]);
                let other = self.as_type(b, ty);
                let wraps = self.b.op(overflows, &[a, other]);
                (self.b.op(Op::Eq, &[wraps, below]), self.b.op(op, &[a, other]))
            }
        }
    }

    fn is_positive(&mut self, value: Value, ty: Scalar) -> Value {
        let zero = self.b.constant(ty, 0);
        self.b.op(Op::Gt, &[value, zero])
    }

    fn is_above_min(&mut self, value: Value, ty: Scalar) -> Value {
        let least = self.b.constant(ty, 1 << (ty.bits() - 1));
        self.b.op(Op::Ne, &[value, least])
    }

    /// Whether a number can be divided by another.
    fn divides(&mut self, a: Value, b: Value, ty: Scalar) -> Value {
        let zero = self.b.constant(ty, 0);
        let some = self.b.op(Op::Ne, &[b, zero]);
        if !ty.is_signed() {
            return some;
        }
        let minus = self.b.constant(ty, ty.mask());
        let (above, other) = (self.is_above_min(a, ty), self.b.op(Op::Ne, &[b, minus]));
        let fits = self.b.op(Op::Or, &[above, other]);
        self.b.op(Op::And, &[some, fits])
    }

    /// A power by squares. One that is not among its factors may overflow.
    fn checked_pow(&mut self, base: Value, power: Value, ty: Scalar) -> (Value, Value) {
        let (one, no) = (self.b.constant(ty, 1), self.b.constant(Scalar::Bool, 0));
        let (mut total, mut wrong) = (one, no);
        let times = |this: &mut Self, (a, b): (Value, Value), (wrong_a, wrong_b): (Value, Value)| {
            let wraps = this.b.op(Op::MulOverflows, &[a, b]);
            let before = this.b.op(Op::Or, &[wrong_a, wrong_b]);
            (this.b.op(Op::Mul, &[a, b]), this.b.op(Op::Or, &[before, wraps]))
        };
        if let Some(mut left) = self.b.function().constant_bits(power).filter(|&left| left <= CHAIN) {
            let (mut square, mut wrong_square) = (base, no);
            while left > 0 {
                if left % 2 == 1 {
                    (total, wrong) = times(self, (total, square), (wrong, wrong_square));
                }
                left /= 2;
                if left > 0 {
                    (square, wrong_square) = times(self, (square, square), (wrong_square, no));
                }
            }
            return (self.b.op(Op::Not, &[wrong]), total);
        }
        let (zero, low) = (self.b.u32(0), self.b.u32(1));
        let (inst, params) = self.b.begin_loop(None, &[power, base, no, one, no]);
        let [left, square, wrong_square, so_far, wrong_so_far] = params[..] else { return (no, one) };
        let done = self.b.op(Op::Eq, &[left, zero]);
        let leaving = self.arm(0, |this| {
            this.b.break_(inst, &[so_far, wrong_so_far]);
            Vec::new()
        });
        let otherwise = self.empty_region();
        self.b.if_else(done, leaving.0, otherwise, &[]);
        let odd = self.b.op(Op::And, &[left, low]);
        let odd = self.b.op(Op::Ne, &[odd, zero]);
        let (product, wrong_product) = times(self, (so_far, square), (wrong_so_far, wrong_square));
        let next = self.b.op(Op::Select, &[odd, product, so_far]);
        let wrong_next = self.b.op(Op::Select, &[odd, wrong_product, wrong_so_far]);
        let (next_square, wrong_next_square) = times(self, (square, square), (wrong_square, wrong_square));
        let rest = self.b.op(Op::Shr, &[left, low]);
        self.b.continue_(inst, &[rest, next_square, wrong_next_square, next, wrong_next]);
        match self.b.end_loop(inst, &[Type::Scalar(ty), Type::BOOL])[..] {
            [total, wrong] => (self.b.op(Op::Not, &[wrong]), total),
            _ => (no, one),
        }
    }
}
