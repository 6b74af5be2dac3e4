//! Arcs of an `f32`, and the angle of a point.
//!
//! Method. An arc tangent of more than 1 is pi/2 less that of the reciprocal; an arc sine of more than 1/2 is pi/2 less twice
//! that of `sqrt((1 - x) / 2)`. The rest is an odd polynomial. Results in `f64` are right to about 2^-51, close enough for
//! the correct `f32`, as was verified for every argument in both modes of `step`. The few that are nearer to the middle between two
//! `f32` are right by a bias or a small move of a coefficient, see `tests/src/coefficients/circular.rs`.
//!
//! The angle of a point cannot be verified so. Its quick evaluation has a relative error below 2^-46.6 (polynomial 2^-46.8,
//! bias 2^-52, five roundings 2^-53 each); if the middle between two `f32` is nearer than 2^-45 (one of 2^20 points) a branch
//! computes it to 2^-100 (its largest error on 10^6 points was 2^-104). For 2^64 points the nearest to a middle are expected at 2^-88.
//!
//! Tiny quotients. For `q = |y| / x < 2^-27` the angle is `q (1 - d)`, `0 < d < 2^-55`. `q` may itself be a middle `m`
//! (only below 2^-126, where these have few bits; elsewhere `m x = |y|` would need more than 24 bits), then the angle is below it.
//! If it is not, `|y| - m x` is an integer multiple of the product of the last places, so that `q` and `m` differ by 2^-49 `q` or
//! more. The quick evaluation multiplies by `1 - 2^-52`, which keeps the right side of `m` in both cases.
//! In particular subnormal results are right, whatever the test says that knows only about middles of normal `f32`.

use super::constants::circular::*;
use crate::math::{Bits, Real, polynomial};
use std::f64::consts::{FRAC_PI_2, PI as ONE_PI};

/// What the rounding of pi / 2 left, as a fraction of it.
const REST_OF_PI: f64 = PI_2[1] / PI_2[0];

/// The arc tangent.
pub fn atan<R: Real>(x: R) -> R {
    let a = x.abs();
    let large = x.k(1.0).lt(a);
    let s = R::pick(large, x.k(1.0) / a, a);
    let u = s * s;
    let arc = s.step(polynomial(u, &ATAN), s);
    R::pick(large, x.k(FRAC_PI_2) - (arc - PI_2[1] / 2.0), arc).copysign(x)
}

/// For `|x| <= 1/2` its arc sine, else that of `sqrt((1 - |x|) / 2)`; and whether it was the latter.
fn short_arc<R: Real>(x: R) -> (R, R::Flag) {
    let a = x.abs();
    let large = x.k(0.5).lt(a);
    let u = R::pick(large, a.step(x.k(-0.5), x.k(0.5)), a * a);
    let s = R::pick(large, u.sqrt(), a);
    ((s * u).step(polynomial(u, &ASIN), s), large)
}

/// The arc sine.
pub fn asin<R: Real>(x: R) -> R {
    let (arc, large) = short_arc(x);
    R::pick(large, x.k(FRAC_PI_2) + arc.step(x.k(-2.0), x.k(PI_2[1] / 2.0)), arc).copysign(x)
}

/// The arc cosine.
pub fn acos<R: Real>(x: R) -> R {
    let (arc, large) = short_arc(x);
    let arc = arc.copysign(x);
    // pi/2 - arc, or 2 arc, or pi + 2 arc
    let base = R::pick(large, R::pick(x.lt(x.k(0.0)), x.k(ONE_PI), x.k(0.0)), x.k(FRAC_PI_2));
    let factor = R::pick(large, x.k(2.0), x.k(-1.0));
    base + arc.step(factor, base * ACOS_REST[0])
}

/// The angle of the point (x, y): the arc tangent of y / x in the right quadrant.
pub fn atan2<R: Real>(y: R, x: R) -> R {
    // A number that is more than any other makes quotients of infinities right, and is near enough to them elsewhere.
    let finite = |a: R| R::pick(a.equals(a.k(f64::INFINITY)), a.k(HUGE), a);
    let (ay, ax) = (finite(y.abs()), finite(x.abs()));
    let steep = ax.lt(ay);
    let sx = ax.copysign(x);
    let numerator = R::pick(steep, -sx, ay);
    // The origin has quotient 0; elsewhere the addend is nothing.
    let denominator = R::pick(steep, ay, sx) + TINY;
    let base = R::pick(steep, x.k(FRAC_PI_2), R::pick(x.k(1.0).copysign(x).lt(x.k(0.0)), x.k(ONE_PI), x.k(0.0)));
    let (s, quick) = quick_angle(numerator, denominator, base);
    // The middle between two `f32` has a set bit and then 28 clear ones at the end.
    let distance = (quick.bits() & 0x1fff_ffff) - (0x1000_0000 - DOUBT);
    let [angle] =
        R::branch(distance.below(x.n(2 * DOUBT)), || [accurate_angle(s, numerator, denominator, base)], || [quick]);
    angle.copysign(y)
}

