//! Ops on integers that are not 32 bits wide.
//!
//! A narrow integer is the zero-extended bits in one register. Its ops extend the
//! operands by their sign where that matters, compute in 32 bits, and cut the result, so
//! that the bits above the width are always zero. A 64-bit integer is two registers, low
//! first; its ops are [`wide`](super::wide)'s.

use super::body::Body;
use super::code::{Code, Expr};
use super::float::{self, Machine};
use super::wide;
use crate::ops::{Op, ops_of};
use crate::types::Scalar;
use naga::BinaryOperator as Bin;

impl Body<'_> {
    /// One lane of an op on 64-bit integers. `count` is the second operand of shifts.
    pub(super) fn long(&mut self, op: Op, signed: bool, a: [Expr; 2], b: [Expr; 2], count: Expr) -> Vec<Expr> {
        let divide = self.soft.divide;
        let m = &mut self.code;
        let pair = match op {
            Op::Add => wide::add(m, a, b),
            Op::Sub => wide::sub(m, a, b),
            Op::Mul => wide::mul(m, a, b),
            Op::Div | Op::Rem => {
                let (x, y) = if signed { (wide::abs(m, a), wide::abs(m, b)) } else { (a, b) };
                let Some(divide) = divide else { return a.to_vec() };
                let both = m.call(divide, [x, y].concat());
                let first = if op == Op::Div { 0 } else { 2 };
                let value = [m.member(both, first), m.member(both, first + 1)];
                if signed {
                    // A remainder has the dividend's sign.
                    let signs = if op == Op::Div { m.xor(a[1], b[1]) } else { a[1] };
                    let negative = m.above_k(signs, float::MAGNITUDE);
                    let opposite = wide::neg(m, value);
                    wide::pick(m, negative, opposite, value)
                } else {
                    value
                }
            }
            Op::Neg => wide::neg(m, a),
            Op::Abs => wide::abs(m, a),
            Op::Sign => wide::sign(m, a),
            Op::Min | Op::Max => {
                let (x, y) = if op == Op::Min { (a, b) } else { (b, a) };
                let first = wide::lt(m, signed, x, y);
                wide::pick(m, first, a, b)
            }
            Op::AbsDiff => wide::abs_diff(m, signed, a, b),
            Op::And => [m.and(a[0], b[0]), m.and(a[1], b[1])],
            Op::Or => [m.or(a[0], b[0]), m.or(a[1], b[1])],
            Op::Xor => [m.xor(a[0], b[0]), m.xor(a[1], b[1])],
            Op::Not => [m.complement(a[0]), m.complement(a[1])],
            Op::Shl => wide::shl(m, a, count),
            Op::Shr => wide::shr(m, signed, a, count),
            Op::RotateLeft => wide::rotl(m, a, count),
            Op::RotateRight => {
                let zero = m.word(0);
                let back = m.sub(zero, count);
                wide::rotl(m, a, back)
            }
            Op::CountOnes => return vec![wide::ones(m, a)],
            Op::LeadingZeros => return vec![wide::clz(m, a)],
            Op::TrailingZeros => return vec![wide::ctz(m, a)],
            Op::ReverseBits => wide::reverse(m, a),
            Op::SwapBytes => [m.swap_bytes(a[1]), m.swap_bytes(a[0])],
            Op::Eq => return vec![wide::eq(m, a, b)],
            Op::Ne => {
                let equal = wide::eq(m, a, b);
                return vec![Code::not(m, equal)];
            }
            Op::Lt => return vec![wide::lt(m, signed, a, b)],
            Op::Gt => return vec![wide::lt(m, signed, b, a)],
            Op::Le | Op::Ge => {
                let (x, y) = if op == Op::Le { (b, a) } else { (a, b) };
                let other = wide::lt(m, signed, x, y);
                return vec![Code::not(m, other)];
            }
            // The table has no integer form of these, or they are not lane by lane.
            Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => a,
            Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        };
        pair.to_vec()
    }

    /// One lane of an op on integers of 8 or 16 bits.
    pub(super) fn narrow(&mut self, op: Op, ty: Scalar, a: Expr, b: Expr) -> Expr {
        let (bits, m) = (ty.bits(), &mut self.code);
        let value = match op {
            Op::Shl => {
                let count = m.and_k(b, bits - 1);
                m.shl(a, count)
            }
            Op::Shr => {
                let (a, count) = (m.extended(ty, a), m.and_k(b, bits - 1));
                m.shift_right(ty.is_signed(), a, count)
            }
            // Copies of the bits side by side turn as a whole word does.
            Op::RotateLeft | Op::RotateRight => {
                let copies = m.word(u32::MAX / ty.mask() as u32);
                let side_by_side = m.mul(a, copies);
                let count = m.and_k(b, bits - 1);
                if op == Op::RotateLeft {
                    m.rotate_left(side_by_side, count)
                } else {
                    m.rotate_right(side_by_side, count)
                }
            }
            Op::LeadingZeros => {
                let zeros = m.clz(a);
                return m.add_k(zeros, (32 - bits).wrapping_neg());
            }
            Op::TrailingZeros => {
                let end = m.word(1 << bits);
                let a = m.or(a, end);
                return self.integer(op, false, a, b);
            }
            Op::ReverseBits => {
                let reversed = m.reverse(a);
                return m.shr_k(reversed, 32 - bits);
            }
            Op::SwapBytes => {
                let swapped = m.swap_bytes(a);
                return m.shr_k(swapped, 32 - bits);
            }
            Op::CountOnes => return m.ones(a),
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => {
                self.integer(op, ty.is_signed(), a, b)
            }
            Op::Div | Op::Rem | Op::Abs | Op::Sign | Op::Min | Op::Max | Op::AbsDiff => {
                let (a, b) = (m.extended(ty, a), m.extended(ty, b));
                self.integer(op, ty.is_signed(), a, b)
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (a, b) = (m.extended(ty, a), m.extended(ty, b));
                return self.integer(op, ty.is_signed(), a, b);
            }
            // The table has no integer form of these, or they are not lane by lane.
            Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => a,
            Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        };
        self.code.and_k(value, ty.mask() as u32)
    }
}

