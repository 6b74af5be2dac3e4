//! `ln`, `log2`, `log10`, `ln_1p`.
//!
//! The method: the argument is `2^k * m` with m from sqrt(1/2) to sqrt(2). With `s = (m - 1) / ((m + 1) / 2)` in two
//! parts and z = s * s, `ln m = s + s * z * LN(z)`; the second term is below 0.01 of the first one. The multiple of ln 2
//! is added without error. Largest errors measured, in ulp: `ln` 0.550, `log2` 0.582, `log10` 0.553, `ln_1p` 0.557.

use super::constants::exponential::*;
use super::pairs::*;
use crate::math::{Bits, Real, fused_polynomial};

/// The bits of sqrt(1/2).
const LOWEST: u64 = 0x3fe6_a09e_667f_3bcd;

/// k's bits and m of a normal number.
#[inline(always)]
pub(crate) fn split_normal<R: Real>(x: R) -> (R::Bits, R) {
    let bits = x.bits();
    let exponent = (bits - LOWEST).sar(52);
    (exponent, R::of_bits(bits - (exponent << 52)))
}

/// A small integer as a number, from which `offset` is taken.
#[inline(always)]
pub(crate) fn number<R: Real>(exponent: R::Bits, offset: R) -> R {
    R::of_bits(exponent + ROUNDER.to_bits()) - offset
}

/// k and m of any positive number.
#[inline(always)]
pub(crate) fn split<R: Real>(x: R) -> (R, R) {
    let small = x.lt(x.k(f64::MIN_POSITIVE));
    let (exponent, m) = split_normal(R::pick(small, x * 18014398509481984.0, x));
    (number(exponent, R::pick(small, x.k(ROUNDER + 54.0), x.k(ROUNDER))), m)
}

/// s of a number m in two parts, the head of which is m - 1.
#[inline(always)]
pub(crate) fn ratio<R: Real>(m: R) -> (R, R) {
    let above = m - 1.0;
    let (d, d_low) = one_plus(above * 0.5);
    let (s, low, _) = quotient(above, d, d_low);
    (s, low)
}

/// `ln m - s`, where s is in two parts.
#[inline(always)]
pub(crate) fn tail<R: Real>((s, low): (R, R)) -> R {
    let z = s * s;
    (s * z).mul_add(fused_polynomial(z, &LN), low)
}

/// `k * ln 2 + s + tail` in two parts; `k * LN_2_SHORT` is exact.
#[inline(always)]
pub(crate) fn natural<R: Real>(k: R, s: R, tail: R) -> (R, R) {
    let (head, left) = fast_sum(k * LN_2_SHORT, s);
    (head, left + k.mul_add(k.k(LN_2_SHORT_LOW), tail))
}

/// The special values of logarithms: what `result` is for arguments that are no positive numbers.
#[inline(always)]
pub(crate) fn special<R: Real>(x: R, result: R) -> R {
    let result = R::pick(x.lt(x.k(f64::INFINITY)), result, x);
    let pole = R::pick(x.equals(x.k(0.0)), x.k(f64::NEG_INFINITY), x.k(f64::NAN));
    R::pick(x.k(0.0).lt(x), result, pole)
}

/// The natural logarithm.
#[inline(always)]
pub fn ln<R: Real>(x: R) -> R {
    let (k, m) = split(x);
    let s = ratio(m);
    let (head, low) = natural(k, s.0, tail(s));
    special(x, head + low)
}

/// `ln m` times a constant, which is in two parts.
#[inline(always)]
fn times<R: Real>(m: R, head: f64, low: f64) -> (R, R) {
    let s = ratio(m);
    let (product, left) = product(s.0, m.k(head));
    (product, left + s.0.mul_add(m.k(low), tail(s) * head))
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2<R: Real>(x: R) -> R {
    let (k, m) = split(x);
    let (product, low) = times(m, LOG2_E, LOG2_E_LOW);
    let (head, left) = fast_sum(k, product);
    special(x, head + (left + low))
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<R: Real>(x: R) -> R {
    let (k, m) = split(x);
    let (product, low) = times(m, LOG10_E, LOG10_E_LOW);
    let (head, left) = fast_sum(k * LOG10_2_SHORT, product);
    special(x, head + (left + k.mul_add(x.k(LOG10_2_SHORT_LOW), low)))
}

/// `k * ln 2 + s + tail = ln(1 + x + low)`. From 2^60 on, only x counts.
#[inline(always)]
pub(crate) fn of_one_plus<R: Real>(x: R, low: Option<R>) -> (R, R, R) {
    let (u, left) = sum(x.k(1.0), x);
    let (exponent, m) = split_normal(u);
    let inverse = R::of_bits(x.n(ONE) - (exponent << 52));
    let inverse = R::pick(u.lt(x.k(1152921504606846976.0)), inverse, x.k(0.0));
    // m - 1 and all that is left below: if k is zero, their sum is x again.
    let (above, above_low) = fast_sum(m - 1.0, left * inverse);
    let above_low = match low {
        Some(low) => low.mul_add(inverse, above_low),
        None => above_low,
    };
    let (d, d_low) = one_plus(above * 0.5);
    let (s, s_low, reciprocal) = quotient(above, d, above_low.mul_add(x.k(0.5), d_low));
    let tail = tail((s, above_low.mul_add(reciprocal, s_low)));
    (number(exponent, x.k(ROUNDER)), s, tail)
}

/// ln(1 + x).
#[inline(always)]
pub fn ln_1p<R: Real>(x: R) -> R {
    let (k, s, tail) = of_one_plus(x, None);
    let (head, low) = natural(k, s, tail);
    special(x + 1.0, head + low).copysign(x)
}