/// A quotient within -1 .. 1, and `base` plus its arc tangent, to 2^-46.6.
pub(crate) fn quick_angle<R: Real>(numerator: R, denominator: R, base: R) -> (R, R) {
    let s = numerator / denominator;
    let u = s * s;
    (s, base + s.step(u.step(polynomial(u, &ATAN_SHORT), u.k(-BIAS)), s))
}

/// 2^500
const HUGE: f64 = 3.273390607896142e150;
/// 2^-600
const TINY: f64 = 2.409919865102884e-181;
/// 2^-52
const BIAS: f64 = f64::EPSILON;
/// 2^-45 in units of 2^-53.
const DOUBT: u64 = 256;

/// `base` plus the arc tangent of a quotient within -1 .. 1, positive, as an `f64` that rounds as the exact angle does.
fn accurate_angle<R: Real>(quotient: R, numerator: R, denominator: R, base: R) -> R {
    let (high, low) = angle_in_two(quotient, numerator, denominator, base);
    round_to_odd(high, low)
}

/// The same in two numbers, to 2^-100.
pub(crate) fn angle_in_two<R: Real>(quotient: R, numerator: R, denominator: R, base: R) -> (R, R) {
    let (n, d) = (numerator.abs(), denominator.abs());
    // With c = i / 32 near n / d: atan(n / d) = atan(c) + atan((n - c d) / (d + c n)), where top and bottom are exact, since
    // n has 24 bits and n >= d / 64, or else c is 0.
    let t = quotient.abs().step(n.k(32.0), n.k(4503599627370496.0));
    let c = (t - 4503599627370496.0) * (1.0 / 32.0);
    let i = (t.bits() & 63) << 1;
    let top = c.step(-d, n);
    let bottom = c.step(n, d);
    let high = top / bottom;
    let s = (high, high.mul_add(-bottom, top) / bottom);
    // |s| <= 1/64: the series.
    let u = product(s, s);
    let rest = polynomial(u.0, &ATAN_REST);
    let pair = |k: usize| (n.k(ATAN_PAIRS[2 * k]), n.k(ATAN_PAIRS[2 * k + 1]));
    let minus = |(a, b): (R, R)| (-a, -b);
    let p = sum(pair(2), minus(product(u, (rest, n.k(0.0)))));
    let p = sum(pair(1), minus(product(u, p)));
    let p = sum(pair(0), minus(product(u, p)));
    let arc = sum(s, minus(product(s, product(u, p))));
    let entry = |i: R::Bits| R::of_bits(i.of_table(&ATAN_TABLE));
    let arc = sum((entry(i), entry(i + 1)), arc);
    let negative = (numerator * denominator).lt(n.k(0.0));
    let arc = (R::pick(negative, -arc.0, arc.0), R::pick(negative, -arc.1, arc.1));
    let (a, b) = sum((base, base * REST_OF_PI), arc);
    let high = a + b;
    (high, b - (high - a))
}

/// A product of numbers in two parts, to 2^-103.
fn product<R: Real>(a: (R, R), b: (R, R)) -> (R, R) {
    let high = a.0 * b.0;
    (high, a.0.mul_add(b.1, a.1.mul_add(b.0, a.0.mul_add(b.0, -high))))
}

/// A sum of numbers in two parts, the first of them zero or not smaller than the other.
fn sum<R: Real>(a: (R, R), b: (R, R)) -> (R, R) {
    let high = a.0 + b.0;
    (high, (b.0 - (high - a.0)) + (a.1 + b.1))
}

/// A positive sum, rounded so that it never becomes the middle between two narrower numbers unless it is: to the odd
/// neighbour unless exact.
fn round_to_odd<R: Real>(high: R, low: R) -> R {
    let bits = high.bits();
    let exact = low.equals(low.k(0.0)) | (bits & 1).equals(1);
    let neighbour = R::pick_bits(low.lt(low.k(0.0)), bits - 1, bits + 1);
    R::of_bits(R::pick_bits(exact, bits, neighbour))
}
