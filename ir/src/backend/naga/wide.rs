//! 64-bit integers in `u32` arithmetic.
//!
//! A number is a pair of words, low first. Each function is written once over a
//! [`Machine`], as in [`float`](super::float), so that what is tested is what devices run.

use super::float::{self, INFINITY, MAGNITUDE, Machine, SIGN};

/// A 64-bit number, the low word first.
pub(super) type Pair<M> = [<M as Machine>::U; 2];

/// The number of this value.
pub(super) fn number<M: Machine>(m: &mut M, value: u64) -> Pair<M> {
    [m.k(value as u32), m.k((value >> 32) as u32)]
}

pub(super) fn add<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let low = m.add(a[0], b[0]);
    let carry = m.lt(low, a[0]);
    let carry = m.bit(carry);
    let high = m.add(a[1], b[1]);
    [low, m.add(high, carry)]
}

pub(super) fn sub<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let borrow = m.lt(a[0], b[0]);
    let borrow = m.bit(borrow);
    let high = m.sub(a[1], b[1]);
    [m.sub(a[0], b[0]), m.sub(high, borrow)]
}

pub(super) fn neg<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let zero = number(m, 0);
    sub(m, zero, a)
}

/// The low half of the product.
pub(super) fn mul<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let (al, ah) = (m.and_k(a[0], 0xffff), m.shr_k(a[0], 16));
    let (bl, bh) = (m.and_k(b[0], 0xffff), m.shr_k(b[0], 16));
    let (ll, lh) = (m.mul(al, bl), m.mul(al, bh));
    let (hl, hh) = (m.mul(ah, bl), m.mul(ah, bh));
    // No sum here exceeds a word: (2¹⁶ - 1)² + 2 (2¹⁶ - 1) is 2³² - 1.
    let carried = m.shr_k(ll, 16);
    let middle = m.add(hl, carried);
    let rest = m.and_k(middle, 0xffff);
    let other = m.add(lh, rest);
    let (top, bottom) = (m.shr_k(middle, 16), m.shr_k(other, 16));
    let high = m.add(hh, top);
    let high = m.add(high, bottom);
    let (x, y) = (m.mul(a[0], b[1]), m.mul(a[1], b[0]));
    let high = m.add(high, x);
    [m.mul(a[0], b[0]), m.add(high, y)]
}

pub(super) fn pick<M: Machine>(m: &mut M, c: M::B, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    [m.pick(c, a[0], b[0]), m.pick(c, a[1], b[1])]
}

pub(super) fn eq<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> M::B {
    let (low, high) = (m.eq(a[0], b[0]), m.eq(a[1], b[1]));
    m.both(low, high)
}

pub(super) fn is_zero<M: Machine>(m: &mut M, a: Pair<M>) -> M::B {
    let any = m.or(a[0], a[1]);
    m.eq_k(any, 0)
}

/// Whether a signed number is below zero.
pub(super) fn is_negative<M: Machine>(m: &mut M, a: Pair<M>) -> M::B {
    m.above_k(a[1], MAGNITUDE)
}

pub(super) fn lt<M: Machine>(m: &mut M, signed: bool, a: Pair<M>, b: Pair<M>) -> M::B {
    // With the sign bit flipped, signed numbers are in the order of unsigned ones.
    let sign = m.k(SIGN);
    let (x, y) = if signed { (m.xor(a[1], sign), m.xor(b[1], sign)) } else { (a[1], b[1]) };
    let (above, same) = (m.lt(x, y), m.eq(x, y));
    let below = m.lt(a[0], b[0]);
    let tie = m.both(same, below);
    m.either(above, tie)
}

/// The number without its sign; `MIN` stays `MIN`.
pub(super) fn abs<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let (negative, opposite) = (is_negative(m, a), neg(m, a));
    pick(m, negative, opposite, a)
}

