//! Numbers in two parts, `head + low`, where the low part is what rounding the head left; and other small tools
//! that all functions here share.
//!
//! All is exact unless said otherwise, as long as nothing overflows or falls below the normal numbers.

use crate::math::Real;

/// 1.5 * 2^52: added to a small number it rounds that to an integer, which is then in the low bits of the sum.
pub const ROUNDER: f64 = 6755399441055744.0;
/// The bits of 1: an exponent of zero.
pub const ONE: u64 = 0x3ff0_0000_0000_0000;

/// `a + b`, if `|a| >= |b|` or `a` is zero.
#[inline(always)]
pub fn fast_sum<R: Real>(a: R, b: R) -> (R, R) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `1 + b`, if `|b| <= 1`.
#[inline(always)]
pub fn one_plus<R: Real>(b: R) -> (R, R) {
    let sum = b + 1.0;
    (sum, b - (sum - 1.0))
}

/// `a + b`, whichever is larger.
#[inline(always)]
pub fn sum<R: Real>(a: R, b: R) -> (R, R) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// `a * b`.
#[inline(always)]
pub fn product<R: Real>(a: R, b: R) -> (R, R) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// The product of two pairs, with an error of about 2^-104 of it.
#[inline(always)]
pub fn product_of_pairs<R: Real>(a: (R, R), b: (R, R)) -> (R, R) {
    let (head, low) = product(a.0, b.0);
    (head, low + a.0.mul_add(b.1, a.1 * b.0))
}

/// `n / (d + d_low)` in two parts, with an error of about 2^-104 of it, and a reciprocal of `d`.
#[inline(always)]
pub fn quotient<R: Real>(n: R, d: R, d_low: R) -> (R, R, R) {
    let reciprocal = d.k(1.0) / d;
    let head = n * reciprocal;
    let rest = (-head).mul_add(d_low, (-head).mul_add(d, n));
    (head, rest * reciprocal, reciprocal)
}

/// `x` between two bounds. NaN stays.
#[inline(always)]
pub fn clamp<R: Real>(x: R, low: f64, high: f64) -> R {
    at_most(R::pick(x.lt(x.k(low)), x.k(low), x), high)
}

/// `x`, but not above a bound. NaN stays.
#[inline(always)]
pub fn at_most<R: Real>(x: R, high: f64) -> R {
    R::pick(x.k(high).lt(x), x.k(high), x)
}

/// 2^k, where the low 12 bits of `exponent` are those of k, from -1022 to 1023.
#[inline(always)]
pub fn power_of_two<R: Real>(exponent: R::Bits) -> R {
    R::of_bits((exponent << 52) + ONE)
}

/// `x * 2^k`, where `exponent` is k plus a multiple of 2^13. In two steps, as 2^k may be no `f64`; only the second
/// one may round.
#[inline(always)]
pub fn scale<R: Real>(x: R, exponent: R::Bits) -> R {
    let half = exponent >> 1;
    x * power_of_two::<R>(half) * power_of_two::<R>(exponent - half)
}
