//! The table of the functions: what computes each.

use super::{Real, double, single};
use crate::types::Scalar;

/// The sine and the cosine of an angle of a type, with the bits that the functions give.
pub(crate) fn sin_cos<R: Real>(ty: Scalar, angle: R) -> (R, R) {
    if ty == Scalar::F64 {
        let (sine, cosine) = double::sin_cos(angle);
        return (sine * 1.0, cosine * 1.0);
    }
    let (sine, cosine) = single::sin_cos(angle);
    (Math::Sin.ended(angle, sine), Math::Cos.ended(angle, cosine))
}

macro_rules! define_functions {
    (
        one { $($one:ident = $one_name:ident,)* }
        two { $($two:ident = $two_name:ident,)* }
        narrow { $($narrow:ident = $narrow_name:ident,)* }
    ) => {
        /// A mathematical function.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "the op of the same name is documented")]
        pub enum Math { $($one,)* $($two,)* $($narrow,)* }

        impl Math {
            /// What the function gives for operands of a type as numbers; it is still to be rounded to the type.
            /// An operand that is missing counts as the first one.
            pub(crate) fn apply<R: Real>(self, ty: Scalar, args: &[R]) -> R {
                let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
                if ty == Scalar::F64 {
                    // The product makes a NaN canonical that was an operand.
                    return self.double(a, b) * 1.0;
                }
                self.ended(a, self.single(a, b))
            }

            /// What the method of `f16` and `f32` gives, which has still to be [`ended`](Self::ended).
            pub(crate) fn single<R: Real>(self, a: R, b: R) -> R {
                match self {
                    $(Self::$one => single::$one_name(a),)*
                    $(Self::$two => single::$two_name(a, b),)*
                    $(Self::$narrow => single::$narrow_name(a),)*
                }
            }

            fn double<R: Real>(self, a: R, b: R) -> R {
                match self {
                    $(Self::$one => double::$one_name(a),)*
                    $(Self::$two => double::$two_name(a, b),)*
                    // These have no form of 64 bits.
                    $(Self::$narrow)|* => a,
                }
            }
        }
    };
}

define_functions! {
    one {
        Exp = exp, Exp2 = exp2, Exp10 = exp10, ExpM1 = exp_m1, Ln = ln, Log2 = log2, Log10 = log10, Ln1p = ln_1p,
        Sin = sin, Cos = cos, Tan = tan, SinPi = sin_pi, CosPi = cos_pi, TanPi = tan_pi,
        Asin = asin, Acos = acos, Atan = atan,
        Sinh = sinh, Cosh = cosh, Tanh = tanh, Asinh = asinh, Acosh = acosh, Atanh = atanh,
        Cbrt = cbrt, Rsqrt = rsqrt,
    }
    two {
        Powf = powf, Powi = powi, Atan2 = atan2, Hypot = hypot,
    }
    narrow {
        Erf = erf, Erfc = erfc, Tgamma = tgamma, Lgamma = lgamma,
    }
}
