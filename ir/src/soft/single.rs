//! `f32` arithmetic in words: what devices compute differently or not at all.
//!
//! Values are the bits of `f32`s. Results are rounded to nearest, ties to even; a NaN
//! result is the canonical NaN.

use super::Routine;
use super::handle::{Flag, Wide, Word};
use crate::scalar::NAN_F32;

/// The sign bit.
pub(super) const SIGN: u32 = 0x8000_0000;
/// Every bit but the sign.
pub(super) const MAGNITUDE: u32 = 0x7fff_ffff;
/// Infinity; what is above it, the sign aside, is NaN.
pub(super) const INFINITY: u32 = 0x7f80_0000;
/// The bits of the significand that are stored.
const FRACTION: u32 = 0x7f_ffff;
/// The bit of the significand that is not stored.
const IMPLICIT: u32 = 0x80_0000;
/// The number 1.
const ONE: u32 = 0x3f80_0000;

pub(super) fn is_nan(a: Word<'_>) -> Flag<'_> {
    (a & MAGNITUDE).gt(INFINITY)
}

pub(super) fn is_infinite(a: Word<'_>) -> Flag<'_> {
    (a & MAGNITUDE).eq(INFINITY)
}

pub(super) fn is_finite(a: Word<'_>) -> Flag<'_> {
    (a & MAGNITUDE).lt(INFINITY)
}

/// The bits, or the canonical NaN for any NaN.
pub(super) fn canonical(a: Word<'_>) -> Word<'_> {
    is_nan(a).pick(NAN_F32, a)
}

pub(super) fn negated(a: Word<'_>) -> Word<'_> {
    a ^ SIGN
}

pub(super) fn absolute(a: Word<'_>) -> Word<'_> {
    a & MAGNITUDE
}

pub(super) fn copy_sign<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    a & MAGNITUDE | b & SIGN
}

/// A word whose unsigned order is the order of numbers, with -0.0 below 0.0.
fn key(a: Word<'_>) -> Word<'_> {
    a ^ a.gt(MAGNITUDE).pick(u32::MAX, SIGN)
}

/// Equality of numbers.
pub(super) fn equal<'r>(a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    let zeros = ((a | b) & MAGNITUDE).eq(0);
    // Of equal bits one test is enough.
    (a.eq(b) | zeros) & !is_nan(a)
}

/// Order of numbers.
pub(super) fn less<'r>(a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    let zeros = ((a | b) & MAGNITUDE).eq(0);
    key(a).lt(key(b)) & !(is_nan(a) | is_nan(b) | zeros)
}

pub(super) fn less_or_equal<'r>(a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    less(a, b) | equal(a, b)
}

/// The lesser number; a NaN loses.
pub(super) fn least<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    number_of(a, b, key(a).lt(key(b)))
}

/// The greater number; a NaN loses.
pub(super) fn greatest<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    number_of(a, b, key(b).lt(key(a)))
}

/// One of two numbers, `a` if `first` holds, but never a NaN where there is a number.
fn number_of<'r>(a: Word<'r>, b: Word<'r>, first: Flag<'r>) -> Word<'r> {
    let value = is_nan(b).pick(a, first.pick(a, b));
    canonical(is_nan(a).pick(b, value))
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
pub(super) fn whole(a: Word<'_>, rounding: Rounding) -> Word<'_> {
    let (sign, value) = (a & SIGN, a & MAGNITUDE);
    let exponent = value >> 23;
    let small = exponent.lt(127);
    // Between 1 and 2²³ the bits below the point are `mask`, and all carries are right.
    let mask = a.recorder().word(FRACTION) >> ((exponent - 127) & 31);
    let fraction = value & mask;
    let kept = small.pick(0, value - fraction);
    let unit = small.pick(ONE, mask + 1);
    let half = small.pick(0x3f00_0000, unit >> 1);
    let fraction = small.pick(value, fraction);
    let (inexact, negative) = (!fraction.eq(0), sign.eq(SIGN));
    let away = match rounding {
        Rounding::TowardsZero => None,
        Rounding::Down => Some(inexact & negative),
        Rounding::Up => Some(inexact & !negative),
        Rounding::HalfAway => Some(!fraction.lt(half)),
        Rounding::HalfToEven => Some(half.lt(fraction) | fraction.eq(half) & !(kept & unit).eq(0)),
    };
    let rounded = match away {
        Some(away) => kept + away.pick(unit, 0),
        None => kept,
    };
    canonical(exponent.gt(149).pick(value, rounded) | sign)
}

/// The integer of so many bits towards zero, its upper bits zero; the nearest one if out of
/// range, 0 for NaN.
pub(super) fn to_integer(a: Word<'_>, signed: bool, bits: u32) -> Word<'_> {
    let value = a & MAGNITUDE;
    let (exponent, significand) = (value >> 23, value & FRACTION | IMPLICIT);
    let (left, right) = ((exponent - 150) & 31, (a.recorder().word(150) - exponent) & 31);
    let integer = exponent.gt(149).pick(significand << left, significand >> right);
    let integer = exponent.lt(127).pick(0, integer);
    let mask = u32::MAX >> (32 - bits);
    let (negative, digits) = (a.gt(MAGNITUDE), bits - u32::from(signed));
    let large = exponent.gt(126 + digits);
    let integer = if signed {
        let (most, least) = (mask >> 1, (mask >> 1) + 1);
        negative.pick(a.recorder().word(0) - large.pick(least, integer), large.pick(most, integer))
    } else {
        negative.pick(0, large.pick(mask, integer))
    };
    value.gt(INFINITY).pick(0, integer) & mask
}

/// The integer of 64 bits towards zero; the nearest one if out of range, 0 for NaN.
pub(super) fn to_long(a: Word<'_>, signed: bool) -> Wide<'_> {
    let value = a & MAGNITUDE;
    let (exponent, significand) = (value >> 23, value & FRACTION | IMPLICIT);
    let zero = a.recorder().word(0);
    let short = Wide { low: significand >> ((zero - (exponent - 150)) & 31), high: zero };
    let long = Wide { low: significand, high: zero } << (exponent - 150);
    let integer = exponent.gt(149).pick(long, short);
    let integer = exponent.lt(127).pick(0, integer);
    let negative = a.gt(MAGNITUDE);
    let integer: Wide<'_> = if signed {
        let large = exponent.gt(189);
        let opposite = large.pick(1 << 63, super::wide::negated(integer));
        negative.pick(opposite, large.pick(i64::MAX as u64, integer))
    } else {
        negative.pick(0, exponent.gt(190).pick(u64::MAX, integer))
    };
    value.gt(INFINITY).pick(0, integer)
}

/// The nearest number of an integer of 64 bits.
pub(super) fn from_long(a: Wide<'_>, signed: bool) -> Word<'_> {
    let word = |value| a.recorder().word(value);
    let (magnitude, sign) = if signed { (super::wide::absolute(a), a.high & SIGN) } else { (a, word(0)) };
    let zeros = magnitude.clz();
    let top = magnitude << zeros;
    let value = pack(sign, word(BIAS + 127 + 63) - zeros, top.high | top.low.sticky());
    a.is_zero().pick(0, value)
}

/// The biased exponent and the significand of 24 bits, also of a subnormal, whose
/// exponent is then below 1 (wrapping). The significand of zero is zero.
pub(super) fn unpack(a: Word<'_>) -> (Word<'_>, Word<'_>) {
    let (exponent, fraction) = (a >> 23 & 255, a & FRACTION);
    let subnormal = exponent.eq(0);
    let shift = fraction.clz() - 8;
    let significand = subnormal.pick(fraction << (shift & 31), fraction | IMPLICIT);
    (subnormal.pick(a.recorder().word(1) - shift, exponent), significand)
}

/// Added to exponents so that they are compared as unsigned numbers.
pub(super) const BIAS: u32 = 1024;

/// Rounds a number to nearest even: bit 31 of `top` is set, its low bit stands for all
/// that is below, and the biased exponent, should the result be normal, is `exponent - BIAS`.
pub(super) fn pack<'r>(sign: Word<'r>, exponent: Word<'r>, top: Word<'r>) -> Word<'r> {
    let subnormal = exponent.lt(BIAS + 1);
    let below = sign.recorder().word(BIAS + 1) - exponent;
    let shift = subnormal.pick(below.gt(31).pick(31, below), 0);
    let kept = top >> shift;
    let top = kept | (!(kept << shift).eq(top)).bit();
    let (significand, rest) = (top >> 8, top & 0xff);
    let up = rest.gt(0x80) | rest.eq(0x80) & (significand & 1).eq(1);
    let base = subnormal.pick(0, (exponent - (BIAS + 1)) << 23);
    let bits = base + significand + up.bit();
    exponent.gt(BIAS + 254).pick(INFINITY, bits) | sign
}

/// A right shift by any count; the low bit of the result is set if a set bit was lost.
fn shr_sticky<'r>(a: Wide<'r>, n: Word<'r>) -> Wide<'r> {
    let zero = a.recorder().word(0);
    let (word, beyond) = (n.gt(31), n.gt(63));
    let shorter = word.pick(Wide { low: a.high, high: zero }, a);
    let bits = n & 31;
    let left = a.recorder().word(31) - bits;
    // Two shifts, because `32 - n` may be 32.
    let cut = |word: Word<'r>| (word << 1) << left;
    let shifted = Wide { low: shorter.low >> bits | cut(shorter.high), high: shorter.high >> bits };
    let lost = word.pick(a.low, 0) | cut(shorter.low);
    let lost = beyond.pick(a.low | a.high, lost);
    let Wide { low, high } = beyond.pick(0, shifted);
    Wide { low: low | (!lost.eq(0)).bit(), high }
}

/// The sum.
pub(super) fn sum<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    a.recorder().call(Routine::F32MulAdd, [a, a.recorder().word(ONE), b])
}

