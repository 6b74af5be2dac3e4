//! Library functions: the arithmetic that a target lacks, as IR.
//!
//! A [`Routine`] is an ordinary function of the IR on `u32` words and conditions, recorded
//! once when somebody first asks for it. It is written as arithmetic, by Rust functions on
//! handles (`handle.rs`). Its row in the table says which op or cast it is on which type, and
//! whether it is called or written in place. [`plan`] decides where a target uses it.
//!
//! What holds of each routine, so that a back end can write it as it stands:
//!
//! - Its parameters and results are words and conditions. A value of 64 bits is two words,
//!   low first; what is narrower than a word is zero-extended.
//! - Its instructions are ops on these, calls of routines that stand in the table too, and
//!   loops that end by a `break` in an `if` without results.
//! - The count of each shift is below 32, and no divisor is zero. No guard is needed.
//!
//! A function of mathematics has its place here: its Rust function, and a row.

mod double;
mod double_bits;
mod half;
mod handle;
pub mod plan;
mod single;
#[cfg(test)]
mod tests;
mod wide;

use crate::ir::{Function, InstKind, Module};
use crate::ops::Op;
use crate::types::Scalar::{self, *};
use crate::types::Types;
use handle::{Recorder, Wide};
use single::Rounding;
use std::sync::OnceLock;

/// How a routine is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// It is a function of the target, made once.
    Called,
    /// It is written wherever it is used, since it is short or calls another one.
    InPlace,
}

/// What a routine computes, for one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// An op whose leading operand has this type.
    Op(Op, Scalar),
    /// A conversion.
    Cast(Scalar, Scalar),
}

/// What the table says about a routine.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The frozen number.
    pub number: u16,
    /// The name, which is also that of the recorded function.
    pub name: &'static str,
    /// Whether it is called.
    pub form: Form,
    /// What it computes; nothing for one that only others use.
    pub meanings: &'static [Meaning],
    /// One sentence of documentation.
    pub doc: &'static str,
}