/// -1, 0 or 1.
pub(super) fn sign<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let (none, negative) = (is_zero(m, a), is_negative(m, a));
    let (zero, one, minus) = (number(m, 0), number(m, 1), number(m, u64::MAX));
    let value = pick(m, none, zero, one);
    pick(m, negative, minus, value)
}

pub(super) fn abs_diff<M: Machine>(m: &mut M, signed: bool, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let (below, forth, back) = (lt(m, signed, a, b), sub(m, a, b), sub(m, b, a));
    pick(m, below, back, forth)
}

/// A left shift by the count modulo 64.
pub(super) fn shl<M: Machine>(m: &mut M, a: Pair<M>, count: M::U) -> Pair<M> {
    let bits = m.and_k(count, 31);
    let most = m.k(31);
    let left = m.sub(most, bits);
    // Two shifts, because `32 - bits` may be 32.
    let carried = m.shr_k(a[0], 1);
    let carried = m.shr(carried, left);
    let low = m.shl(a[0], bits);
    let high = m.shl(a[1], bits);
    let high = m.or(high, carried);
    let word = m.and_k(count, 32);
    let none = m.eq_k(word, 0);
    let zero = m.k(0);
    pick(m, none, [low, high], [zero, low])
}

/// A right shift by the count modulo 64.
pub(super) fn shr<M: Machine>(m: &mut M, signed: bool, a: Pair<M>, count: M::U) -> Pair<M> {
    let zero = m.k(0);
    let fill = if signed {
        let negative = is_negative(m, a);
        let all = m.k(u32::MAX);
        m.pick(negative, all, zero)
    } else {
        zero
    };
    let bits = m.and_k(count, 31);
    let most = m.k(31);
    let left = m.sub(most, bits);
    let lower = |m: &mut M, high: M::U, low: M::U| {
        let carried = m.shl_k(high, 1);
        let carried = m.shl(carried, left);
        let low = m.shr(low, bits);
        m.or(low, carried)
    };
    let (low, high) = (lower(m, a[1], a[0]), lower(m, fill, a[1]));
    let word = m.and_k(count, 32);
    let none = m.eq_k(word, 0);
    pick(m, none, [low, high], [high, fill])
}

/// A rotation towards the high bits by the count modulo 64.
pub(super) fn rotl<M: Machine>(m: &mut M, a: Pair<M>, count: M::U) -> Pair<M> {
    let zero = m.k(0);
    let back = m.sub(zero, count);
    let (high, low) = (shl(m, a, count), shr(m, false, a, back));
    [m.or(high[0], low[0]), m.or(high[1], low[1])]
}

/// The number of set bits.
pub(super) fn ones<M: Machine>(m: &mut M, a: Pair<M>) -> M::U {
    let (low, high) = (m.ones(a[0]), m.ones(a[1]));
    m.add(low, high)
}

/// The number of zero bits above the highest set bit; 64 for zero.
pub(super) fn clz<M: Machine>(m: &mut M, a: Pair<M>) -> M::U {
    let (low, high) = (m.clz(a[0]), m.clz(a[1]));
    let low = m.add_k(low, 32);
    let none = m.eq_k(a[1], 0);
    m.pick(none, low, high)
}

/// The number of zero bits below the lowest set bit; 64 for zero.
pub(super) fn ctz<M: Machine>(m: &mut M, a: Pair<M>) -> M::U {
    // The bits below the lowest set one are those that a decrement sets.
    let one = number(m, 1);
    let below = sub(m, a, one);
    let all = m.k(u32::MAX);
    let (x, y) = (m.xor(a[0], all), m.xor(a[1], all));
    let below = [m.and(below[0], x), m.and(below[1], y)];
    ones(m, below)
}

pub(super) fn reverse<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    [m.reverse(a[1]), m.reverse(a[0])]
}

