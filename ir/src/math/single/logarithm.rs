//! Logarithms and the inverse hyperbolic functions of `f32` and `f16` arguments, correctly rounded.
//!
//! Method. A positive number is `2^k * m` with `m` in `[LOW, 2 LOW)` around 1. Then `ln x = k ln 2 + ln(1 + r)`,
//! `r = m - 1`, and `ln(1 + r) = r + r^2 Q(r)` with one polynomial `Q`, without a division. The *head* of the sum,
//! `k ln 2 + r`, is exact, since the constant has few bits and `r` has 24; so the error is that of the *tail*
//! (below 2^-56, absolute) and the last rounding. `atanh` and `asinh` must be relatively exact near zero, and take
//! `2 atanh(s)` of a quotient `s` instead, whose series needs a third of the terms.
//!
//! What zero, infinity, NaN and negative numbers give is for the caller (`Ends::Logarithm`).
//!
//! Results have an error below about one unit of `f64` in most of the range, a few units in single binades. What is so
//! near a midpoint of two `f32` that this could matter is known (`tests/src/coefficients/hard.rs`: some hundred arguments per function),
//! and the constants are chosen such that all of these come out right, with `step` fused or not. All 2^32 arguments
//! were compared.

use super::constants::logarithm::{ACOSH, ASINH, ATANH, LN, LN_1P, LOG2, LOG10};
use crate::math::{Bits, Real, polynomial};

/// Below it `m` is doubled: about the root of 1/2.
const LOW: u64 = 0x3fe6_a09e_0000_0000;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = (1 << 52) - 1;
/// The bits of 2^52, whose lowest bits are those of an integer that is added.
const BIG: u64 = 0x4330_0000_0000_0000;
/// 2^52 and the bias of an exponent.
const BIG_AND_BIAS: f64 = 4_503_599_627_370_496.0 + 1023.0;

/// `x = 2^k * m` as `(k, m)`, for positive finite normal numbers.
pub fn split<R: Real>(x: R) -> (R, R) {
    let shifted = x.bits() + (ONE - LOW);
    let k = R::of_bits((shifted >> 52) | BIG) - BIG_AND_BIAS;
    (k, R::of_bits((shifted & MANTISSA) + LOW))
}

/// A logarithm, which is `y` for `0 < x < inf`; else it is that of 0, of infinity, or NaN.
pub fn with_ends<R: Real>(x: R, y: R) -> R {
    let zero = x.k(0.0);
    let end = R::pick(zero.le(x), x, x.k(f64::NAN));
    let end = R::pick(x.equals(zero), x.k(f64::NEG_INFINITY), end);
    R::pick(zero.lt(x) & x.lt(x.k(f64::INFINITY)), y, end)
}

/// The sum of an exact head and a smaller tail, never on the middle of two `f32`: where an `f64` cannot tell the sum from
/// such a middle, it is moved by one unit to the side of the exact sum. (The sum is cut to an odd number instead of rounded.)
/// Of zeros, which must both be `+0`, it is the smallest number.
fn odd_sum<R: Real>(head: R, tail: R) -> R {
    let sum = head + tail;
    let rest = tail - (sum - head);
    // -1 if the rest points towards zero.
    let down = (sum.bits() ^ rest.bits()).sar(63);
    R::of_bits((sum.bits() + down) | 1)
}

/// `k ln 2 + ln(1 + r)`. `c` is `ln 2` in two parts, then `Q`. The second part is positive, so of `k = r = 0` the tail is `+0`.
fn ln_of_parts<R: Real>(k: R, r: R, c: &[f64]) -> R {
    let head = k.step(k.k(c[0]), r);
    let tail = (r * r).step(polynomial(r, &c[2..]), k * c[1]);
    odd_sum(head, tail)
}

/// The natural logarithm.
pub fn ln<R: Real>(x: R) -> R {
    ln_by(x, &LN)
}

pub fn ln_by<R: Real>(x: R, c: &[f64]) -> R {
    let (k, m) = split(x);
    ln_of_parts(k, m - 1.0, c)
}

/// The logarithm to base 2.
pub fn log2<R: Real>(x: R) -> R {
    log2_by(x, &LOG2)
}

/// `c` is `1 / ln 2` in two parts, then `Q / ln 2`.
pub fn log2_by<R: Real>(x: R, c: &[f64]) -> R {
    let (k, m) = split(x);
    let r = m - 1.0;
    let head = r.step(x.k(c[0]), k);
    let tail = (r * r).step(polynomial(r, &c[2..]), r * c[1]);
    head + tail
}

/// The logarithm to base 10.
pub fn log10<R: Real>(x: R) -> R {
    log10_by(x, &LOG10)
}

