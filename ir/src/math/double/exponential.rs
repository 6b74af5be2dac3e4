//! `exp`, `exp2`, `exp10`, `exp_m1`, `sinh`, `cosh`, `tanh`.
//!
//! The method: the argument is `k * ln 2 + r` with |r| <= ln(2) / 2, where r is in two parts. With z = r * r,
//! `sinh r = r + r^3 * SINH(z)` and `cosh r = 1 + z / 2 + z^2 * COSH(z)`; both polynomials serve all functions, as
//! `exp r` is the sum of both (with one more term where the cube counts more). The leading terms are added without error;
//! only terms below 0.08 of the result (`exp`, `exp2`, `exp10`) or below 0.04 of it (the others) are rounded before the
//! last addition.
//!
//! Largest errors measured, in ulp: `exp` 0.578, `exp2` 0.583, `exp10` 0.584, `exp_m1` 0.571, `sinh` 0.559, `cosh` 0.528,
//! `tanh` 0.565; subnormal results of the first three 0.751.

use super::constants::exponential::*;
use super::pairs::*;
use crate::math::{Real, fused_polynomial};

/// An argument without its multiple of ln 2.
#[derive(Clone, Copy)]
struct Reduced<R: Real> {
    /// The multiple k; and bits, the low 12 of which are k.
    k: R,
    exponent: R::Bits,
    /// What is left, in two parts.
    r: R,
    low: R,
}

/// Takes the multiple of ln 2 off `x + low`, |x| < 800. The head of what is left is exact: it is a multiple of 2^-54
/// (or there is nothing to take off) and below 1/2.
#[inline(always)]
fn reduce<R: Real>(x: R, low: Option<R>) -> Reduced<R> {
    let rounded = x.mul_add(x.k(LOG2_E), x.k(ROUNDER));
    let k = rounded - ROUNDER;
    let head = k.mul_add(x.k(-LN_2), x);
    let low = match low {
        Some(low) => k.mul_add(x.k(-LN_2_LOW), low),
        None => k * -LN_2_LOW,
    };
    let (r, low) = fast_sum(head, low);
    Reduced { k, exponent: rounded.bits(), r, low }
}

/// `e^(r + low) * 2^k`: what all exponentials end with.
#[inline(always)]
fn finish<R: Real>(Reduced { exponent, r, low, .. }: Reduced<R>) -> R {
    let (head, left) = one_plus(r);
    let z = r * r;
    let cubic = fused_polynomial(z, &COSH).mul_add(r, fused_polynomial(z, &SINH));
    // z / 2 stays apart from the terms below it: their sum would be rounded once more.
    let tail = (z * r).mul_add(cubic, low.mul_add(head, left));
    scale(head + z.mul_add(r.k(0.5), tail), exponent)
}

/// e^(x + low), where `low` is small against x, |x| < 800.
#[inline(always)]
pub(crate) fn exp_of_pair<R: Real>(x: R, low: R) -> R {
    finish(reduce(x, Some(low)))
}

/// e^x.
#[inline(always)]
pub fn exp<R: Real>(x: R) -> R {
    finish(reduce(clamp(x, -746.0, 710.0), None))
}

/// 2^x.
#[inline(always)]
pub fn exp2<R: Real>(x: R) -> R {
    let x = clamp(x, -1076.0, 1025.0);
    let rounded = x + ROUNDER;
    let k = rounded - ROUNDER;
    let fraction = x - k;
    let (r, low) = product(fraction, x.k(LN_2));
    finish(Reduced { k, exponent: rounded.bits(), r, low: fraction.mul_add(x.k(LN_2_LOW), low) })
}

/// 10^x.
#[inline(always)]
pub fn exp10<R: Real>(x: R) -> R {
    let x = clamp(x, -325.0, 309.0);
    let rounded = x.mul_add(x.k(LOG2_10), x.k(ROUNDER));
    let k = rounded - ROUNDER;
    // Exact, as in `reduce`.
    let fraction = k.mul_add(x.k(-LOG10_2), x);
    let (head, low) = product(fraction, x.k(LN_10));
    let left = fraction.mul_add(x.k(LN_10_LOW), low);
    // k * log10(2)'s low part, times ln 10.
    let (r, low) = fast_sum(head, k.mul_add(x.k(-LOG10_2_LOW * LN_10), left));
    finish(Reduced { k, exponent: rounded.bits(), r, low })
}

