//! The op table: every pure op, one row each.
//!
//! A row states the op's frozen wire number, its name in text, its operand and result
//! types, its algebraic laws, how exact its float form is, what it costs, how Rust spells it, and
//! the function that computes it. The enum, builder, parser, printer, wire format, type
//! check, passes, interpreter, front end, the page `docs/src/reference/ops.md` and the conformance
//! test all read the row. What is true of an op is a column here. A `match` on ops says what
//! to do with some of them; outside back ends it has a default that is right for every other.
//!
//! Ops work lane by lane on vectors, except those whose signature says otherwise.
//! What has an effect (memory, atomics, barriers, subgroups) is an
//! [`InstKind`](crate::ir::InstKind) of its own; [`AtomicOp`], [`SubgroupOp`] and
//! [`Builtin`] are the small tables for three of those.

use crate::math::Math;
use crate::scalar::{self, Args, Lanes, bits, float, int, pack};
use crate::types::{Scalar, Type};

mod atomic;
mod builtin;
mod language;
mod number;
mod numbered;
mod signature;
mod subgroup;
mod vector;

pub use atomic::AtomicOp;
pub use builtin::Builtin;
pub use language::{Function, Spelling};
pub use number::{Beside, NumberMethod};
pub use signature::{Class, Part, Signature};
pub(crate) use subgroup::STEPS;
pub use subgroup::{Fold, SUBGROUP_SIZE, SubgroupOp, SubgroupSignature};
pub use vector::{Given, Taken, VectorMethod};

/// Whether `(a ∘ b) ∘ c` equals `a ∘ (b ∘ c)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Associative {
    /// Bit for bit, for every type of the op.
    Exact,
    /// Bit for bit for integers; floats round differently.
    Inexact,
    /// Not a law of this op.
    No,
}

/// How the float form of an op relates to the real number that it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatClass {
    /// Bits are moved, or the sign is read or written: those of a NaN count as well.
    Bits,
    /// No rounding happens, or one towards zero that the documentation states. Here and below every NaN
    /// counts alike, and a result that is NaN is the [canonical](crate::scalar::nan) one.
    Exact,
    /// The nearest representable number, ties to even.
    CorrectlyRounded,
    /// The steps that the documentation states, each correctly rounded.
    Stepwise,
    /// The nearest representable number for `f16` and `f32`; for `f64` one of its two neighbours, always
    /// the same one: by an algorithm that is frozen.
    Library,
    /// Within a unit in the last place, always the same: by an algorithm that is frozen.
    Approximate,
    /// The op has no float form.
    None,
}

/// A function from the bits of up to four operands to the bits of the result; the
/// scalar is the leading operand's lane type.
pub type LaneFn = fn(Scalar, Args) -> u64;

/// A function from whole operands to the whole result.
pub type WholeFn = fn(&[Lanes]) -> Lanes;

/// How an op is computed.
#[derive(Clone, Copy, Debug)]
pub enum Eval {
    /// Lane by lane.
    Lane(LaneFn),
    /// All lanes at once.
    Whole(WholeFn),
    /// By a mathematical function.
    Math(Math),
    /// By [`Op::eval`] itself, because the types decide.
    Typed,
}

/// What the table says about an op.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The op.
    pub op: Op,
    /// The frozen wire number.
    pub number: u16,
    /// The name in text.
    pub name: &'static str,
    /// Operand and result types.
    pub signature: Signature,
    /// Whether the first two operands may be exchanged.
    pub commutative: bool,
    /// Whether operations of this kind may be regrouped.
    pub associative: Associative,
    /// How exact the float form is.
    pub float: FloatClass,
    /// How much the op costs, about, where a move or a sum costs 4. These are no costs of a device, only
    /// an order that agrees with all of them.
    pub weight: u32,
    /// What means this op in Rust.
    pub rust: &'static [Spelling],
    /// What computes it.
    pub eval: Eval,
    /// One sentence of documentation.
    pub doc: &'static str,
}