/// Quotient and remainder of unsigned numbers, both zero for a zero divisor.
pub(super) fn divide_unsigned<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> (Pair<M>, Pair<M>) {
    // One digit a step, from the dividend's highest bit on.
    let zeros = clz(m, a);
    let sixty_four = m.k(64);
    let steps = m.sub(sixty_four, zeros);
    let zero = m.k(0);
    let digits = shl(m, a, zeros);
    let state = vec![digits[0], digits[1], zero, zero];
    let state = m.repeat(steps, state, &mut |m, steps, state| {
        let [d0, d1, r0, r1] = state[..] else { return (steps, state) };
        let next = m.shr_k(d1, 31);
        // A remainder of 64 bits that loses its highest bit here is above the divisor.
        let lost = m.above_k(r1, MAGNITUDE);
        let one = m.k(1);
        let (digits, rest) = (shl(m, [d0, d1], one), shl(m, [r0, r1], one));
        let rest = [m.or(rest[0], next), rest[1]];
        let below = lt(m, false, rest, b);
        let above = m.not(below);
        let fits = m.either(lost, above);
        let less = sub(m, rest, b);
        let rest = pick(m, fits, less, rest);
        let digit = m.bit(fits);
        let low = m.or(digits[0], digit);
        (m.sub(steps, one), vec![low, digits[1], rest[0], rest[1]])
    });
    let [q0, q1, r0, r1] = state[..] else { return ([zero; 2], [zero; 2]) };
    let none = is_zero(m, b);
    let nothing = [zero; 2];
    (pick(m, none, nothing, [q0, q1]), pick(m, none, nothing, [r0, r1]))
}

/// The nearest `f32`, ties to even.
pub(super) fn to_f32<M: Machine>(m: &mut M, signed: bool, a: Pair<M>) -> M::U {
    let (mut magnitude, mut sign) = (a, m.k(0));
    if signed {
        magnitude = abs(m, a);
        sign = m.and_k(a[1], SIGN);
    }
    let zeros = clz(m, magnitude);
    let top = shl(m, magnitude, zeros);
    let exact = m.eq_k(top[0], 0);
    let inexact = m.not(exact);
    let sticky = m.bit(inexact);
    let top = m.or(top[1], sticky);
    let most = m.k(float::BIAS + 127 + 63);
    let exponent = m.sub(most, zeros);
    let value = float::pack(m, sign, exponent, top);
    let none = is_zero(m, a);
    let zero = m.k(0);
    m.pick(none, zero, value)
}

/// The integer towards zero of an `f32`; the nearest one if out of range, 0 for NaN.
pub(super) fn from_f32<M: Machine>(m: &mut M, signed: bool, a: M::U) -> Pair<M> {
    let value = m.and_k(a, MAGNITUDE);
    let exponent = m.shr_k(value, 23);
    let significand = m.and_k(value, 0x7f_ffff);
    let implicit = m.k(0x80_0000);
    let significand = m.or(significand, implicit);
    let zero = m.k(0);
    let left = m.add_k(exponent, 150u32.wrapping_neg());
    let right = m.sub(zero, left);
    let long = shl(m, [significand, zero], left);
    let right = m.and_k(right, 31);
    let short = m.shr(significand, right);
    let whole = m.above_k(exponent, 149);
    let integer = pick(m, whole, long, [short, zero]);
    let below_one = m.lt_k(exponent, 127);
    let integer = pick(m, below_one, [zero; 2], integer);
    let negative = m.above_k(a, MAGNITUDE);
    let result = if signed {
        let large = m.above_k(exponent, 189);
        let (most, least) = (number(m, i64::MAX as u64), number(m, i64::MIN as u64));
        let positive = pick(m, large, most, integer);
        let opposite = neg(m, integer);
        let opposite = pick(m, large, least, opposite);
        pick(m, negative, opposite, positive)
    } else {
        let large = m.above_k(exponent, 190);
        let most = number(m, u64::MAX);
        let positive = pick(m, large, most, integer);
        pick(m, negative, [zero; 2], positive)
    };
    let nan = m.above_k(value, INFINITY);
    pick(m, nan, [zero; 2], result)
}
