//! Functions for `f16` and `f32`: of a number that was widened, and still to be rounded.

mod angle;
mod circular;
mod constants;
mod exponential;
mod gamma;
mod logarithm;
mod power;
mod power_wide;

pub use angle::{acos, asin, atan, atan2};
pub use circular::{cos, cos_pi, sin, sin_cos, sin_pi, tan, tan_pi};
pub use exponential::{cbrt, cosh, exp, exp_m1, exp2, exp10, hypot, rsqrt, sinh, tanh};
pub use gamma::{erf, erfc, lgamma, tgamma};
pub use logarithm::{acosh, asinh, atanh, ln, ln_1p, log2, log10, with_ends};
pub use power::{powf, powi};
