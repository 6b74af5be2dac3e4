//! `f64` arithmetic in `u32` arithmetic, the same on every device.
//!
//! A number is a pair of words, low first, as in [`wide`]. Each function is written once
//! over a [`Machine`], as in [`float`](super::float), so that what is tested is what
//! devices run. Results are rounded to nearest, ties to even; a NaN result is the
//! canonical NaN. No function loops but [`remainder`], because devices may limit loops.

use super::float::{MAGNITUDE, Machine, SIGN};
use super::wide::{self, Pair};
use crate::scalar::NAN_F64;

/// A 128-bit number, the lowest word first.
type Quad<M> = [<M as Machine>::U; 4];

/// The high word of infinity.
pub(super) const INFINITY: u32 = 0x7ff0_0000;
/// Infinity; what is above it, the sign aside, is NaN.
pub(super) const INFINITE: u64 = (INFINITY as u64) << 32;
/// The implicit bit of a significand in its high word.
pub(super) const IMPLICIT: u32 = 0x10_0000;
/// The bits of a significand's high word that are stored.
pub(super) const FRACTION: u32 = 0xf_ffff;
/// Added to exponents so that they are compared as unsigned numbers.
pub(super) const BIAS: u32 = 8192;

/// Which sort of number it is.
struct Sorts<M: Machine> {
    zero: M::B,
    infinite: M::B,
    nan: M::B,
}

fn sorts<M: Machine>(m: &mut M, a: Pair<M>) -> Sorts<M> {
    let magnitude = [a[0], m.and_k(a[1], MAGNITUDE)];
    let infinity = wide::number(m, INFINITE);
    let (zero, infinite) = (wide::is_zero(m, magnitude), wide::eq(m, magnitude, infinity));
    Sorts { zero, infinite, nan: wide::lt(m, false, infinity, magnitude) }
}

/// The bits, or the canonical NaN.
pub(super) fn nan_if<M: Machine>(m: &mut M, nan: M::B, a: Pair<M>) -> Pair<M> {
    let canon = wide::number(m, NAN_F64);
    wide::pick(m, nan, canon, a)
}

/// 1 unless the word is zero.
pub(super) fn sticky<M: Machine>(m: &mut M, word: M::U) -> M::U {
    let none = m.eq_k(word, 0);
    let (zero, one) = (m.k(0), m.k(1));
    m.pick(none, zero, one)
}

/// The biased exponent and the significand of 53 bits, also of a subnormal, whose
/// exponent is then below 1 (wrapping). The significand of zero is zero.
fn unpack<M: Machine>(m: &mut M, a: Pair<M>) -> (M::U, Pair<M>) {
    let exponent = m.shr_k(a[1], 20);
    let exponent = m.and_k(exponent, 2047);
    let fraction = [a[0], m.and_k(a[1], FRACTION)];
    let subnormal = m.eq_k(exponent, 0);
    let zeros = wide::clz(m, fraction);
    let shift = m.add_k(zeros, 11u32.wrapping_neg());
    let moved = wide::shl(m, fraction, shift);
    let implicit = m.k(IMPLICIT);
    let normal = [fraction[0], m.or(fraction[1], implicit)];
    let significand = wide::pick(m, subnormal, moved, normal);
    let one = m.k(1);
    let lowered = m.sub(one, shift);
    (m.pick(subnormal, lowered, exponent), significand)
}

