//! The error functions and the gamma functions of an `f32` or `f16` (widened), computed in `f64`.
//!
//! The relative error of the `f64` result is about 2^-50 (of lgamma the absolute one near its zeros below 0), so the
//! rounded result is nearly always the nearest number. Of all 2^32 `f32` arguments only so many give a neighbour, at less than
//! 0.500001 ulp: erf 0, erfc 1, tgamma 3, lgamma 3; of all `f16` none does. All have one frozen algorithm: `mul_add` and plain
//! operations, no `step`.
//!
//! - erf and erfc: an odd polynomial up to 1/2, above it `exp(-x^2)` times a polynomial of `1 / (x + 3)`.
//! - tgamma: with `n` the nearest integer and `f = x - n`, a polynomial for `1 / Gamma(1 + f)`, and the product of the
//!   `f + i` between (see `Product`); one division.
//! - lgamma: the logarithm of the same quotient below 7.5, else Stirling's series, with the reflection for negative arguments.

use super::constants::gamma::{
    ERF, ERFC, ERFC_MIDDLE, EXP, INVERSE_GAMMA, LN, LN_2, LOG2_E, SIN_PI, STIRLING, STIRLING_CONSTANT,
};
use crate::math::{Bits, Real, fused_polynomial};

/// `1.5 * 2^52`: the low bits of `x + ROUND` are `x` rounded to an integer.
const ROUND: f64 = 6755399441055744.0;
const SIGN: u64 = 1 << 63;

fn flip<R: Real>(value: R, bits: R::Bits) -> R {
    R::of_bits(value.bits() ^ (bits & SIGN))
}

/// `factor * exp(-a^2)` for `0 <= a <= 10.5` of at most 26 bits; the factor is not below 2^-800.
fn scaled_bell<R: Real>(a: R, factor: R) -> R {
    // Exact.
    let y = -(a * a);
    let turns = y.mul_add(y.k(LOG2_E), y.k(ROUND));
    let k = turns - ROUND;
    let r = k.mul_add(k.k(-LN_2[1]), k.mul_add(k.k(-LN_2[0]), y));
    let value = fused_polynomial(r, &EXP) * factor;
    R::of_bits(value.bits() + (turns.bits() << 52))
}

/// Whether the argument is small, then `erf(x) / x`, and erfc of the argument without its sign.
fn error_function<R: Real>(x: R) -> (R::Flag, R, R) {
    let a = x.abs();
    // erfc(10.5) is far below the least f32.
    let a = R::pick(a.k(10.5).lt(a), a.k(10.5), a);
    let u = a.k(1.0) / (a + 3.0);
    let tail = scaled_bell(a, u * fused_polynomial(u - ERFC_MIDDLE, &ERFC));
    (a.lt(a.k(0.5)), fused_polynomial(x * x, &ERF), tail)
}

pub fn erf<R: Real>(x: R) -> R {
    let (small, ratio, erfc) = error_function(x);
    R::pick(small, x * ratio, (x.k(1.0) - erfc).copysign(x))
}

pub fn erfc<R: Real>(x: R) -> R {
    let (small, ratio, erfc) = error_function(x);
    let other = R::pick(x.lt(x.k(0.0)), x.k(2.0) - erfc, erfc);
    R::pick(small, x.mul_add(-ratio, x.k(1.0)), other)
}

/// A product of `g + i` for `1 <= i <= left`, and what was multiplied so far.
///
/// It is taken in runs, largest first: a run fits if so many factors are left; no more than the later runs have in all
/// may be left then.
#[derive(Clone, Copy)]
struct Product<R> {
    g: R,
    left: R,
    all: R,
}

impl<R: Real> Product<R> {
    fn new(g: R, count: R) -> Self {
        Self { g, left: count, all: g.k(1.0) }
    }

    /// A run of so many factors. They are paired around its middle `y`: `(y - c) (y + c) = y^2 - c^2`, exactly, as
    /// `y` has few bits.
    #[inline(always)]
    fn run<const COUNT: u32>(self) -> Self {
        let Self { g, left, all } = self;
        let y = (g + left) - f64::from(COUNT - 1) / 2.0;
        let square = y * y;
        // An odd run has its middle as a factor.
        let odd = COUNT % 2 == 1;
        let mut part = if odd { y } else { square - 0.25 };
        for i in 1..COUNT.div_ceil(2) {
            let c = f64::from(i) + if odd { 0.0 } else { 0.5 };
            part = part * (square - c * c);
        }
        let fits = left.k(f64::from(COUNT)).le(left);
        Self { g, left: R::pick(fits, left - f64::from(COUNT), left), all: R::pick(fits, all * part, all) }
    }
}