/// The difference.
pub(super) fn difference<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    sum(a, negated(b))
}

/// The product. A zero of its sign adds nothing, also to a zero.
pub(super) fn product<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    a.recorder().call(Routine::F32MulAdd, [a, b, (a ^ b) & SIGN])
}

/// Whether a sum is right that a device computed which treats subnormals as it likes: one
/// above 2⁻⁹⁷ does not depend on them; nor do cancellation and zeros.
pub(super) fn sum_is_right<'r>(sum: Word<'r>, a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    let large = (sum & MAGNITUDE).gt((30 << 23) - 1);
    large | (a ^ b).eq(SIGN) | ((a | b) & MAGNITUDE).eq(0)
}

/// The same of a difference.
pub(super) fn difference_is_right<'r>(difference: Word<'r>, a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    sum_is_right(difference, a, negated(b))
}

/// The magnitude from which on a product cannot have been flushed.
const LEAST: u32 = 2 << 23;

/// The same of a product. A NaN may come of an infinity and a subnormal that was flushed.
pub(super) fn product_is_right<'r>(product: Word<'r>, a: Word<'r>, b: Word<'r>) -> Flag<'r> {
    let usual = ((product & MAGNITUDE) - LEAST).lt(INFINITY - LEAST + 1);
    usual | ((a & MAGNITUDE).eq(0) | (b & MAGNITUDE).eq(0))
}

