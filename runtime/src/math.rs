//! The mathematical functions of kernels on the host, with the same bits.
//!
//! Rust's own `exp`, `sin` and `powf` are those of the platform's C library, and so differ from platform to platform.
//! These give what every device gives: of `f32` and `f16` the correctly rounded result, of `f64` one within a unit in
//! the last place, always the same. A twin of a kernel in plain Rust calls them.
//!
//! ```
//! use samebits::math::{exp, powf, sin};
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn waves(x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < x.len() && i < y.len() {
//!         y[i] = x[i].sin() * (-x[i]).exp();
//!     }
//! }
//!
//! let device = Device::best()?;
//! let x = [0.5f32, 1.0, 1e30];
//! let (buffer, mut y) = (device.upload(&x)?, device.zeros(3)?);
//! waves::launch(&device, 3, &buffer, &mut y)?;
//! assert_eq!(y.read()?, x.map(|x| sin(x) * exp(-x)));
//! assert_eq!(powf(2.0, 0.5f64), 2f64.sqrt());
//! # Ok::<(), Error>(())
//! ```

use samebits_ir::math::Math;
use samebits_ir::scalar;
use samebits_ir::types::Scalar;

/// A float that has the functions: `f32`, `f64` and, with the feature `f16`, `f16`.
///
/// ```
/// fn fading<T: samebits::math::Number + std::ops::Neg<Output = T>>(x: T) -> T {
///     samebits::math::exp(-x)
/// }
/// assert_eq!(fading(0.0f32), 1.0);
/// ```
pub trait Number: Copy + sealed::Bits {}

mod sealed {
    use samebits_ir::types::Scalar;

    /// The bits of a float, and its type.
    pub trait Bits {
        const TYPE: Scalar;
        fn bits(self) -> u64;
        fn of_bits(bits: u64) -> Self;
    }
}

macro_rules! numbers {
    ($($(#[$cfg:meta])* $float:ty, $scalar:ident, $bits:ty;)*) => {$(
        $(#[$cfg])*
        impl sealed::Bits for $float {
            const TYPE: Scalar = Scalar::$scalar;
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
        }
        $(#[$cfg])*
        impl Number for $float {}
    )*};
}
numbers! {
    f32, F32, u32;
    f64, F64, u64;
    #[cfg(feature = "f16")] half::f16, F16, u16;
}

/// A float that has the functions whose table has no form of 64 bits: `f32` and `f16`.
///
/// ```
/// assert_eq!(samebits::math::erf(0.0f32), 0.0);
/// ```
pub trait Small: Number {}

impl Small for f32 {}
#[cfg(feature = "f16")]
impl Small for half::f16 {}

fn apply<T: Number>(function: Math, a: T, b: u64) -> T {
    T::of_bits(scalar::math(function, T::TYPE, [a.bits(), b, 0, 0]))
}

macro_rules! functions {
    ($bound:ident: $($name:ident $function:ident $doc:literal $x:literal => $y:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// ```
        #[doc = concat!("assert_eq!(samebits::math::", stringify!($name), "(", $x, "f32), ", $y, ");")]
        /// ```
        pub fn $name<T: $bound>(x: T) -> T {
            apply(Math::$function, x, 0)
        }
    )*};
}
functions! { Number:
    exp Exp "`e` to the power of `x`." "0.0" => "1.0";
    exp2 Exp2 "2 to the power of `x`." "-2.0" => "0.25";
    exp10 Exp10 "10 to the power of `x`." "3.0" => "1000.0";
    exp_m1 ExpM1 "`e` to the power of `x`, less 1." "1e-20" => "1e-20";
    ln Ln "The natural logarithm." "1.0" => "0.0";
    log2 Log2 "The logarithm to base 2." "8.0" => "3.0";
    log10 Log10 "The logarithm to base 10." "1000.0" => "3.0";
    ln_1p Ln1p "The natural logarithm of `1 + x`." "1e-20" => "1e-20";
    sin Sin "The sine of an angle in radians." "1e-20" => "1e-20";
    cos Cos "The cosine of an angle in radians." "0.0" => "1.0";
    tan Tan "The tangent of an angle in radians." "0.0" => "0.0";
    sin_pi SinPi "The sine of `π x`." "0.5" => "1.0";
    cos_pi CosPi "The cosine of `π x`." "1.0" => "-1.0";
    tan_pi TanPi "The tangent of `π x`." "0.25" => "1.0";
    asin Asin "The angle of this sine." "1.0" => "std::f32::consts::FRAC_PI_2";
    acos Acos "The angle of this cosine." "-1.0" => "std::f32::consts::PI";
    atan Atan "The angle of this tangent." "1.0" => "std::f32::consts::FRAC_PI_4";
    sinh Sinh "The hyperbolic sine." "0.0" => "0.0";
    cosh Cosh "The hyperbolic cosine." "0.0" => "1.0";
    tanh Tanh "The hyperbolic tangent." "100.0" => "1.0";
    asinh Asinh "The number of this hyperbolic sine." "0.0" => "0.0";
    acosh Acosh "The number of this hyperbolic cosine." "1.0" => "0.0";
    atanh Atanh "The number of this hyperbolic tangent." "1.0" => "f32::INFINITY";
    cbrt Cbrt "The cube root." "-27.0" => "-3.0";
    rsqrt Rsqrt "1 over the square root, rounded once." "16.0" => "0.25";
}
functions! { Small:
    erf Erf "The error function." "10.0" => "1.0";
    erfc Erfc "1 less the error function." "0.0" => "1.0";
    tgamma Tgamma "The gamma function." "5.0" => "24.0";
    lgamma Lgamma "The natural logarithm of the magnitude of the gamma function." "2.0" => "0.0";
}

/// `x` to the power of `y`.
///
/// ```
/// assert_eq!(samebits::math::powf(9.0f32, 0.5), 3.0);
/// ```
pub fn powf<T: Number>(x: T, y: T) -> T {
    apply(Math::Powf, x, y.bits())
}

/// `x` to a whole power.
///
/// ```
/// assert_eq!(samebits::math::powi(2.0f32, -3), 0.125);
/// ```
pub fn powi<T: Number>(x: T, n: i32) -> T {
    apply(Math::Powi, x, u64::from(n as u32))
}

/// The angle of the point `(x, y)`.
///
/// ```
/// assert_eq!(samebits::math::atan2(1.0f32, 1.0), std::f32::consts::FRAC_PI_4);
/// ```
pub fn atan2<T: Number>(y: T, x: T) -> T {
    apply(Math::Atan2, y, x.bits())
}

/// The square root of `x * x + y * y`.
///
/// ```
/// assert_eq!(samebits::math::hypot(3.0f32, 4.0), 5.0);
/// ```
pub fn hypot<T: Number>(x: T, y: T) -> T {
    apply(Math::Hypot, x, y.bits())
}

/// The sine and the cosine of an angle in radians.
///
/// ```
/// assert_eq!(samebits::math::sin_cos(0.0f32), (0.0, 1.0));
/// ```
pub fn sin_cos<T: Number>(x: T) -> (T, T) {
    (sin(x), cos(x))
}
