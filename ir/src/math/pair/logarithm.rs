//! Logarithms.
//!
//! Method: `x = 2^k * m` with `m` around 1, and `ln m = 2 atanh(s)` with `s = (m - 1) / (m + 1)`, a pair. Its series in `s^2`
//! converges so fast that three terms are computed in pairs and the others in one number.

use super::constants::logarithm::*;
use super::{Pair, Real, Sure, polynomial_of_pair, rounded, sum_of_larger};

/// As many terms of the series are below 2^-16 of it.
const PLAIN: usize = 3;
/// Below it `m` is doubled: about the root of 1/2.
const LOW: u64 = 0x3f35_04f3;
const ONE: u64 = 0x3f80_0000;
const MANTISSA: u64 = (1 << 23) - 1;
/// The bits of 2^23, whose lowest bits are those of an integer that is added.
const BIG: u64 = 0x4b00_0000;
/// 2^23 and the bias of an exponent.
const BIG_AND_BIAS: f64 = 8_388_608.0 + 127.0;

/// `x = 2^k * m` as `k` with the bias of an exponent and `m - 1`, for positive finite normal numbers.
pub fn split<R: Real>(x: R) -> (R::Bits, R) {
    let shifted = x.bits() + (ONE - LOW);
    let m = R::of_bits((shifted & MANTISSA) + LOW);
    // Exact.
    (shifted >> 23, m - 1.0)
}

/// `k` and the logarithm of `m`, to the base that the coefficients are for.
fn parts<R: Real>(x: R, series: &[f64]) -> (R, Pair<R>) {
    let (biased, less) = split(x);
    let k = R::of_bits(biased | BIG) - BIG_AND_BIAS;
    let more = sum_of_larger(x.k(2.0), less);
    let s = Pair { high: less, low: x.k(0.0) }.over(more, x.k(1.0) / more.high);
    (k, s.times(polynomial_of_pair(s.square(), series, PLAIN)))
}

/// `k` times a constant of three parts, of which the first two give exact products, and a logarithm.
fn total<R: Real>(x: R, (k, ln): (R, Pair<R>), unit: [f64; 3]) -> Sure<R, R::Flag> {
    let first = sum_of_larger(k * unit[0], ln.high);
    let second = sum_of_larger(first.high, k * unit[1]);
    let low = (first.low + second.low) + k.step(k.k(unit[2]), ln.low);
    ended(x, Pair { high: second.high, low })
}

/// Arguments that have no finite logarithm, and subnormal ones, are for the caller.
fn ended<R: Real>(x: R, y: Pair<R>) -> Sure<R, R::Flag> {
    let Sure { value, sure } = rounded(y, LN_ERROR);
    let least = x.k(f64::from(f32::MIN_POSITIVE));
    Sure { value, sure: sure & least.le(x) & x.lt(x.k(f64::INFINITY)) }
}

/// The natural logarithm.
pub(super) fn ln<R: Real>(x: R) -> Sure<R, R::Flag> {
    total(x, parts(x, &LN), LN_UNIT)
}

/// The logarithm to base 2.
pub(super) fn log2<R: Real>(x: R) -> Sure<R, R::Flag> {
    let (k, log) = parts(x, &LOG2);
    let Pair { high, low } = sum_of_larger(k, log.high);
    ended(x, Pair { high, low: low + log.low })
}

/// The logarithm to base 10.
pub(super) fn log10<R: Real>(x: R) -> Sure<R, R::Flag> {
    total(x, parts(x, &LOG10), LOG10_UNIT)
}
