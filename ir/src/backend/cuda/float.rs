//! Floats: bits in words, and intrinsics that round as their names say.
//!
//! `a * b + c` in C may become one instruction with one rounding; `__fmul_rn` and
//! `__fadd_rn` may not. Division and square root have intrinsics that are correctly
//! rounded whatever the flags; `fmodf` and `fmod` have no error. The NaN of the hardware is
//! not the canonical one.
//!
//! An `f16` is computed in `f32` and rounded again, which is the same as rounding once:
//! 24 bits are twice 11 and two. The fused product and sum alone needs more: its sum in
//! `f64` is rounded to odd, and then to the result.

use super::code::{Code, c_type};
use super::library::{call, words};
use crate::ops::Op;
use crate::scalar;
use crate::soft::Routine;
use crate::types::Scalar;

/// A float type.
#[derive(Clone, Copy)]
pub(super) struct Float {
    scalar: Scalar,
}

impl Float {
    pub const fn new(scalar: Scalar) -> Self {
        Self { scalar }
    }

    const fn double(self) -> bool {
        matches!(self.scalar, Scalar::F64)
    }

    /// The suffix of C's literals of the type of the bits.
    const fn suffix(self) -> &'static str {
        if self.double() { "ull" } else { "u" }
    }

    const fn sign(self) -> u64 {
        1 << (self.scalar.bits() - 1)
    }

    /// The bits of infinity.
    const fn infinity(self) -> u64 {
        match self.scalar {
            Scalar::F16 => 0x7c00,
            Scalar::F64 => 0x7ff0_0000_0000_0000,
            _ => 0x7f80_0000,
        }
    }

    fn nan(self) -> String {
        format!("0x{:x}{}", scalar::nan(self.scalar).unwrap_or_default(), self.suffix())
    }

    /// The number as C's `float` or `double`.
    pub fn value(self, code: &mut Code, bits: &str) -> String {
        match self.scalar {
            Scalar::F16 => format!("__uint_as_float({})", f16_to_f32(code, bits)),
            Scalar::F64 => format!("__longlong_as_double((long long){bits})"),
            _ => format!("__uint_as_float({bits})"),
        }
    }

    /// The bits of C's `float` or `double`.
    pub fn bits(self, code: &mut Code, value: &str) -> String {
        let read = if self.double() { "(sb_u64)__double_as_longlong" } else { "__float_as_uint" };
        match self.scalar {
            Scalar::F16 => f32_to_f16(code, &format!("{read}({value})")),
            _ => format!("{read}({value})"),
        }
    }

    /// The bits, or those of the canonical NaN.
    pub fn canonical(self, code: &mut Code, bits: &str) -> String {
        let ty = c_type(self.scalar);
        let name = code.function(format!("sb_canonical_{}", self.scalar.name()), ty, &format!("{ty} a"), |_| {
            format!("return {} ? {} : a;", self.is_nan("a"), self.nan())
        });
        format!("{name}({bits})")
    }

    /// Whether C's own form of an op may give another NaN than the canonical one.
    pub const fn gives_a_nan(self, op: Op) -> bool {
        matches!(self.scalar, Scalar::F32 | Scalar::F64) && !matches!(op, Op::Min | Op::Max)
    }

    /// Calls C's function of this name: its first form for `float`, its second for `double`.
    pub fn call(self, code: &mut Code, names: [&str; 2], args: &[&str]) -> String {
        let values: Vec<String> = args.iter().map(|bits| self.value(code, bits)).collect();
        let call = format!("{}({})", names[usize::from(self.double())], values.join(", "));
        self.bits(code, &call)
    }

    /// `a * b + c` with one rounding.
    pub fn mul_add(self, code: &mut Code, args: &[&str]) -> String {
        if self.scalar == Scalar::F16 {
            return format!("{}({})", f16_mul_add(code), args.join(", "));
        }
        self.call(code, ["__fmaf_rn", "__fma_rn"], args)
    }

    /// The lesser or the greater, by integers: a NaN loses, and -0.0 is below 0.0.
    pub fn extreme(self, code: &mut Code, greatest: bool, a: &str, b: &str) -> String {
        let (what, sign) = if greatest { ("max", '>') } else { ("min", '<') };
        let ty = c_type(self.scalar);
        let name = format!("sb_{what}_{}", self.scalar.name());
        let name = code.function(name, ty, &format!("{ty} a, {ty} b"), |_| {
            let (a, b, nan) = (self.is_nan("a"), self.is_nan("b"), self.nan());
            let (left, right) = (self.ordered("a"), self.ordered("b"));
            format!("if ({a}) return {b} ? {nan} : b;\nif ({b}) return a;\nreturn {left} {sign} {right} ? a : b;")
        });
        format!("{name}({a}, {b})")
    }

    /// The bits as a signed integer that compares like the number.
    fn ordered(self, a: &str) -> String {
        match self.scalar {
            Scalar::F16 => format!("(int)({a} << 16 ^ (sb_u32)((int)({a} << 16) >> 31) >> 1)"),
            Scalar::F64 => format!("(long long)({a} ^ (sb_u64)((long long){a} >> 63) >> 1)"),
            _ => format!("(int)({a} ^ (sb_u32)((int){a} >> 31) >> 1)"),
        }
    }

    /// The bits without the sign.
    pub fn magnitude(self, a: &str) -> String {
        format!("{a} & 0x{:x}{}", self.sign() - 1, self.suffix())
    }

    /// The bits with the sign flipped.
    pub fn negate(self, a: &str) -> String {
        format!("{a} ^ 0x{:x}{}", self.sign(), self.suffix())
    }

    /// The first operand's magnitude with the second's sign.
    pub fn copy_sign(self, a: &str, b: &str) -> String {
        format!("{} | {b} & 0x{:x}{}", self.magnitude(a), self.sign(), self.suffix())
    }

    /// How the magnitude compares with infinity, as a `bool`.
    fn against_infinity(self, sign: &str, a: &str) -> String {
        format!("({}) {sign} 0x{:x}{}", self.magnitude(a), self.infinity(), self.suffix())
    }

    /// Whether the bits are a NaN.
    pub fn is_nan(self, a: &str) -> String {
        self.against_infinity(">", a)
    }

    /// Whether the bits are an infinity.
    pub fn is_infinite(self, a: &str) -> String {
        self.against_infinity("==", a)
    }

    /// Whether the bits are a number.
    pub fn is_finite(self, a: &str) -> String {
        self.against_infinity("<", a)
    }
}