/// The same of a fused product.
pub(super) fn mul_add_is_right<'r>(value: Word<'r>, operands: [Word<'r>; 3]) -> Flag<'r> {
    let large = (value & MAGNITUDE).gt(LEAST - 1);
    // Neither zero nor subnormal.
    let normal = |word: Word<'r>| ((word & MAGNITUDE) + u32::MAX).gt(FRACTION - 1);
    operands.into_iter().fold(large, |right, word| right & normal(word))
}

/// `a * b + c` with one rounding.
pub(super) fn mul_add<'r>(a: Word<'r>, b: Word<'r>, c: Word<'r>) -> Word<'r> {
    mul_add_to(a, b, c, pack)
}

/// `a * b + c` of `f16`s rounded to odd: what is not exact has its last bit set, so that
/// rounding to fewer bits rounds the exact value. Of `f16`s nothing is subnormal or
/// overflows here.
pub(super) fn mul_add_odd<'r>(a: Word<'r>, b: Word<'r>, c: Word<'r>) -> Word<'r> {
    mul_add_to(a, b, c, |sign, exponent, top| {
        let odd = (!(top & 0xff).eq(0)).bit();
        (((exponent - (BIAS + 1)) << 23) + (top >> 8)) | odd | sign
    })
}

fn mul_add_to<'r>(
    a: Word<'r>,
    b: Word<'r>,
    c: Word<'r>,
    pack: impl FnOnce(Word<'r>, Word<'r>, Word<'r>) -> Word<'r>,
) -> Word<'r> {
    let zero = a.recorder().word(0);
    let (sign_p, sign_c) = ((a ^ b) & SIGN, c & SIGN);
    let ((ea, ma), (eb, mb), (ec, mc)) = (unpack(a), unpack(b), unpack(c));
    // The product, shifted so that its highest bit is bit 60 or 61; the addend's is bit 61.
    let [(ah, al), (bh, bl)] = [ma, mb].map(|word| (word >> 12, word & 0xfff));
    let cross = ah * bl + al * bh;
    let (high, low) = (ah * bh, al * bl);
    let product = Wide { low: zero, high: high << 6 }
        + Wide { low: cross << 26, high: cross >> 6 }
        + Wide { low: low << 14, high: low >> 18 };
    let addend = Wide { low: zero, high: mc << 6 };
    let (ep, es) = (ea + eb + (BIAS - 314), ec + (BIAS - 188));
    // The one with the lower exponent is shifted to the other's.
    let lower = ep.lt(es);
    let distance = lower.pick(es - ep, ep - es);
    let exponent = lower.pick(es, ep);
    let large: Wide<'r> = lower.pick(addend, product);
    let small = shr_sticky(lower.pick(product, addend), distance);
    let forth = large - small;
    let negative = forth.is_negative();
    let difference = negative.pick(small - large, forth);
    let subtract = (sign_p ^ sign_c).eq(SIGN);
    let total: Wide<'r> = subtract.pick(difference, large + small);
    let sign_difference = lower.pick(sign_c, sign_p) ^ negative.pick(SIGN, 0);
    let sign = subtract.pick(sign_difference, sign_p);
    // Moves the highest bit to bit 63.
    let short = total.high.eq(0);
    let Wide { low, high } = short.pick(Wide { low: zero, high: total.low }, total);
    let zeros = high.clz();
    let shift = zeros & 31;
    let high = high << shift | (low >> 1) >> (a.recorder().word(31) - shift);
    let top = high | (!(low << shift).eq(0)).bit();
    let exponent = exponent + 190 - short.pick(32u32, 0u32) - zeros;
    let finite = total.is_zero().pick(0, pack(sign, exponent, top));
    // A zero product leaves the addend; two zeros keep a sign that both have.
    let (za, zb) = (ma.eq(0), mb.eq(0));
    let sum = mc.eq(0).pick(sign_p & sign_c, c);
    let finite = (za | zb).pick(sum, finite);
    // Infinities and NaN.
    let (ia, ib) = (is_infinite(a), is_infinite(b));
    let infinite = ia | ib;
    let infinity = sign_p | INFINITY;
    let result = infinite.pick(infinity, is_infinite(c).pick(c, finite));
    let undefined = ia & zb | ib & za | infinite & (infinity ^ c).eq(SIGN);
    (undefined | is_nan(a) | is_nan(b) | is_nan(c)).pick(NAN_F32, result)
}

