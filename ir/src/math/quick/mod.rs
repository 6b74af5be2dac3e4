//! Logarithms of `f32` over `f64` with fewer terms than [`single`](super::single) has.
//!
//! Nearly all arguments have a result that is far from the middle of two `f32`. For these, far fewer bits than `f64` has are
//! enough, and the method of `single` is left to the others, which are one in some thousand. The method is the same, with a shorter
//! polynomial, and nothing is computed in two parts. The argument is taken apart in `f32`, which is quicker, so subnormal numbers are
//! left to the other method, too.
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

    /// An argument as the numbers of its type from which [`apply`](Self::apply) computes, if it can.
    pub fn reduced<N: Real>(x: N) -> Sure<[N; 2], N::Flag> {
        let least = x.k(f64::from(f32::MIN_POSITIVE));
        Sure { value: pair::split(x), sure: least.le(x) & x.lt(x.k(f64::INFINITY)) }
    }

    /// The function of a reduced argument, to be rounded to `f32`.
    pub fn apply<R: Real>(self, [k, r]: [R; 2]) -> Sure<R, R::Flag> {
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