/// Rounds a number to nearest even: bit 63 of `top` is set, its low bit stands for all
/// that is below, and the biased exponent, should the result be normal, is `exponent - BIAS`.
pub(super) fn pack<M: Machine>(m: &mut M, sign: M::U, exponent: M::U, top: Pair<M>) -> Pair<M> {
    let subnormal = m.lt_k(exponent, BIAS + 1);
    let least = m.k(BIAS + 1);
    let below = m.sub(least, exponent);
    let far = m.above_k(below, 63);
    let most = m.k(63);
    let below = m.pick(far, most, below);
    let zero = m.k(0);
    let shift = m.pick(subnormal, below, zero);
    let kept = wide::shr(m, false, top, shift);
    let back = wide::shl(m, kept, shift);
    let exact = wide::eq(m, back, top);
    let inexact = m.not(exact);
    let lost = m.bit(inexact);
    let rest = m.or(kept[0], lost);
    let rest = m.and_k(rest, 0x7ff);
    let significand = shr_k(m, kept, 11);
    let above = m.above_k(rest, 0x400);
    let tie = m.eq_k(rest, 0x400);
    let odd = m.and_k(significand[0], 1);
    let odd = m.eq_k(odd, 1);
    let tie = m.both(tie, odd);
    let up = m.either(above, tie);
    let up = m.bit(up);
    let lifted = m.sub(exponent, least);
    let lifted = m.shl_k(lifted, 20);
    let base = m.pick(subnormal, zero, lifted);
    let bits = [significand[0], m.add(significand[1], base)];
    let bits = wide::add(m, bits, [up, zero]);
    let over = m.above_k(exponent, BIAS + 2046);
    let infinity = m.k(INFINITY);
    let [low, high] = wide::pick(m, over, [zero, infinity], bits);
    [low, m.or(high, sign)]
}

/// A left shift by a fixed count from 1 to 31.
pub(super) fn shl_k<M: Machine>(m: &mut M, a: Pair<M>, n: u32) -> Pair<M> {
    let carried = m.shr_k(a[0], 32 - n);
    let high = m.shl_k(a[1], n);
    [m.shl_k(a[0], n), m.or(high, carried)]
}

/// A right shift by a fixed count from 1 to 31.
pub(super) fn shr_k<M: Machine>(m: &mut M, a: Pair<M>, n: u32) -> Pair<M> {
    let carried = m.shl_k(a[1], 32 - n);
    let low = m.shr_k(a[0], n);
    [m.or(low, carried), m.shr_k(a[1], n)]
}

/// The product of two words.
fn widening<M: Machine>(m: &mut M, a: M::U, b: M::U) -> Pair<M> {
    let zero = m.k(0);
    wide::mul(m, [a, zero], [b, zero])
}

/// The product of two pairs.
fn long_product<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Quad<M> {
    let zero = m.k(0);
    let (ll, lh) = (widening(m, a[0], b[0]), widening(m, a[0], b[1]));
    let (hl, hh) = (widening(m, a[1], b[0]), widening(m, a[1], b[1]));
    // A product of words and two words more is below 2⁶⁴.
    let middle = wide::add(m, lh, [ll[1], zero]);
    let other = wide::add(m, hl, [middle[0], zero]);
    let high = wide::add(m, hh, [middle[1], zero]);
    let high = wide::add(m, high, [other[1], zero]);
    [ll[0], other[0], high[0], high[1]]
}

/// The product with a number below 2¹⁶, modulo 2⁶⁴.
fn scaled<M: Machine>(m: &mut M, a: Pair<M>, by: M::U) -> Pair<M> {
    let (low, high) = (m.and_k(a[0], 0xffff), m.shr_k(a[0], 16));
    let (low, high) = (m.mul(low, by), m.mul(high, by));
    let carried = m.shr_k(low, 16);
    let high = m.add(high, carried);
    let carried = m.shr_k(high, 16);
    let top = m.mul(a[1], by);
    [m.mul(a[0], by), m.add(top, carried)]
}

fn quad_pick<M: Machine>(m: &mut M, c: M::B, a: Quad<M>, b: Quad<M>) -> Quad<M> {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [m.pick(c, a0, b0), m.pick(c, a1, b1), m.pick(c, a2, b2), m.pick(c, a3, b3)]
}

fn quad_add<M: Machine>(m: &mut M, a: Quad<M>, b: Quad<M>) -> Quad<M> {
    let mut carry = m.k(0);
    let mut place = |m: &mut M, i: usize| {
        let sum = m.add(a[i], b[i]);
        let first = m.lt(sum, a[i]);
        let total = m.add(sum, carry);
        let second = m.lt(total, sum);
        let over = m.either(first, second);
        carry = m.bit(over);
        total
    };
    [place(m, 0), place(m, 1), place(m, 2), place(m, 3)]
}

