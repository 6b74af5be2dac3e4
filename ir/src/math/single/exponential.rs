//! Exponential, hyperbolic and root functions of `f32` and `f16`, written over exact `f64` arithmetic.
//!
//! The argument is widened exactly and the caller rounds the result. Each function states the bound of its error,
//! relative to the result. That the rounded results are correct is proved by enumeration of all arguments, fused and not;
//! so the degrees of the polynomials are the least with which that succeeds. (`hypot` has a proof of its own.)
//!
//! Method of the exponentials: `t = x * (1 / ln 2) + 1.5 * 2^52` has the nearest integer `k` in its low bits, so
//! that `t - 1.5 * 2^52` is `k` as a number and a shift of `t` makes `2^k`. The rest `r = x - k * ln 2` is
//! computed with a `ln 2` of two parts; the first has so few bits that its product with `k` and the difference
//! are exact, hence `r` has an error of 2^-55. A polynomial of `r` follows, by Horner's rule. Arguments are
//! clamped to where the rounded result is already constant, which keeps `k` in range and lets NaN through.

use super::constants::exponential::*;
use crate::math::{Bits, Real, polynomial};

/// `x`, or the bound that it exceeds; NaN stays.
#[inline(always)]
fn clamp<R: Real>(x: R, low: f64, high: f64) -> R {
    let (low, high) = (x.k(low), x.k(high));
    let x = R::pick(x.lt(low), low, x);
    at_most(x, high)
}

/// `x`, or the bound that it exceeds; NaN stays.
#[inline(always)]
fn at_most<R: Real>(x: R, high: R) -> R {
    R::pick(high.lt(x), high, x)
}

/// The integer `k` nearest to `x / unit` and `x - k * unit`: `shift + k`, whose low bits are those of
/// `shift` plus `k`, and the rest. `unit` is given as `1 / unit` and as two parts.
#[inline(always)]
fn reduce<R: Real>(x: R, [per_unit, high, low]: [f64; 3], shift: f64) -> (R, R) {
    let shifted = x.step(x.k(per_unit), x.k(shift));
    let k = shifted - shift;
    let rest = k.step(x.k(-high), x); // Exact: `high` has few bits.
    (shifted, k.step(x.k(-low), rest))
}

/// `x * 2^k`, with `k` in the low bits of `shifted`; the result must be a normal number.
#[inline(always)]
fn scale<R: Real>(x: R, shifted: R) -> R {
    R::of_bits(x.bits() + (shifted.bits() << 52))
}

/// The number whose exponent, with its bias, is in the low bits of `shifted`: a power of two.
#[inline(always)]
fn power<R: Real>(shifted: R) -> R {
    R::of_bits(shifted.bits() << 52)
}

/// `e^x`. Error: 2^-50.5 of the polynomial, 2^-52.4 of the roundings.
#[inline(always)]
pub fn exp<R: Real>(x: R) -> R {
    let x = clamp(x, -110.0, 100.0);
    let (shifted, r) = reduce(x, LN_2, SHIFT);
    let y = polynomial(r, &EXP).step(r, x.k(1.0));
    scale(y, shifted)
}

/// `2^x`. The rest is exact here, and so are the results for integers. Error: 2^-50.5 of the
/// polynomial, 2^-52 of the roundings.
///
/// For a small rest the last addition would be all of the error, and the results of `0x1.853a6ep-9` and `-0x1.e7526ep-6`,
/// which are next to midpoints, would become those midpoints whatever the polynomial. So a part of the linear
/// term is added first: its rounding depends on the slope, and there are slopes for which all results are right.
#[inline(always)]
pub fn exp2<R: Real>(x: R) -> R {
    let x = clamp(x, -200.0, 200.0);
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    let head = r.step(x.k(EXP2_SLOPE), x.k(1.0));
    let y = polynomial(r, &EXP2).step(r, head);
    scale(y, shifted)
}

/// `10^x`, as `2^k * 10^r`. Error: 2^-50.6 of the polynomial, 2^-52.4 of the roundings.
#[inline(always)]
pub fn exp10<R: Real>(x: R) -> R {
    let x = clamp(x, -60.0, 50.0);
    let (shifted, r) = reduce(x, LOG10_2, SHIFT);
    let y = polynomial(r, &EXP10).step(r, x.k(1.0));
    scale(y, shifted)
}

/// `e^x - 1`, as `2^k * (e^r - 1) + (2^k - 1)`. Where `k` is not zero the sum does not cancel.
/// Error: 2^-48.3 of the polynomial, 2^-52 of the roundings.
#[inline(always)]
pub fn exp_m1<R: Real>(x: R) -> R {
    let bounded = clamp(x, -40.0, 100.0);
    let (shifted, r) = reduce(bounded, LN_2, SHIFT_TO_POWER);
    let y = polynomial(r, &EXP_M1).step(r * r, r);
    let power = power(shifted);
    // The product is exact. The sum of zeros is positive, hence the sign.
    power.step(y, power - 1.0).copysign(x)
}

/// The hyperbolic tangent: with `m = (e^(2|x|) - 1) / 2` it is `m / (m + 1)`. Error: 2^-48.3 of the
/// polynomial, 2^-51.4 of the roundings.
#[inline(always)]
pub fn tanh<R: Real>(x: R) -> R {
    let bounded = at_most(x.abs(), x.k(20.0));
    // `2|x| = k * ln 2 + 2 * r`, and `y` is `(e^(2r) - 1) / 2`.
    let (shifted, r) = reduce(bounded, HALF_LN_2, SHIFT_TO_POWER);
    let y = polynomial(r, &TANH).step(r * r, r);
    let power = power(shifted);
    let m = power.step(y, power.step(x.k(0.5), x.k(-0.5)));
    (m / (m + 1.0)).copysign(x)
}