macro_rules! define_routines {
    ($($name:ident = $number:literal, $text:literal, $form:ident, [$($kind:ident($($of:ident),*)),*], $body:expr, $doc:literal;)*) => {
        /// A library function; [`Routine::info`] gives its row of the table.
        ///
        /// ```
        /// use samebits_ir::{ops::Op, soft::Routine, types::Scalar};
        /// let sum = Routine::of_op(Op::Add, Scalar::F64).ok_or("a sum")?;
        /// assert_eq!(sum.info().name, "f64_add");
        /// // Each operand is two words, and so is the result.
        /// assert_eq!((sum.function().params.len(), sum.function().results.len()), (4, 2));
        /// # Ok::<(), &str>(())
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Routine { $(#[doc = $doc] $name,)* }

        impl Routine {
            /// Every routine, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The routine's row.
            pub const fn info(self) -> &'static Info {
                match self {$(
                    Self::$name => const { &Info {
                        number: $number,
                        name: $text,
                        form: Form::$form,
                        meanings: &[$(define_routines!(@$kind $($of),*)),*],
                        doc: $doc,
                    } },
                )*}
            }

            fn record(self) -> Function {
                let recorder = Recorder::new(self.info().name);
                match self {
                    $(Self::$name => recorder.record($body),)*
                }
                recorder.finish()
            }
        }
    };
    (@Cast $from:ident, $to:ident) => { Meaning::Cast($from, $to) };
    (@$op:ident $scalar:ident) => { Meaning::Op(Op::$op, $scalar) };
}

define_routines! {
    F32Add = 1, "f32_add", InPlace, [Add(F32)], single::sum, "The sum.";
    F32Sub = 2, "f32_sub", InPlace, [Sub(F32)], single::difference, "The difference.";
    F32Mul = 3, "f32_mul", InPlace, [Mul(F32)], single::product, "The product.";
    F32Div = 4, "f32_div", Called, [Div(F32)], single::quotient, "The quotient.";
    F32Rem = 5, "f32_rem", Called, [Rem(F32)], single::remainder, "The remainder with the dividend's sign.";
    F32Sqrt = 6, "f32_sqrt", Called, [Sqrt(F32)], single::root, "The square root.";
    F32MulAdd = 7, "f32_mul_add", Called, [MulAdd(F32)], single::mul_add, "`a * b + c` with one rounding.";
    F32MulAddOdd = 8, "f32_mul_add_odd", Called, [], single::mul_add_odd, "`a * b + c` of numbers that are `f16`s, rounded to odd.";
    F32Neg = 9, "f32_neg", InPlace, [Neg(F32)], single::negated, "The sign bit flipped.";
    F32Abs = 10, "f32_abs", InPlace, [Abs(F32)], single::absolute, "The sign bit cleared.";
    F32CopySign = 11, "f32_copysign", InPlace, [CopySign(F32)], single::copy_sign, "The first operand's magnitude with the second's sign.";
    F32Min = 12, "f32_min", InPlace, [Min(F32)], single::least, "The lesser number.";
    F32Max = 13, "f32_max", InPlace, [Max(F32)], single::greatest, "The greater number.";
    F32Floor = 14, "f32_floor", InPlace, [Floor(F32)], |a| single::whole(a, Rounding::Down), "Rounded down.";
    F32Ceil = 15, "f32_ceil", InPlace, [Ceil(F32)], |a| single::whole(a, Rounding::Up), "Rounded up.";
    F32Trunc = 16, "f32_trunc", InPlace, [Trunc(F32)], |a| single::whole(a, Rounding::TowardsZero), "Rounded towards zero.";
    F32RoundEven = 17, "f32_round_even", InPlace, [RoundEven(F32)], |a| single::whole(a, Rounding::HalfToEven), "Rounded to nearest, halves to even.";
    F32Round = 18, "f32_round", InPlace, [Round(F32)], |a| single::whole(a, Rounding::HalfAway), "Rounded to nearest, halves away from zero.";
    F32Eq = 19, "f32_eq", InPlace, [Eq(F32)], single::equal, "Whether both are one number.";
    F32Ne = 20, "f32_ne", InPlace, [Ne(F32)], |a, b| !single::equal(a, b), "Whether they are not one number.";
    F32Lt = 21, "f32_lt", InPlace, [Lt(F32)], single::less, "Whether the first is less.";
    F32Le = 22, "f32_le", InPlace, [Le(F32)], single::less_or_equal, "Whether the first is less or equal.";
    F32Gt = 23, "f32_gt", InPlace, [Gt(F32)], |a, b| single::less(b, a), "Whether the first is greater.";
    F32Ge = 24, "f32_ge", InPlace, [Ge(F32)], |a, b| single::less_or_equal(b, a), "Whether the first is greater or equal.";
    F32IsNan = 25, "f32_is_nan", InPlace, [IsNan(F32)], single::is_nan, "Whether it is NaN.";
    F32IsInfinite = 26, "f32_is_inf", InPlace, [IsInfinite(F32)], single::is_infinite, "Whether it is an infinity.";
    F32IsFinite = 27, "f32_is_finite", InPlace, [IsFinite(F32)], single::is_finite, "Whether it is neither.";
    F32Canonical = 28, "f32_canonical", InPlace, [], single::canonical, "The number, or the canonical NaN for any NaN.";
    F32AddIsRight = 29, "f32_add_is_right", InPlace, [], single::sum_is_right, "Whether a sum of two numbers does not depend on how subnormals are treated.";
    F32SubIsRight = 30, "f32_sub_is_right", InPlace, [], single::difference_is_right, "The same of a difference.";
    F32MulIsRight = 31, "f32_mul_is_right", InPlace, [], single::product_is_right, "The same of a product.";
    F32MulAddIsRight = 32, "f32_mul_add_is_right", InPlace, [], single::mul_add_is_right, "The same of a fused product of three numbers.";
    F32ToI8 = 33, "f32_to_i8", InPlace, [Cast(F32, I8)], |a| single::to_integer(a, true, 8), "The integer towards zero.";
    F32ToU8 = 34, "f32_to_u8", InPlace, [Cast(F32, U8)], |a| single::to_integer(a, false, 8), "The integer towards zero.";
    F32ToI16 = 35, "f32_to_i16", InPlace, [Cast(F32, I16)], |a| single::to_integer(a, true, 16), "The integer towards zero.";
    F32ToU16 = 36, "f32_to_u16", InPlace, [Cast(F32, U16)], |a| single::to_integer(a, false, 16), "The integer towards zero.";
    F32ToI32 = 37, "f32_to_i32", InPlace, [Cast(F32, I32)], |a| single::to_integer(a, true, 32), "The integer towards zero.";
    F32ToU32 = 38, "f32_to_u32", InPlace, [Cast(F32, U32)], |a| single::to_integer(a, false, 32), "The integer towards zero.";
    F32ToI64 = 39, "f32_to_i64", InPlace, [Cast(F32, I64)], |a| single::to_long(a, true), "The integer towards zero.";
    F32ToU64 = 40, "f32_to_u64", InPlace, [Cast(F32, U64)], |a| single::to_long(a, false), "The integer towards zero.";
    I64ToF32 = 41, "i64_to_f32", InPlace, [Cast(I64, F32)], |a| single::from_long(a, true), "The nearest number.";
    U64ToF32 = 42, "u64_to_f32", InPlace, [Cast(U64, F32)], |a| single::from_long(a, false), "The nearest number.";

    F16MulAdd = 64, "f16_mul_add", InPlace, [MulAdd(F16)], half::mul_add, "`a * b + c` with one rounding.";
    F16Neg = 65, "f16_neg", InPlace, [Neg(F16)], half::negated, "The sign bit flipped.";
    F16Abs = 66, "f16_abs", InPlace, [Abs(F16)], half::absolute, "The sign bit cleared.";
    F16CopySign = 67, "f16_copysign", InPlace, [CopySign(F16)], half::copy_sign, "The first operand's magnitude with the second's sign.";
    F16Widen = 68, "f16_widen", InPlace, [], half::widen, "The same number as an `f32`; a NaN stays one.";
    F16ToF32 = 69, "f16_to_f32", InPlace, [Cast(F16, F32)], half::to_single, "The same number.";
    F32ToF16 = 70, "f32_to_f16", InPlace, [Cast(F32, F16)], half::narrow, "The nearest number.";
    F16ToF64 = 71, "f16_to_f64", InPlace, [Cast(F16, F64)], half::to_double, "The same number.";
    F64ToF16 = 72, "f64_to_f16", InPlace, [Cast(F64, F16)], half::from_double, "The nearest number.";

    I64Add = 96, "i64_add", InPlace, [Add(I64), Add(U64)], wide::sum, "The sum.";
    I64Sub = 97, "i64_sub", InPlace, [Sub(I64), Sub(U64)], wide::difference, "The difference.";
    I64Mul = 98, "i64_mul", InPlace, [Mul(I64), Mul(U64)], wide::product, "The lower half of the product.";
    I64Div = 99, "i64_div", InPlace, [Div(I64)], |a, b| wide::quotient(true, a, b), "The quotient; 0 for a zero divisor.";
    U64Div = 100, "u64_div", InPlace, [Div(U64)], |a, b| wide::quotient(false, a, b), "The quotient; 0 for a zero divisor.";
    I64Rem = 101, "i64_rem", InPlace, [Rem(I64)], |a, b| wide::remainder(true, a, b), "The remainder; 0 for a zero divisor.";
    U64Rem = 102, "u64_rem", InPlace, [Rem(U64)], |a, b| wide::remainder(false, a, b), "The remainder; 0 for a zero divisor.";
    U64Divide = 103, "u64_divide", Called, [], wide::divide, "Quotient and remainder; both 0 for a zero divisor.";
    I64Neg = 104, "i64_neg", InPlace, [Neg(I64), Neg(U64)], wide::negated, "Two's complement negation.";
    I64Abs = 105, "i64_abs", InPlace, [Abs(I64)], wide::absolute, "The absolute value.";
    I64Sign = 106, "i64_sign", InPlace, [Sign(I64)], wide::sign, "-1, 0 or 1.";
    I64Min = 107, "i64_min", InPlace, [Min(I64)], |a, b| wide::least(true, a, b), "The lesser.";
    U64Min = 108, "u64_min", InPlace, [Min(U64)], |a, b| wide::least(false, a, b), "The lesser.";
    I64Max = 109, "i64_max", InPlace, [Max(I64)], |a, b| wide::greatest(true, a, b), "The greater.";
    U64Max = 110, "u64_max", InPlace, [Max(U64)], |a, b| wide::greatest(false, a, b), "The greater.";
    I64AbsDiff = 111, "i64_abs_diff", InPlace, [AbsDiff(I64)], |a, b| wide::distance(true, a, b), "The absolute difference.";
    U64AbsDiff = 112, "u64_abs_diff", InPlace, [AbsDiff(U64)], |a, b| wide::distance(false, a, b), "The absolute difference.";
    I64And = 113, "i64_and", InPlace, [And(I64), And(U64)], wide::and, "Bitwise and.";
    I64Or = 114, "i64_or", InPlace, [Or(I64), Or(U64)], wide::or, "Bitwise or.";
    I64Xor = 115, "i64_xor", InPlace, [Xor(I64), Xor(U64)], wide::xor, "Bitwise exclusive or.";
    I64Not = 116, "i64_not", InPlace, [Not(I64), Not(U64)], wide::complement, "The complement of every bit.";
    I64Shl = 117, "i64_shl", InPlace, [Shl(I64), Shl(U64)], wide::shl, "Left shift by the count modulo 64.";
    I64Shr = 118, "i64_shr", InPlace, [Shr(I64)], wide::shr_signed, "Right shift by the count modulo 64, of copies of the sign.";
    U64Shr = 119, "u64_shr", InPlace, [Shr(U64)], wide::shr, "Right shift by the count modulo 64.";
    I64RotateLeft = 120, "i64_rotl", InPlace, [RotateLeft(I64), RotateLeft(U64)], wide::rotate_left, "Rotation towards the high bits.";
    I64RotateRight = 121, "i64_rotr", InPlace, [RotateRight(I64), RotateRight(U64)], wide::rotate_right, "Rotation towards the low bits.";
    I64CountOnes = 122, "i64_popcount", InPlace, [CountOnes(I64), CountOnes(U64)], Wide::count_ones, "The number of set bits.";
    I64LeadingZeros = 123, "i64_clz", InPlace, [LeadingZeros(I64), LeadingZeros(U64)], Wide::clz, "Zero bits above the highest set bit.";
    I64TrailingZeros = 124, "i64_ctz", InPlace, [TrailingZeros(I64), TrailingZeros(U64)], wide::trailing_zeros, "Zero bits below the lowest set bit.";
    I64ReverseBits = 125, "i64_reverse_bits", InPlace, [ReverseBits(I64), ReverseBits(U64)], wide::reverse_bits, "The bits in reverse order.";
    I64SwapBytes = 126, "i64_swap_bytes", InPlace, [SwapBytes(I64), SwapBytes(U64)], wide::swap_bytes, "The bytes in reverse order.";
    I64Eq = 127, "i64_eq", InPlace, [Eq(I64), Eq(U64)], wide::equal, "Whether they are equal.";
    I64Ne = 128, "i64_ne", InPlace, [Ne(I64), Ne(U64)], |a, b| !wide::equal(a, b), "Whether they are not.";
    I64Lt = 129, "i64_lt", InPlace, [Lt(I64)], |a, b| wide::less(true, a, b), "Whether the first is less.";
    U64Lt = 130, "u64_lt", InPlace, [Lt(U64)], |a, b| wide::less(false, a, b), "Whether the first is less.";
    I64Le = 131, "i64_le", InPlace, [Le(I64)], |a, b| !wide::less(true, b, a), "Whether the first is less or equal.";
    U64Le = 132, "u64_le", InPlace, [Le(U64)], |a, b| !wide::less(false, b, a), "Whether the first is less or equal.";
    I64Gt = 133, "i64_gt", InPlace, [Gt(I64)], |a, b| wide::less(true, b, a), "Whether the first is greater.";
    U64Gt = 134, "u64_gt", InPlace, [Gt(U64)], |a, b| wide::less(false, b, a), "Whether the first is greater.";
    I64Ge = 135, "i64_ge", InPlace, [Ge(I64)], |a, b| !wide::less(true, a, b), "Whether the first is greater or equal.";
    U64Ge = 136, "u64_ge", InPlace, [Ge(U64)], |a, b| !wide::less(false, a, b), "Whether the first is greater or equal.";

    F64Add = 160, "f64_add", Called, [Add(F64)], double::sum, "The sum.";
    F64Sub = 161, "f64_sub", InPlace, [Sub(F64)], double::difference, "The difference.";
    F64Mul = 162, "f64_mul", Called, [Mul(F64)], double::product, "The product.";
    F64Div = 163, "f64_div", Called, [Div(F64)], double::quotient, "The quotient.";
    F64Rem = 164, "f64_rem", Called, [Rem(F64)], double::remainder, "The remainder with the dividend's sign.";
    F64Sqrt = 165, "f64_sqrt", Called, [Sqrt(F64)], double::root, "The square root.";
    F64MulAdd = 166, "f64_mul_add", Called, [MulAdd(F64)], double::mul_add, "`a * b + c` with one rounding.";
    F64Neg = 167, "f64_neg", InPlace, [Neg(F64)], double_bits::negated, "The sign bit flipped.";
    F64Abs = 168, "f64_abs", InPlace, [Abs(F64)], double_bits::magnitude, "The sign bit cleared.";
    F64CopySign = 169, "f64_copysign", InPlace, [CopySign(F64)], double_bits::copy_sign, "The first operand's magnitude with the second's sign.";
    F64Min = 170, "f64_min", InPlace, [Min(F64)], double_bits::least, "The lesser number.";
    F64Max = 171, "f64_max", InPlace, [Max(F64)], double_bits::greatest, "The greater number.";
    F64Floor = 172, "f64_floor", InPlace, [Floor(F64)], |a| double_bits::whole(a, Rounding::Down), "Rounded down.";
    F64Ceil = 173, "f64_ceil", InPlace, [Ceil(F64)], |a| double_bits::whole(a, Rounding::Up), "Rounded up.";
    F64Trunc = 174, "f64_trunc", InPlace, [Trunc(F64)], |a| double_bits::whole(a, Rounding::TowardsZero), "Rounded towards zero.";
    F64RoundEven = 175, "f64_round_even", InPlace, [RoundEven(F64)], |a| double_bits::whole(a, Rounding::HalfToEven), "Rounded to nearest, halves to even.";
    F64Round = 176, "f64_round", InPlace, [Round(F64)], |a| double_bits::whole(a, Rounding::HalfAway), "Rounded to nearest, halves away from zero.";
    F64Eq = 177, "f64_eq", InPlace, [Eq(F64)], double_bits::equal, "Whether both are one number.";
    F64Ne = 178, "f64_ne", InPlace, [Ne(F64)], |a, b| !double_bits::equal(a, b), "Whether they are not one number.";
    F64Lt = 179, "f64_lt", InPlace, [Lt(F64)], double_bits::less, "Whether the first is less.";
    F64Le = 180, "f64_le", InPlace, [Le(F64)], double_bits::less_or_equal, "Whether the first is less or equal.";
    F64Gt = 181, "f64_gt", InPlace, [Gt(F64)], |a, b| double_bits::less(b, a), "Whether the first is greater.";
    F64Ge = 182, "f64_ge", InPlace, [Ge(F64)], |a, b| double_bits::less_or_equal(b, a), "Whether the first is greater or equal.";
    F64IsNan = 183, "f64_is_nan", InPlace, [IsNan(F64)], double_bits::is_nan, "Whether it is NaN.";
    F64IsInfinite = 184, "f64_is_inf", InPlace, [IsInfinite(F64)], double_bits::is_infinite, "Whether it is an infinity.";
    F64IsFinite = 185, "f64_is_finite", InPlace, [IsFinite(F64)], double_bits::is_finite, "Whether it is neither.";
    F64ToI8 = 186, "f64_to_i8", InPlace, [Cast(F64, I8)], |a| double_bits::to_integer(a, true, 8), "The integer towards zero.";
    F64ToU8 = 187, "f64_to_u8", InPlace, [Cast(F64, U8)], |a| double_bits::to_integer(a, false, 8), "The integer towards zero.";
    F64ToI16 = 188, "f64_to_i16", InPlace, [Cast(F64, I16)], |a| double_bits::to_integer(a, true, 16), "The integer towards zero.";
    F64ToU16 = 189, "f64_to_u16", InPlace, [Cast(F64, U16)], |a| double_bits::to_integer(a, false, 16), "The integer towards zero.";
    F64ToI32 = 190, "f64_to_i32", InPlace, [Cast(F64, I32)], |a| double_bits::to_integer(a, true, 32), "The integer towards zero.";
    F64ToU32 = 191, "f64_to_u32", InPlace, [Cast(F64, U32)], |a| double_bits::to_integer(a, false, 32), "The integer towards zero.";
    F64ToI64 = 192, "f64_to_i64", InPlace, [Cast(F64, I64)], |a| double_bits::to_long(a, true, 64), "The integer towards zero.";
    F64ToU64 = 193, "f64_to_u64", InPlace, [Cast(F64, U64)], |a| double_bits::to_long(a, false, 64), "The integer towards zero.";
    I64ToF64 = 194, "i64_to_f64", InPlace, [Cast(I64, F64)], double_bits::from_signed, "The nearest number.";
    U64ToF64 = 195, "u64_to_f64", Called, [Cast(U64, F64)], double_bits::from_unsigned, "The nearest number.";
    F32ToF64 = 196, "f32_to_f64", InPlace, [Cast(F32, F64)], double_bits::from_single, "The same number.";
    F64ToF32 = 197, "f64_to_f32", InPlace, [Cast(F64, F32)], double_bits::to_single, "The nearest number.";
}

impl Routine {
    /// The routine that computes an op on a leading operand of a type.
    pub fn of_op(op: Op, scalar: Scalar) -> Option<Self> {
        Self::of(Meaning::Op(op, scalar))
    }

    /// The routine that converts between two types.
    pub fn of_cast(from: Scalar, to: Scalar) -> Option<Self> {
        Self::of(Meaning::Cast(from, to))
    }

    fn of(meaning: Meaning) -> Option<Self> {
        Self::ALL.iter().copied().find(|routine| routine.info().meanings.contains(&meaning))
    }

    /// The place in the table, by which the functions call each other.
    pub const fn position(self) -> u32 {
        self as u32
    }

    /// The routine as a function, of which the [position](Self::position) in the table is
    /// what a call in it names.
    pub fn function(self) -> &'static Function {
        static RECORDED: [OnceLock<Function>; Routine::ALL.len()] = [const { OnceLock::new() }; Routine::ALL.len()];
        RECORDED[self as usize].get_or_init(|| self.record())
    }

    /// The routines that this one calls.
    pub fn needs(self) -> Vec<Self> {
        let called = |kind: &InstKind| match kind {
            InstKind::Call { function, .. } => Self::ALL.get(*function as usize).copied(),
            _ => None,
        };
        self.function().insts.iter().filter_map(|(_, inst)| called(&inst.kind)).collect()
    }

    /// Every routine as a function of one module, in the order of the table.
    ///
    /// ```
    /// use samebits_ir::{check::check, soft::Routine};
    /// assert!(check(Routine::module()).is_ok());
    /// ```
    pub fn module() -> Module {
        Module { types: Types::default(), functions: Self::ALL.iter().map(|it| it.function().clone()).collect() }
    }
}