/// The bits of the `f32` that an `f16` is.
pub(super) fn f16_to_f32(code: &mut Code, bits: &str) -> String {
    call(code, Routine::F16ToF32, &[bits.to_owned()])
}

/// The bits of the `f16` nearest to an `f32`.
pub(super) fn f32_to_f16(code: &mut Code, bits: &str) -> String {
    call(code, Routine::F32ToF16, &[bits.to_owned()])
}

/// The bits of the `f16` nearest to an `f64`.
pub(super) fn f64_to_f16(code: &mut Code, bits: &str) -> String {
    call(code, Routine::F64ToF16, &words(Scalar::F64, bits))
}

/// The helper for the fused product and sum of `f16`s. The product is exact in `f64`. Of
/// the sum, what was rounded off is found exactly; if there is any, the last bit is made
/// odd on the side where the exact sum lies, so that rounding again sees that it was there.
fn f16_mul_add(code: &mut Code) -> String {
    code.function("sb_fma_f16".to_owned(), "sb_u32", "sb_u32 a, sb_u32 b, sb_u32 c", |code| {
        let narrow = f64_to_f16(code, "bits");
        let mut read = |name: &str| format!("(double){}", Float::new(Scalar::F16).value(code, name));
        let (a, b, c) = (read("a"), read("b"), read("c"));
        format!(
            "double p = __dmul_rn({a}, {b}), z = {c};\n\
             double sum = __dadd_rn(p, z), part = __dsub_rn(sum, p);\n\
             double lost = __dadd_rn(__dsub_rn(p, __dsub_rn(sum, part)), __dsub_rn(z, part));\n\
             sb_u64 bits = (sb_u64)__double_as_longlong(sum);\n\
             bool number = (bits & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;\n\
             if (number && lost != 0.0 && (bits & 1ull) == 0ull) bits += (lost > 0.0) == (sum > 0.0) ? 1ull : ~0ull;\n\
             return {narrow};"
        )
    })
}
