//! Sine, cosine and tangent, of radians and of half turns (`sin_pi(x) = sin(pi x)`), for every `f64`.
//!
//! The angle is reduced to `head + tail` of at most pi/4 (see `reduce`). There
//! `sin x = x + x z S(z)` and `cos x = 1 - z/2 + z^2 C(z)` with `z = x^2`. The first two terms of each are a large part
//! and what its rounding lost; the rest, about 2 % of the result, is added last. So the error is half an ulp and a few
//! percent: below 0.58 ulp for sine and cosine. The tangent is the quotient of both with what their sums lost, and one
//! correction of the quotient: below 0.65 ulp. Results of `sin_pi` and `tan_pi` near the subnormal numbers (up to four
//! times the least normal one): below 0.87 ulp.

use super::constants::circular::{COS, PI, SIN};
use super::reduction::{Angle, half_turns, radians};
use crate::math::{Bits, Real, fused_polynomial};

const SIGN: u64 = 1 << 63;

/// A number in two parts; the first one is not smaller than the second one, unless both are zero.
struct Parts<R> {
    large: R,
    small: R,
}

impl<R: Real> Parts<R> {
    fn sum(&self) -> R {
        self.large + self.small
    }

    fn sum_and_lost(&self) -> (R, R) {
        let sum = self.sum();
        (sum, (self.large - sum) + self.small)
    }
}

/// Sine and cosine of `head + tail`.
fn sine_cosine<R: Real>(head: R, tail: R) -> (Parts<R>, Parts<R>) {
    let z = head * head;
    let z_lost = head.mul_add(head, -z);

    // x + x z / -6, and what that lost; then all else, which is small.
    let [first_lost, first, higher @ ..] = SIN;
    let first = z.k(first);
    let cube = head * z;
    let cube_lost = head.mul_add(z_lost, head.mul_add(z, -cube));
    let large = cube.mul_add(first, head);
    let lost = cube.mul_add(first, head - large);
    let half = z * 0.5;
    let low = cube_lost.mul_add(first, tail - half * tail);
    let higher = fused_polynomial(z, &higher).mul_add(z, z.k(first_lost));
    let sine = Parts { large, small: lost + cube.mul_add(higher, low) };

    // (1 - z/2) + (what that lost + z^2 C(z) - z_lost/2 - tail sin x)
    let whole = half.k(1.0) - half;
    let lost = (half.k(1.0) - whole) - half;
    let low = z_lost.mul_add(z.k(-0.5), -(large * tail));
    let cosine = Parts { large: whole, small: lost + (z * z).mul_add(fused_polynomial(z, &COS), low) };
    (sine, cosine)
}

/// The value with its sign flipped if that bit of `bits` is set.
pub fn flip<R: Real>(value: R, bits: R::Bits) -> R {
    R::of_bits(value.bits() ^ (bits & SIGN))
}

/// Sine of an angle of so many quarters; for the cosine there is one more quarter.
fn of_quarters<R: Real>(sine: R, cosine: R, quarters: R::Bits) -> R {
    flip(R::pick((quarters & 1).equals(0), sine, cosine), quarters << 62)
}

/// Sine and cosine of what is left of an angle without its quarters, and the quarters.
fn rest_of<R: Real>(angle: Angle<R>) -> (R, R, R::Bits) {
    let (sine, cosine) = sine_cosine(angle.head, angle.tail);
    (sine.sum(), cosine.sum(), angle.quarters)
}

pub fn sin<R: Real>(x: R) -> R {
    let (sine, cosine, quarters) = rest_of(radians(x.abs()));
    flip(of_quarters(sine, cosine, quarters), x.bits())
}

pub fn cos<R: Real>(x: R) -> R {
    let (sine, cosine, quarters) = rest_of(radians(x.abs()));
    of_quarters(sine, cosine, quarters + 1)
}

/// Both, the same bits as the two functions give.
pub fn sin_cos<R: Real>(x: R) -> (R, R) {
    let (sine, cosine, quarters) = rest_of(radians(x.abs()));
    (flip(of_quarters(sine, cosine, quarters), x.bits()), of_quarters(sine, cosine, quarters + 1))
}

/// The tangent for an angle from 0.
fn quotient<R: Real>(angle: Angle<R>) -> R {
    let (sine, cosine) = sine_cosine(angle.head, angle.tail);
    let ((s, s_lost), (c, c_lost)) = (sine.sum_and_lost(), cosine.sum_and_lost());
    // In odd quarters it is -cos / sin.
    let even = (angle.quarters & 1).equals(0);
    let (above, above_lost) = (R::pick(even, s, c), R::pick(even, s_lost, c_lost));
    let (below, below_lost) = (R::pick(even, c, s), R::pick(even, c_lost, s_lost));
    let inverse = below.k(1.0) / below;
    let quotient = above * inverse;
    let rest = quotient.mul_add(-below, above) + quotient.mul_add(-below_lost, above_lost);
    flip(rest.mul_add(inverse, quotient), angle.quarters << 63)
}

pub fn tan<R: Real>(x: R) -> R {
    flip(quotient(radians(x.abs())), x.bits())
}

/// For small arguments `pi x` with one rounding (also of subnormal numbers), else the value.
fn small_or<R: Real>(a: R, value: R) -> R {
    R::pick(a.lt(a.k(2f64.powi(-30))), a.mul_add(a.k(PI[0]), a * PI[1]), value)
}

/// `sin(pi x)`. Integers give a zero of the sign of the argument, infinities NaN.
pub fn sin_pi<R: Real>(x: R) -> R {
    let a = x.abs();
    let (sine, cosine, quarters) = rest_of(half_turns(a).0);
    // `+ 0` makes -0 into 0.
    let value = of_quarters(sine, cosine, quarters) + 0.0;
    flip(small_or(a, value), x.bits())
}

/// `cos(pi x)`. Odd halves give +0, infinities NaN.
pub fn cos_pi<R: Real>(x: R) -> R {
    let (sine, cosine, quarters) = rest_of(half_turns(x.abs()).0);
    of_quarters(sine, cosine, quarters + 1) + 0.0
}

/// `tan(pi x)`. From 0: even integers give 0, odd ones -0; halves give infinity and -infinity by turns. Odd, as a function.
pub fn tan_pi<R: Real>(x: R) -> R {
    let a = x.abs();
    let (angle, rest) = half_turns(a);
    let quarters = angle.quarters;
    let even = (quarters & 1).equals(0);
    let special = flip(R::pick(even, x.k(0.0), x.k(f64::INFINITY)), quarters << 62);
    let value = R::pick(rest.equals(x.k(0.0)), special, quotient(angle));
    flip(small_or(a, value), x.bits())
}