/// The nearest integer `n` to an argument, as the gamma functions use it.
struct Split<R: Real> {
    /// The argument less `n`.
    f: R,
    /// The lowest bit is that of `n`.
    bits: R::Bits,
    n: R,
    /// Whether `n >= 1`.
    positive: R::Flag,
    /// How many factors are between, and what is added to the numbers 1, 2, ... to get them, up to the sign.
    count: R,
    g: R,
}

#[inline(always)]
fn split<R: Real>(x: R) -> Split<R> {
    let rounded = x + ROUND;
    let n = rounded - ROUND;
    let f = x - n;
    let positive = x.k(0.5).lt(n);
    Split { f, bits: rounded.bits(), n, positive, count: R::pick(positive, n - 1.0, -n), g: R::pick(positive, f, -f) }
}

/// Gamma. Infinity of zero (with its sign); NaN of negative integers and -infinity.
#[inline(always)]
pub fn tgamma<R: Real>(x: R) -> R {
    // Above it overflows; below -2^40 there are only integers.
    let x = R::pick(x.k(36.0).lt(x), x.k(36.0), x);
    let x = R::pick(x.lt(x.k(-2f64.powi(40))), x.k(-2f64.powi(40)), x);
    let Split { f, bits, n, positive, count, g } = split(x);
    // Beyond 43 factors the result is below the least f32 anyhow.
    let count = R::pick(count.k(43.0).lt(count), count.k(43.0), count);
    let product = Product::new(g, count).run::<22>().run::<11>().run::<5>().run::<3>().run::<1>().run::<1>().all;
    // Gamma(f + n) = Gamma(1 + f) (f + 1) ... (f + n - 1), or for n <= 0 Gamma(1 + f) / (f (f - 1) ... (f + n)).
    let inverse = f.mul_add(fused_polynomial(f, &INVERSE_GAMMA), f.k(1.0));
    let one = f.k(1.0);
    let value = R::pick(positive, product, one) / (inverse * R::pick(positive, one, f * product));
    let value = flip(value, R::pick_bits(positive, x.n(0), bits << 63));
    let pole = f.equals(f.k(0.0)) & n.lt(n.k(0.0));
    R::pick(pole, x.k(f64::NAN), value)
}

/// `ln(above / (below + below_lost))` of positive normal numbers; relatively exact to about 2^-51 if the quotient of
/// exact numbers is near 1.
#[inline(always)]
fn ln_quotient<R: Real>(above: R, below: R, below_lost: R) -> R {
    // The difference of the bits is nearly the logarithm; a quotient from 0.66 to 1.51 remains.
    let k = (above.bits() - below.bits() + (1 << 51)).sar(52);
    let above = R::of_bits(above.bits() - (k << 52));
    let k = R::of_bits(k + ROUND.to_bits()) - ROUND;
    let s = ((above - below) - below_lost) / (above + below);
    let z = s * s;
    let low = k.mul_add(k.k(LN_2[1]), s * (z * fused_polynomial(z, &LN)));
    k.mul_add(k.k(LN_2[0]), (s + s) + low)
}

/// `ln |Gamma|`. Infinity of zero, negative integers and both infinities.
#[inline(always)]
pub fn lgamma<R: Real>(x: R) -> R {
    let (one, zero) = (x.k(1.0), x.k(0.0));
    let a = x.abs();
    let large = a.k(7.5).le(a);
    let Split { f, positive, count, g, .. } = split(R::pick(x.lt(x.k(-2f64.powi(40))), x.k(-2f64.powi(40)), x));

    // Below 7.5 Gamma is a quotient, as for `tgamma`. Near 1 and 2 it is near 1, and the low part of 1 / Gamma(1 + f)
    // keeps the difference from 1 exact. For large negative arguments Gamma(x) = pi / (-x sin(pi x) Gamma(-x)); the
    // factors but Gamma(-x) are the quotient.
    let product = Product::new(g, count).run::<4>().run::<2>().run::<1>().all;
    let rest = f * fused_polynomial(f, &INVERSE_GAMMA);
    let inverse = rest + 1.0;
    let inverse_lost = rest - (inverse - 1.0);
    let below = R::pick(large, a * fused_polynomial(f * f, &SIN_PI), inverse * product);
    let below = R::pick(positive, R::pick(large, one, inverse), below * f.abs());
    let simple = positive & !large;
    let quotient = ln_quotient(R::pick(simple, product, one), below, R::pick(simple, inverse_lost, zero));

    let inverse = one / a;
    let tail = inverse.mul_add(fused_polynomial(inverse * inverse, &STIRLING), inverse.k(STIRLING_CONSTANT));
    let stirling = (a - 0.5).mul_add(ln_quotient(a, one, zero) - 1.0, tail);
    let value = quotient + R::pick(large, flip(stirling, x.bits()), zero);
    R::pick(f.equals(zero) & !positive, x.k(f64::INFINITY), value)
}
