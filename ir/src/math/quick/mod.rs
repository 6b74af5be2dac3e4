//! Logarithms of `f32` over `f64` with fewer terms than [`single`](super::single) has.
//!
//! Nearly all arguments have a result that is far from the middle of two `f32`. For these, far fewer bits than `f64` has are
//! enough, and the method of `single` is left to the others, which are one in some thousand. The method is the same, with a shorter
//! polynomial, and nothing is computed in two parts. The argument is taken apart in `f32`, which is quicker, so subnormal numbers are
//! left to the other method, too: one test of its bits tells normal numbers above zero from all others.
//!
//! That no sure result is wrong was verified for all arguments, with steps that are fused and with steps that are not. On
//! request the tests here do the latter again, and those of whole functions as native code the former.

mod constants;
#[cfg(test)]
mod tests;

use super::{Bits, Math, Real, Sure, pair, polynomial};
use constants::logarithm::*;

/// Results are off by less, in units of the last place.
const ERROR: u32 = 3 << 14;
/// The bits of the least `f32` that is normal, and how many there are up to infinity.
const NORMAL: [u32; 2] = [0x0080_0000, 0x7f00_0000];
/// The bits of 2^52, whose lowest bits are those of an integer that is added.
const BIG: u64 = 0x4330 << 48;
/// 2^52 and the bias of an exponent of `f32`.
const BIG_AND_BIAS: f64 = 4_503_599_627_370_496.0 + 127.0;
/// So many bits an `f32` has not. Of a middle between two, only the highest of them is set.
const REST: u32 = 29;
const MIDDLE: u32 = 1 << (REST - 1);

/// A function that has such a form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quick {
    Ln,
    Log2,
    Log10,
}

impl Quick {
    /// The form of a function, if it has one.
    pub const fn of(function: Math) -> Option<Self> {
        match function {
            Math::Ln => Some(Self::Ln),
            Math::Log2 => Some(Self::Log2),
            Math::Log10 => Some(Self::Log10),
            _ => None,
        }
    }

    /// What of an `f32` [`apply`](Self::apply) computes from, if it can: a biased exponent and a rest.
    pub fn reduced<N: Real>(x: N) -> Sure<(N::Bits, N), N::Flag> {
        let [first, count] = NORMAL;
        Sure { value: pair::split(x), sure: x.bits().low_bits_among(32, first, count) }
    }

    /// The function of a reduced argument, to be rounded to `f32`. An exponent becomes a number by a sum of `f64`, which
    /// is quicker than a conversion.
    pub fn apply<R: Real>(self, exponent: R::Bits, r: R) -> Sure<R, R::Flag> {
        let k = R::of_bits(exponent | BIG) - BIG_AND_BIAS;
        let (q, head) = match self {
            Self::Ln => (&LN, k.step(k.k(LN_2), r)),
            Self::Log2 => (&LOG2, r.step(r.k(PER_LN_2), k)),
            Self::Log10 => (&LOG10, r.step(r.k(PER_LN_10), k * LOG10_2)),
        };
        let value = (r * r).step(polynomial(r, q), head);
        let is_near_middle = value.bits().low_bits_among(REST, MIDDLE - ERROR, 2 * ERROR);
        Sure { value, sure: !is_near_middle }
    }
}