fn quad_sub<M: Machine>(m: &mut M, a: Quad<M>, b: Quad<M>) -> Quad<M> {
    let mut borrow = m.k(0);
    let mut place = |m: &mut M, i: usize| {
        let first = m.lt(a[i], b[i]);
        let difference = m.sub(a[i], b[i]);
        let second = m.lt(difference, borrow);
        let total = m.sub(difference, borrow);
        let under = m.either(first, second);
        borrow = m.bit(under);
        total
    };
    [place(m, 0), place(m, 1), place(m, 2), place(m, 3)]
}

/// Shifts right by any count; the low bit of the result is set if a set bit was lost.
fn quad_shr<M: Machine>(m: &mut M, a: Quad<M>, n: M::U) -> Quad<M> {
    let zero = m.k(0);
    let words = m.shr_k(n, 5);
    let (one, two) = (m.and_k(words, 1), m.and_k(words, 2));
    let (none, short) = (m.eq_k(one, 0), m.eq_k(two, 0));
    let beyond = m.above_k(n, 127);
    let mut lost = m.pick(none, zero, a[0]);
    let a = quad_pick(m, none, a, [a[1], a[2], a[3], zero]);
    let both = m.or(a[0], a[1]);
    let both = m.pick(short, zero, both);
    lost = m.or(lost, both);
    let a = quad_pick(m, short, a, [a[2], a[3], zero, zero]);
    let n = m.and_k(n, 31);
    let most = m.k(31);
    let left = m.sub(most, n);
    // Two shifts, because `32 - n` may be 32.
    let cut = |m: &mut M, word: M::U| {
        let carried = m.shl_k(word, 1);
        m.shl(carried, left)
    };
    let low = cut(m, a[0]);
    lost = m.or(lost, low);
    let place = |m: &mut M, low: M::U, high: M::U| {
        let (low, carried) = (m.shr(low, n), cut(m, high));
        m.or(low, carried)
    };
    let shifted = [place(m, a[0], a[1]), place(m, a[1], a[2]), place(m, a[2], a[3]), m.shr(a[3], n)];
    // What is beyond all bits left words behind that count as lost.
    let [s0, s1, s2, s3] = shifted;
    let (low, high) = (m.or(s0, s1), m.or(s2, s3));
    let all = m.or(low, high);
    let all = m.or(all, lost);
    lost = m.pick(beyond, all, lost);
    let [s0, s1, s2, s3] = quad_pick(m, beyond, [zero; 4], shifted);
    let lost = sticky(m, lost);
    [m.or(s0, lost), s1, s2, s3]
}

/// The 64 bits from the highest set one on, the last for all that is below, and how many
/// zeros were above; of zero they mean nothing.
fn quad_top<M: Machine>(m: &mut M, a: Quad<M>) -> (Pair<M>, M::U) {
    let zero = m.k(0);
    let (word, two) = (m.k(32), m.k(64));
    let low = wide::is_zero(m, [a[2], a[3]]);
    let a = quad_pick(m, low, [zero, zero, a[0], a[1]], a);
    let empty = m.eq_k(a[3], 0);
    let a = quad_pick(m, empty, [zero, a[0], a[1], a[2]], a);
    let zeros = m.clz(a[3]);
    let n = m.and_k(zeros, 31);
    let most = m.k(31);
    let left = m.sub(most, n);
    let place = |m: &mut M, high: M::U, low: M::U| {
        let (high, carried) = (m.shl(high, n), m.shr_k(low, 1));
        let carried = m.shr(carried, left);
        m.or(high, carried)
    };
    let top = [place(m, a[2], a[1]), place(m, a[3], a[2])];
    let rest = m.shl(a[1], n);
    let rest = m.or(rest, a[0]);
    let rest = sticky(m, rest);
    let (first, second) = (m.pick(low, two, zero), m.pick(empty, word, zero));
    let moved = m.add(first, second);
    ([m.or(top[0], rest), top[1]], m.add(moved, zeros))
}

