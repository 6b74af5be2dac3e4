//! Exponentials, the hyperbolic tangent and the reciprocal root.
//!
//! Method of the exponentials: `x = k * unit + r` with the unit that makes the result `2^k` times a number near 1. The rest
//! is a pair. Of the polynomial in it the first terms are computed in pairs, and those below 2^-16 in one number.

use super::constants::exponential::*;
use super::{Pair, Real, SHIFT, Sure, polynomial_of_pair, product, reduce, rounded, scale, sum};

/// As many terms of an exponential are below 2^-18 of it.
const EXP_PLAIN: usize = 4;
/// As many terms of the hyperbolic tangent are below 2^-17 of it.
const TANH_PLAIN: usize = 5;

/// Results that underflow and overflow: zero below `zero`, infinity from `infinity` on; from `low` on, results are normal numbers.
struct Ends {
    zero: f64,
    low: f64,
    infinity: f64,
}

/// `2^k` times a pair, where it is normal, and the ends.
fn scaled<R: Real>(x: R, y: Pair<R>, shifted: R, ends: &Ends) -> Sure<R, R::Flag> {
    let near = rounded(y, EXP_ERROR);
    let (is_zero, is_infinite) = (x.lt(x.k(ends.zero)), x.k(ends.infinity).le(x));
    let value = R::pick(is_zero, x.k(0.0), scale(near.value, shifted));
    let value = R::pick(is_infinite, x.k(f64::INFINITY), value);
    let is_normal = x.k(ends.low).le(x);
    Sure { value, sure: (near.sure & is_normal) | is_zero | is_infinite }
}

/// `e^x`.
pub(super) fn exp<R: Real>(x: R) -> Sure<R, R::Flag> {
    let (shifted, _, r) = reduce(x, LN_2);
    let y = polynomial_of_pair(r, &EXP, EXP_PLAIN);
    scaled(x, y, shifted, &Ends { zero: -104.0, low: -86.9, infinity: 88.722_84 })
}

/// `2^x`. The rest is exact.
pub(super) fn exp2<R: Real>(x: R) -> Sure<R, R::Flag> {
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    let y = polynomial_of_pair(Pair { high: r, low: x.k(0.0) }, &EXP2, EXP_PLAIN);
    scaled(x, y, shifted, &Ends { zero: -150.0, low: -125.4, infinity: 128.0 })
}

/// `10^x`.
pub(super) fn exp10<R: Real>(x: R) -> Sure<R, R::Flag> {
    let (shifted, _, r) = reduce(x, LOG10_2);
    let y = polynomial_of_pair(r, &EXP10, EXP_PLAIN);
    scaled(x, y, shifted, &Ends { zero: -45.2, low: -37.7, infinity: 38.531_84 })
}

/// The hyperbolic tangent: with `m = (e^(2|x|) - 1) / 2` it is `m / (m + 1)`, and `m` is
/// `2^k * (e^(2r) - 1) / 2 + (2^k - 1) / 2`.
pub(super) fn tanh<R: Real>(x: R) -> Sure<R, R::Flag> {
    // From here on it is 1.
    let most = x.k(10.0);
    let size = R::pick(most.lt(x.abs()), most, x.abs());
    let (shifted, _, r) = reduce(size, HALF_LN_2);
    let y = polynomial_of_pair(r, &TANH, TANH_PLAIN).times(r);
    let power = scale(x.k(1.0), shifted);
    let Pair { high, low } = sum(power.step(x.k(0.5), x.k(-0.5)), power * y.high);
    let m = Pair { high, low: power.step(y.low, low) };
    let Pair { high, low } = sum(m.high, x.k(1.0));
    let above = Pair { high, low: low + m.low };
    let Sure { value, sure } = rounded(m.over(above, x.k(1.0) / above.high), TANH_ERROR);
    Sure { value: value.copysign(x), sure }
}

/// `1 / sqrt(x)`: a quotient `y` that is off by less than two units, and one step of Newton's method in which `1 - x * y^2` is
/// exact but for its last rounding.
pub(super) fn rsqrt<R: Real>(x: R) -> Sure<R, R::Flag> {
    let y = x.k(1.0) / x.sqrt();
    let root = product(x, y);
    let one = product(root.high, y);
    let error = (-root.low).step(y, (x.k(1.0) - one.high) - one.low);
    rounded(Pair { high: y, low: y * 0.5 * error }, RSQRT_ERROR)
}