/// The parts of which `sinh |x|` and `cosh |x|` consist: `sinh r`, `cosh r`, and those of `k * ln 2`,
/// where `|x| = k * ln 2 + r`. No division and no cancellation.
#[inline(always)]
fn hyperbolic<R: Real>(x: R) -> [R; 4] {
    let bounded = at_most(x.abs(), x.k(100.0));
    let (shifted, r) = reduce(bounded, LN_2, SHIFT_TO_HALF_POWER);
    let square = r * r;
    // Two roundings: with one less, `sinh(0x1.250bfep-11)` would round to a midpoint.
    let sinh = polynomial(square, &SINH).step(square, x.k(1.0)) * r;
    let cosh = polynomial(square, &COSH).step(square, x.k(1.0));
    // `2^(k-1)` and `2^(-k-1)`, whose exponents add up to -2.
    let half = shifted.bits() << 52;
    let inverse = R::of_bits(x.n((2 * 1022) << 52) - half);
    let half = R::of_bits(half);
    [sinh, cosh, half - inverse, half + inverse]
}

/// The hyperbolic sine: `sinh r * cosh(k ln 2) + cosh r * sinh(k ln 2)`. Error: 2^-47.1 of the
/// polynomial of `sinh r`, 2^-51.4 of the roundings.
#[inline(always)]
pub fn sinh<R: Real>(x: R) -> R {
    let [sinh, cosh, sinh_k, cosh_k] = hyperbolic(x);
    cosh.step(sinh_k, sinh * cosh_k).copysign(x)
}

/// The hyperbolic cosine: `cosh r * cosh(k ln 2) + sinh r * sinh(k ln 2)`. Error: 2^-48.5 of the
/// polynomials, 2^-51.4 of the roundings.
#[inline(always)]
pub fn cosh<R: Real>(x: R) -> R {
    let [sinh, cosh, sinh_k, cosh_k] = hyperbolic(x);
    cosh.step(cosh_k, sinh * sinh_k)
}

/// The cube root. `y`, near `|x|^(-1/3)`, comes from a third of the exponent and the first bits of the
/// fraction; it keeps 9 bits. So `w = x * y^2` and `h = 1 - |x| * y^3` are exact (42 and 51 bits), and the root
/// is `w * (1 - h)^(-2/3)` with `|h| < 0.11`. Error: 2^-44.4 of the polynomial, 2^-53 of the last
/// addition.
#[inline(always)]
pub fn cbrt<R: Real>(x: R) -> R {
    let size = x.abs();
    let third = (size.bits() >> 32) * CBRT_THIRD;
    let y = R::of_bits((x.n(CBRT_START) - third) & CBRT_MASK);
    let w = size * y * y;
    let h = (-w).step(y, x.k(1.0));
    let root = polynomial(h, &CBRT).step(w * h, w).copysign(x);
    R::pick(size.equals(x.k(f64::INFINITY)), x, root)
}

/// `1 / sqrt(x)`; of a zero it is the infinity of its sign. Error: two roundings, 1.5 * 2^-53. There are only
/// 2^24 significands (of `x` and `2 * x`), so none is hard.
#[inline(always)]
pub fn rsqrt<R: Real>(x: R) -> R {
    x.k(1.0) / x.sqrt()
}

/// `sqrt(x^2 + y^2)`, correctly rounded to `f32` and to `f16`.
///
/// The squares `a >= b` are exact: they have 48 bits and exponents from -298 to 256. Let `v` be `a + b` exactly, and
/// `q` the rounded root of the rounded sum. A border is where the rounded result changes, a midpoint `m` of
/// neighbours. It has at most 25 bits and its square at most 50, so both are `f64`. Roundings and the root are
/// monotonic: `v <= m^2` gives `q <= m`, and `v >= m^2` gives `q >= m`. Hence a `q` that is not a border is on the
/// same side of each border as `sqrt(v)`, and rounds rightly.
///
/// So let `q` have at most 25 bits; all borders are among such numbers. The sign of `v - q^2` decides: if it is
/// zero, `q` is exact, and a tie goes to even; if not, `q` moved by its last bit to that side is between the right
/// borders (which holds too if it is no border, as the next ones are far). The sign is that of
/// `d = (a - q^2) + b`, where only the last sum is rounded, which keeps signs and zeros:
/// `q^2` has 50 bits. With `2^e <= a < 2^(e+1)`, `a` is a multiple of `2^(e-47)`; and `q^2` is one of
/// `2^(e-49)`, being 2^e or more, or if it is less, nearly `2^e` for an odd `e` (from `q^2 >= a * (1 - 2^-51)`).
/// As `0 <= b <= a`, their difference is below `2^(e+1) * (1 + 2^-50)`, so it has at most 51 bits.
#[inline(always)]
pub fn hypot<R: Real>(x: R, y: R) -> R {
    let (x2, y2) = (x * x, y * y);
    let first = y2.lt(x2);
    let (a, b) = (R::pick(first, x2, y2), R::pick(first, y2, x2));
    let q = (a + b).sqrt();
    let d = (-q).step(q, a) + b;
    let moved = q.bits() + (d.bits().sar(63) | 1);
    let low = q.bits() << 36;
    let unsure = low.equals(0) & !d.equals(x.k(0.0));
    let result = R::pick(unsure, R::of_bits(moved), q);
    // An infinity wins, even over NaN.
    let infinity = x.k(f64::INFINITY);
    R::pick(x2.equals(infinity) | y2.equals(infinity), infinity, result)
}