/// The sum.
pub(super) fn sum<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let (x, y) = ([a[0], m.and_k(a[1], MAGNITUDE)], [b[0], m.and_k(b[1], MAGNITUDE)]);
    let below = wide::lt(m, false, x, y);
    let (large, small) = (wide::pick(m, below, b, a), wide::pick(m, below, a, b));
    let ((el, ml), (es, ms)) = (unpack(m, large), unpack(m, small));
    let sign = m.and_k(large[1], SIGN);
    let signs = m.xor(a[1], b[1]);
    let differ = m.above_k(signs, MAGNITUDE);
    // Both with ten bits more and room for a carry.
    let (ml, ms) = (shl_k(m, ml, 10), shl_k(m, ms, 10));
    let distance = m.sub(el, es);
    let far = m.above_k(distance, 63);
    let most = m.k(63);
    let distance = m.pick(far, most, distance);
    let kept = wide::shr(m, false, ms, distance);
    let back = wide::shl(m, kept, distance);
    let exact = wide::eq(m, back, ms);
    let inexact = m.not(exact);
    let lost = m.bit(inexact);
    let ms = [m.or(kept[0], lost), kept[1]];
    let (sum, difference) = (wide::add(m, ml, ms), wide::sub(m, ml, ms));
    let total = wide::pick(m, differ, difference, sum);
    let zeros = wide::clz(m, total);
    let top = wide::shl(m, total, zeros);
    let exponent = m.add_k(el, BIAS + 1);
    let exponent = m.sub(exponent, zeros);
    let finite = pack(m, sign, exponent, top);
    // Nothing is left of opposite numbers, and two zeros keep a sign that both have.
    let none = wide::is_zero(m, total);
    let zero = m.k(0);
    let common = m.and(a[1], b[1]);
    let common = m.and_k(common, SIGN);
    let finite = wide::pick(m, none, [zero, common], finite);
    let (sa, sb) = (sorts(m, a), sorts(m, b));
    let result = wide::pick(m, sb.infinite, b, finite);
    let result = wide::pick(m, sa.infinite, a, result);
    let infinities = m.both(sa.infinite, sb.infinite);
    let undefined = m.both(infinities, differ);
    let nan = m.either(sa.nan, sb.nan);
    let nan = m.either(nan, undefined);
    nan_if(m, nan, result)
}

/// The product.
pub(super) fn product<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let signs = m.xor(a[1], b[1]);
    let sign = m.and_k(signs, SIGN);
    let ((ea, ma), (eb, mb)) = (unpack(m, a), unpack(m, b));
    let (ma, mb) = (shl_k(m, ma, 11), shl_k(m, mb, 11));
    let [p0, p1, p2, p3] = long_product(m, ma, mb);
    let rest = m.or(p0, p1);
    let rest = sticky(m, rest);
    let top = [m.or(p2, rest), p3];
    let zeros = m.clz(p3);
    let top = wide::shl(m, top, zeros);
    let exponent = m.add(ea, eb);
    let exponent = m.add_k(exponent, BIAS - 1022);
    let exponent = m.sub(exponent, zeros);
    let finite = pack(m, sign, exponent, top);
    let (sa, sb) = (sorts(m, a), sorts(m, b));
    let (zero, infinity) = (m.k(0), m.k(INFINITY));
    let none = m.either(sa.zero, sb.zero);
    let result = wide::pick(m, none, [zero, sign], finite);
    let infinite = m.either(sa.infinite, sb.infinite);
    let unbounded = m.or(sign, infinity);
    let result = wide::pick(m, infinite, [zero, unbounded], result);
    let undefined = m.both(none, infinite);
    let nan = m.either(sa.nan, sb.nan);
    let nan = m.either(nan, undefined);
    nan_if(m, nan, result)
}

