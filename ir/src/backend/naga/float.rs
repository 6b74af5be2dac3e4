//! `f32` arithmetic in `u32` arithmetic: what devices compute differently or not at all.
//!
//! Each function is written once over a [`Machine`]. One machine writes naga; another,
//! in the tests, computes, so that what is tested is what devices run. Values are the
//! bits of `f32`s. A NaN result is the canonical NaN.

use crate::scalar::NAN_F32;

/// What [`Machine::repeat`] does to the count and the words each time.
pub(super) type Step<'s, M> =
    dyn FnMut(&mut M, <M as Machine>::U, Vec<<M as Machine>::U>) -> (<M as Machine>::U, Vec<<M as Machine>::U>) + 's;

/// Arithmetic on 32-bit words that wraps, and conditions.
pub(super) trait Machine: Sized {
    /// A word.
    type U: Copy;
    /// A condition.
    type B: Copy;

    fn k(&mut self, value: u32) -> Self::U;
    fn add(&mut self, a: Self::U, b: Self::U) -> Self::U;
    fn sub(&mut self, a: Self::U, b: Self::U) -> Self::U;
    fn mul(&mut self, a: Self::U, b: Self::U) -> Self::U;
    /// The divisor is not zero.
    fn div(&mut self, a: Self::U, b: Self::U) -> Self::U;
    fn and(&mut self, a: Self::U, b: Self::U) -> Self::U;
    fn or(&mut self, a: Self::U, b: Self::U) -> Self::U;
    fn xor(&mut self, a: Self::U, b: Self::U) -> Self::U;
    /// The count is below 32.
    fn shl(&mut self, a: Self::U, n: Self::U) -> Self::U;
    /// The count is below 32.
    fn shr(&mut self, a: Self::U, n: Self::U) -> Self::U;
    /// 32 for zero.
    fn clz(&mut self, a: Self::U) -> Self::U;
    /// The number of set bits.
    fn ones(&mut self, a: Self::U) -> Self::U;
    /// The bits in reverse order.
    fn reverse(&mut self, a: Self::U) -> Self::U;
    fn eq(&mut self, a: Self::U, b: Self::U) -> Self::B;
    fn lt(&mut self, a: Self::U, b: Self::U) -> Self::B;
    fn both(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn either(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn not(&mut self, a: Self::B) -> Self::B;
    fn pick(&mut self, c: Self::B, a: Self::U, b: Self::U) -> Self::U;
    /// Applies `step` to a count and some words until the count is zero; the words.
    fn repeat(&mut self, count: Self::U, words: Vec<Self::U>, step: &mut Step<'_, Self>) -> Vec<Self::U>;

    fn and_k(&mut self, a: Self::U, k: u32) -> Self::U {
        let k = self.k(k);
        self.and(a, k)
    }
    fn add_k(&mut self, a: Self::U, k: u32) -> Self::U {
        let k = self.k(k);
        self.add(a, k)
    }
    fn shl_k(&mut self, a: Self::U, n: u32) -> Self::U {
        let n = self.k(n);
        self.shl(a, n)
    }
    fn shr_k(&mut self, a: Self::U, n: u32) -> Self::U {
        let n = self.k(n);
        self.shr(a, n)
    }
    fn eq_k(&mut self, a: Self::U, k: u32) -> Self::B {
        let k = self.k(k);
        self.eq(a, k)
    }
    fn lt_k(&mut self, a: Self::U, k: u32) -> Self::B {
        let k = self.k(k);
        self.lt(a, k)
    }
    fn above_k(&mut self, a: Self::U, k: u32) -> Self::B {
        let k = self.k(k);
        self.lt(k, a)
    }
    /// 1 if the condition holds, else 0.
    fn bit(&mut self, c: Self::B) -> Self::U {
        let (one, zero) = (self.k(1), self.k(0));
        self.pick(c, one, zero)
    }
}

/// The sign bit.
pub(super) const SIGN: u32 = 0x8000_0000;
/// Every bit but the sign.
pub(super) const MAGNITUDE: u32 = 0x7fff_ffff;
/// Infinity; what is above it, the sign aside, is NaN.
pub(super) const INFINITY: u32 = 0x7f80_0000;

/// Whether the bits are a NaN.
pub(super) fn is_nan<M: Machine>(m: &mut M, a: M::U) -> M::B {
    let a = m.and_k(a, MAGNITUDE);
    m.above_k(a, INFINITY)
}

/// The bits, or the canonical NaN for any NaN.
pub(super) fn canonical<M: Machine>(m: &mut M, a: M::U) -> M::U {
    let (nan, canon) = (is_nan(m, a), m.k(NAN_F32));
    m.pick(nan, canon, a)
}

/// A word whose unsigned order is the order of numbers, with -0.0 below 0.0.
fn key<M: Machine>(m: &mut M, a: M::U) -> M::U {
    let negative = m.above_k(a, MAGNITUDE);
    let (all, sign) = (m.k(u32::MAX), m.k(SIGN));
    let flip = m.pick(negative, all, sign);
    m.xor(a, flip)
}

/// Equality of numbers.
pub(super) fn equal<M: Machine>(m: &mut M, a: M::U, b: M::U) -> M::B {
    let same = m.eq(a, b);
    let either = m.or(a, b);
    let magnitude = m.and_k(either, MAGNITUDE);
    let zeros = m.eq_k(magnitude, 0);
    let same = m.either(same, zeros);
    // Of equal bits one test is enough.
    let nan = is_nan(m, a);
    let number = m.not(nan);
    m.both(same, number)
}

/// Order of numbers.
pub(super) fn less<M: Machine>(m: &mut M, a: M::U, b: M::U) -> M::B {
    let (x, y) = (key(m, a), key(m, b));
    let below = m.lt(x, y);
    let (na, nb) = (is_nan(m, a), is_nan(m, b));
    let nan = m.either(na, nb);
    let either = m.or(a, b);
    let magnitude = m.and_k(either, MAGNITUDE);
    let zeros = m.eq_k(magnitude, 0);
    let never = m.either(nan, zeros);
    let possible = m.not(never);
    m.both(below, possible)
}

/// The lesser or the greater number; a NaN loses.
pub(super) fn extreme<M: Machine>(m: &mut M, a: M::U, b: M::U, least: bool) -> M::U {
    let (x, y) = (key(m, a), key(m, b));
    let first = if least { m.lt(x, y) } else { m.lt(y, x) };
    let value = m.pick(first, a, b);
    let (na, nb) = (is_nan(m, a), is_nan(m, b));
    let value = m.pick(nb, a, value);
    let value = m.pick(na, b, value);
    canonical(m, value)
}

/// How a number becomes whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    Down,
    Up,
    TowardsZero,
    HalfToEven,
    HalfAway,
}

/// A whole number nearby; the sign stays.
pub(super) fn whole<M: Machine>(m: &mut M, a: M::U, rounding: Rounding) -> M::U {
    let sign = m.and_k(a, SIGN);
    let value = m.and_k(a, MAGNITUDE);
    let exponent = m.shr_k(value, 23);
    let small = m.lt_k(exponent, 127);
    // Between 1 and 2²³ the bits below the point are `mask`, and all carries are right.
    let places = m.add_k(exponent, 127u32.wrapping_neg());
    let places = m.and_k(places, 31);
    let all = m.k(0x7f_ffff);
    let mask = m.shr(all, places);
    let fraction = m.and(value, mask);
    let kept = m.sub(value, fraction);
    let unit = m.add_k(mask, 1);
    let (zero, one) = (m.k(0), m.k(0x3f80_0000));
    let kept = m.pick(small, zero, kept);
    let unit = m.pick(small, one, unit);
    let fraction = m.pick(small, value, fraction);
    let exact = m.eq_k(fraction, 0);
    let inexact = m.not(exact);
    let half = m.shr_k(unit, 1);
    let point_five = m.k(0x3f00_0000);
    let half = m.pick(small, point_five, half);
    let negative = m.eq_k(sign, SIGN);
    let away = match rounding {
        Rounding::TowardsZero => None,
        Rounding::Down => Some(m.both(inexact, negative)),
        Rounding::Up => {
            let positive = m.not(negative);
            Some(m.both(inexact, positive))
        }
        Rounding::HalfAway => {
            let below = m.lt(fraction, half);
            Some(m.not(below))
        }
        Rounding::HalfToEven => {
            let above = m.lt(half, fraction);
            let tie = m.eq(fraction, half);
            let lowest = m.and(kept, unit);
            let even = m.eq_k(lowest, 0);
            let odd = m.not(even);
            let tie = m.both(tie, odd);
            Some(m.either(above, tie))
        }
    };
    let rounded = match away {
        Some(away) => {
            let step = m.pick(away, unit, zero);
            m.add(kept, step)
        }
        None => kept,
    };
    let large = m.above_k(exponent, 149);
    let value = m.pick(large, value, rounded);
    let value = m.or(value, sign);
    canonical(m, value)
}

/// The integer towards zero; the nearest one if out of range, 0 for NaN.
pub(super) fn to_int<M: Machine>(m: &mut M, a: M::U, signed: bool) -> M::U {
    let value = m.and_k(a, MAGNITUDE);
    let exponent = m.shr_k(value, 23);
    let significand = m.and_k(value, 0x7f_ffff);
    let implicit = m.k(0x80_0000);
    let significand = m.or(significand, implicit);
    let left = m.add_k(exponent, 150u32.wrapping_neg());
    let left = m.and_k(left, 31);
    let shifted_left = m.shl(significand, left);
    let bias = m.k(150);
    let right = m.sub(bias, exponent);
    let right = m.and_k(right, 31);
    let shifted_right = m.shr(significand, right);
    let whole = m.above_k(exponent, 149);
    let integer = m.pick(whole, shifted_left, shifted_right);
    let below_one = m.lt_k(exponent, 127);
    let zero = m.k(0);
    let integer = m.pick(below_one, zero, integer);
    let negative = m.above_k(a, MAGNITUDE);
    let result = if signed {
        let large = m.above_k(exponent, 157);
        let most = m.k(i32::MAX as u32);
        let positive = m.pick(large, most, integer);
        let opposite = m.sub(zero, integer);
        let least = m.k(i32::MIN as u32);
        let opposite = m.pick(large, least, opposite);
        m.pick(negative, opposite, positive)
    } else {
        let large = m.above_k(exponent, 158);
        let most = m.k(u32::MAX);
        let positive = m.pick(large, most, integer);
        m.pick(negative, zero, positive)
    };
    let nan = m.above_k(value, INFINITY);
    m.pick(nan, zero, result)
}

/// The biased exponent and the significand of 24 bits, also of a subnormal, whose
/// exponent is then below 1 (wrapping). The significand of zero is zero.
pub(super) fn unpack<M: Machine>(m: &mut M, a: M::U) -> (M::U, M::U) {
    let exponent = m.shr_k(a, 23);
    let exponent = m.and_k(exponent, 255);
    let fraction = m.and_k(a, 0x7f_ffff);
    let subnormal = m.eq_k(exponent, 0);
    let zeros = m.clz(fraction);
    let shift = m.add_k(zeros, 8u32.wrapping_neg());
    let implicit = m.k(0x80_0000);
    let normal = m.or(fraction, implicit);
    let low = m.and_k(shift, 31);
    let moved = m.shl(fraction, low);
    let significand = m.pick(subnormal, moved, normal);
    let one = m.k(1);
    let lowered = m.sub(one, shift);
    (m.pick(subnormal, lowered, exponent), significand)
}

/// Added to exponents so that they are compared as unsigned numbers.
pub(super) const BIAS: u32 = 1024;

/// Rounds a number to nearest even: bit 31 of `top` is set, its low bit stands for all
/// that is below, and the biased exponent, should the result be normal, is `exponent - BIAS`.
pub(super) fn pack<M: Machine>(m: &mut M, sign: M::U, exponent: M::U, top: M::U) -> M::U {
    let subnormal = m.lt_k(exponent, BIAS + 1);
    let least = m.k(BIAS + 1);
    let below = m.sub(least, exponent);
    let far = m.above_k(below, 31);
    let most = m.k(31);
    let below = m.pick(far, most, below);
    let zero = m.k(0);
    let shift = m.pick(subnormal, below, zero);
    let kept = m.shr(top, shift);
    let back = m.shl(kept, shift);
    let exact = m.eq(back, top);
    let inexact = m.not(exact);
    let sticky = m.bit(inexact);
    let top = m.or(kept, sticky);
    let significand = m.shr_k(top, 8);
    let rest = m.and_k(top, 0xff);
    let above = m.above_k(rest, 0x80);
    let tie = m.eq_k(rest, 0x80);
    let odd = m.and_k(significand, 1);
    let odd = m.eq_k(odd, 1);
    let tie = m.both(tie, odd);
    let up = m.either(above, tie);
    let up = m.bit(up);
    let lifted = m.sub(exponent, least);
    let lifted = m.shl_k(lifted, 23);
    let base = m.pick(subnormal, zero, lifted);
    let bits = m.add(base, significand);
    let bits = m.add(bits, up);
    let over = m.above_k(exponent, BIAS + 254);
    let infinity = m.k(INFINITY);
    let bits = m.pick(over, infinity, bits);
    m.or(bits, sign)
}

/// A 64-bit number, the high word first.
type Wide<M> = (<M as Machine>::U, <M as Machine>::U);

fn wide_add<M: Machine>(m: &mut M, a: Wide<M>, b: Wide<M>) -> Wide<M> {
    let low = m.add(a.1, b.1);
    let carry = m.lt(low, a.1);
    let carry = m.bit(carry);
    let high = m.add(a.0, b.0);
    (m.add(high, carry), low)
}

fn wide_sub<M: Machine>(m: &mut M, a: Wide<M>, b: Wide<M>) -> Wide<M> {
    let borrow = m.lt(a.1, b.1);
    let borrow = m.bit(borrow);
    let high = m.sub(a.0, b.0);
    (m.sub(high, borrow), m.sub(a.1, b.1))
}

fn wide_pick<M: Machine>(m: &mut M, c: M::B, a: Wide<M>, b: Wide<M>) -> Wide<M> {
    (m.pick(c, a.0, b.0), m.pick(c, a.1, b.1))
}

/// Shifts right by any count; the low bit of the result is set if a set bit was lost.
fn wide_shr<M: Machine>(m: &mut M, a: Wide<M>, n: M::U) -> Wide<M> {
    let zero = m.k(0);
    let word = m.above_k(n, 31);
    let beyond = m.above_k(n, 63);
    let (high, low) = wide_pick(m, word, (zero, a.0), a);
    let lost = m.pick(word, a.1, zero);
    let all = m.or(a.0, a.1);
    let n = m.and_k(n, 31);
    let most = m.k(31);
    let left = m.sub(most, n);
    // Two shifts, because `32 - n` may be 32.
    let carried = m.shl_k(high, 1);
    let carried = m.shl(carried, left);
    let cut = m.shl_k(low, 1);
    let cut = m.shl(cut, left);
    let shifted = m.shr(low, n);
    let shifted = m.or(shifted, carried);
    let lost = m.or(lost, cut);
    let high = m.shr(high, n);
    let (high, low) = wide_pick(m, beyond, (zero, zero), (high, shifted));
    let lost = m.pick(beyond, all, lost);
    let none = m.eq_k(lost, 0);
    let some = m.not(none);
    let sticky = m.bit(some);
    (high, m.or(low, sticky))
}

/// `a * b + c` with one rounding.
pub(super) fn mul_add<M: Machine>(m: &mut M, a: M::U, b: M::U, c: M::U) -> M::U {
    mul_add_to(m, [a, b, c], pack)
}

/// `a * b + c` rounded to odd: what is not exact has its last bit set, so that rounding
/// to fewer bits rounds the exact value.
pub(super) fn mul_add_odd<M: Machine>(m: &mut M, a: M::U, b: M::U, c: M::U) -> M::U {
    // Of `f16`s nothing is subnormal or overflows here.
    mul_add_to(m, [a, b, c], |m, sign, exponent, top| {
        let rest = m.and_k(top, 0xff);
        let exact = m.eq_k(rest, 0);
        let inexact = m.not(exact);
        let odd = m.bit(inexact);
        let significand = m.shr_k(top, 8);
        let lifted = m.add_k(exponent, (BIAS + 1).wrapping_neg());
        let lifted = m.shl_k(lifted, 23);
        let bits = m.add(lifted, significand);
        let bits = m.or(bits, odd);
        m.or(bits, sign)
    })
}

fn mul_add_to<M: Machine>(
    m: &mut M,
    [a, b, c]: [M::U; 3],
    pack: impl FnOnce(&mut M, M::U, M::U, M::U) -> M::U,
) -> M::U {
    let signs = m.xor(a, b);
    let sign_p = m.and_k(signs, SIGN);
    let sign_c = m.and_k(c, SIGN);
    let ((ea, ma), (eb, mb), (ec, mc)) = (unpack(m, a), unpack(m, b), unpack(m, c));
    // The product, shifted so that its highest bit is bit 60 or 61; the addend's is bit 61.
    let (ah, al) = (m.shr_k(ma, 12), m.and_k(ma, 0xfff));
    let (bh, bl) = (m.shr_k(mb, 12), m.and_k(mb, 0xfff));
    let (high, low) = (m.mul(ah, bh), m.mul(al, bl));
    let (cross, other) = (m.mul(ah, bl), m.mul(al, bh));
    let cross = m.add(cross, other);
    let zero = m.k(0);
    let high = (m.shl_k(high, 6), zero);
    let cross = (m.shr_k(cross, 6), m.shl_k(cross, 26));
    let low = (m.shr_k(low, 18), m.shl_k(low, 14));
    let product = wide_add(m, high, cross);
    let product = wide_add(m, product, low);
    let addend = (m.shl_k(mc, 6), zero);
    let ep = m.add(ea, eb);
    let ep = m.add_k(ep, BIAS - 314);
    let es = m.add_k(ec, BIAS - 188);
    // The one with the lower exponent is shifted to the other's.
    let lower = m.lt(ep, es);
    let (d1, d2) = (m.sub(es, ep), m.sub(ep, es));
    let distance = m.pick(lower, d1, d2);
    let exponent = m.pick(lower, es, ep);
    let large = wide_pick(m, lower, addend, product);
    let small = wide_pick(m, lower, product, addend);
    let small = wide_shr(m, small, distance);
    let sign_large = m.pick(lower, sign_c, sign_p);
    let sum = wide_add(m, large, small);
    let forth = wide_sub(m, large, small);
    let back = wide_sub(m, small, large);
    let negative = m.above_k(forth.0, MAGNITUDE);
    let difference = wide_pick(m, negative, back, forth);
    let opposite = m.xor(sign_p, sign_c);
    let subtract = m.eq_k(opposite, SIGN);
    let total = wide_pick(m, subtract, difference, sum);
    let flipped = m.k(SIGN);
    let flip = m.pick(negative, flipped, zero);
    let sign_difference = m.xor(sign_large, flip);
    let sign = m.pick(subtract, sign_difference, sign_p);
    // Moves the highest bit to bit 63.
    let any = m.or(total.0, total.1);
    let none = m.eq_k(any, 0);
    let short = m.eq_k(total.0, 0);
    let (high, low) = wide_pick(m, short, (total.1, zero), total);
    let zeros = m.clz(high);
    let shift = m.and_k(zeros, 31);
    let most = m.k(31);
    let rest = m.sub(most, shift);
    let carried = m.shr_k(low, 1);
    let carried = m.shr(carried, rest);
    let high = m.shl(high, shift);
    let high = m.or(high, carried);
    let low = m.shl(low, shift);
    let exact = m.eq_k(low, 0);
    let inexact = m.not(exact);
    let sticky = m.bit(inexact);
    let top = m.or(high, sticky);
    let word = m.k(32);
    let moved = m.pick(short, word, zero);
    let exponent = m.add_k(exponent, 190);
    let exponent = m.sub(exponent, moved);
    let exponent = m.sub(exponent, zeros);
    let finite = pack(m, sign, exponent, top);
    let finite = m.pick(none, zero, finite);
    // A zero product leaves the addend; two zeros keep a sign that both have.
    let (za, zb, zc) = (m.eq_k(ma, 0), m.eq_k(mb, 0), m.eq_k(mc, 0));
    let zp = m.either(za, zb);
    let zeros = m.and(sign_p, sign_c);
    let sum = m.pick(zc, zeros, c);
    let finite = m.pick(zp, sum, finite);
    mul_add_special(m, (a, b, c), (za, zb), finite)
}

/// Infinities and NaN of `a * b + c`.
fn mul_add_special<M: Machine>(m: &mut M, (a, b, c): (M::U, M::U, M::U), zeros: (M::B, M::B), finite: M::U) -> M::U {
    let (xa, xb, xc) = (m.and_k(a, MAGNITUDE), m.and_k(b, MAGNITUDE), m.and_k(c, MAGNITUDE));
    let (ia, ib, ic) = (m.eq_k(xa, INFINITY), m.eq_k(xb, INFINITY), m.eq_k(xc, INFINITY));
    let (na, nb, nc) = (m.above_k(xa, INFINITY), m.above_k(xb, INFINITY), m.above_k(xc, INFINITY));
    let product_infinite = m.either(ia, ib);
    let signs = m.xor(a, b);
    let sign = m.and_k(signs, SIGN);
    let infinity = m.k(INFINITY);
    let infinite = m.or(sign, infinity);
    let result = m.pick(ic, c, finite);
    let result = m.pick(product_infinite, infinite, result);
    let (u, v) = (m.both(ia, zeros.1), m.both(ib, zeros.0));
    let undefined = m.either(u, v);
    let differ = m.xor(infinite, c);
    let differ = m.eq_k(differ, SIGN);
    let cancel = m.both(product_infinite, differ);
    let nan = m.either(undefined, cancel);
    let nan = m.either(nan, na);
    let nan = m.either(nan, nb);
    let nan = m.either(nan, nc);
    let canon = m.k(NAN_F32);
    m.pick(nan, canon, result)
}

/// The quotient, rounded to nearest even.
pub(super) fn quotient<M: Machine>(m: &mut M, a: M::U, b: M::U) -> M::U {
    let signs = m.xor(a, b);
    let sign = m.and_k(signs, SIGN);
    let ((ea, ma), (eb, mb)) = (unpack(m, a), unpack(m, b));
    let below = m.lt(ma, mb);
    let below_bit = m.bit(below);
    let numerator = m.shl(ma, below_bit);
    let zero_b = m.eq_k(mb, 0);
    let one = m.k(0x80_0000);
    let divisor = m.pick(zero_b, one, mb);
    let mut rest = m.sub(numerator, divisor);
    let mut digits = m.k(1);
    for bits in [8, 8, 8, 7] {
        rest = m.shl_k(rest, bits);
        let digit = m.div(rest, divisor);
        let taken = m.mul(digit, divisor);
        rest = m.sub(rest, taken);
        digits = m.shl_k(digits, bits);
        digits = m.or(digits, digit);
    }
    let exact = m.eq_k(rest, 0);
    let inexact = m.not(exact);
    let sticky = m.bit(inexact);
    let top = m.or(digits, sticky);
    let exponent = m.sub(ea, eb);
    let exponent = m.add_k(exponent, BIAS + 127);
    let exponent = m.sub(exponent, below_bit);
    let result = pack(m, sign, exponent, top);
    let (xa, xb) = (m.and_k(a, MAGNITUDE), m.and_k(b, MAGNITUDE));
    let (ia, ib) = (m.eq_k(xa, INFINITY), m.eq_k(xb, INFINITY));
    let (za, zb) = (m.eq_k(xa, 0), m.eq_k(xb, 0));
    let (na, nb) = (m.above_k(xa, INFINITY), m.above_k(xb, INFINITY));
    let infinity = m.k(INFINITY);
    let infinite = m.or(sign, infinity);
    let vanishes = m.either(za, ib);
    let result = m.pick(vanishes, sign, result);
    let explodes = m.either(ia, zb);
    let result = m.pick(explodes, infinite, result);
    let (zeros, infinities) = (m.both(za, zb), m.both(ia, ib));
    let nan = m.either(zeros, infinities);
    let nan = m.either(nan, na);
    let nan = m.either(nan, nb);
    let canon = m.k(NAN_F32);
    m.pick(nan, canon, result)
}

/// The square root, rounded to nearest even: one digit after the other.
pub(super) fn root<M: Machine>(m: &mut M, a: M::U) -> M::U {
    let value = m.and_k(a, MAGNITUDE);
    let (exponent, significand) = unpack(m, value);
    // 2 * 127 makes the exponent positive and keeps its parity.
    let exponent = m.add_k(exponent, 254 - 127);
    let odd = m.and_k(exponent, 1);
    let mut rest = m.shl(significand, odd);
    rest = m.shl_k(rest, 1);
    let half = m.shr_k(exponent, 1);
    let (mut root, mut sum) = (m.k(0), m.k(0));
    for place in (0..25).rev() {
        let digit = m.k(1 << place);
        let trial = m.add(sum, digit);
        let over = m.lt(rest, trial);
        let next = m.add(trial, digit);
        let less = m.sub(rest, trial);
        let longer = m.or(root, digit);
        sum = m.pick(over, sum, next);
        rest = m.pick(over, rest, less);
        root = m.pick(over, root, longer);
        rest = m.shl_k(rest, 1);
    }
    // The root has 25 bits; a root is never halfway between two numbers.
    let up = m.and_k(root, 1);
    let root = m.shr_k(root, 1);
    let root = m.add(root, up);
    let lifted = m.shl_k(half, 23);
    let bits = m.add(lifted, root);
    let bits = m.add_k(bits, 0x80_0000u32.wrapping_neg());
    let special = m.above_k(value, INFINITY - 1);
    let zero = m.eq_k(value, 0);
    let same = m.either(special, zero);
    let bits = m.pick(same, a, bits);
    let negative = m.above_k(a, SIGN);
    let nan = m.above_k(value, INFINITY);
    let nan = m.either(nan, negative);
    let canon = m.k(NAN_F32);
    m.pick(nan, canon, bits)
}

/// The remainder with the dividend's sign, which is always exact.
pub(super) fn remainder<M: Machine>(m: &mut M, a: M::U, b: M::U) -> M::U {
    let sign = m.and_k(a, SIGN);
    let (x, y) = (m.and_k(a, MAGNITUDE), m.and_k(b, MAGNITUDE));
    let ((ex, mx), (ey, my)) = (unpack(m, x), unpack(m, y));
    let below = m.lt(x, y);
    let zero_y = m.eq_k(y, 0);
    let nan_y = m.above_k(y, INFINITY);
    let unbounded_x = m.above_k(x, INFINITY - 1);
    let nan = m.either(zero_y, nan_y);
    let nan = m.either(nan, unbounded_x);
    let skip = m.either(below, nan);
    let zero = m.k(0);
    let one = m.k(1);
    let divisor = m.pick(zero_y, one, my);
    let steps = m.sub(ex, ey);
    let steps = m.pick(skip, zero, steps);
    let first = modulo(m, mx, divisor);
    // Eight bits of the quotient at a time.
    let rest = m.repeat(steps, vec![first], &mut |m, steps, rest| {
        let few = m.lt_k(steps, 8);
        let eight = m.k(8);
        let bits = m.pick(few, steps, eight);
        let rest = rest.into_iter().map(|rest| {
            let shifted = m.shl(rest, bits);
            modulo(m, shifted, divisor)
        });
        let rest = rest.collect();
        (m.sub(steps, bits), rest)
    });
    let rest = rest.first().copied().unwrap_or(zero);
    // The remainder has the divisor's exponent; it becomes normal or subnormal exactly.
    let zeros = m.clz(rest);
    let shift = m.add_k(zeros, 8u32.wrapping_neg());
    let ey = m.add_k(ey, BIAS);
    let exponent = m.sub(ey, shift);
    let shift = m.and_k(shift, 31);
    let significand = m.shl(rest, shift);
    let top = m.shl_k(significand, 8);
    let finite = pack(m, sign, exponent, top);
    let exact = m.eq_k(rest, 0);
    let finite = m.pick(exact, sign, finite);
    let result = m.pick(below, a, finite);
    let canon = m.k(NAN_F32);
    m.pick(nan, canon, result)
}

fn modulo<M: Machine>(m: &mut M, a: M::U, b: M::U) -> M::U {
    let digits = m.div(a, b);
    let taken = m.mul(digits, b);
    m.sub(a, taken)
}
