//! Ops on integers of up to 32 bits and on `bool`; `None` is an op that naga lacks.
//!
//! A narrow integer is the zero-extended bits in one register. Its ops extend the
//! operands by their sign where that matters, compute in 32 bits, and cut the result, so
//! that the bits above the width are always zero.

use super::code::{Code, Expr};
use crate::ops::Op;
use crate::types::Scalar;
use naga::{BinaryOperator as Bin, MathFunction};

impl Code {
    /// An op on `bool`.
    pub(super) fn logic(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        Some(match op {
            Op::And => self.binary(Bin::And, a, b),
            Op::Or => self.binary(Bin::InclusiveOr, a, b),
            Op::Not => self.not(a),
            Op::Xor => return self.logic(Op::Ne, a, b),
            _ => {
                let (a, b) = (self.truth_word(a), self.truth_word(b));
                return self.integer(op, false, a, b);
            }
        })
    }

    /// An op on words that are numbers of 32 bits.
    pub(super) fn integer(&mut self, op: Op, signed: bool, a: Expr, b: Expr) -> Option<Expr> {
        Some(match op {
            Op::Add => self.binary(Bin::Add, a, b),
            Op::Sub => self.binary(Bin::Subtract, a, b),
            Op::Mul => self.binary(Bin::Multiply, a, b),
            Op::Div => self.divide(signed, a, b).0,
            Op::Rem => self.divide(signed, a, b).1,
            Op::Neg => {
                let zero = self.word(0);
                self.binary(Bin::Subtract, zero, a)
            }
            Op::Abs => {
                let zero = self.word(0);
                let opposite = self.binary(Bin::Subtract, zero, a);
                let negative = self.less(true, a, zero);
                self.select(negative, opposite, a)
            }
            Op::Sign => {
                let (zero, one, minus) = (self.word(0), self.word(1), self.word(u32::MAX));
                let none = self.binary(Bin::Equal, a, zero);
                let negative = self.less(true, a, zero);
                let value = self.select(none, zero, one);
                self.select(negative, minus, value)
            }
            Op::Min | Op::Max => {
                let (x, y) = if op == Op::Min { (a, b) } else { (b, a) };
                let first = self.less(signed, x, y);
                self.select(first, a, b)
            }
            Op::AbsDiff => {
                let below = self.less(signed, a, b);
                let forth = self.binary(Bin::Subtract, a, b);
                let back = self.binary(Bin::Subtract, b, a);
                self.select(below, back, forth)
            }
            Op::And => self.binary(Bin::And, a, b),
            Op::Or => self.binary(Bin::InclusiveOr, a, b),
            Op::Xor => self.binary(Bin::ExclusiveOr, a, b),
            Op::Not => self.complement(a),
            Op::Shl => {
                let count = self.masked(b, 31);
                self.binary(Bin::ShiftLeft, a, count)
            }
            Op::Shr => {
                let count = self.masked(b, 31);
                self.shift_right(signed, a, count)
            }
            Op::RotateLeft => self.rotate_left(a, b),
            Op::RotateRight => self.rotate_right(a, b),
            Op::CountOnes => self.folded(MathFunction::CountOneBits, a, u32::count_ones),
            Op::LeadingZeros => self.clz(a),
            Op::TrailingZeros => self.math(MathFunction::CountTrailingZeros, a),
            Op::ReverseBits => self.reverse(a),
            Op::SwapBytes => self.swap_bytes(a),
            Op::Eq => self.binary(Bin::Equal, a, b),
            Op::Ne => self.binary(Bin::NotEqual, a, b),
            Op::Lt => self.less(signed, a, b),
            Op::Gt => self.less(signed, b, a),
            Op::Le | Op::Ge => {
                let (x, y) = if op == Op::Le { (b, a) } else { (a, b) };
                let other = self.less(signed, x, y);
                self.not(other)
            }
            _ => return None,
        })
    }

    /// One lane of an op on integers of 8 or 16 bits.
    pub(super) fn narrow(&mut self, op: Op, ty: Scalar, a: Expr, b: Expr) -> Option<Expr> {
        let bits = ty.bits();
        let value = match op {
            Op::Shl => {
                let count = self.masked(b, bits - 1);
                self.binary(Bin::ShiftLeft, a, count)
            }
            Op::Shr => {
                let (a, count) = (self.extended(ty, a), self.masked(b, bits - 1));
                self.shift_right(ty.is_signed(), a, count)
            }
            // Copies of the bits side by side turn as a whole word does.
            Op::RotateLeft | Op::RotateRight => {
                let copies = self.word(u32::MAX / ty.mask() as u32);
                let side_by_side = self.binary(Bin::Multiply, a, copies);
                let count = self.masked(b, bits - 1);
                if op == Op::RotateLeft {
                    self.rotate_left(side_by_side, count)
                } else {
                    self.rotate_right(side_by_side, count)
                }
            }
            Op::LeadingZeros => {
                let (zeros, more) = (self.clz(a), self.word((32 - bits).wrapping_neg()));
                return Some(self.binary(Bin::Add, zeros, more));
            }
            Op::TrailingZeros => {
                let end = self.word(1 << bits);
                let a = self.binary(Bin::InclusiveOr, a, end);
                return self.integer(op, false, a, b);
            }
            Op::ReverseBits => {
                let (reversed, unused) = (self.reverse(a), self.word(32 - bits));
                return Some(self.binary(Bin::ShiftRight, reversed, unused));
            }
            Op::SwapBytes => {
                let (swapped, unused) = (self.swap_bytes(a), self.word(32 - bits));
                return Some(self.binary(Bin::ShiftRight, swapped, unused));
            }
            Op::CountOnes => return self.integer(op, false, a, b),
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => {
                self.integer(op, ty.is_signed(), a, b)?
            }
            Op::Div | Op::Rem | Op::Abs | Op::Sign | Op::Min | Op::Max | Op::AbsDiff => {
                let (a, b) = (self.extended(ty, a), self.extended(ty, b));
                self.integer(op, ty.is_signed(), a, b)?
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (a, b) = (self.extended(ty, a), self.extended(ty, b));
                return self.integer(op, ty.is_signed(), a, b);
            }
            _ => return None,
        };
        Some(self.masked(value, ty.mask() as u32))
    }

    /// The bits of a word that a mask has.
    pub(super) fn masked(&mut self, a: Expr, mask: u32) -> Expr {
        let mask = self.word(mask);
        self.binary(Bin::And, a, mask)
    }

    /// A function of a word that may be known.
    fn folded(&mut self, fun: MathFunction, a: Expr, value: impl FnOnce(u32) -> u32) -> Expr {
        match self.known(a) {
            Some(known) => self.word(value(known)),
            None => self.math(fun, a),
        }
    }

    fn clz(&mut self, a: Expr) -> Expr {
        self.folded(MathFunction::CountLeadingZeros, a, u32::leading_zeros)
    }

    fn reverse(&mut self, a: Expr) -> Expr {
        self.folded(MathFunction::ReverseBits, a, u32::reverse_bits)
    }

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
            let (least, minus) = (self.word(1 << 31), self.word(u32::MAX));
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
        let left = self.masked(count, 31);
        let zero = self.word(0);
        let right = self.binary(Bin::Subtract, zero, count);
        let right = self.masked(right, 31);
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
        let (x, y) = (self.masked(a, outer), self.masked(a, inner));
        let eight = self.word(8);
        let x = self.rotate_right(x, eight);
        let y = self.rotate_left(y, eight);
        self.binary(Bin::InclusiveOr, x, y)
    }
}
