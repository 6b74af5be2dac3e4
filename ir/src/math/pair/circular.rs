//! Sine and cosine.
//!
//! Method: the nearest multiple of pi / 2 is taken off in parts of 12 bits, whose products with up to 12 bits are exact, and
//! what is left is a pair. Either the series of the sine or that of the cosine follows, with coefficients that are chosen. Large
//! arguments, and those so near to a multiple that too few bits are left, are for the caller.

use super::constants::circular::*;
use super::{Bits, Pair, Real, SHIFT, Sure, rounded, sum};

/// From here on the multiple may have more than 12 bits.
const LARGE: f64 = 6400.0;
/// What is left of a multiple of pi / 2 has enough bits from here on.
const NEAR: f64 = 1.0 / 131_072.0;

/// The sine of `x` and `turn` many quarters.
fn turned<R: Real>(x: R, turn: u64) -> Sure<R, R::Flag> {
    let shifted = x.step(x.k(PER_HALF_PI), x.k(SHIFT));
    let n = shifted - SHIFT;
    // Exact.
    let start = Pair { high: n.step(x.k(-HALF_PI[0]), x), low: x.k(0.0) };
    let r = HALF_PI[1..4].iter().fold(start, |r, part| {
        let Pair { high, low } = sum(r.high, n * -*part);
        Pair { high, low: r.low + low }
    });
    let low = n.step(x.k(-HALF_PI[4]), r.low);
    let r = sum(r.high, low);

    let quarter = shifted.bits() + turn;
    let odd = (quarter & 1).equals(1);
    let chosen = |i: usize, part: fn(f64) -> f64| R::pick(odd, x.k(part(COS[i])), x.k(part(SIN[i])));
    let u = r.square();
    // The last terms in one number, the others in pairs.
    let last = COS.len() - 1;
    let plain = chosen(last, |c| c).step(u.high, chosen(last - 1, |c| c));
    let start = Pair { high: plain, low: x.k(0.0) };
    let series = (0..last - 1).rev().fold(start, |sum, i| {
        let c = Pair { high: chosen(i, |c| super::halves(c)[0]), low: chosen(i, |c| super::halves(c)[1]) };
        sum.wide_step(u, c)
    });
    let factor = Pair { high: R::pick(odd, x.k(1.0), r.high), low: R::pick(odd, x.k(0.0), r.low) };
    let Sure { value, sure } = rounded(series.times(factor), SIN_ERROR);
    let value = R::of_bits(value.bits() ^ ((quarter & 2) << 30));
    let is_near = r.high.abs().lt(x.k(NEAR)) & !n.equals(x.k(0.0));
    Sure { value, sure: sure & x.abs().lt(x.k(LARGE)) & !is_near }
}

/// The sine; a zero has the sign of the argument.
pub(super) fn sin<R: Real>(x: R) -> Sure<R, R::Flag> {
    let Sure { value, sure } = turned(x, 0);
    Sure { value: R::pick(x.equals(x.k(0.0)), x, value), sure }
}

/// The cosine.
pub(super) fn cos<R: Real>(x: R) -> Sure<R, R::Flag> {
    turned(x, 1)
}