/// e^x - 1, as `2^k * ((1 - 2^-k) + r + r^2 / 2 + ...)`.
#[inline(always)]
pub fn exp_m1<R: Real>(x: R) -> R {
    // Below, the result is -1.
    let Reduced { k, exponent, r, low } = reduce(clamp(x, -37.5, 710.0), None);
    let inverse = R::of_bits(x.n(ONE) - (exponent << 52));
    let inverse = R::pick(x.k(64.0).lt(k), x.k(0.0), inverse);
    let (one, one_low) = sum(x.k(1.0), -inverse);
    let (head, left) = fast_sum(one, r);
    let (half, half_low) = product(r, r * 0.5);
    let (head, left_too) = fast_sum(head, half);
    let z = r * r;
    let cubic = fused_polynomial(z, &COSH).mul_add(r, fused_polynomial(z, &SINH_PRECISE));
    let small = (left + left_too) + (one_low + half_low);
    let tail = (r * z).mul_add(cubic, low.mul_add(r + half, low) + small);
    scale(head + tail, exponent).copysign(x)
}

/// `cosh` and `sinh` of what is left of an argument, less their leading terms.
#[derive(Clone, Copy)]
struct Parts<R: Real> {
    r: R,
    /// r^2 / 2.
    half: R,
    /// `cosh - 1 - half` and `sinh - r`.
    even: R,
    odd: R,
}

#[inline(always)]
fn parts<R: Real>(r: R, low: R) -> Parts<R> {
    let (half, half_low) = product(r, r * 0.5);
    let z = r * r;
    let even = (z * z).mul_add(fused_polynomial(z, &COSH), r.mul_add(low, half_low));
    let odd = (z * r).mul_add(fused_polynomial(z, &SINH_PRECISE), low.mul_add(half, low));
    Parts { r, half, even, odd }
}

/// `(1 + g) * cosh r + (1 - g) * sinh r` in two parts. With g = 2^(-2 k), k >= 0, it is `2^(1 - k) * cosh x`; with
/// g = -2^(-2 k) it is `2^(1 - k) * sinh x`.
#[inline(always)]
fn combine<R: Real>(Parts { r, half, even, odd }: Parts<R>, g: R) -> (R, R) {
    let of_even = g + 1.0;
    let of_even_low = g - (of_even - 1.0);
    let of_odd = -g + 1.0;
    let linear = (-g).mul_add(r, r);
    let linear_low = (-g).mul_add(r, r - linear);
    let (head, left) = fast_sum(of_even, linear);
    let (square, square_low) = product(of_even, half);
    let (head, left_too) = fast_sum(head, square);
    let tail = of_even.mul_add(even, of_odd.mul_add(odd, linear_low + square_low));
    (head, (left + left_too) + (of_even_low + tail))
}

/// 2^(-2 k), or 2^-128 if that is smaller.
#[inline(always)]
fn inverse_square<R: Real>(k: R, exponent: R::Bits) -> R {
    let inverse = R::of_bits(k.n(ONE) - (exponent << 53));
    R::pick(k.k(64.0).lt(k), k.k(2.938735877055719e-39), inverse)
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<R: Real>(x: R) -> R {
    let Reduced { k, exponent, r, low } = reduce(at_most(x.abs(), 712.0), None);
    let (head, tail) = combine(parts(r, low), -inverse_square(k, exponent));
    scale((head + tail) * 0.5, exponent).copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<R: Real>(x: R) -> R {
    let Reduced { k, exponent, r, low } = reduce(at_most(x.abs(), 712.0), None);
    let (head, tail) = combine(parts(r, low), inverse_square(k, exponent));
    scale((head + tail) * 0.5, exponent)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<R: Real>(x: R) -> R {
    // Above, the result is 1.
    let Reduced { exponent, r, low, .. } = reduce(at_most(x.abs(), 22.0), None);
    let parts = parts(r, low);
    let g = R::of_bits(x.n(ONE) - (exponent << 53));
    let (sinh, sinh_low) = combine(parts, -g);
    let (cosh, cosh_low) = combine(parts, g);
    let (cosh, cosh_low) = fast_sum(cosh, cosh_low);
    let (ratio, ratio_low, reciprocal) = quotient(sinh, cosh, cosh_low);
    (ratio + sinh_low.mul_add(reciprocal, ratio_low)).copysign(x)
}
