//! Functions for `f64`. Each is one algorithm, which is frozen: where it fuses, it always does.
//!
//! Errors are the largest that were measured against MPFR, on millions of seeded arguments over all ranges and the hard
//! places of each function; results below the normal numbers are rounded twice.
//!
//! | function | largest error in units of the last place |
//! | --- | --- |
//! | `exp`, `exp2`, `exp10` | 0.584; subnormal results 0.751 |
//! | `exp_m1` | 0.571 |
//! | `ln`, `log2`, `log10`, `ln_1p` | 0.550, 0.582, 0.553, 0.557 |
//! | `powf`, `powi` | 0.586; subnormal results 0.750 |
//! | `sin`, `cos`, `tan` | 0.549, 0.550, 0.615 |
//! | `sin_pi`, `cos_pi`, `tan_pi` | 0.545, 0.545, 0.606; close to subnormal results 0.847 |
//! | `asin`, `acos`, `atan`, `atan2` | 0.626, 0.614, 0.592, 0.593; subnormal results 0.750 |
//! | `sinh`, `cosh`, `tanh` | 0.559, 0.528, 0.565 |
//! | `asinh`, `acosh`, `atanh` | 0.555, 0.554, 0.551 |
//! | `cbrt`, `rsqrt`, `hypot` | 0.501; subnormal results of `hypot` 0.750 |

mod angle;
mod circular;
mod constants;
mod exponential;
mod inverse;
mod logarithm;
mod pairs;
mod power;
mod reduction;
mod root;

pub use angle::{acos, asin, atan, atan2};
pub use circular::{cos, cos_pi, sin, sin_cos, sin_pi, tan, tan_pi};
pub use exponential::{cosh, exp, exp_m1, exp2, exp10, sinh, tanh};
pub use inverse::{acosh, asinh, atanh};
pub use logarithm::{ln, ln_1p, log2, log10};
pub use power::{powf, powi};
pub use root::{cbrt, hypot, rsqrt};