/// `a * b + c` with one rounding.
pub(super) fn mul_add<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>, c: Pair<M>) -> Pair<M> {
    let signs = m.xor(a[1], b[1]);
    let sign_p = m.and_k(signs, SIGN);
    let sign_c = m.and_k(c[1], SIGN);
    let ((ea, ma), (eb, mb), (ec, mc)) = (unpack(m, a), unpack(m, b), unpack(m, c));
    // The product, shifted so that its highest bit is bit 124 or 125; the addend's is bit 125.
    let (la, lb, lc) = (shl_k(m, ma, 10), shl_k(m, mb, 10), shl_k(m, mc, 9));
    let product = long_product(m, la, lb);
    let zero = m.k(0);
    let addend = [zero, zero, lc[0], lc[1]];
    let ep = m.add(ea, eb);
    let ep = m.add_k(ep, BIAS - 1020);
    let es = m.add_k(ec, BIAS + 2);
    // The one with the lower exponent is shifted to the other's.
    let lower = m.lt(ep, es);
    let (d1, d2) = (m.sub(es, ep), m.sub(ep, es));
    let distance = m.pick(lower, d1, d2);
    let exponent = m.pick(lower, es, ep);
    let large = quad_pick(m, lower, addend, product);
    let small = quad_pick(m, lower, product, addend);
    let small = quad_shr(m, small, distance);
    let sign_large = m.pick(lower, sign_c, sign_p);
    let opposite = m.xor(sign_p, sign_c);
    let subtract = m.eq_k(opposite, SIGN);
    let (sum, forth, back) = (quad_add(m, large, small), quad_sub(m, large, small), quad_sub(m, small, large));
    let negative = m.above_k(forth[3], MAGNITUDE);
    let difference = quad_pick(m, negative, back, forth);
    let total = quad_pick(m, subtract, difference, sum);
    let flipped = m.k(SIGN);
    let flip = m.pick(negative, flipped, zero);
    let sign_difference = m.xor(sign_large, flip);
    let sign = m.pick(subtract, sign_difference, sign_p);
    let (top, zeros) = quad_top(m, total);
    let exponent = m.sub(exponent, zeros);
    let finite = pack(m, sign, exponent, top);
    let none = wide::is_zero(m, top);
    let finite = wide::pick(m, none, [zero; 2], finite);
    // A zero product leaves the addend; two zeros keep a sign that both have.
    let (sa, sb, sc) = (sorts(m, a), sorts(m, b), sorts(m, c));
    let none = m.either(sa.zero, sb.zero);
    let common = m.and(sign_p, sign_c);
    let sum = wide::pick(m, sc.zero, [zero, common], c);
    let finite = wide::pick(m, none, sum, finite);
    let result = wide::pick(m, sc.infinite, c, finite);
    let infinite = m.either(sa.infinite, sb.infinite);
    let infinity = m.k(INFINITY);
    let unbounded = m.or(sign_p, infinity);
    let result = wide::pick(m, infinite, [zero, unbounded], result);
    let undefined = m.both(infinite, none);
    let cancel = m.both(infinite, sc.infinite);
    let cancel = m.both(cancel, subtract);
    let nan = m.either(undefined, cancel);
    let nan = m.either(nan, sa.nan);
    let nan = m.either(nan, sb.nan);
    let nan = m.either(nan, sc.nan);
    nan_if(m, nan, result)
}

/// Takes from `rest`, which is below 2¹¹ divisors, so many divisors that less than 1.01
/// of them is left; how many, and what is left. The divisor has 53 bits.
fn reduced<M: Machine>(m: &mut M, rest: Pair<M>, divisor: Pair<M>) -> (M::U, Pair<M>) {
    // A divisor that is rounded up to a multiple of 2³² gives no digit that is too large.
    let above = m.add_k(divisor[1], 1);
    let digit = m.div(rest[1], above);
    let taken = scaled(m, divisor, digit);
    (digit, wide::sub(m, rest, taken))
}

