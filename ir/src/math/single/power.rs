//! `x^y` for `f32` and `f16` arguments, and for an integer `y` of 32 bits; correctly rounded.
//!
//! Method. `|x| = 2^k m`, `m` in about `[0.707, 1.414)`, `s = (m - 1) / (m + 1)`, and
//! `log2 |x| = k + C s + s^3 P(s^2)`, `C = 2 / ln 2`. The quotient and `C s` are sums of two numbers whose products are exact,
//! so the logarithm is `head + tail` with a relative error below 2^-55.5 (about 11 roundings of the cubic part, which is
//! 1/100 of the whole); its head has 22 bits, so `y * head` is exact for a `y` of up to 31 bits. Then `2^T = 2^n 2^f` by a
//! polynomial. There are no fused products that must be fused, one division and no table. As `|T| < 160`, the relative error of
//! the result is below `160 ln 2 * 2^-55.5 + 2^-52 < 2^-48` (32 units of `f64`; the largest seen is 2^-50.6).
//!
//! The caller rounds the result to `f32` or `f16`. Where that rounding jumps (a number of `f32`'s range, or the middle of two:
//! a number of 25 bits, be the result normal or not) is farther than this error from nearly every result, which is
//! then right as it is. In 2^-22 of all cases, and where the result is exactly such a number, `near_jump` decides.
//!
//! A result near 1 with `|T| < 2^-26` needs no decision: 1 is between the jumps `1 - 2^-25` and `1 + 2^-24`.

use super::constants::logarithm::{POW_EXP2, POW_LOG2};
use super::logarithm::split;
use super::power_wide;
use crate::math::{Bits, Real, polynomial};

/// `1.5 * 2^52`: a sum with it is rounded to an integer, which is in its lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// As `ROUND`, for numbers that are not negative.
const ROUND_POSITIVE: f64 = 4_503_599_627_370_496.0;
/// The bits of a result below the 25 that matter.
const BELOW: u64 = (1 << 28) - 1;
/// The bound of the error of the result, in units of its last place.
const ERROR: u64 = 32;
/// From here `y` is as good as infinite, and is even.
const HUGE: f64 = 68_719_476_736.0; // 2^36

/// `x^n`; `n` is an integer of 32 bits with sign.
pub fn powi<R: Real>(x: R, n: R) -> R {
    powf(x, n)
}

/// `x^y`.
pub fn powf<R: Real>(x: R, y: R) -> R {
    let (zero, one, infinity) = (x.k(0.0), x.k(1.0), x.k(f64::INFINITY));
    let size = x.abs();
    let finite_y = R::pick(y.abs().lt(x.k(HUGE)), y, x.k(HUGE).copysign(y));

    let log = log2(size);
    // The logarithms of 0 and infinity are replaced by what is as good as infinite for any `y` but 0.
    let head = R::pick(size.equals(zero), x.k(-(2f64.powi(200))), log.head);
    let head = R::pick(size.equals(infinity), x.k(2f64.powi(200)), head);
    let t = finite_y * head;
    let shifted = t + ROUND;
    let f = (t - (shifted - ROUND)) + finite_y * log.tail;
    let mantissa = f.step(polynomial(f, &POW_EXP2), one);
    let bits = mantissa.bits() + (shifted.bits() << 52);

    // 2^160 and 2^-160 are beyond all results.
    let moderate = t.abs().lt(x.k(160.0));
    let needed = moderate & x.k(2f64.powi(-26)).le(t.abs());
    let near = ((bits + ERROR) & BELOW).below(x.n(2 * ERROR));
    let [power] = R::branch(near & needed, || [near_jump(size, y, bits)], || [R::of_bits(bits)]);
    let power = R::pick(moderate, power, R::pick(t.lt(zero), zero, infinity));

    // The sign, and what is not a number.
    let distance = finite_y.abs();
    let nearest = distance + ROUND_POSITIVE;
    let integer = (nearest - ROUND_POSITIVE).equals(distance);
    let odd = integer & (nearest.bits() & 1).equals(1);
    let negative = x.n(u64::MAX >> 1).below(x.bits());
    // Not by masks of the sign: with two powers of one exponent, LLVM 15 in llvmpipe lost the second mask.
    let power = R::pick(odd & negative, -power, power);
    let no_root = x.lt(zero) & size.lt(infinity) & !integer;
    let power = R::pick(no_root | x.is_nan() | y.is_nan(), x.k(f64::NAN), power);
    R::pick(x.equals(one) | y.equals(zero), one, power)
}

