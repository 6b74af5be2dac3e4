//! What a value is, bit for bit, and the exact arithmetic that defines ops.
//!
//! A scalar is held in a `u64`: its bits zero-extended, `bool` as 0 or 1. Every function here
//! takes and returns values in that form and never panics. Folding, the interpreter and the
//! tests of the devices all call these functions, so each op has one meaning.
//!
//! Integers wrap; `x / 0` and `x % 0` are 0; shift counts are taken modulo the width. A float
//! result that is NaN is the canonical quiet NaN, except if an op only moves bits (`neg`,
//! `abs`, `copysign`).

pub mod bits;
pub mod float;
pub mod half;
pub mod int;
pub mod pack;

use crate::math::Math;
use crate::types::{Kind, Scalar, Type};

/// The bits of a value, one `u64` a lane; unused lanes are zero.
pub type Lanes = [u64; 4];

/// The bits of an op's operands in one lane; those that the op does not have are zero.
pub type Args = [u64; 4];

/// The bit pattern of the canonical `f32` NaN.
pub const NAN_F32: u32 = 0x7fc0_0000;

/// The bit pattern of the canonical `f64` NaN.
pub const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

/// The bits of a float type's canonical NaN.
pub const fn nan(ty: Scalar) -> Option<u64> {
    match ty {
        Scalar::F16 => Some(half::NAN_F16 as u64),
        Scalar::F32 => Some(NAN_F32 as u64),
        Scalar::F64 => Some(NAN_F64),
        _ => None,
    }
}

/// The bits as a signed number: sign-extended from the scalar's width.
///
/// ```
/// use samebits_ir::{scalar::signed, types::Scalar};
/// assert_eq!(signed(Scalar::I32, 0xffff_ffff), -1);
/// ```
pub const fn signed(ty: Scalar, bits: u64) -> i64 {
    let unused = 64 - ty.bits();
    ((bits << unused) as i64) >> unused
}

/// The bits as an `f32`.
pub fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The bits of an `f32` result: a NaN becomes the canonical one.
pub fn canonical_f32(value: f32) -> u64 {
    u64::from(if value.is_nan() { NAN_F32 } else { value.to_bits() })
}

/// The bits of an `f64` result: a NaN becomes the canonical one.
pub fn canonical_f64(value: f64) -> u64 {
    if value.is_nan() { NAN_F64 } else { value.to_bits() }
}

/// A float of any width as the same number.
pub(crate) fn number(ty: Scalar, bits: u64) -> f64 {
    match ty {
        Scalar::F16 => half::to_f64(bits as u16),
        Scalar::F32 => f32_of(bits).into(),
        _ => f64::from_bits(bits),
    }
}

/// The nearest float of a type.
fn rounded(ty: Scalar, value: f64) -> u64 {
    match ty {
        Scalar::F16 => half::from_f64(value).into(),
        Scalar::F32 => canonical_f32(value as f32),
        _ => canonical_f64(value),
    }
}

/// What a mathematical function gives. The second operand of `powi` is an `i32`.
pub fn math(function: Math, ty: Scalar, args: Args) -> u64 {
    let second = match function {
        Math::Powi => f64::from(args[1] as u32 as i32),
        _ => number(ty, args[1]),
    };
    rounded(ty, function.apply(ty, &[number(ty, args[0]), second]))
}

/// The float expression in the arithmetic of the type; `f16` by way of `f64`.
macro_rules! floats {
    ($ty:expr, $($arg:ident),* => $float:expr) => {
        match $ty {
            Scalar::F16 => {
                $(let $arg = half::to_f64($arg as u16);)*
                u64::from(half::from_f64($float))
            }
            Scalar::F32 => {
                $(let $arg = f32_of($arg);)*
                canonical_f32($float)
            }
            _ => {
                $(let $arg = f64::from_bits($arg);)*
                canonical_f64($float)
            }
        }
    };
}

