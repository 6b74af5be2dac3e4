//! `cbrt`, `rsqrt`, `hypot`.
//!
//! The method: an approximation with an error of a few ulp, then one step of Newton with the remainder computed in two
//! parts, rounded once. Largest errors measured: 0.501 ulp; subnormal results of `hypot` 0.750 ulp.

use super::constants::exponential::*;
use super::pairs::*;
use crate::math::{Real, fused_polynomial};

/// `x` scaled such that squares and cubes neither overflow nor lose bits: x times `down` if above 2^400, times `up` if
/// below 2^-400. Also what the result has to be multiplied with, the fitting one of `back`.
#[inline(always)]
fn ranged<R: Real>(x: R, down: f64, up: f64, back: [f64; 2]) -> (R, R) {
    let (large, small) = (x.k(2.5822498780869086e120).lt(x), x.lt(x.k(3.8725919148493183e-121)));
    let pick = |down: f64, up: f64| R::pick(large, x.k(down), R::pick(small, x.k(up), x.k(1.0)));
    (pick(down, up), pick(back[0], back[1]))
}

const UP_600: f64 = 4.149515568880993e180;
const DOWN_600: f64 = 2.409919865102884e-181;

/// The cube root. No division: r goes to a^(-1/3), and a * r^2 is the root.
#[inline(always)]
pub fn cbrt<R: Real>(x: R) -> R {
    let (factor, back) = ranged(x.abs(), DOWN_600, UP_600, [1.6069380442589903e60, 6.223015277861142e-61]);
    let a = x.abs() * factor;
    // The bits of a number are nearly its logarithm; this divides the upper half of them by -3: within 4 %.
    let third = ((a.bits() >> 32) * 0x5555_5556) >> 32;
    let r = R::of_bits((x.n(CBRT_START) - third) << 32);
    // 1 - a r^3 = h, (1 - h)^(-1/3) = 1 + h * CBRT(h): within 2^-21.
    let h = -(a * r) * (r * r) + 1.0;
    let r = (r * h).mul_add(fused_polynomial(h, &CBRT), r);
    // Once more, with two terms: within a few ulp.
    let h = (-(a * r)).mul_add(r * r, x.k(1.0));
    let r = (r * h).mul_add(h.mul_add(x.k(2.0 / 9.0), x.k(1.0 / 3.0)), r);
    let slope = r * r;
    let root = a * slope;
    let (square, square_low) = product(root, root);
    let (cube, cube_low) = product(square, root);
    let rest = (a - cube) - square_low.mul_add(root, cube_low);
    let result = (slope * (1.0 / 3.0)).mul_add(rest, root) * back;
    R::pick(x.abs().lt(x.k(f64::INFINITY)), result.copysign(x), x)
}

/// 1 / sqrt(x); infinity with the sign of x for zeros.
#[inline(always)]
pub fn rsqrt<R: Real>(x: R) -> R {
    // Below, the remainder of the root would not be exact.
    let small = x.lt(x.k(3.8725919148493183e-121));
    let a = R::pick(small, x * UP_600, x);
    let root = a.sqrt();
    let inverse = a.k(1.0) / root;
    let root_rest = (-root).mul_add(root, a);
    let inverse_rest = (-root).mul_add(inverse, a.k(1.0));
    let correction = (root_rest * -0.5).mul_add(inverse * inverse, inverse_rest);
    let result = inverse.mul_add(correction, inverse);
    let result = R::pick(small, result * 2.037035976334486e90, result);
    let ordinary = R::pick(x.lt(x.k(f64::INFINITY)), result, inverse);
    R::pick(x.k(0.0).lt(x), ordinary, inverse)
}

/// sqrt(x^2 + y^2).
#[inline(always)]
pub fn hypot<R: Real>(x: R, y: R) -> R {
    let (x, y) = (x.abs(), y.abs());
    let less = x.lt(y);
    let (a, b) = (R::pick(less, y, x), R::pick(less, x, y));
    let (factor, back) = ranged(a, DOWN_600, UP_600, [UP_600, DOWN_600]);
    let (a, b) = (a * factor, b * factor);
    let (a_square, a_low) = product(a, a);
    let (b_square, b_low) = product(b, b);
    let (sum, left) = fast_sum(a_square, b_square);
    let root = sum.sqrt();
    let rest = (-root).mul_add(root, sum) + (left + (a_low + b_low));
    // The addend only prevents 0 / 0.
    let result = (root + rest / (root + root + 1e-300)) * back;
    let infinity = x.k(f64::INFINITY);
    R::pick(infinity.le(x), infinity, R::pick(infinity.le(y), infinity, result))
}