/// The rows. Calls the macro `$m` with `$args` and the sections of the table.
///
/// The ops of all sections but the last are basic: every back end has a form of them or calls the library. `number` is of
/// integers and floats, `bits` of integers and `bool` alone, `float` of floats alone, `compare` of all;
/// `choice` and `shape` compute nothing. The last two sections, `compound` and `math`, are of ops that `pass::expand`
/// makes of basic ones; `math` is of those that `crate::math` computes.
///
/// `Name(number, "text name", Signature, commutes?, associativity, float class, weight of a basic op,
/// [Rust spellings], evaluation, "documentation");`
macro_rules! for_each_op {
    ([$($m:tt)+] $($args:tt)*) => {
        $($m)+! {
            $($args)*
            number {
                Add(1, "add", binary(NUM), true, Inexact, CorrectlyRounded, 4, [Operator("+"), IntMethod("wrapping_add")], Lane(scalar::add), "Sum; integers wrap.");
                Sub(2, "sub", binary(NUM), false, No, CorrectlyRounded, 4, [Operator("-"), IntMethod("wrapping_sub")], Lane(scalar::sub), "Difference; integers wrap.");
                Mul(3, "mul", binary(NUM), true, Inexact, CorrectlyRounded, 12, [Operator("*"), IntMethod("wrapping_mul")], Lane(scalar::mul), "Product; integers wrap.");
                Div(4, "div", binary(NUM), false, No, CorrectlyRounded, 40, [Operator("/"), IntMethod("wrapping_div")], Lane(scalar::div), "Quotient; integers truncate, `x / 0` is 0 and `MIN / -1` is `MIN`.");
                Rem(5, "rem", binary(NUM), false, No, Exact, 40, [Operator("%"), IntMethod("wrapping_rem")], Lane(scalar::rem), "Remainder with the dividend's sign; for integers `x % 0` is 0 and `MIN % -1` is 0.");
                Neg(6, "neg", unary(NUM), false, No, Bits, 3, [Operator("-"), IntMethod("wrapping_neg")], Lane(scalar::neg), "Negation; integers wrap, floats flip the sign bit, also of NaN.");
                Abs(7, "abs", unary(NEGATABLE), false, No, Bits, 3, [Method("abs"), IntMethod("wrapping_abs")], Lane(scalar::abs), "Absolute value; `MIN` stays `MIN`, floats clear the sign bit, also of NaN.");
                Sign(8, "sign", unary(NEGATABLE), false, No, Exact, 6, [Method("signum")], Lane(scalar::sign), "-1, 0 or 1 as an integer is negative, zero or positive; for floats 1.0 with the operand's sign bit, NaN for NaN.");
                Min(9, "min", binary(NUM), true, Exact, Exact, 4, [Method("min")], Lane(scalar::min), "The lesser; for floats a NaN loses and -0.0 is below 0.0.");
                Max(10, "max", binary(NUM), true, Exact, Exact, 4, [Method("max")], Lane(scalar::max), "The greater; for floats a NaN loses and -0.0 is below 0.0.");
            }
            bits {
                AbsDiff(11, "abs_diff", distance(INT), true, No, None, 8, [Method("abs_diff")], Lane(scalar::abs_diff), "Absolute difference, unsigned.");
                And(16, "and", binary(BITS), true, Exact, None, 4, [Operator("&")], Lane(scalar::and), "Bitwise and.");
                Or(17, "or", binary(BITS), true, Exact, None, 4, [Operator("|")], Lane(scalar::or), "Bitwise or.");
                Xor(18, "xor", binary(BITS), true, Exact, None, 4, [Operator("^")], Lane(scalar::xor), "Bitwise exclusive or.");
                Not(19, "not", unary(BITS), false, No, None, 3, [Operator("!")], Lane(scalar::not), "Complement of every bit.");
                Shl(20, "shl", shift(INT), false, No, None, 5, [Operator("<<"), IntMethod("wrapping_shl")], Lane(scalar::shl), "Left shift by the count modulo the width.");
                Shr(21, "shr", shift(INT), false, No, None, 5, [Operator(">>"), IntMethod("wrapping_shr")], Lane(scalar::shr), "Right shift by the count modulo the width; arithmetic for signed integers.");
                RotateLeft(22, "rotl", shift(INT), false, No, None, 5, [Method("rotate_left")], Lane(scalar::rotate_left), "Rotation towards the high bits by the count modulo the width.");
                RotateRight(23, "rotr", shift(INT), false, No, None, 5, [Method("rotate_right")], Lane(scalar::rotate_right), "Rotation towards the low bits by the count modulo the width.");
                CountOnes(24, "popcount", count(INT), false, No, None, 6, [Method("count_ones")], Lane(scalar::count_ones), "The number of set bits.");
                LeadingZeros(25, "clz", count(INT), false, No, None, 6, [Method("leading_zeros")], Lane(scalar::leading_zeros), "Zero bits above the highest set bit; the width for zero.");
                TrailingZeros(26, "ctz", count(INT), false, No, None, 6, [Method("trailing_zeros")], Lane(scalar::trailing_zeros), "Zero bits below the lowest set bit; the width for zero.");
                ReverseBits(27, "reverse_bits", unary(INT), false, No, None, 6, [Method("reverse_bits")], Lane(scalar::reverse_bits), "The bits in reverse order.");
                SwapBytes(28, "swap_bytes", unary(INT), false, No, None, 6, [Method("swap_bytes")], Lane(scalar::swap_bytes), "The bytes in reverse order.");
            }
            compare {
                Eq(32, "eq", compare(ORDERED), true, No, Exact, 4, [Operator("==")], Lane(scalar::eq), "Equal; false if either is NaN.");
                Ne(33, "ne", compare(ORDERED), true, No, Exact, 4, [Operator("!=")], Lane(scalar::ne), "Not equal; true if either is NaN.");
                Lt(34, "lt", compare(ORDERED), false, No, Exact, 4, [Operator("<")], Lane(scalar::lt), "Less; false if either is NaN.");
                Le(35, "le", compare(ORDERED), false, No, Exact, 4, [Operator("<=")], Lane(scalar::le), "Less or equal; false if either is NaN.");
                Gt(36, "gt", compare(ORDERED), false, No, Exact, 4, [Operator(">")], Lane(scalar::gt), "Greater; false if either is NaN.");
                Ge(37, "ge", compare(ORDERED), false, No, Exact, 4, [Operator(">=")], Lane(scalar::ge), "Greater or equal; false if either is NaN.");
            }
            choice {
                Select(40, "select", Select, false, No, Bits, 9, [], Typed, "The second operand if the first is true, else the third; both are evaluated.");
            }
            float {
                Sqrt(48, "sqrt", unary(FLOAT), false, No, CorrectlyRounded, 40, [Method("sqrt")], Lane(scalar::sqrt), "Square root; NaN below zero, -0.0 for -0.0.");
                Floor(49, "floor", unary(FLOAT), false, No, Exact, 16, [Method("floor")], Lane(scalar::floor), "Rounded towards negative infinity.");
                Ceil(50, "ceil", unary(FLOAT), false, No, Exact, 16, [Method("ceil")], Lane(scalar::ceil), "Rounded towards positive infinity.");
                Trunc(51, "trunc", unary(FLOAT), false, No, Exact, 16, [Method("trunc")], Lane(scalar::trunc), "Rounded towards zero.");
                RoundEven(52, "round_even", unary(FLOAT), false, No, Exact, 16, [Method("round_ties_even")], Lane(scalar::round_even), "Rounded to nearest, halves to even.");
                Round(53, "round", unary(FLOAT), false, No, Exact, 16, [Method("round")], Lane(scalar::round), "Rounded to nearest, halves away from zero.");
                MulAdd(54, "fma", ternary(FLOAT), true, No, CorrectlyRounded, 40, [Method("mul_add")], Lane(scalar::mul_add), "`a * b + c` with one rounding.");
                CopySign(55, "copysign", binary(FLOAT), false, Exact, Bits, 5, [Method("copysign")], Lane(scalar::copysign), "The first operand's magnitude with the second's sign bit.");
                IsNan(56, "is_nan", test(FLOAT), false, No, Exact, 4, [Method("is_nan")], Lane(scalar::is_nan), "Whether the operand is NaN.");
                IsInfinite(57, "is_inf", test(FLOAT), false, No, Exact, 4, [Method("is_infinite")], Lane(scalar::is_infinite), "Whether the operand is an infinity.");
                IsFinite(58, "is_finite", test(FLOAT), false, No, Exact, 4, [Method("is_finite")], Lane(scalar::is_finite), "Whether the operand is neither NaN nor an infinity.");
            }
            shape {
                Cast(64, "cast", Cast, false, No, CorrectlyRounded, 6, [Operator("as")], Typed, "Conversion between two types of the cast table.");
                Bitcast(65, "bitcast", Bitcast, false, No, Bits, 6, [Method("to_bits"), Constructor("from_bits")], Typed, "The same bits read as another type of the same width.");
                Construct(72, "vec", Construct, false, No, Bits, 6, [Constructor("new")], Typed, "A vector of its lanes.");
                Extract(73, "extract", Extract, false, No, Bits, 6, [], Typed, "A lane of a vector, counted from 0; zero if there is none.");
            }
            compound {
                Mod(12, "mod", binary(INT), false, No, None, [Function("mod_floor")], Lane(int::mod_floor), "Remainder with the divisor's sign; `x mod 0` is 0.");
                MulHigh(13, "mul_hi", binary(INT), true, No, None, [Function("mul_hi")], Lane(int::mul_high), "The upper half of the product of twice the width.");
                AddSat(14, "add_sat", binary(INT), true, No, None, [Method("saturating_add")], Lane(int::add_sat), "Sum, or the nearest value of the type.");
                SubSat(15, "sub_sat", binary(INT), false, No, None, [Method("saturating_sub")], Lane(int::sub_sat), "Difference, or the nearest value of the type.");
                MulSat(29, "mul_sat", binary(INT), true, No, None, [Method("saturating_mul")], Lane(int::mul_sat), "Product, or the nearest value of the type.");
                AddOverflows(30, "add_overflows", compare(INT), true, No, None, [], Lane(int::add_overflows), "Whether the sum wraps: for unsigned integers the carry.");
                SubOverflows(31, "sub_overflows", compare(INT), false, No, None, [], Lane(int::sub_overflows), "Whether the difference wraps: for unsigned integers the borrow.");
                MulOverflows(38, "mul_overflows", compare(INT), true, No, None, [], Lane(int::mul_overflows), "Whether the product wraps.");
                IsNormal(59, "is_normal", test(FLOAT), false, No, Exact, [Method("is_normal")], Lane(float::is_normal), "Whether the operand is neither zero, subnormal, infinite nor NaN.");
                IsSubnormal(60, "is_subnormal", test(FLOAT), false, No, Exact, [Method("is_subnormal")], Lane(float::is_subnormal), "Whether the operand is subnormal; zero is not.");
                IsSignNegative(61, "is_sign_negative", test(FLOAT), false, No, Bits, [Method("is_sign_negative")], Lane(float::is_sign_negative), "Whether the sign bit is set, also of zero and NaN.");
                IsSignPositive(62, "is_sign_positive", test(FLOAT), false, No, Bits, [Method("is_sign_positive")], Lane(float::is_sign_positive), "Whether the sign bit is clear, also of zero and NaN.");
                NarrowToZero(66, "f16_to_zero", NARROW, false, No, Exact, [Function("f16_to_zero")], Whole(pack::narrow_to_zero), "An `f32` as the next `f16` towards zero; 65504 for what is larger but finite.");
                ToBfloat(67, "to_bf16", TO_BFLOAT, false, No, CorrectlyRounded, [Function("to_bf16_bits")], Whole(pack::to_bfloat), "The upper half of the bits of an `f32` rounded to 8 significant bits; 0x7fc0 for NaN.");
                FromBfloat(68, "from_bf16", FROM_BFLOAT, false, No, Exact, [Function("from_bf16_bits")], Whole(pack::from_bfloat), "The `f32` whose upper half this is, the lower one being zero.");
                Insert(74, "insert", Insert, false, No, Bits, [], Typed, "The vector with the third operand in the lane of this index, counted from 0; unchanged if there is none.");
                All(75, "all", Reduce, false, No, None, [], Typed, "Whether every lane is true.");
                Any(76, "any", Reduce, false, No, None, [], Typed, "Whether any lane is true.");
                AvgFloor(80, "avg_floor", binary(INT), true, No, None, [Function("avg_floor")], Lane(int::avg_floor), "The mean of the exact numbers, rounded towards negative infinity.");
                AvgCeil(81, "avg_ceil", binary(INT), true, No, None, [Function("avg_ceil")], Lane(int::avg_ceil), "The mean of the exact numbers, rounded towards positive infinity.");
                Midpoint(82, "midpoint", binary(INT), true, No, None, [Method("midpoint")], Lane(int::midpoint), "The mean of the exact numbers, rounded towards zero.");
                Clamp(83, "clamp", ternary(NUM), false, No, Bits, [Method("clamp")], Lane(int::clamp), "The second operand if the first is less, then the third if that is greater; a NaN in the first place stays.");
                DivEuclid(84, "div_euclid", binary(NUM), false, No, Stepwise, [Method("div_euclid"), IntMethod("wrapping_div_euclid")], Lane(int::div_euclid), "The quotient whose remainder is not negative; 0 for a zero divisor, `MIN / -1` is `MIN`; for floats `trunc(x / y)`, less 1.0 or plus 1.0 where `x % y` is below zero.");
                RemEuclid(85, "rem_euclid", binary(NUM), false, No, Stepwise, [Method("rem_euclid"), IntMethod("wrapping_rem_euclid")], Lane(int::rem_euclid), "The remainder that is not negative; 0 for a zero divisor; for floats `x % y`, plus `abs(y)` where that is below zero.");
                Pow(86, "pow", shift(INT), false, No, None, [Method("pow"), IntMethod("wrapping_pow")], Lane(int::pow), "The first operand to the power of the second; wraps.");
                Isqrt(87, "isqrt", unary(UNSIGNED), false, No, None, [Method("isqrt")], Lane(int::isqrt), "The square root, rounded down.");
                DivCeil(88, "div_ceil", binary(UNSIGNED), false, No, None, [Method("div_ceil")], Lane(int::div_ceil), "The quotient, rounded up; `x / 0` is 0.");
                NextMultipleOf(89, "next_multiple_of", binary(UNSIGNED), false, No, None, [Method("next_multiple_of")], Lane(int::next_multiple_of), "The least multiple of the second operand that is not below the first; wraps; the first operand for a multiple of 0.");
                IsPowerOfTwo(90, "is_power_of_two", test(UNSIGNED), false, No, None, [Method("is_power_of_two")], Lane(int::is_power_of_two), "Whether exactly one bit is set.");
                NextPowerOfTwo(91, "next_power_of_two", unary(UNSIGNED), false, No, None, [Method("next_power_of_two")], Lane(int::next_power_of_two), "The least power of two that is not below the operand; 0 if the type has none.");
                UnsignedAbs(92, "unsigned_abs", magnitude(SIGNED), false, No, None, [Method("unsigned_abs")], Lane(int::unsigned_abs), "Absolute value, unsigned.");
                Ilog2(93, "ilog2", count(INT), false, No, None, [Method("ilog2")], Lane(int::ilog2), "The place of the highest set bit, counted from 0; 4294967295 for zero.");
                CountZeros(94, "count_zeros", count(INT), false, No, None, [Method("count_zeros")], Lane(bits::count_zeros), "The number of clear bits.");
                LeadingOnes(95, "leading_ones", count(INT), false, No, None, [Method("leading_ones")], Lane(bits::leading_ones), "Set bits above the highest clear bit; the width if there is none.");
                TrailingOnes(96, "trailing_ones", count(INT), false, No, None, [Method("trailing_ones")], Lane(bits::trailing_ones), "Set bits below the lowest clear bit; the width if there is none.");
                IsNegative(97, "is_negative", test(SIGNED), false, No, None, [Method("is_negative")], Lane(int::is_negative), "Whether the operand is below zero.");
                IsPositive(98, "is_positive", test(SIGNED), false, No, None, [Method("is_positive")], Lane(int::is_positive), "Whether the operand is above zero.");
                FindLsb(99, "find_lsb", position(INT), false, No, None, [Function("find_lsb")], Lane(bits::find_lsb), "The place of the lowest set bit, counted from 0; -1 for zero.");
                FindMsb(100, "find_msb", position(INT), false, No, None, [Function("find_msb")], Lane(bits::find_msb), "The place of the highest bit that differs from the sign, counted from 0; unsigned integers have sign 0; -1 if there is none.");
                BitSelect(101, "bit_select", ternary(BITS), false, No, None, [Function("bit_select")], Lane(bits::bit_select), "The second operand's bits where the first has ones, the third's elsewhere.");
                FunnelShr(102, "funnel_shr", funnel(UNSIGNED), false, No, None, [Function("funnel_shr")], Lane(bits::funnel_shr), "The lower half of the first operand above the second, shifted right by the count modulo the width.");
                BitExtract(103, "bit_extract", field(INT), false, No, None, [Function("bit_extract")], Lane(bits::bit_extract), "As many bits as the third operand says from the place that the second says, sign-extended for signed integers; what lies beyond the width is cut off.");
                BitInsert(104, "bit_insert", deposit(INT), false, No, None, [Function("bit_insert")], Lane(bits::bit_insert), "The first operand with the low bits of the second, as many as the fourth says, at the place that the third says; what lies beyond the width is cut off.");
                TestBit(105, "test_bit", probe(INT), false, No, None, [Function("test_bit")], Lane(bits::test_bit), "Whether the bit at this place modulo the width is set.");
                Recip(110, "recip", unary(FLOAT), false, No, CorrectlyRounded, [Method("recip")], Lane(float::recip), "`1.0 / x`.");
                Fract(111, "fract", unary(FLOAT), false, No, Exact, [Method("fract")], Lane(float::fract), "`x - trunc(x)`.");
                Saturate(112, "saturate", unary(FLOAT), false, No, Exact, [Function("saturate")], Lane(float::saturate), "The nearest number from 0.0 to 1.0; 0.0 for NaN.");
                FrexpFraction(113, "frexp_fraction", unary(FLOAT), false, No, Exact, [Function("frexp_fraction")], Lane(float::frexp_fraction), "The operand over a power of two, with a magnitude from 0.5 to below 1.0; zeros and infinities stay.");
                FrexpExponent(114, "frexp_exponent", position(FLOAT), false, No, Exact, [Function("frexp_exponent")], Lane(float::frexp_exponent), "The exponent of the power of two of `frexp_fraction`; 0 for zero, infinities and NaN.");
                Ldexp(115, "ldexp", scale(FLOAT), false, No, CorrectlyRounded, [Function("ldexp")], Lane(float::ldexp), "The first operand times two to the power of the second, rounded once.");
                ToDegrees(116, "to_degrees", unary(WIDE_FLOAT), false, No, Stepwise, [Method("to_degrees")], Lane(float::to_degrees), "The product with the nearest number to 180 / π.");
                ToRadians(117, "to_radians", unary(WIDE_FLOAT), false, No, Stepwise, [Method("to_radians")], Lane(float::to_radians), "The product with the quotient of the nearest number to π and 180.0.");
                PackHalf(120, "pack_half_2x16", PACK2, false, No, CorrectlyRounded, [Function("pack_half_2x16")], Whole(pack::pack_half), "Two numbers as `f16`, the first in the low half.");
                PackHalfToZero(121, "pack_half_2x16_to_zero", PACK2, false, No, Exact, [Function("pack_half_2x16_to_zero")], Whole(pack::pack_half_to_zero), "Two numbers as `f16` rounded towards zero, the first in the low half.");
                UnpackHalf(122, "unpack_half_2x16", UNPACK2, false, No, Exact, [Function("unpack_half_2x16")], Whole(pack::unpack_half), "Two `f16`, the first from the low half.");
                PackSnorm2(123, "pack_snorm_2x16", PACK2, false, No, Stepwise, [Function("pack_snorm_2x16")], Whole(pack::pack_snorm2), "Two numbers, clamped to -1.0 to 1.0, times 32767.0, rounded halves to even; 0 for NaN; the first in the low half.");
                PackUnorm2(124, "pack_unorm_2x16", PACK2, false, No, Stepwise, [Function("pack_unorm_2x16")], Whole(pack::pack_unorm2), "Two numbers, clamped to 0.0 to 1.0, times 65535.0, rounded halves to even; 0 for NaN; the first in the low half.");
                UnpackSnorm2(125, "unpack_snorm_2x16", UNPACK2, false, No, Stepwise, [Function("unpack_snorm_2x16")], Whole(pack::unpack_snorm2), "Two signed halves over 32767.0, at least -1.0.");
                UnpackUnorm2(126, "unpack_unorm_2x16", UNPACK2, false, No, CorrectlyRounded, [Function("unpack_unorm_2x16")], Whole(pack::unpack_unorm2), "Two unsigned halves over 65535.0.");
                PackSnorm4(127, "pack_snorm_4x8", PACK4, false, No, Stepwise, [Function("pack_snorm_4x8")], Whole(pack::pack_snorm4), "Four numbers, clamped to -1.0 to 1.0, times 127.0, rounded halves to even; 0 for NaN; the first in the lowest byte.");
                PackUnorm4(128, "pack_unorm_4x8", PACK4, false, No, Stepwise, [Function("pack_unorm_4x8")], Whole(pack::pack_unorm4), "Four numbers, clamped to 0.0 to 1.0, times 255.0, rounded halves to even; 0 for NaN; the first in the lowest byte.");
                UnpackSnorm4(129, "unpack_snorm_4x8", UNPACK4, false, No, Stepwise, [Function("unpack_snorm_4x8")], Whole(pack::unpack_snorm4), "Four signed bytes over 127.0, at least -1.0.");
                UnpackUnorm4(130, "unpack_unorm_4x8", UNPACK4, false, No, CorrectlyRounded, [Function("unpack_unorm_4x8")], Whole(pack::unpack_unorm4), "Four unsigned bytes over 255.0.");
                DotI8(136, "dot4_i8", DOT_SIGNED, true, No, None, [Function("dot4_i8")], Whole(pack::dot_i8), "The products of four signed bytes, and the third operand, added; wraps.");
                DotU8(137, "dot4_u8", DOT_UNSIGNED, true, No, None, [Function("dot4_u8")], Whole(pack::dot_u8), "The products of four unsigned bytes, and the third operand, added; wraps.");
                DotI8U8(138, "dot4_i8_u8", DOT_SIGNED, false, No, None, [Function("dot4_i8_u8")], Whole(pack::dot_i8_u8), "The products of four signed bytes with four unsigned ones, and the third operand, added; wraps.");
                DotI8Sat(139, "dot4_i8_sat", DOT_SIGNED, true, No, None, [Function("dot4_i8_sat")], Whole(pack::dot_i8_sat), "As `dot4_i8`, but the nearest value of the type instead of wrapping.");
                DotU8Sat(140, "dot4_u8_sat", DOT_UNSIGNED, true, No, None, [Function("dot4_u8_sat")], Whole(pack::dot_u8_sat), "As `dot4_u8`, but the nearest value of the type instead of wrapping.");
                DotI8U8Sat(141, "dot4_i8_u8_sat", DOT_SIGNED, false, No, None, [Function("dot4_i8_u8_sat")], Whole(pack::dot_i8_u8_sat), "As `dot4_i8_u8`, but the nearest value of the type instead of wrapping.");
                DotI16(142, "dot2_i16", DOT_SIGNED, true, No, None, [Function("dot2_i16")], Whole(pack::dot_i16), "The products of two signed halves, and the third operand, added; wraps.");
                DotU16(143, "dot2_u16", DOT_UNSIGNED, true, No, None, [Function("dot2_u16")], Whole(pack::dot_u16), "The products of two unsigned halves, and the third operand, added; wraps.");
                DotI16Sat(144, "dot2_i16_sat", DOT_SIGNED, true, No, None, [Function("dot2_i16_sat")], Whole(pack::dot_i16_sat), "As `dot2_i16`, but the nearest value of the type instead of wrapping.");
                DotU16Sat(145, "dot2_u16_sat", DOT_UNSIGNED, true, No, None, [Function("dot2_u16_sat")], Whole(pack::dot_u16_sat), "As `dot2_u16`, but the nearest value of the type instead of wrapping.");
                MaskedSad(146, "msad4_u8", DOT_UNSIGNED, false, No, None, [Function("msad4_u8")], Whole(pack::masked_sad), "The absolute differences of four unsigned bytes, except where the first operand's byte is 0, and the third operand, added; wraps.");
            }
            math {
                Exp(160, "exp", unary(FLOAT), false, No, Library, 200, [Method("exp")], Math(Math::Exp), "`e` to the power of the operand.");
                Exp2(161, "exp2", unary(FLOAT), false, No, Library, 200, [Method("exp2")], Math(Math::Exp2), "2 to the power of the operand.");
                Exp10(162, "exp10", unary(FLOAT), false, No, Library, 200, [Function("exp10")], Math(Math::Exp10), "10 to the power of the operand.");
                ExpM1(163, "exp_m1", unary(FLOAT), false, No, Library, 200, [Method("exp_m1")], Math(Math::ExpM1), "`e` to the power of the operand, less 1.");
                Ln(164, "ln", unary(FLOAT), false, No, Library, 200, [Method("ln")], Math(Math::Ln), "The natural logarithm; -infinity for zeros, NaN below.");
                Log2(165, "log2", unary(FLOAT), false, No, Library, 200, [Method("log2")], Math(Math::Log2), "The logarithm to base 2; -infinity for zeros, NaN below.");
                Log10(166, "log10", unary(FLOAT), false, No, Library, 200, [Method("log10")], Math(Math::Log10), "The logarithm to base 10; -infinity for zeros, NaN below.");
                Ln1p(167, "ln_1p", unary(FLOAT), false, No, Library, 200, [Method("ln_1p")], Math(Math::Ln1p), "The natural logarithm of 1 and the operand; -infinity for -1.0, NaN below.");
                Sin(168, "sin", unary(FLOAT), false, No, Library, 200, [Method("sin")], Math(Math::Sin), "The sine of an angle in radians of any size; NaN for infinities.");
                Cos(169, "cos", unary(FLOAT), false, No, Library, 200, [Method("cos")], Math(Math::Cos), "The cosine of an angle in radians of any size; NaN for infinities.");
                Tan(170, "tan", unary(FLOAT), false, No, Library, 200, [Method("tan")], Math(Math::Tan), "The tangent of an angle in radians of any size; NaN for infinities.");
                SinPi(171, "sin_pi", unary(FLOAT), false, No, Library, 200, [Function("sin_pi")], Math(Math::SinPi), "The sine of π times the operand, a zero with its sign for whole numbers; NaN for infinities.");
                CosPi(172, "cos_pi", unary(FLOAT), false, No, Library, 200, [Function("cos_pi")], Math(Math::CosPi), "The cosine of π times the operand, 0.0 for halves of odd numbers; NaN for infinities.");
                TanPi(173, "tan_pi", unary(FLOAT), false, No, Library, 200, [Function("tan_pi")], Math(Math::TanPi), "The tangent of π times the operand, infinite for halves of odd numbers; NaN for infinities.");
                Asin(174, "asin", unary(FLOAT), false, No, Library, 200, [Method("asin")], Math(Math::Asin), "The angle in radians, from -π/2 to π/2, of this sine; NaN for magnitudes above 1.");
                Acos(175, "acos", unary(FLOAT), false, No, Library, 200, [Method("acos")], Math(Math::Acos), "The angle in radians, from 0 to π, of this cosine; NaN for magnitudes above 1.");
                Atan(176, "atan", unary(FLOAT), false, No, Library, 200, [Method("atan")], Math(Math::Atan), "The angle in radians, from -π/2 to π/2, of this tangent.");
                Sinh(177, "sinh", unary(FLOAT), false, No, Library, 200, [Method("sinh")], Math(Math::Sinh), "The hyperbolic sine.");
                Cosh(178, "cosh", unary(FLOAT), false, No, Library, 200, [Method("cosh")], Math(Math::Cosh), "The hyperbolic cosine.");
                Tanh(179, "tanh", unary(FLOAT), false, No, Library, 200, [Method("tanh")], Math(Math::Tanh), "The hyperbolic tangent.");
                Asinh(180, "asinh", unary(FLOAT), false, No, Library, 200, [Method("asinh")], Math(Math::Asinh), "The number of this hyperbolic sine.");
                Acosh(181, "acosh", unary(FLOAT), false, No, Library, 200, [Method("acosh")], Math(Math::Acosh), "The number that is not negative of this hyperbolic cosine; NaN below 1.");
                Atanh(182, "atanh", unary(FLOAT), false, No, Library, 200, [Method("atanh")], Math(Math::Atanh), "The number of this hyperbolic tangent; an infinity for 1 and -1, NaN for greater magnitudes.");
                Cbrt(183, "cbrt", unary(FLOAT), false, No, Library, 200, [Method("cbrt")], Math(Math::Cbrt), "The cube root, with the operand's sign.");
                Rsqrt(184, "rsqrt", unary(FLOAT), false, No, Library, 200, [Function("rsqrt")], Math(Math::Rsqrt), "1 over the square root, rounded once; an infinity with its sign for zeros, NaN below.");
                Powf(185, "powf", binary(FLOAT), false, No, Library, 200, [Method("powf")], Math(Math::Powf), "The first operand to the power of the second. 1.0 where the first is 1.0 or the second is zero, also if the other one is NaN; NaN for a negative number to a power that is not whole.");
                Powi(186, "powi", scale(FLOAT), false, No, Library, 200, [Method("powi")], Math(Math::Powi), "The first operand to the power of an `i32`; 1.0 for the power 0.");
                Atan2(187, "atan2", binary(FLOAT), false, No, Library, 200, [Method("atan2")], Math(Math::Atan2), "The angle in radians, from -π to π, of the point whose y is the first operand and whose x is the second; signs of zeros and infinities count.");
                Hypot(188, "hypot", binary(FLOAT), true, No, Library, 200, [Method("hypot")], Math(Math::Hypot), "The square root of the sum of the squares, without overflow on the way; infinity where an operand is infinite, also beside a NaN.");
                Erf(189, "erf", unary(SMALL_FLOAT), false, No, Approximate, 200, [Function("erf")], Math(Math::Erf), "The error function.");
                Erfc(190, "erfc", unary(SMALL_FLOAT), false, No, Approximate, 200, [Function("erfc")], Math(Math::Erfc), "1 less the error function.");
                Tgamma(191, "tgamma", unary(SMALL_FLOAT), false, No, Approximate, 200, [Function("tgamma")], Math(Math::Tgamma), "The gamma function; an infinity with its sign for zeros, NaN for negative whole numbers and -infinity.");
                Lgamma(192, "lgamma", unary(SMALL_FLOAT), false, No, Approximate, 200, [Function("lgamma")], Math(Math::Lgamma), "The natural logarithm of the magnitude of the gamma function; infinity for whole numbers that are not positive.");
            }
        }
    };
}

