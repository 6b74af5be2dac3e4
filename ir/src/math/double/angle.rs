//! Arcs: asin, acos, atan and atan2, for every `f64`.
//!
//! asin and acos: `asin x = x + x z B(z)` with `z = x^2` up to 1/2; above it
//! `asin x = pi/2 - 2 asin(sqrt((1 - x) / 2))`, the root with what its rounding lost.
//! atan and atan2: a quotient `t` of at most tan(pi/8), with what its rounding lost, that a multiple of pi/4 is added to:
//! `atan t = t + t z A(z)` with `z = t^2`.
//! All keep the large part (a multiple of pi/4 and the argument) exactly and add one correction last, of at most 10 % of
//! the result: below 0.64 ulp (subnormal results of atan2: below 0.8 ulp).

use super::circular::flip;
use super::constants::circular::{ASIN, ATAN, QUARTER_PI};
use crate::math::{Bits, Real, fused_polynomial};

const SIGN: u64 = 1 << 63;

/// An arc in parts: `large + large * ratio + lost`.
struct Arc<R> {
    large: R,
    ratio: R,
    lost: R,
}

impl<R: Real> Arc<R> {
    /// With its sign flipped if that bit of `sign` is set.
    fn flipped(self, sign: R::Bits) -> Self {
        Self { large: flip(self.large, sign), lost: flip(self.lost, sign), ..self }
    }

    /// Itself and `eighths * pi/4`, which is not smaller than it, or zero.
    fn beyond_eighths(self, eighths: R) -> R {
        let Self { large, ratio, lost } = self;
        let base = eighths * QUARTER_PI[0];
        let sum = base + large;
        let lost = ((base - sum) + large) + eighths.mul_add(eighths.k(QUARTER_PI[1]), lost);
        sum + large.mul_add(ratio, lost)
    }
}

/// `z` times a polynomial; the product with the first coefficient, which is most of it, is rounded once only.
fn ratio<R: Real>(z: R, coefficients: &[f64]) -> R {
    z.mul_add(z.k(coefficients[0]), (z * z) * fused_polynomial(z, &coefficients[1..]))
}

/// For `a >= 0`: whether it is above 1/2, and the arc sine, or of the above what is missing to pi/2.
fn arc_sine<R: Real>(a: R) -> (R::Flag, Arc<R>) {
    let above = a.k(0.5).lt(a);
    // Exact, and negative for a > 1, so that the root is NaN.
    let half = (a.k(1.0) - a) * 0.5;
    let root = half.sqrt();
    // The small number only avoids 0 / 0.
    let root_lost = root.mul_add(-root, half) / (root + 2f64.powi(-200));
    let z = R::pick(above, half, a * a);
    let large = R::pick(above, root + root, a);
    let lost = R::pick(above, root_lost, a.k(0.0));
    // The derivative is 1 / sqrt(1 - z), here nearly 1 + 0.6 z.
    let lost = lost.mul_add(z * 0.6, lost);
    (above, Arc { large, ratio: ratio(z, &ASIN), lost })
}

/// NaN outside [-1, 1].
pub fn asin<R: Real>(x: R) -> R {
    let (above, arc) = arc_sine(x.abs());
    let sign = R::pick_bits(above, x.n(SIGN), x.n(0));
    let eighths = R::pick(above, x.k(2.0), x.k(0.0));
    arc.flipped(sign).beyond_eighths(eighths).copysign(x)
}

/// NaN outside [-1, 1]; 0 of 1.
pub fn acos<R: Real>(x: R) -> R {
    let (above, arc) = arc_sine(x.abs());
    let negative = x.lt(x.k(0.0));
    // The small ones are taken from pi/2, negative large ones from pi.
    let eighths = R::pick(above, R::pick(negative, x.k(4.0), x.k(0.0)), x.k(2.0));
    let sign = R::pick_bits(above, x.bits(), x.bits() ^ SIGN);
    arc.flipped(sign).beyond_eighths(eighths)
}

