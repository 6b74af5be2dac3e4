//! What functions of one number give for NaN and the ends of their domain, where their methods leave that open.
//!
//! The methods of these functions may compute anything from such arguments. What is right is chosen afterwards, in the
//! type of the argument: comparisons of `f32` are quicker than those of `f64`, and no NaN on the way has to have its right bits.

use super::{Math, Real, single};

/// What the method of a function leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// NaN, which gives itself.
    Nan,
    /// Also infinities, which give NaN.
    Finite,
    /// Also what is not between zero and infinity: zero gives negative infinity, infinity itself, and negative numbers NaN.
    Logarithm,
}

impl Math {
    /// What the method leaves open; `None` if it gives all results of `f16` and `f32` itself.
    pub(crate) const fn ends(self) -> Option<Ends> {
        Some(match self {
            Self::Exp
            | Self::Exp2
            | Self::Exp10
            | Self::ExpM1
            | Self::Atan
            | Self::Sinh
            | Self::Cosh
            | Self::Tanh
            | Self::Asinh
            | Self::Cbrt
            | Self::Erf
            | Self::Erfc => Ends::Nan,
            Self::Sin | Self::Cos | Self::Tan | Self::SinPi | Self::CosPi | Self::TanPi => Ends::Finite,
            Self::Ln | Self::Log2 | Self::Log10 => Ends::Logarithm,
            _ => return None,
        })
    }

    /// Whether the method may take a subnormal `f32` for a zero, because both have the same result.
    pub(crate) const fn may_flush(self) -> bool {
        matches!(self, Self::Exp | Self::Exp2 | Self::Exp10 | Self::Cosh | Self::Cos)
    }

    /// The result for an argument, if `y` is what the method gave.
    pub(crate) fn ended<R: Real>(self, x: R, y: R) -> R {
        match self.ends() {
            Some(Ends::Nan) => R::pick(x.is_nan(), x.k(f64::NAN), y),
            Some(Ends::Finite) => R::pick(x.abs().lt(x.k(f64::INFINITY)), y, x.k(f64::NAN)),
            Some(Ends::Logarithm) => single::with_ends(x, y),
            None => y,
        }
    }
}