macro_rules! define_ops {
    ($($section:ident { $($name:ident($number:literal, $text:literal, $sig:ident $(($class:ident))?, $comm:literal, $assoc:ident,
        $float:ident, $($weight:literal,)? [$($spelling:ident($rust:literal)),*], $eval:ident $(($function:path))?, $doc:literal);)* })*) => {
        /// A pure op; [`Op::info`] gives its row of the table.
        ///
        /// ```
        /// use samebits_ir::{ops::Op, types::Type};
        /// assert_eq!(Op::from_name("add"), Some(Op::Add));
        /// let sum = Op::Add.eval(&[Type::U32, Type::U32], Type::U32, &[[u32::MAX.into(), 0, 0, 0], [1, 0, 0, 0]]);
        /// assert_eq!(sum, [0; 4]);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Op { $($(#[doc = $doc] $name = $number,)*)* }

        impl Op {
            /// Every op, in the order of the table.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// The op's row.
            pub const fn info(self) -> &'static OpInfo {
                match self {$($(
                    Self::$name => const { &OpInfo {
                        op: Self::$name,
                        number: $number,
                        name: $text,
                        signature: Signature::$sig $((Class::$class))?,
                        commutative: $comm,
                        associative: Associative::$assoc,
                        float: FloatClass::$float,
                        weight: [$($weight,)? COMPOUND][0],
                        rust: &[$(Spelling::$spelling($rust)),*],
                        eval: Eval::$eval $(($function))?,
                        doc: $doc,
                    } },
                )*)*}
            }
        }
    };
}
for_each_op!([define_ops]);

