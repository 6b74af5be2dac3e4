//! Conversions.
//!
//! Whether a float fits an integer is decided before the conversion, because C and the hardware
//! disagree about those that do not fit.

use super::code::{Code, c_type};
use super::float::Float;
use super::int::Int;
use super::library;
use crate::scalar::{CastRule, cast_rule};
use crate::soft::plan::{Native, Way};
use crate::types::{Kind, Scalar, Type};

/// The lanes of a value converted to another type.
pub(super) fn cast(code: &mut Code, from: Type, to: Type, lanes: &[String]) -> Vec<String> {
    let (Some(rule), Some(source), Some(target)) = (cast_rule(from, to), from.lane(), to.lane()) else {
        return lanes.to_vec();
    };
    let first = lanes.first().cloned().unwrap_or_default();
    match rule {
        CastRule::Identity => lanes.to_vec(),
        CastRule::Resize => vec![resize(code, source, target, &first)],
        CastRule::Truth => {
            let tests: Vec<String> = lanes.iter().map(|lane| format!("{lane} != 0")).collect();
            vec![tests.join(" || ")]
        }
        CastRule::Splat => vec![format!("(sb_u32){first}"); to.lanes()],
        CastRule::Lanes => lanes[..to.lanes().min(lanes.len())].to_vec(),
        CastRule::Split => vec![format!("(sb_u32){first}"), format!("(sb_u32)({first} >> 32)")],
        CastRule::Join => match lanes {
            [low, high, ..] => vec![format!("(sb_u64){high} << 32 | (sb_u64){low}")],
            _ => lanes.to_vec(),
        },
        CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat => {
            vec![convert(code, source, target, &first)]
        }
    }
}

/// From a float or to one.
fn convert(code: &mut Code, source: Scalar, target: Scalar, value: &str) -> String {
    match Native::CUDA.cast(source, target) {
        Way::Routine(routine) => library::call(code, routine, &library::words(source, value)),
        // An integer that is infinite as an `f16` is rounded to `f32` without harm.
        Way::Widened => {
            let single = convert(code, source, Scalar::F32, value);
            convert(code, Scalar::F32, target, &single)
        }
        _ if source.is_int() => int_to_float(source, target, value),
        _ if target.is_int() => float_to_int(code, source, target, value),
        _ => float_to_float(code, source, target, value),
    }
}

/// The low bits, extended by the source's sign.
fn resize(code: &mut Code, source: Scalar, target: Scalar, value: &str) -> String {
    let wide = target.bits() == 64;
    let extended = match source.kind() {
        Kind::Signed if source.bits() < target.bits() => Int::new(source).extend_opaque(code, value),
        Kind::Signed | Kind::Unsigned | Kind::Float | Kind::Bool => value.to_owned(),
    };
    let ty = c_type(target);
    let converted = match (source.kind(), wide) {
        (Kind::Signed, true) if source.bits() < 64 => format!("({ty})(long long){extended}"),
        _ if extended == value && c_type(source) == ty => extended,
        _ => format!("({ty}){extended}"),
    };
    let needed = target.bits() < source.bits() || source.is_signed() && target.bits() < 32;
    if needed { Int::new(target).cut(&converted) } else { converted }
}

/// The name of an integer's C type in the names of intrinsics.
fn intrinsic_name(scalar: Scalar) -> &'static str {
    match (scalar.is_signed(), scalar.bits() == 64) {
        (true, true) => "ll",
        (true, false) => "int",
        (false, true) => "ull",
        (false, false) => "uint",
    }
}

fn int_to_float(source: Scalar, target: Scalar, value: &str) -> String {
    let letter = intrinsic_name(source);
    let number = Int::new(source).ordered(value);
    match target {
        Scalar::F64 => format!("(sb_u64)__double_as_longlong(__{letter}2double_rn({number}))"),
        _ => format!("__float_as_uint(__{letter}2float_rn({number}))"),
    }
}

/// Towards zero, saturating, NaN to 0.
fn float_to_int(code: &mut Code, source: Scalar, target: Scalar, value: &str) -> String {
    let (float, ty) = (Float::new(source), c_type(target));
    let double = source == Scalar::F64;
    let c = if double { "double" } else { "float" };
    let name = format!("sb_{}_to_{}", if double { "f64" } else { "f32" }, target.name());
    let name = code.function(name, ty, &format!("{c} x"), |_| {
        let (least, greatest) = target.limits();
        let mask = i128::from(target.mask());
        let suffix = if ty == "sb_u64" { "ull" } else { "u" };
        // Powers of two, so that both are exact in either type.
        let power = if target.is_signed() { target.bits() - 1 } else { target.bits() };
        let number = |exponent: u32| format!("{}.0{}", 1u128 << exponent, if double { "" } else { "f" });
        let intrinsic = format!("__{c}2{}_rz", intrinsic_name(target));
        // The comparison is false for NaN, too.
        let below = if target.is_signed() {
            format!("if (!(x >= -{0})) return x < -{0} ? 0x{1:x}{suffix} : 0{suffix};", number(power), least & mask)
        } else {
            format!("if (!(x >= ({c})0)) return 0{suffix};")
        };
        let converted = Int::new(target).cut(&format!("({ty}){intrinsic}(x)"));
        format!("{below}\nif (x >= {}) return 0x{greatest:x}{suffix};\nreturn {converted};", number(power))
    });
    let number = float.value(code, value);
    format!("{name}({number})")
}

/// Between `f32` and `f64`.
fn float_to_float(code: &mut Code, source: Scalar, target: Scalar, value: &str) -> String {
    let (from, result) = (Float::new(source), Float::new(target));
    let number = from.value(code, value);
    let c = if target == Scalar::F64 { format!("(double){number}") } else { format!("__double2float_rn({number})") };
    result.bits(code, &c)
}
