//! What mathematical functions give: CORE-MATH's, which are correctly rounded and share nothing with ours.
//!
//! Where the table promises less than correct rounding, what CORE-MATH gives cannot be expected bit for bit. There
//! ours is expected if it is within a unit in the last place of it. So the host's value is judged, and all devices are held
//! to the host's bits.

use super::float::{arithmetic_32, arithmetic_64, nearest_half};
use half::f16;
use samebits_ir::ops::{FloatClass, Op};
use samebits_ir::types::{Scalar, Type};

/// One lane of a mathematical op.
pub fn expect(op: Op, ty: Scalar, args: [u64; 4]) -> Option<u64> {
    let rounded = match ty {
        Scalar::F16 => {
            let [a, b, ..] = args.map(|bits| quiet(f64::from(f16::from_bits(bits as u16))));
            let b = if op == Op::Powi { power(args) } else { b };
            // A result of `f64` that is rounded once more is right unless it is halfway between two `f16`s and
            // was not so before. The test against MPFR knows better.
            nearest_half(double(op, a, b).or_else(|| single(op, a as f32, b as f32).map(f64::from))?)
        }
        Scalar::F32 => {
            let [a, b, ..] = args.map(|bits| quiet(f32::from_bits(bits as u32)));
            arithmetic_32(match op {
                Op::Powi => core_math::pow(a.into(), power(args)) as f32,
                _ => single(op, a, b)?,
            })
        }
        Scalar::F64 => {
            let [a, b, ..] = args.map(|bits| quiet(f64::from_bits(bits)));
            arithmetic_64(double(op, a, if op == Op::Powi { power(args) } else { b })?)
        }
        _ => return None,
    };
    let is_exact = op.info().float == FloatClass::Library && ty != Scalar::F64;
    if is_exact {
        return Some(rounded);
    }
    let second = if op == Op::Powi { Scalar::I32 } else { ty };
    let types = [Type::Scalar(ty), Type::Scalar(second)];
    let count = op.info().signature.arity().0;
    let lanes = args.map(|bits| [bits, 0, 0, 0]);
    let ours = op.eval(&types[..count], Type::Scalar(ty), &lanes[..count])[0];
    Some(if is_near(ty, ours, rounded) { ours } else { rounded })
}

/// A NaN as the quiet one: C's functions tell them apart, and no op does.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
fn quiet<T: Copy + PartialEq + From<f32>>(x: T) -> T {
    if x == x { x } else { T::from(f32::NAN) }
}

/// The second operand of `powi`.
fn power(args: [u64; 4]) -> f64 {
    f64::from(args[1] as u32 as i32)
}

/// Whether two results are the same number or neighbours.
fn is_near(ty: Scalar, ours: u64, right: u64) -> bool {
    let magnitude = ty.mask() >> 1;
    ours == right || (ours ^ right) & !magnitude == 0 && ours.abs_diff(right) <= 1
}

macro_rules! functions {
    ($name:ident $float:ident: $($op:ident $function:ident),*; $($two:ident $of_two:ident),*) => {
        fn $name(op: Op, a: $float, b: $float) -> Option<$float> {
            Some(match op {
                $(Op::$op => core_math::$function(a),)*
                $(Op::$two => core_math::$of_two(a, b),)*
                _ => return None,
            })
        }
    };
}
functions! {
    single f32:
    Exp expf, Exp2 exp2f, Exp10 exp10f, ExpM1 expm1f, Ln logf, Log2 log2f, Log10 log10f, Ln1p log1pf, Sin sinf, Cos cosf,
    Tan tanf, SinPi sinpif, CosPi cospif, TanPi tanpif, Asin asinf, Acos acosf, Atan atanf, Sinh sinhf, Cosh coshf,
    Tanh tanhf, Asinh asinhf, Acosh acoshf, Atanh atanhf, Cbrt cbrtf, Rsqrt rsqrtf, Erf erff, Erfc erfcf,
    Tgamma tgammaf, Lgamma lgammaf;
    Powf powf, Atan2 atan2f, Hypot hypotf
}
functions! {
    double f64:
    Exp exp, Exp2 exp2, Exp10 exp10, ExpM1 expm1, Ln log, Log2 log2, Log10 log10, Ln1p log1p, Sin sin, Cos cos, Tan tan,
    SinPi sinpi, CosPi cospi, TanPi tanpi, Asin asin, Acos acos, Atan atan, Sinh sinh, Cosh cosh, Tanh tanh,
    Asinh asinh, Acosh acosh, Atanh atanh, Cbrt cbrt, Rsqrt rsqrt, Erf erf, Erfc erfc;
    Powf pow, Powi pow, Atan2 atan2, Hypot hypot
}
