//! `asinh`, `acosh`, `atanh`.
//!
//! The method: they are logarithms of `1 + f`, with f computed in two parts such that the error is small against f
//! itself; then see `logarithm`. Largest errors measured: 0.555 ulp.

use super::logarithm::*;
use super::pairs::*;
use crate::math::{Bits, Real};

/// From here on, `asinh` and `acosh` are `ln(x) + ln(2)`: 2^60.
const LARGE: f64 = 1152921504606846976.0;

/// The inverse hyperbolic sine: with b = |x|, f = b + b^2 / (1 + sqrt(1 + b^2)).
#[inline(always)]
pub fn asinh<R: Real>(x: R) -> R {
    let a = x.abs();
    let large = a.k(LARGE).lt(a);
    let b = R::pick(large, a.k(1.0), a);
    let (square, square_low) = product(b, b);
    let (w, w_low) = sum(x.k(1.0), square);
    let root = w.sqrt();
    let (d, d_low) = fast_sum(root, x.k(1.0));
    // One division for both reciprocals.
    let both = x.k(1.0) / (root * d);
    let root_low = ((-root).mul_add(root, w) + (w_low + square_low)) * (d * both * 0.5);
    let d_low = d_low + root_low;
    let reciprocal = root * both;
    let ratio = square * reciprocal;
    let rest = (-ratio).mul_add(d_low, (-ratio).mul_add(d, square) + square_low);
    let (f, left) = fast_sum(b, ratio);
    let f_low = rest.mul_add(reciprocal, left);
    let (k, s, tail) = of_one_plus(R::pick(large, a, f), Some(f_low));
    let (head, low) = natural(k + R::pick(large, x.k(1.0), x.k(0.0)), s, tail);
    R::pick(a.lt(x.k(f64::INFINITY)), head + low, a).copysign(x)
}

/// The inverse hyperbolic cosine: f = (x - 1) + sqrt(x^2 - 1).
#[inline(always)]
pub fn acosh<R: Real>(x: R) -> R {
    let large = x.k(LARGE).lt(x);
    let b = R::pick(large, x.k(2.0), x);
    let (square, square_low) = product(b, b);
    let (w, left) = fast_sum(square, x.k(-1.0));
    let (w, w_low) = fast_sum(w, left + square_low);
    let root = w.sqrt();
    // The root is zero or at least 2^-26; the addend only prevents 0 / 0.
    let root_low = ((-root).mul_add(root, w) + w_low) / (root + root + 1e-300);
    // Above 2^53 the difference is rounded, which does not matter there.
    let (f, left) = fast_sum(root, b - 1.0);
    let (k, s, tail) = of_one_plus(R::pick(large, x, f), Some(left + root_low));
    let (head, low) = natural(k + R::pick(large, x.k(1.0), x.k(0.0)), s, tail);
    let result = R::pick(x.lt(x.k(f64::INFINITY)), head + low, x);
    R::pick(x.lt(x.k(1.0)), x.k(f64::NAN), result)
}

/// The inverse hyperbolic tangent: half of the logarithm of p / q with p = 1 + |x| and q = 1 - |x|; here
/// s = (p - 2^k q) / ((p + 2^k q) / 2).
#[inline(always)]
pub fn atanh<R: Real>(x: R) -> R {
    let a = x.abs();
    let (p, p_low) = one_plus(a);
    let (q, q_low) = one_plus(-a);
    // The bits of a number are nearly its logarithm: p / (2^k q) is from 0.94 to 2.13, and then halved if need be.
    let exponent = (p.bits() - q.bits()).sar(52);
    let scale = R::of_bits((exponent << 52) + ONE);
    let high = (q * scale * std::f64::consts::SQRT_2).lt(p);
    let scale = R::pick(high, scale + scale, scale);
    let k = number(exponent, R::pick(high, x.k(ROUNDER - 1.0), x.k(ROUNDER)));
    let (q, q_low) = (q * scale, q_low * scale);
    // The first difference is exact; if k is zero, the whole one is 2 |x|.
    let (n, n_low) = fast_sum(p - q, p_low - q_low);
    let (d, d_low) = sum(p, q);
    let d_low = d_low + (p_low + q_low);
    let (s, s_low, reciprocal) = quotient(n, d * 0.5, d_low * 0.5);
    let (head, low) = natural(k, s, tail((s, n_low.mul_add(reciprocal, s_low))));
    let result = (head + low) * 0.5;
    let other = R::pick(a.equals(x.k(1.0)), x.k(f64::INFINITY), x.k(f64::NAN));
    R::pick(a.lt(x.k(1.0)), result, other).copysign(x)
}