/// The weight of a compound op, which is made of several others.
const COMPOUND: u32 = 60;

/// The pattern of the ops of sections of the table, as in `ops_of!(choice | shape)`, for a `match` that
/// has to name every op.
macro_rules! ops_of {
    ($($section:ident)|+) => {
        $($crate::ops::for_each_op!([$crate::ops::op_pattern] $section))|+
    };
}

/// Finds the section of this name. The columns of a row are none of its business.
macro_rules! op_pattern {
    (number number $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (bits bits $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (compare compare $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (choice choice $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (float float $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (shape shape $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (compound compound $rows:tt $($rest:tt)*) => { $crate::ops::op_pattern!($rows) };
    (math math $rows:tt) => { $crate::ops::op_pattern!($rows) };
    ($which:ident $section:ident $rows:tt $($rest:tt)+) => { $crate::ops::op_pattern!($which $($rest)+) };
    ({ $($name:ident $row:tt;)* }) => { $($crate::ops::Op::$name)|* };
}
pub(crate) use {for_each_op, op_pattern, ops_of};

impl Op {
    /// The op with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.info().name == name)
    }

    /// The op with this wire number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.info().number == number)
    }

    /// Whether the op is made of others before a back end sees it.
    pub const fn is_compound(self) -> bool {
        matches!(self, ops_of!(compound | math))
    }

    /// The mathematical function that computes the op, if one does.
    ///
    /// ```
    /// use samebits_ir::{math::Math, ops::Op};
    /// assert_eq!(Op::Exp.math(), Some(Math::Exp));
    /// assert_eq!(Op::Add.math(), None);
    /// ```
    pub const fn math(self) -> Option<Math> {
        match self.info().eval {
            Eval::Math(function) => Some(function),
            Eval::Lane(_) | Eval::Whole(_) | Eval::Typed => None,
        }
    }

    /// Whether GPUs have an instruction of their own for the mathematical function, which is not exact. Kernels may ask
    /// for it on `f32`.
    pub const fn has_instruction(self) -> bool {
        use Op::*;
        matches!(self, Exp | Exp2 | Ln | Log2 | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh)
            || matches!(self, Asinh | Acosh | Atanh | Rsqrt | Powf)
    }

    /// Whether the op is more than a few instructions somewhere.
    pub const fn is_costly(self) -> bool {
        self.info().weight >= 40
    }

    /// Whether the op may tell one NaN from another, or give one that is not the canonical one.
    pub const fn keeps_nan_bits(self) -> bool {
        matches!(self.info().float, FloatClass::Bits | FloatClass::None)
    }

    /// The result type for these operand types, or `None` if they do not fit.
    /// `stated` is the type that a cast or bitcast names; other ops ignore it.
    pub fn result(self, args: &[Type], stated: Option<Type>) -> Option<Type> {
        let signature = self.info().signature;
        let (fewest, most) = signature.arity();
        if args.len() < fewest || args.len() > most {
            return None;
        }
        let first = args[0];
        match signature {
            Signature::Lanes(..)
            | Signature::Fixed(..)
            | Signature::Extract
            | Signature::Insert
            | Signature::Reduce => {
                signature.types(first).filter(|(operands, _)| operands == args).map(|(_, result)| result)
            }
            Signature::Select => (first == Type::BOOL && args[1] == args[2] && args[1].is_value()).then_some(args[1]),
            Signature::Cast => stated.filter(|&to| scalar::cast_rule(first, to).is_some()),
            Signature::Bitcast => stated.filter(|&to| bitcast_fits(first, to)),
            Signature::Construct => match first {
                Type::Scalar(lane) if args.iter().all(|&ty| ty == first) => Some(Type::Vector(lane, args.len() as u8)),
                _ => None,
            },
        }
    }

    /// The op's value. The types must be ones that [`Op::result`] accepts.
    pub fn eval(self, types: &[Type], result: Type, args: &[Lanes]) -> Lanes {
        let mut out = [0; 4];
        let info = self.info();
        match (info.eval, types.first().and_then(|ty| ty.lane())) {
            (Eval::Lane(f), Some(lane)) => {
                for (i, out) in out.iter_mut().enumerate().take(result.lanes()) {
                    let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i]);
                    *out = f(lane, [operand(0), operand(1), operand(2), operand(3)]);
                }
                return out;
            }
            (Eval::Math(function), Some(lane)) => {
                for (i, out) in out.iter_mut().enumerate().take(result.lanes()) {
                    let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i]);
                    *out = scalar::math(function, lane, [operand(0), operand(1), operand(2), operand(3)]);
                }
                return out;
            }
            (Eval::Whole(f), _) => return f(args),
            (Eval::Lane(_) | Eval::Math(_), None) | (Eval::Typed, _) => {}
        }
        match info.signature {
            Signature::Select => args[if args[0][0] != 0 { 1 } else { 2 }],
            Signature::Cast => scalar::cast(types[0], result, args[0]).unwrap_or_default(),
            Signature::Construct => {
                for (out, arg) in out.iter_mut().zip(args) {
                    *out = arg[0];
                }
                out
            }
            Signature::Extract => {
                out[0] = usize::try_from(args[1][0]).ok().and_then(|i| args[0].get(i)).copied().unwrap_or(0);
                out
            }
            Signature::Insert => {
                out = args[0];
                if args[1][0] < result.lanes() as u64 {
                    out[args[1][0] as usize] = args[2][0];
                }
                out
            }
            Signature::Reduce => {
                let mut lanes = args[0].iter().take(types[0].lanes());
                let all = self == Self::All;
                out[0] = u64::from(if all { lanes.all(|&lane| lane != 0) } else { lanes.any(|&lane| lane != 0) });
                out
            }
            // A bitcast keeps the number of lanes, so the lanes' bits are the result.
            _ => args[0],
        }
    }
}

/// Bits move between scalars or equally long vectors of one lane width, never to `bool`.
fn bitcast_fits(from: Type, to: Type) -> bool {
    match (from.lane(), to.lane()) {
        (Some(a), Some(b)) => {
            from.lanes() == to.lanes() && a.bits() == b.bits() && a != Scalar::Bool && b != Scalar::Bool
        }
        _ => false,
    }
}
