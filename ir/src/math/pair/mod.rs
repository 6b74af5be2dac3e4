//! Functions of `f32` over pairs of `f32`, for devices whose `f64` is computed in integers and whose sums and products
//! of `f32` are exact without tests.
//!
//! A pair is a number and a smaller one that is added to it: together they have about 44 bits. A function gives a pair whose
//! error is known, and [`rounded`] tells whether that decides which `f32` is nearest. If it does not, which happens to fewer
//! than one in a thousand arguments, or if the argument is out of the range of the method, the caller computes the function
//! in `f64`. So a result is correctly rounded either way, and has the bits that all other devices have.
//!
//! That no sure result is wrong was verified for all arguments, with steps that are fused and with steps that are not; the tests
//! do it again on request.

mod circular;
mod constants;
mod exponential;
mod logarithm;
#[cfg(test)]
pub(super) mod tests;

pub use logarithm::split;

use super::{Bits, Math, Real, polynomial};

/// A result, and whether it is the right one.
pub(crate) struct Sure<T, F> {
    pub value: T,
    pub sure: F,
}

impl Math {
    /// The function of an `f32` in pairs of them; `None` if it has no such form.
    pub(crate) fn in_pairs<R: Real>(self, x: R) -> Option<Sure<R, R::Flag>> {
        Some(match self {
            Self::Exp => exponential::exp(x),
            Self::Exp2 => exponential::exp2(x),
            Self::Exp10 => exponential::exp10(x),
            Self::Tanh => exponential::tanh(x),
            Self::Rsqrt => exponential::rsqrt(x),
            Self::Ln => logarithm::ln(x),
            Self::Log2 => logarithm::log2(x),
            Self::Log10 => logarithm::log10(x),
            Self::Sin => circular::sin(x),
            Self::Cos => circular::cos(x),
            _ => return None,
        })
    }
}

/// The sum of two numbers; the second one is at most of the size of the last bit of the first.
#[derive(Clone, Copy)]
struct Pair<R> {
    high: R,
    low: R,
}

/// A sum and the error of its rounding.
fn sum<R: Real>(a: R, b: R) -> Pair<R> {
    let high = a + b;
    let of_b = high - a;
    Pair { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// The same where the first number is zero or the larger one.
fn sum_of_larger<R: Real>(a: R, b: R) -> Pair<R> {
    let high = a + b;
    Pair { high, low: b - (high - a) }
}

/// A product and the error of its rounding, which must not underflow.
fn product<R: Real>(a: R, b: R) -> Pair<R> {
    let (high, low) = a.product(b);
    Pair { high, low }
}

impl<R: Real> Pair<R> {
    /// The product with another pair.
    fn times(self, other: Self) -> Self {
        let Self { high, low } = product(self.high, other.high);
        Self { high, low: self.low.step(other.high, self.high.step(other.low, low)) }
    }

    /// The square.
    fn square(self) -> Self {
        let Self { high, low } = product(self.high, self.high);
        Self { high, low: (self.high + self.high).step(self.low, low) }
    }

    /// The quotient by a pair, of which the inverse of the first number is given.
    fn over(self, other: Self, inverse: R) -> Self {
        let high = self.high * inverse;
        let Self { high: product, low } = product(high, other.high);
        let rest = (-high).step(other.low, ((self.high - product) - low) + self.low);
        Self { high, low: rest * inverse }
    }

    /// `self * x + c`, where `c` is larger than the product.
    fn wide_step(self, x: Self, c: Self) -> Self {
        let product = self.times(x);
        let Self { high, low } = sum_of_larger(c.high, product.high);
        Self { high, low: low + (product.low + c.low) }
    }
}

/// What `f32` keeps of a number, and what is left.
const fn halves(value: f64) -> [f64; 2] {
    let high = value as f32 as f64;
    [high, value - high]
}

/// A constant in both parts.
fn constant<R: Real>(beside: R, value: f64) -> Pair<R> {
    let [high, low] = halves(value).map(|part| beside.k(part));
    Pair { high, low }
}

/// The value of a polynomial, the lowest coefficient first. `plain` many of the highest are for powers so small that one
/// number is enough for their part.
fn polynomial_of_pair<R: Real>(x: Pair<R>, coefficients: &[f64], plain: usize) -> Pair<R> {
    let (wide, plain) = coefficients.split_at(coefficients.len() - plain);
    let start = Pair { high: polynomial(x.high, plain), low: x.high.k(0.0) };
    wide.iter().rev().fold(start, |sum, &c| sum.wide_step(x, constant(x.high, c)))
}

/// The nearest `f32`, if an error of `error` of the number cannot make it another one.
fn rounded<R: Real>(Pair { high, low }: Pair<R>, error: f64) -> Sure<R, R::Flag> {
    let bound = high * error;
    let value = high + (low + bound);
    Sure { value, sure: value.equals(high + (low - bound)) }
}

/// `x * 2^k`, with `k` in the low bits of `shifted`; the result must be a normal number, or the infinity of a 1.
fn scale<R: Real>(x: R, shifted: R) -> R {
    R::of_bits(x.bits() + (shifted.bits() << 23))
}

/// The nearest integer `k` to `x / unit` and `x - k * unit`: `k` in the low bits of a number and by itself, and the rest.
/// `unit` is given as `1 / unit` and in parts: all but the last one have so few bits that their products with `k` are exact.
fn reduce<R: Real>(x: R, [per_unit, parts @ ..]: [f64; 4]) -> (R, R, Pair<R>) {
    let shifted = x.step(x.k(per_unit), x.k(SHIFT));
    let k = shifted - SHIFT;
    // Exact: the difference has no more bits than `x`.
    let first = k.step(x.k(-parts[0]), x);
    let Pair { high, low } = sum(first, k * -parts[1]);
    (shifted, k, Pair { high, low: k.step(x.k(-parts[2]), low) })
}

/// 1.5 * 2^23: a sum with it has the nearest integer in its low bits.
const SHIFT: f64 = 12_582_912.0;