/// The arc tangent of a quotient of two numbers with their tails, which is at most tan(pi/8).
fn arc_tangent<R: Real>([above, above_lost]: [R; 2], [below, below_lost]: [R; 2]) -> Arc<R> {
    let inverse = below.k(1.0) / below;
    let t = above * inverse;
    let rest = t.mul_add(-below, above) + t.mul_add(-below_lost, above_lost);
    let z = t * t;
    // The derivative is 1 / (1 + z), here nearly 1 - 0.87 z.
    let lost = rest * inverse;
    let lost = lost.mul_add(z * -0.87, lost);
    Arc { large: t, ratio: ratio(z, &ATAN), lost }
}

/// tan(pi/8) and tan(3 pi/8), roughly.
const EIGHTH: f64 = 0.4142;
const THREE_EIGHTHS: f64 = 2.4142;

pub fn atan<R: Real>(x: R) -> R {
    let a = x.abs();
    // From 2^60 on it is pi/2 anyhow; this keeps infinity out.
    let a = R::pick(a.k(2f64.powi(60)).lt(a), a.k(2f64.powi(60)), a);
    let (one, zero) = (a.k(1.0), a.k(0.0));
    let above = a.k(THREE_EIGHTHS).lt(a);
    let middle = a.k(EIGHTH).lt(a) & !above;
    // (a - 1) / (a + 1) and pi/4 in the middle, a / 1 below, -1 / a and pi/2 above.
    let (minus, plus) = (R::pick(middle, one, zero), R::pick(middle, a, zero));
    let (top, bottom) = (a - minus, one + plus);
    let (top_lost, bottom_lost) = ((-minus - top) + a, (one - bottom) + plus);
    let (top, bottom) = (R::pick(above, -one, top), R::pick(above, a, bottom));
    arc_tangent([top, top_lost], [bottom, bottom_lost]).beyond_eighths(R::pick(above, a.k(2.0), minus)).copysign(x)
}

/// The angle of the point (x, y), as C's Annex F says for zeros and infinities.
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let (one, zero, infinity) = (x.k(1.0), x.k(0.0), x.k(f64::INFINITY));
    let swap = x.abs().lt(y.abs());
    let (large, small) = (R::pick(swap, y.abs(), x.abs()), R::pick(swap, x.abs(), y.abs()));
    // (0, 0) is as (1, 0); infinity with a finite number as well; two infinities as (1, 1). NaN stays, as `small`.
    let infinite = large.equals(infinity);
    let small = R::pick(infinite, R::pick(small.equals(infinity), one, small * 0.0), small);
    let large = R::pick(infinite | large.equals(zero), one, large);
    // Scaled so that neither the inverse nor what a product lost gets subnormal; small enough numbers beside a large
    // one do not matter.
    let scale = R::pick(large.lt(x.k(2f64.powi(400))), x.k(2f64.powi(500)), x.k(2f64.powi(-100)));
    let (a, b) = (large * scale, small * scale);
    // b / a, or (b - a) / (b + a) and pi/4.
    let middle = (a * EIGHTH).lt(b);
    let (minus, plus) = (R::pick(middle, a, zero), R::pick(middle, b, zero));
    let (top, bottom) = (b - minus, a + plus);
    let (top_lost, bottom_lost) = ((-minus - top) + b, (a - bottom) + plus);
    // Then taken from pi/2 if the two were swapped, and from pi if x is negative.
    let eighths = R::pick(middle, one, zero);
    let eighths = R::pick(swap, x.k(2.0) - eighths, eighths);
    let left = !(x.bits() & SIGN).equals(0);
    let eighths = R::pick(left, x.k(4.0) - eighths, eighths);
    let sign = x.bits() ^ R::pick_bits(swap, x.n(SIGN), x.n(0));
    arc_tangent([top, top_lost], [bottom, bottom_lost]).flipped(sign).beyond_eighths(eighths).copysign(y)
}