/// A number in two parts; the head has 22 bits.
struct Parts<R> {
    head: R,
    tail: R,
}

/// A number without its lowest bits.
fn cut<R: Real>(x: R, bits: u32) -> R {
    R::of_bits(x.bits() & !((1 << bits) - 1))
}

/// The logarithm of a positive `f32`, to about 2^-57 of it.
fn log2<R: Real>(x: R) -> Parts<R> {
    let [c_head, c_tail, c, ..] = POW_LOG2;
    let (k, m) = split(x);
    let (up, down) = (m - 1.0, m + 1.0);
    let inverse = x.k(1.0) / down;
    let s = up * inverse;
    // 27 bits by 25: the product is exact, and so is the difference.
    let s_head = cut(s, 26);
    let s_tail = (up - s_head * down) * inverse;
    let square = s * s;
    let series = s * (square * polynomial(square, &POW_LOG2[3..]));
    // 27 bits by 26: exact.
    let product = s_head * c_head;
    let low = s_head.step(x.k(c_tail), s_tail.step(x.k(c), series));
    // k = 0 or |k| > |product|, so what the sum loses is exact.
    let sum = k + product;
    let low = (product - (sum - k)) + low;
    let head = cut(sum + low, 31);
    Parts { head, tail: (sum - head) + low }
}

/// The power near a number of 25 bits, given by bits that are too far off by at most `ERROR`.
///
/// When is `x^y` equal to that number `b`? Let `x = 2^E M` and `b = 2^G B` with odd integers `M < 2^24` and `B < 2^25`.
/// * `M = 1`: the power is `2^(E y)`. It is `b` if `E y = G`: then `B`, within 2^-46 of 1, is 1. Conversely, if it is `b`,
///   which is rational, `E y` is an integer and is `G`.
/// * `M > 1` and `y` an integer: if `b = x^y`, then `G = E y`. Conversely, `G = E y` implies `B = M^y (1 + d)`, `|d| < 2^-46`.
///   For `y < 0` this cannot be, as `M^y <= 1/3`. For `y > 0` both are integers, nearer than `2^25 2^-46`, so they are equal.
/// * `M > 1` and `y = N / 2^j` with an odd `N`: `b^(2^j) = x^N` needs that `M` is a `2^j`-th power and that `2^j` divides `E`,
///   so `x` is `z^(2^j)`, where `z` has fewer bits than `x`, and `x^y = z^N` is the case before. As `3^16 > 2^24`, `j <= 3`.
///   Whether a root is exact is seen from what a fused product leaves.
#[cold]
#[inline(never)]
fn near_jump<R: Real>(x: R, y: R, bits: R::Bits) -> R {
    let jump = R::of_bits((bits + BELOW.div_ceil(2)) & !BELOW);
    let valuation = trailing(jump);
    let power_of_two = (x.bits() & ((1 << 52) - 1)).equals(0) & (trailing(x) * y).equals(valuation);

    let is_integer = |y: R| ((y + ROUND) - ROUND).equals(y);
    let (mut base, mut exponent) = (x, y);
    let mut is_root = !x.is_nan();
    for _ in 0..3 {
        let done = is_integer(exponent);
        let root = base.sqrt();
        is_root = is_root & (done | root.mul_add(root, -base).equals(x.k(0.0)));
        base = R::pick(done, base, root);
        exponent = R::pick(done, exponent, exponent + exponent);
    }
    let exact = is_root & is_integer(exponent) & (trailing(base) * exponent).equals(valuation);
    let [power] = R::branch(exact | power_of_two, || [jump], || [power_wide::power(x, y)]);
    power
}

/// The exponent of the lowest bit that is set, of a normal number.
fn trailing<R: Real>(x: R) -> R {
    let bits = x.bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let lowest = mantissa & (x.n(0) - mantissa);
    // The bit is at 63 - clz, and the lowest one of all has the exponent `biased - 1023 - 52`.
    let exponent = (bits >> 52) - lowest.clz() - (1023 + 52 - 63);
    R::of_bits(exponent + ROUND.to_bits()) - ROUND
}