/// `c` is `lg 2` in two parts, `1 / ln 10` in two parts, then `Q / ln 10`.
pub fn log10_by<R: Real>(x: R, c: &[f64]) -> R {
    let (k, m) = split(x);
    let r = m - 1.0;
    let head = k.step(x.k(c[0]), r * c[2]);
    let low = r.step(x.k(c[3]), k * c[1]);
    let tail = (r * r).step(polynomial(r, &c[4..]), low);
    head + tail
}

/// `ln(1 + x)`.
pub fn ln_1p<R: Real>(x: R) -> R {
    ln_1p_by(x, &LN_1P)
}

pub fn ln_1p_by<R: Real>(x: R, c: &[f64]) -> R {
    // The sum is exact from 2^-29 to 2^53. Below, `k` is 0 and `x` itself is `r`; above, its error is lost in the result.
    let sum = x + 1.0;
    let (k, m) = split(sum);
    let small = k.equals(x.k(0.0));
    let r = R::pick(small, x, m - 1.0);
    // The sign matters for zeros.
    with_ends(sum, ln_of_parts(k, r, c).copysign(x))
}

/// `ln(x + sqrt(x^2 - 1))`.
pub fn acosh<R: Real>(x: R) -> R {
    acosh_by(x, &ACOSH)
}

pub fn acosh_by<R: Real>(x: R, c: &[f64]) -> R {
    // Under the root everything is exact up to 2^26; beyond, the root is `x`, and `2 x` is exact.
    let sum = x + (x * x - 1.0).sqrt();
    let (k, m) = split(sum);
    let y = R::pick(x.lt(x.k(f64::INFINITY)), ln_of_parts(k, m - 1.0, c), x);
    R::pick(x.lt(x.k(1.0)), x.k(f64::NAN), y)
}

/// `k ln 2 + 2 atanh(s)`. `c` is `ln 2` in two parts, then `2 (atanh(s) / s - 1) / s^2` as a polynomial of `s^2`.
fn ln_of_quotient<R: Real>(k: R, s: R, c: &[f64]) -> R {
    let square = s * s;
    let tail = (s * square).step(polynomial(square, &c[2..]), k * c[1]);
    odd_sum(k * c[0], s.step(k.k(2.0), tail))
}

/// `ln(|x| + sqrt(x^2 + 1))` with the sign of `x`.
pub fn asinh<R: Real>(x: R) -> R {
    asinh_by(x, &ASINH)
}

pub fn asinh_by<R: Real>(x: R, c: &[f64]) -> R {
    let a = x.abs();
    let root = (a * a + 1.0).sqrt();
    let sum = a + root;
    let shifted = sum.bits() + (ONE - LOW);
    let k = R::of_bits((shifted >> 52) | BIG) - BIG_AND_BIAS;
    let power = R::of_bits(shifted & !MANTISSA);
    // s = (sum - 2^k) / (sum + 2^k); for k = 0 this is a / (root + 1), which does not cancel.
    let small = k.equals(x.k(0.0));
    let s = R::pick(small, a, sum - power) / (R::pick(small, root, sum) + power);
    let y = R::pick(a.lt(x.k(f64::INFINITY)), ln_of_quotient(k, s, c), a);
    y.copysign(x)
}

/// `ln((1 + x) / (1 - x)) / 2`.
pub fn atanh<R: Real>(x: R) -> R {
    atanh_by(x, &ATANH)
}

/// `c` is `ln 2 / 2` in two parts, then `(atanh(s) / s - 1) / s^2` as a polynomial of `s^2`.
pub fn atanh_by<R: Real>(x: R, c: &[f64]) -> R {
    let a = x.abs();
    // The difference of the bits is about the logarithm of the quotient; its rounding is `k`.
    let one = x.k(1.0);
    let shifted = (one + a).bits() - (one - a).bits() + (ONE + (1 << 51));
    let k = R::of_bits((shifted >> 52) | BIG) - BIG_AND_BIAS;
    let power = R::of_bits(shifted & !MANTISSA);
    // s = ((1 + a) - 2^k (1 - a)) / ((1 + a) + 2^k (1 - a)); both are exact, and s is a for k = 0.
    let (up, down) = (power + 1.0, one - power);
    let s = a.step(up, down) / a.step(down, up);
    let square = s * s;
    let tail = (s * square).step(polynomial(square, &c[2..]), k * c[1]);
    let y = k.step(x.k(c[0]), s + tail);
    let end = R::pick(a.equals(one), x.k(f64::INFINITY), x.k(f64::NAN));
    R::pick(a.lt(one), y, end).copysign(x)
}
