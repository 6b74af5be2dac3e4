//! `powf` and `powi`.
//!
//! The method: `x^y = e^(y * ln |x|)` with the logarithm in two parts and an error of at most 2^-68 of it (estimated), so that the
//! error of the exponent, which is below 746, is below 2^-58 or 0.03 ulp of the result. Largest errors measured: 0.586 ulp,
//! subnormal results 0.750 ulp. All exact powers that were tried are exact.

use super::constants::exponential::*;
use super::exponential::exp_of_pair;
use super::logarithm::{natural, ratio, split};
use super::pairs::*;
use crate::math::{Real, fused_polynomial};

/// The natural logarithm of a positive number in two parts. As in `logarithm`, but the two largest coefficients of
/// the polynomial, and all they are multiplied with, are in two parts too.
#[inline(always)]
fn precise_ln<R: Real>(x: R) -> (R, R) {
    let (k, m) = split(x);
    let s = ratio(m);
    let (z, z_low) = product(s.0, s.0);
    let z = (z, (s.0 + s.0).mul_add(s.1, z_low));
    let rest = z.0 * fused_polynomial(z.0, &LN_PRECISE[2..]);
    let (sum, left) = fast_sum(x.k(LN_PRECISE[1]), rest);
    let (rest, rest_low) = product_of_pairs(z, (sum, left + LN_PRECISE_LOW[1]));
    let (sum, left) = fast_sum(x.k(LN_PRECISE[0]), rest);
    let polynomial = (sum, left + (rest_low + LN_PRECISE_LOW[0]));
    let (cubic, cubic_low) = product_of_pairs(s, product_of_pairs(z, polynomial));
    let (head, left) = fast_sum(s.0, cubic);
    natural(k, head, left + (cubic_low + s.1))
}

/// `a^y` for a >= 0.
#[inline(always)]
fn power<R: Real>(a: R, y: R) -> R {
    let (head, low) = precise_ln(a);
    // The logarithm of zero, infinity and NaN; what `low` is then does not matter.
    let head = R::pick(a.lt(a.k(f64::INFINITY)), head, a);
    let head = R::pick(a.equals(a.k(0.0)), a.k(f64::NEG_INFINITY), head);
    let (exponent, exponent_low) = product(y, head);
    let exponent_low = y.mul_add(low, exponent_low);
    let moderate = exponent.abs().lt(a.k(750.0));
    let exponent_low = R::pick(moderate, exponent_low, a.k(0.0));
    let exponent = clamp(exponent, -750.0, 750.0);
    // These are 1 even for NaN and infinities.
    let one = a.equals(a.k(1.0)) | y.equals(a.k(0.0));
    exp_of_pair(R::pick(one, a.k(0.0), exponent), exponent_low)
}

/// Whether a number is an integer.
#[inline(always)]
fn is_integer<R: Real>(x: R) -> R::Flag {
    let a = x.abs();
    let limit = 4503599627370496.0;
    ((a + limit) - limit).equals(a) | a.k(limit).le(a)
}

/// x^y.
#[inline(always)]
pub fn powf<R: Real>(x: R, y: R) -> R {
    let result = power(x.abs(), y);
    let integer = is_integer(y);
    let odd = integer & !is_integer(y * 0.5);
    let result = R::pick(odd, result.copysign(x), result);
    let no_number = x.lt(x.k(0.0)) & x.k(f64::NEG_INFINITY).lt(x) & !integer;
    R::pick(no_number, x.k(f64::NAN), result)
}

/// x^n for an integer n of 32 bits. The same as `powf`.
#[inline(always)]
pub fn powi<R: Real>(x: R, n: R) -> R {
    let result = power(x.abs(), n);
    let half = n * 0.5;
    let even = ((half + ROUNDER) - ROUNDER).equals(half);
    R::pick(even, result, result.copysign(x))
}