/// The quotient.
pub(super) fn quotient<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let signs = m.xor(a[1], b[1]);
    let sign = m.and_k(signs, SIGN);
    let ((ea, ma), (eb, mb)) = (unpack(m, a), unpack(m, b));
    let below = wide::lt(m, false, ma, mb);
    let doubled = shl_k(m, ma, 1);
    let numerator = wide::pick(m, below, doubled, ma);
    let (zero, one) = (m.k(0), m.k(1));
    // The first digit is 1, and six more have ten bits each, but may be slightly more.
    let mut rest = wide::sub(m, numerator, mb);
    let mut digits = [one, zero];
    for _ in 0..6 {
        let shifted = shl_k(m, rest, 10);
        let (digit, less) = reduced(m, shifted, mb);
        rest = less;
        let longer = shl_k(m, digits, 10);
        digits = wide::add(m, longer, [digit, zero]);
    }
    let few = wide::lt(m, false, rest, mb);
    let less = wide::sub(m, rest, mb);
    let more = wide::add(m, digits, [one, zero]);
    let (rest, digits) = (wide::pick(m, few, rest, less), wide::pick(m, few, digits, more));
    let lost = m.or(rest[0], rest[1]);
    let lost = sticky(m, lost);
    let top = shl_k(m, digits, 3);
    let top = [m.or(top[0], lost), top[1]];
    let exponent = m.sub(ea, eb);
    let exponent = m.add_k(exponent, BIAS + 1023);
    let below = m.bit(below);
    let exponent = m.sub(exponent, below);
    let finite = pack(m, sign, exponent, top);
    let (sa, sb) = (sorts(m, a), sorts(m, b));
    let vanishes = m.either(sa.zero, sb.infinite);
    let result = wide::pick(m, vanishes, [zero, sign], finite);
    let explodes = m.either(sa.infinite, sb.zero);
    let infinity = m.k(INFINITY);
    let unbounded = m.or(sign, infinity);
    let result = wide::pick(m, explodes, [zero, unbounded], result);
    let (zeros, infinities) = (m.both(sa.zero, sb.zero), m.both(sa.infinite, sb.infinite));
    let undefined = m.either(zeros, infinities);
    let nan = m.either(sa.nan, sb.nan);
    let nan = m.either(nan, undefined);
    nan_if(m, nan, result)
}

/// The square root.
pub(super) fn root<M: Machine>(m: &mut M, a: Pair<M>) -> Pair<M> {
    let value = [a[0], m.and_k(a[1], MAGNITUDE)];
    let (exponent, significand) = unpack(m, value);
    let exponent = m.add_k(exponent, 1023);
    let odd = m.and_k(exponent, 1);
    let half = m.shr_k(exponent, 1);
    // The root of 54 bits of a number of 108 bits, whose lower half is zero. The digits
    // are found from the upper half's root and what that leaves over: if a root s leaves
    // r, then r / 2s are the next digits or one too many.
    let radicand = wide::shl(m, significand, odd);
    let (root, rest) = root_of_54_bits(m, radicand);
    // 26 bits of the quotient of `rest` by `root`, and the leading one.
    let mut digits = m.div(rest, root);
    let taken = m.mul(digits, root);
    let mut left = m.sub(rest, taken);
    for bits in [5, 5, 5, 5, 5, 1] {
        left = m.shl_k(left, bits);
        let digit = m.div(left, root);
        let taken = m.mul(digit, root);
        left = m.sub(left, taken);
        let longer = m.shl_k(digits, bits);
        digits = m.add(longer, digit);
    }
    let zero = m.k(0);
    let high = [m.shl_k(root, 27), m.shr_k(root, 5)];
    let root = wide::add(m, high, [digits, zero]);
    let left = [m.shl_k(left, 28), m.shr_k(left, 4)];
    let square = widening(m, digits, digits);
    let missing = wide::lt(m, false, left, square);
    let one_too_many = m.bit(missing);
    let root = wide::sub(m, root, [one_too_many, zero]);
    // A root is never halfway between two numbers, so the last bit alone decides.
    let up = m.and_k(root[0], 1);
    let root = shr_k(m, root, 1);
    let root = wide::add(m, root, [up, zero]);
    let lifted = m.shl_k(half, 20);
    let lifted = m.add_k(lifted, IMPLICIT.wrapping_neg());
    let bits = [root[0], m.add(root[1], lifted)];
    let s = sorts(m, a);
    let same = m.either(s.zero, s.infinite);
    let bits = wide::pick(m, same, a, bits);
    let negative = m.above_k(a[1], MAGNITUDE);
    let not_zero = m.not(s.zero);
    let undefined = m.both(negative, not_zero);
    let nan = m.either(s.nan, undefined);
    nan_if(m, nan, bits)
}