/// The quotient.
pub(super) fn quotient<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    let sign = (a ^ b) & SIGN;
    let ((ea, ma), (eb, mb)) = (unpack(a), unpack(b));
    let below = ma.lt(mb).bit();
    let divisor = mb.eq(0).pick(IMPLICIT, mb);
    let mut rest = (ma << below) - divisor;
    let mut digits = a.recorder().word(1);
    for bits in [8, 8, 8, 7] {
        rest = rest << bits;
        let digit = rest / divisor;
        rest = rest - digit * divisor;
        digits = digits << bits | digit;
    }
    let top = digits | (!rest.eq(0)).bit();
    let result = pack(sign, ea - eb + (BIAS + 127) - below, top);
    let [(za, ia), (zb, ib)] = [a, b].map(|word| ((word & MAGNITUDE).eq(0), is_infinite(word)));
    let result = (za | ib).pick(sign, result);
    let result = (ia | zb).pick(sign | INFINITY, result);
    (za & zb | ia & ib | is_nan(a) | is_nan(b)).pick(NAN_F32, result)
}

/// The square root: one digit after the other.
pub(super) fn root(a: Word<'_>) -> Word<'_> {
    let value = a & MAGNITUDE;
    let (exponent, significand) = unpack(value);
    // 2 * 127 makes the exponent positive and keeps its parity.
    let exponent = exponent + (254 - 127);
    let mut rest = (significand << (exponent & 1)) << 1;
    let (mut root, mut sum) = (a.recorder().word(0), a.recorder().word(0));
    for place in (0..25).rev() {
        let digit = 1 << place;
        let trial = sum + digit;
        let over = rest.lt(trial);
        sum = over.pick(sum, trial + digit);
        rest = over.pick(rest, rest - trial) << 1;
        root = over.pick(root, root | digit);
    }
    // The root has 25 bits; a root is never halfway between two numbers.
    let root = (root >> 1) + (root & 1);
    let bits = ((exponent >> 1) << 23) + root - IMPLICIT;
    let bits = (value.gt(INFINITY - 1) | value.eq(0)).pick(a, bits);
    (value.gt(INFINITY) | a.gt(SIGN)).pick(NAN_F32, bits)
}

/// The remainder with the dividend's sign, which is always exact.
pub(super) fn remainder<'r>(a: Word<'r>, b: Word<'r>) -> Word<'r> {
    let (sign, x, y) = (a & SIGN, a & MAGNITUDE, b & MAGNITUDE);
    let ((ex, mx), (ey, my)) = (unpack(x), unpack(y));
    let (below, zero_y) = (x.lt(y), y.eq(0));
    let nan = zero_y | y.gt(INFINITY) | x.gt(INFINITY - 1);
    let divisor = zero_y.pick(1, my);
    let modulo = |a: Word<'r>| a - a / divisor * divisor;
    let steps = (below | nan).pick(0, ex - ey);
    // Eight bits of the quotient at a time.
    let rest = a.recorder().repeat(steps, modulo(mx), |steps, rest| {
        let bits = steps.lt(8).pick(steps, 8);
        (steps - bits, modulo(rest << bits))
    });
    // The remainder has the divisor's exponent; it becomes normal or subnormal exactly.
    let shift = rest.clz() - 8;
    let finite = pack(sign, ey + BIAS - shift, (rest << (shift & 31)) << 8);
    let finite = rest.eq(0).pick(sign, finite);
    nan.pick(NAN_F32, below.pick(a, finite))
}