impl Code {
    /// A narrow integer as a word of the same number.
    pub(super) fn extended(&mut self, ty: Scalar, a: Expr) -> Expr {
        if !ty.is_signed() || ty.bits() >= 32 {
            return a;
        }
        let unused = self.word(32 - ty.bits());
        let high = self.binary(Bin::ShiftLeft, a, unused);
        self.shift_right(true, high, unused)
    }

    /// Whether a word is below another one, as signed numbers or not.
    pub(super) fn less(&mut self, signed: bool, a: Expr, b: Expr) -> Expr {
        if signed {
            let (a, b) = (self.signed_of(a), self.signed_of(b));
            self.raw(Bin::Less, a, b)
        } else {
            self.binary(Bin::Less, a, b)
        }
    }

    /// A right shift by a count below 32.
    pub(super) fn shift_right(&mut self, signed: bool, a: Expr, count: Expr) -> Expr {
        if signed {
            if let (Some(a), Some(count)) = (self.known(a), self.known(count)) {
                return self.word((a as i32 >> (count & 31)) as u32);
            }
            let a = self.signed_of(a);
            let shifted = self.raw(Bin::ShiftRight, a, count);
            self.word_of(shifted)
        } else {
            self.binary(Bin::ShiftRight, a, count)
        }
    }

    /// Quotient and remainder; both are zero for a zero divisor, and `MIN / -1` is `MIN`.
    /// The divisions that are not defined are done by 1 instead.
    pub(super) fn divide(&mut self, signed: bool, a: Expr, b: Expr) -> (Expr, Expr) {
        let (zero, one) = (self.word(0), self.word(1));
        let by_zero = self.binary(Bin::Equal, b, zero);
        let mut undefined = by_zero;
        if signed {
            let (least, minus) = (self.word(float::SIGN), self.word(u32::MAX));
            let (x, y) = (self.binary(Bin::Equal, a, least), self.binary(Bin::Equal, b, minus));
            let overflow = self.binary(Bin::And, x, y);
            undefined = self.binary(Bin::InclusiveOr, by_zero, overflow);
        }
        let divisor = self.select(undefined, one, b);
        let quotient = if signed {
            let (x, y) = (self.signed_of(a), self.signed_of(divisor));
            let quotient = self.raw(Bin::Divide, x, y);
            self.word_of(quotient)
        } else {
            self.binary(Bin::Divide, a, divisor)
        };
        let taken = self.binary(Bin::Multiply, divisor, quotient);
        let rest = self.binary(Bin::Subtract, a, taken);
        (self.select(by_zero, zero, quotient), rest)
    }

    /// A rotation by a count modulo 32.
    pub(super) fn rotate_left(&mut self, a: Expr, count: Expr) -> Expr {
        let left = self.and_k(count, 31);
        let zero = self.word(0);
        let right = self.binary(Bin::Subtract, zero, count);
        let right = self.and_k(right, 31);
        let (high, low) = (self.binary(Bin::ShiftLeft, a, left), self.binary(Bin::ShiftRight, a, right));
        self.binary(Bin::InclusiveOr, high, low)
    }

    /// The same the other way round.
    pub(super) fn rotate_right(&mut self, a: Expr, count: Expr) -> Expr {
        let zero = self.word(0);
        let count = self.binary(Bin::Subtract, zero, count);
        self.rotate_left(a, count)
    }

    /// The bytes in reverse order.
    pub(super) fn swap_bytes(&mut self, a: Expr) -> Expr {
        let (outer, inner) = (0x00ff_00ff, 0xff00_ff00);
        let (x, y) = (self.and_k(a, outer), self.and_k(a, inner));
        let eight = self.word(8);
        let x = self.rotate_right(x, eight);
        let y = self.rotate_left(y, eight);
        self.binary(Bin::InclusiveOr, x, y)
    }
}