/// The root of 27 bits, rounded down, of a number from 2⁵² on, and what it leaves over.
fn root_of_54_bits<M: Machine>(m: &mut M, a: Pair<M>) -> (M::U, M::U) {
    let (low, high) = (m.shr_k(a[0], 26), m.shl_k(a[1], 6));
    let mut rest = m.or(low, high);
    // The root of 14 bits of these 28, one digit after the other.
    let mut root = m.k(0);
    for place in (0..14).rev() {
        let trial = m.add_k(root, 1 << (2 * place));
        let over = m.lt(rest, trial);
        let less = m.sub(rest, trial);
        rest = m.pick(over, rest, less);
        root = m.shr_k(root, 1);
        let longer = m.add_k(root, 1 << (2 * place));
        root = m.pick(over, root, longer);
    }
    let next = m.shr_k(a[0], 13);
    let (next, last) = (m.and_k(next, 0x1fff), m.and_k(a[0], 0x1fff));
    let numerator = m.shl_k(rest, 13);
    let numerator = m.or(numerator, next);
    let twice = m.shl_k(root, 1);
    // Zero has the root zero and is nobody's concern.
    let none = m.eq_k(twice, 0);
    let one = m.k(1);
    let divisor = m.pick(none, one, twice);
    let digits = m.div(numerator, divisor);
    let taken = m.mul(digits, divisor);
    let left = m.sub(numerator, taken);
    let left = m.shl_k(left, 13);
    let left = m.or(left, last);
    let square = m.mul(digits, digits);
    let missing = m.lt(left, square);
    let rest = m.sub(left, square);
    let root = m.shl_k(root, 13);
    let root = m.add(root, digits);
    let fewer = m.sub(root, one);
    let more = m.add(root, fewer);
    let more = m.add(rest, more);
    let root = m.pick(missing, fewer, root);
    let none = m.eq_k(root, 0);
    (m.pick(none, one, root), m.pick(missing, more, rest))
}

/// The remainder with the dividend's sign, which is always exact.
pub(super) fn remainder<M: Machine>(m: &mut M, a: Pair<M>, b: Pair<M>) -> Pair<M> {
    let sign = m.and_k(a[1], SIGN);
    let (x, y) = ([a[0], m.and_k(a[1], MAGNITUDE)], [b[0], m.and_k(b[1], MAGNITUDE)]);
    let ((ex, mx), (ey, my)) = (unpack(m, x), unpack(m, y));
    let (sa, sb) = (sorts(m, a), sorts(m, b));
    let below = wide::lt(m, false, x, y);
    let nan = m.either(sa.nan, sb.nan);
    let undefined = m.either(sa.infinite, sb.zero);
    let nan = m.either(nan, undefined);
    let skip = m.either(below, nan);
    let zero = m.k(0);
    let steps = m.sub(ex, ey);
    let steps = m.pick(skip, zero, steps);
    // Thirty bits of the quotient at a time; what is left is below 1.01 divisors.
    let few = wide::lt(m, false, mx, my);
    let less = wide::sub(m, mx, my);
    let first = wide::pick(m, few, mx, less);
    let rest = m.repeat(steps, first.to_vec(), &mut |m, mut steps, words| {
        let [low, high] = words[..] else { return (steps, words) };
        let mut rest = [low, high];
        for _ in 0..3 {
            let few = m.lt_k(steps, 10);
            let ten = m.k(10);
            let bits = m.pick(few, steps, ten);
            let shifted = wide::shl(m, rest, bits);
            rest = reduced(m, shifted, my).1;
            steps = m.sub(steps, bits);
        }
        (steps, rest.to_vec())
    });
    let [low, high] = rest[..] else { return a };
    let rest = [low, high];
    let few = wide::lt(m, false, rest, my);
    let less = wide::sub(m, rest, my);
    let rest = wide::pick(m, few, rest, less);
    // The remainder has the divisor's exponent; it becomes normal or subnormal exactly.
    let zeros = wide::clz(m, rest);
    let top = wide::shl(m, rest, zeros);
    let exponent = m.add_k(ey, BIAS + 11);
    let exponent = m.sub(exponent, zeros);
    let finite = pack(m, sign, exponent, top);
    let none = wide::is_zero(m, rest);
    let finite = wide::pick(m, none, [zero, sign], finite);
    let result = wide::pick(m, below, a, finite);
    nan_if(m, nan, result)
}