/// Picks by the sort of `ty`: `$int` for integers and `bool`, `$float` for floats. The op
/// table admits no other type to the ops that use it.
macro_rules! arithmetic {
    ($(#[$doc:meta])* $name:ident($($arg:ident),*), int($ity:ident): $int:expr, float: $float:expr) => {
        $(#[$doc])*
        pub fn $name(ty: Scalar, args: Args) -> u64 {
            let [$($arg,)* ..] = args;
            if ty.is_float() {
                floats!(ty, $($arg),* => $float)
            } else {
                let $ity = ty;
                ($int) & ty.mask()
            }
        }
    };
    ($(#[$doc:meta])* $name:ident($($arg:ident),*), int($ity:ident): $int:expr) => {
        $(#[$doc])*
        pub fn $name($ity: Scalar, args: Args) -> u64 {
            let [$($arg,)* ..] = args;
            ($int) & $ity.mask()
        }
    };
    ($(#[$doc:meta])* $name:ident($($arg:ident),*), float: $float:expr) => {
        $(#[$doc])*
        pub fn $name(ty: Scalar, args: Args) -> u64 {
            let [$($arg,)* ..] = args;
            floats!(ty, $($arg),* => $float)
        }
    };
}

/// Picks the signed or the unsigned reading of integers.
macro_rules! by_sign {
    ($ty:expr, |$a:ident, $b:ident| $value:expr) => {
        if $ty.is_signed() {
            let ($a, $b) = (signed($ty, $a), signed($ty, $b));
            ($value) as u64
        } else {
            $value
        }
    };
}

arithmetic!(/** Sum. */ add(a, b), int(_ty): a.wrapping_add(b), float: a + b);
arithmetic!(/** Difference. */ sub(a, b), int(_ty): a.wrapping_sub(b), float: a - b);
arithmetic!(/** Product. */ mul(a, b), int(_ty): a.wrapping_mul(b), float: a * b);
arithmetic!(/** Quotient, truncated; 0 for a zero divisor. */ div(a, b),
    int(ty): if b == 0 { 0 } else { by_sign!(ty, |a, b| a.wrapping_div(b)) }, float: a / b);
arithmetic!(/** Remainder with the dividend's sign; 0 for a zero divisor. */ rem(a, b),
    int(ty): if b == 0 { 0 } else { by_sign!(ty, |a, b| a.wrapping_rem(b)) }, float: a % b);
arithmetic!(/** The lesser. */ min(a, b),
    int(ty): by_sign!(ty, |a, b| a.min(b)), float: lesser(a, b));
arithmetic!(/** The greater. */ max(a, b),
    int(ty): by_sign!(ty, |a, b| a.max(b)), float: -lesser(-a, -b));
arithmetic!(/** Absolute difference, as the unsigned number of the same width. */ abs_diff(a, b),
    int(ty): by_sign!(ty, |a, b| if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) }));
arithmetic!(/** `-1`, `0` or `1`; for floats 1.0 with the sign bit, NaN for NaN. */ sign(a),
    int(ty): signed(ty, a).signum() as u64, float: a.signum());
arithmetic!(/** Bitwise and. */ and(a, b), int(_ty): a & b);
arithmetic!(/** Bitwise or. */ or(a, b), int(_ty): a | b);
arithmetic!(/** Bitwise exclusive or. */ xor(a, b), int(_ty): a ^ b);
arithmetic!(/** Complement. */ not(a), int(_ty): !a);
arithmetic!(/** Left shift by the count modulo the width. */ shl(a, n),
    int(ty): a << (n & u64::from(ty.bits() - 1)));
arithmetic!(/** Right shift by the count modulo the width; arithmetic if signed. */ shr(a, n),
    int(ty): { let n = n & u64::from(ty.bits() - 1); if ty.is_signed() { (signed(ty, a) >> n) as u64 } else { a >> n } });
arithmetic!(/** Rotation towards the high bits. */ rotate_left(a, n),
    int(ty): { let (n, w) = (n % u64::from(ty.bits()), u64::from(ty.bits())); if n == 0 { a } else { a << n | a >> (w - n) } });
arithmetic!(/** Rotation towards the low bits. */ rotate_right(a, n),
    int(ty): { let (n, w) = (n % u64::from(ty.bits()), u64::from(ty.bits())); if n == 0 { a } else { a >> n | a << (w - n) } });
arithmetic!(/** The bits in reverse order. */ reverse_bits(a),
    int(ty): a.reverse_bits() >> (64 - ty.bits()));
arithmetic!(/** The bytes in reverse order. */ swap_bytes(a),
    int(ty): a.swap_bytes() >> (64 - ty.bits()));
arithmetic!(/** Square root; NaN below zero. */ sqrt(a), float: a.sqrt());
arithmetic!(/** Rounded towards negative infinity. */ floor(a), float: a.floor());
arithmetic!(/** Rounded towards positive infinity. */ ceil(a), float: a.ceil());
arithmetic!(/** Rounded towards zero. */ trunc(a), float: a.trunc());
arithmetic!(/** Rounded to nearest, halves to even. */ round_even(a), float: a.round_ties_even());
arithmetic!(/** Rounded to nearest, halves away from zero. */ round(a), float: a.round());

/// `a * b + c` with one rounding.
pub fn mul_add(ty: Scalar, [a, b, c, _]: Args) -> u64 {
    match ty {
        Scalar::F16 => half::mul_add(a as u16, b as u16, c as u16).into(),
        _ => floats!(ty, a, b, c => a.mul_add(b, c)),
    }
}

/// Two's complement negation; for floats a flip of the sign bit, also of NaN.
pub fn neg(ty: Scalar, args: Args) -> u64 {
    let bits = if ty.is_float() { args[0] ^ (1 << (ty.bits() - 1)) } else { args[0].wrapping_neg() };
    bits & ty.mask()
}

/// Absolute value (`MIN` stays `MIN`); for floats the sign bit cleared, also of NaN.
pub fn abs(ty: Scalar, args: Args) -> u64 {
    if ty.is_float() { args[0] & (ty.mask() >> 1) } else { signed(ty, args[0]).wrapping_abs() as u64 & ty.mask() }
}

/// The first operand's magnitude with the second's sign bit.
pub fn copysign(ty: Scalar, args: Args) -> u64 {
    let sign = 1 << (ty.bits() - 1);
    (args[0] & !sign) | (args[1] & sign)
}

/// The number of set bits.
pub fn count_ones(_: Scalar, args: Args) -> u64 {
    u64::from(args[0].count_ones())
}

/// The number of zero bits above the highest set bit; the width for zero.
pub fn leading_zeros(ty: Scalar, args: Args) -> u64 {
    u64::from(args[0].leading_zeros() - (64 - ty.bits()))
}

/// The number of zero bits below the lowest set bit; the width for zero.
pub fn trailing_zeros(ty: Scalar, args: Args) -> u64 {
    u64::from(args[0].trailing_zeros().min(ty.bits()))
}

/// Whether the bits are a NaN.
pub fn is_nan(ty: Scalar, args: Args) -> u64 {
    u64::from(number(ty, args[0]).is_nan())
}

/// Whether the bits are an infinity.
pub fn is_infinite(ty: Scalar, args: Args) -> u64 {
    u64::from(number(ty, args[0]).is_infinite())
}

/// Whether the bits are neither NaN nor an infinity.
pub fn is_finite(ty: Scalar, args: Args) -> u64 {
    u64::from(number(ty, args[0]).is_finite())
}

macro_rules! compare {
    ($($(#[$doc:meta])* $name:ident $op:tt,)*) => {$(
        $(#[$doc])*
        pub fn $name(ty: Scalar, args: Args) -> u64 {
            let [a, b, ..] = args;
            u64::from(match ty.kind() {
                Kind::Float => number(ty, a) $op number(ty, b),
                Kind::Signed => signed(ty, a) $op signed(ty, b),
                Kind::Unsigned | Kind::Bool => a $op b,
            })
        }
    )*};
}

compare! {
    /// Equal; false if either is NaN.
    eq ==,
    /// Not equal; true if either is NaN.
    ne !=,
    /// Less; false if either is NaN.
    lt <,
    /// Less or equal; false if either is NaN.
    le <=,
    /// Greater; false if either is NaN.
    gt >,
    /// Greater or equal; false if either is NaN.
    ge >=,
}

/// The lesser number; a NaN loses to a number, and `-0.0 < 0.0`.
fn lesser<T: Copy + Into<f64>>(a: T, b: T) -> T {
    let (x, y): (f64, f64) = (a.into(), b.into());
    if x.is_nan() {
        b
    } else if y.is_nan() || x < y || (x == y && x.is_sign_negative()) {
        a
    } else {
        b
    }
}

/// The meaning of a pair of types in a cast; see [`cast_rule`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastRule {
    /// Equal types: nothing changes.
    Identity,
    /// Both are integers or `bool`: the low bits, extended by the source's sign.
    Resize,
    /// To `bool`: whether any lane is not zero.
    Truth,
    /// Integer or `bool` to a vector: every lane the same.
    Splat,
    /// Vector to scalar or to a shorter vector: the first lanes.
    Lanes,
    /// A 64-bit integer to two `u32` lanes, low first.
    Split,
    /// The first two `u32` lanes to a 64-bit integer, low first.
    Join,
    /// Integer or `bool` to float, to nearest even.
    IntToFloat,
    /// Float to integer: towards zero, saturating, NaN to 0.
    FloatToInt,
    /// Float to float: to nearest even, a NaN becoming the canonical one.
    FloatToFloat,
}

/// What a cast between two types does, or `None` for a pair outside the table.
///
/// Besides the casts between the scalars of Rust these are the pairs of 32-bit
/// integers, `bool`, `u64` and the vectors of two and four `u32` lanes.
///
/// ```
/// use samebits_ir::{scalar::{cast_rule, CastRule}, types::Type};
/// assert_eq!(cast_rule(Type::U32, Type::VEC4_U32), Some(CastRule::Splat));
/// assert_eq!(cast_rule(Type::U64, Type::VEC4_U32), None);
/// ```
pub fn cast_rule(from: Type, to: Type) -> Option<CastRule> {
    use crate::types::Scalar as S;
    use Type::{Bytes, Scalar, Vector};
    Some(match (from, to) {
        (Scalar(_) | Vector(..) | Bytes, _) if from == to => CastRule::Identity,
        (Scalar(S::Bool | S::I32 | S::U32), Vector(S::U32, 2 | 4)) => CastRule::Splat,
        (Scalar(S::U64), Vector(S::U32, 2)) => CastRule::Split,
        (Vector(S::U32, 2 | 4), Scalar(S::U64)) => CastRule::Join,
        (Vector(S::U32, 2 | 4), Scalar(S::U32 | S::I32)) => CastRule::Lanes,
        (Vector(S::U32, 4), Vector(S::U32, 2)) => CastRule::Lanes,
        (Vector(S::U32, 2 | 4), Scalar(S::Bool)) => CastRule::Truth,
        (Scalar(a), Scalar(S::Bool)) if a.is_int() => CastRule::Truth,
        (Scalar(a), Scalar(b)) if (a.is_int() || a == S::Bool) && b.is_int() => CastRule::Resize,
        (Scalar(a), Scalar(b)) if a.is_int() && b.is_float() => CastRule::IntToFloat,
        (Scalar(a), Scalar(b)) if a.is_float() && b.is_int() => CastRule::FloatToInt,
        (Scalar(a), Scalar(b)) if a.is_float() && b.is_float() => CastRule::FloatToFloat,
        _ => return None,
    })
}

/// The value of a cast; `None` for a pair outside the table.
pub fn cast(from: Type, to: Type, value: Lanes) -> Option<Lanes> {
    let rule = cast_rule(from, to)?;
    let (Some(source), Some(target)) = (from.lane(), to.lane()) else { return Some(value) };
    let mut out = [0; 4];
    match rule {
        CastRule::Identity => return Some(value),
        CastRule::Resize => {
            let wide = if source.is_signed() { signed(source, value[0]) as u64 } else { value[0] };
            out[0] = wide & target.mask();
        }
        CastRule::Truth => out[0] = u64::from(value.iter().any(|&lane| lane != 0)),
        CastRule::Splat => out[..to.lanes()].fill(value[0]),
        CastRule::Lanes => out[..to.lanes()].copy_from_slice(&value[..to.lanes()]),
        CastRule::Split => out[..2].copy_from_slice(&[value[0] & 0xffff_ffff, value[0] >> 32]),
        CastRule::Join => out[0] = value[0] | value[1] << 32,
        CastRule::IntToFloat => {
            let bits = value[0];
            out[0] = match target {
                Scalar::F32 if source.is_signed() => (signed(source, bits) as f32).to_bits().into(),
                Scalar::F32 => (bits as f32).to_bits().into(),
                // What an `f64` rounds is an infinity as an `f16`.
                _ if source.is_signed() => rounded(target, signed(source, bits) as f64),
                _ => rounded(target, bits as f64),
            };
        }
        CastRule::FloatToInt => {
            let float = number(source, value[0]);
            out[0] = if target.is_signed() {
                let most = (target.mask() >> 1) as i64;
                (float as i64).clamp(-most - 1, most) as u64 & target.mask()
            } else {
                (float as u64).min(target.mask())
            };
        }
        CastRule::FloatToFloat => out[0] = rounded(target, number(source, value[0])),
    }
    Some(out)
}
