//! `f16` in `u32` arithmetic: conversions from and to `f32`, in which its ops are done.
//!
//! Rounding a sum, product, quotient or root to `f32` and then to `f16` is the same as
//! rounding once, because 24 bits are twice 11 and two. A fused product is rounded to odd
//! in between.

use super::body::Body;
use super::code::{Code, Expr};
use super::float::{INFINITY, MAGNITUDE, Machine, SIGN};
use crate::ops::{Op, Part, Signature};
use crate::scalar::half::NAN_F16;

/// The bits of the same number as an `f32`; a NaN stays one.
pub(super) fn widen<M: Machine>(m: &mut M, a: M::U) -> M::U {
    let sign = m.and_k(a, 0x8000);
    let sign = m.shl_k(sign, 16);
    let (exponent, fraction) = (m.shr_k(a, 10), m.and_k(a, 0x3ff));
    let exponent = m.and_k(exponent, 31);
    let lifted = m.add_k(exponent, 127 - 15);
    let lifted = m.shl_k(lifted, 23);
    let low = m.shl_k(fraction, 13);
    let normal = m.or(lifted, low);
    let infinity = m.k(INFINITY);
    let special = m.or(infinity, low);
    // A subnormal's highest bit becomes the implicit one.
    let zeros = m.clz(fraction);
    let shift = m.add_k(zeros, 8u32.wrapping_neg());
    let shift = m.and_k(shift, 31);
    let significand = m.shl(fraction, shift);
    let significand = m.and_k(significand, 0x7f_ffff);
    let most = m.k(134);
    let place = m.sub(most, zeros);
    let place = m.shl_k(place, 23);
    let subnormal = m.or(place, significand);
    let zero = m.k(0);
    let none = m.eq_k(fraction, 0);
    let subnormal = m.pick(none, zero, subnormal);
    let (least, greatest) = (m.eq_k(exponent, 0), m.eq_k(exponent, 31));
    let value = m.pick(least, subnormal, normal);
    let value = m.pick(greatest, special, value);
    m.or(value, sign)
}

/// The nearest `f16` of the bits of an `f32`, ties to even; a NaN becomes the canonical one.
pub(super) fn narrow<M: Machine>(m: &mut M, a: M::U) -> M::U {
    let value = m.and_k(a, MAGNITUDE);
    let exponent = m.shr_k(value, 23);
    let significand = m.and_k(value, 0x7f_ffff);
    let implicit = m.k(0x80_0000);
    let significand = m.or(significand, implicit);
    let subnormal = m.lt_k(exponent, 113);
    let bias = m.k(126);
    let shift = m.sub(bias, exponent);
    let far = m.above_k(shift, 25);
    let (most, usual) = (m.k(25), m.k(13));
    let shift = m.pick(far, most, shift);
    let shift = m.pick(subnormal, shift, usual);
    let kept = m.shr(significand, shift);
    let back = m.shl(kept, shift);
    let rest = m.sub(significand, back);
    let one = m.k(1);
    let before = m.sub(shift, one);
    let half = m.shl(one, before);
    let (above, tie) = (m.lt(half, rest), m.eq(rest, half));
    let odd = m.and_k(kept, 1);
    let odd = m.eq_k(odd, 1);
    let tie = m.both(tie, odd);
    let up = m.either(above, tie);
    let up = m.bit(up);
    let zero = m.k(0);
    let lifted = m.add_k(exponent, 113u32.wrapping_neg());
    let lifted = m.shl_k(lifted, 10);
    let base = m.pick(subnormal, zero, lifted);
    let bits = m.add(base, kept);
    let bits = m.add(bits, up);
    let over = m.above_k(exponent, 142);
    let infinity = m.k(0x7c00);
    let bits = m.pick(over, infinity, bits);
    let sign = m.shr_k(a, 16);
    let sign = m.and_k(sign, SIGN >> 16);
    let bits = m.or(bits, sign);
    let nan = m.above_k(value, INFINITY);
    let canon = m.k(NAN_F16.into());
    m.pick(nan, canon, bits)
}

impl Body<'_> {
    /// One lane of an op on `f16`, whose registers are its bits.
    pub(super) fn half(&mut self, op: Op, [a, b, c]: [Expr; 3]) -> Expr {
        if op == Op::Neg {
            let sign = self.code.word(0x8000);
            return self.code.xor(a, sign);
        }
        if op == Op::Abs {
            return self.code.and_k(a, 0x7fff);
        }
        if op == Op::CopySign {
            let (magnitude, sign) = (self.code.and_k(a, 0x7fff), self.code.and_k(b, 0x8000));
            return self.code.or(magnitude, sign);
        }
        let [a, b, c] = [a, b, c].map(|half| widen(&mut self.code, half));
        if op == Op::MulAdd {
            let odd = match self.soft.mul_add_odd {
                Some(function) => self.code.call(function, vec![a, b, c]),
                None => a,
            };
            return narrow(&mut self.code, odd);
        }
        let [a, b, c] = [a, b, c].map(|word| self.code.float_of(word));
        let value = self.float(op, [a, b, c], false);
        // Compares and tests give a condition.
        match op.info().signature {
            Signature::Lanes(_, _, Part::Bool) => value,
            _ => self.narrowed(value),
        }
    }

    /// The `f16` of an `f32`.
    pub(super) fn narrowed(&mut self, value: Expr) -> Expr {
        let word = self.code.word_of(value);
        narrow(&mut self.code, word)
    }

    /// The `f32` of an `f16`.
    pub(super) fn widened(&mut self, half: Expr) -> Expr {
        let word = widen(&mut self.code, half);
        let word = super::float::canonical(&mut self.code, word);
        Code::float_of(&mut self.code, word)
    }
}
