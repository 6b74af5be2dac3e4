//! The op table: every pure op, one row each.
//!
//! A row states the op's frozen wire number, its name in text, its operand and result
//! types, its algebraic laws, how exact its float form is, how Rust spells it, and the
//! function that computes it. The enum, builder, parser, printer, wire format, type
//! check, folding, interpreter, front end, the page `ir/docs/ops.md` and the conformance
//! test all read the row. Adding a pure op is a row, its function in `scalar.rs`, and
//! the back-end arms that the compiler then demands.
//!
//! Ops work lane by lane on vectors, except those whose signature says otherwise.
//! What has an effect (memory, atomics, barriers) is an [`InstKind`](crate::ir::InstKind)
//! of its own; [`AtomicOp`] and [`Builtin`] are the small tables for two of those.

use crate::scalar::{self, Lanes};
use crate::types::{Scalar, Type};

/// A set of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class(u16);

impl Class {
    /// Signed integers.
    pub const SIGNED: Self = Self::of(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
    /// Unsigned integers.
    pub const UNSIGNED: Self = Self::of(&[Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64]);
    /// Integers.
    pub const INT: Self = Self::SIGNED.or(Self::UNSIGNED);
    /// Floats.
    pub const FLOAT: Self = Self::of(&[Scalar::F16, Scalar::F32, Scalar::F64]);
    /// Integers and floats.
    pub const NUM: Self = Self::INT.or(Self::FLOAT);
    /// Signed integers and floats.
    pub const NEGATABLE: Self = Self::SIGNED.or(Self::FLOAT);
    /// Integers and `bool`.
    pub const BITS: Self = Self::INT.or(Self::of(&[Scalar::Bool]));
    /// Integers, floats and `bool`.
    pub const ORDERED: Self = Self::NUM.or(Self::of(&[Scalar::Bool]));
    /// Every scalar.
    pub const ANY: Self = Self::of(Scalar::ALL);

    const fn of(scalars: &[Scalar]) -> Self {
        let (mut set, mut i) = (0, 0);
        while i < scalars.len() {
            set |= 1 << scalars[i] as u16;
            i += 1;
        }
        Self(set)
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the scalar belongs to the class.
    pub const fn contains(self, scalar: Scalar) -> bool {
        self.0 & 1 << scalar as u16 != 0
    }

    /// The scalars of the class.
    pub fn members(self) -> impl Iterator<Item = Scalar> {
        Scalar::ALL.iter().copied().filter(move |&s| self.contains(s))
    }
}

/// The operands and result of an op. `T` is a scalar of the class or a vector of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signature {
    /// `(T) -> T`
    Unary(Class),
    /// `(T, T) -> T`
    Binary(Class),
    /// `(T, T, T) -> T`
    Ternary(Class),
    /// `(T, T) -> bool`, a vector of `bool` for vectors
    Compare(Class),
    /// `(T) -> bool`, a vector of `bool` for vectors
    Test(Class),
    /// `(T) -> u32`, a vector of `u32` for vectors
    Count(Class),
    /// `(T, T) -> ` the unsigned integer of the same width
    Distance(Class),
    /// `(T, u32) -> T`, counts lane by lane for vectors
    Shift(Class),
    /// `(bool, T, T) -> T` for any value type
    Select,
    /// `(T) -> U`, the result type is part of the instruction; see `scalar::cast_rule`
    Cast,
    /// `(T) -> U` of the same number of bits, the result type is part of the instruction
    Bitcast,
    /// two to four scalars `T` to their vector
    Construct,
    /// `(vector of T, u32) -> T`
    Extract,
}

impl Signature {
    /// The fewest and the most operands.
    pub const fn arity(self) -> (usize, usize) {
        match self {
            Self::Unary(_) | Self::Test(_) | Self::Count(_) | Self::Cast | Self::Bitcast => (1, 1),
            Self::Binary(_) | Self::Compare(_) | Self::Distance(_) | Self::Shift(_) | Self::Extract => (2, 2),
            Self::Ternary(_) | Self::Select => (3, 3),
            Self::Construct => (2, 4),
        }
    }

    /// Whether the result type must be stated because the operands do not decide it.
    pub const fn states_result(self) -> bool {
        matches!(self, Self::Cast | Self::Bitcast)
    }

    /// The scalars that the leading operand may have.
    pub const fn class(self) -> Class {
        match self {
            Self::Unary(c) | Self::Binary(c) | Self::Ternary(c) | Self::Compare(c) => c,
            Self::Test(c) | Self::Count(c) | Self::Distance(c) | Self::Shift(c) => c,
            Self::Select | Self::Cast | Self::Bitcast | Self::Construct | Self::Extract => Class::ANY,
        }
    }
}

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
    /// No rounding happens.
    Exact,
    /// The nearest representable number, ties to even.
    CorrectlyRounded,
    /// The op has no float form.
    None,
}

/// A function from the bits of up to three operands to the bits of the result; the
/// scalar is the leading operand's lane type.
pub type LaneFn = fn(Scalar, [u64; 3]) -> u64;

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
    /// Rust's operators and methods that mean this op.
    pub rust: &'static [&'static str],
    /// The lane function, or `None` where the signature is not lane by lane.
    pub lane: Option<LaneFn>,
    /// One sentence of documentation.
    pub doc: &'static str,
}

/// Calls the macro `$m` with every row of the table.
///
/// `Name = number, "text name", Signature, commutes?, associativity, float class,
/// [Rust spellings], lane function, "documentation";`
#[macro_export]
macro_rules! for_each_op {
    ($m:ident) => {
        $m! {
            Add = 1, "add", Binary(NUM), true, Inexact, CorrectlyRounded, ["+", "wrapping_add"], Some(scalar::add), "Sum; integers wrap.";
            Sub = 2, "sub", Binary(NUM), false, No, CorrectlyRounded, ["-", "wrapping_sub"], Some(scalar::sub), "Difference; integers wrap.";
            Mul = 3, "mul", Binary(NUM), true, Inexact, CorrectlyRounded, ["*", "wrapping_mul"], Some(scalar::mul), "Product; integers wrap.";
            Div = 4, "div", Binary(NUM), false, No, CorrectlyRounded, ["/", "wrapping_div"], Some(scalar::div), "Quotient; integers truncate, `x / 0` is 0 and `MIN / -1` is `MIN`.";
            Rem = 5, "rem", Binary(NUM), false, No, Exact, ["%", "wrapping_rem"], Some(scalar::rem), "Remainder with the dividend's sign; for integers `x % 0` is 0 and `MIN % -1` is 0.";
            Neg = 6, "neg", Unary(NUM), false, No, Exact, ["-", "wrapping_neg"], Some(scalar::neg), "Negation; integers wrap, floats flip the sign bit, also of NaN.";
            Abs = 7, "abs", Unary(NEGATABLE), false, No, Exact, ["abs", "wrapping_abs"], Some(scalar::abs), "Absolute value; `MIN` stays `MIN`, floats clear the sign bit, also of NaN.";
            Sign = 8, "sign", Unary(SIGNED), false, No, None, ["signum"], Some(scalar::sign), "-1, 0 or 1 as the operand is negative, zero or positive.";
            Min = 9, "min", Binary(NUM), true, Exact, Exact, ["min"], Some(scalar::min), "The lesser; for floats a NaN loses and -0.0 is below 0.0.";
            Max = 10, "max", Binary(NUM), true, Exact, Exact, ["max"], Some(scalar::max), "The greater; for floats a NaN loses and -0.0 is below 0.0.";
            AbsDiff = 11, "abs_diff", Distance(INT), true, No, None, ["abs_diff"], Some(scalar::abs_diff), "Absolute difference, unsigned.";
            And = 16, "and", Binary(BITS), true, Exact, None, ["&"], Some(scalar::and), "Bitwise and.";
            Or = 17, "or", Binary(BITS), true, Exact, None, ["|"], Some(scalar::or), "Bitwise or.";
            Xor = 18, "xor", Binary(BITS), true, Exact, None, ["^"], Some(scalar::xor), "Bitwise exclusive or.";
            Not = 19, "not", Unary(BITS), false, No, None, ["!"], Some(scalar::not), "Complement of every bit.";
            Shl = 20, "shl", Shift(INT), false, No, None, ["<<", "wrapping_shl"], Some(scalar::shl), "Left shift by the count modulo the width.";
            Shr = 21, "shr", Shift(INT), false, No, None, [">>", "wrapping_shr"], Some(scalar::shr), "Right shift by the count modulo the width; arithmetic for signed integers.";
            RotateLeft = 22, "rotl", Shift(INT), false, No, None, ["rotate_left"], Some(scalar::rotate_left), "Rotation towards the high bits by the count modulo the width.";
            RotateRight = 23, "rotr", Shift(INT), false, No, None, ["rotate_right"], Some(scalar::rotate_right), "Rotation towards the low bits by the count modulo the width.";
            CountOnes = 24, "popcount", Count(INT), false, No, None, ["count_ones"], Some(scalar::count_ones), "The number of set bits.";
            LeadingZeros = 25, "clz", Count(INT), false, No, None, ["leading_zeros"], Some(scalar::leading_zeros), "Zero bits above the highest set bit; the width for zero.";
            TrailingZeros = 26, "ctz", Count(INT), false, No, None, ["trailing_zeros"], Some(scalar::trailing_zeros), "Zero bits below the lowest set bit; the width for zero.";
            ReverseBits = 27, "reverse_bits", Unary(INT), false, No, None, ["reverse_bits"], Some(scalar::reverse_bits), "The bits in reverse order.";
            SwapBytes = 28, "swap_bytes", Unary(INT), false, No, None, ["swap_bytes"], Some(scalar::swap_bytes), "The bytes in reverse order.";
            Eq = 32, "eq", Compare(ORDERED), true, No, Exact, ["=="], Some(scalar::eq), "Equal; false if either is NaN.";
            Ne = 33, "ne", Compare(ORDERED), true, No, Exact, ["!="], Some(scalar::ne), "Not equal; true if either is NaN.";
            Lt = 34, "lt", Compare(ORDERED), false, No, Exact, ["<"], Some(scalar::lt), "Less; false if either is NaN.";
            Le = 35, "le", Compare(ORDERED), false, No, Exact, ["<="], Some(scalar::le), "Less or equal; false if either is NaN.";
            Gt = 36, "gt", Compare(ORDERED), false, No, Exact, [">"], Some(scalar::gt), "Greater; false if either is NaN.";
            Ge = 37, "ge", Compare(ORDERED), false, No, Exact, [">="], Some(scalar::ge), "Greater or equal; false if either is NaN.";
            Select = 40, "select", Select, false, No, Exact, [], Option::None, "The second operand if the first is true, else the third; both are evaluated.";
            Sqrt = 48, "sqrt", Unary(FLOAT), false, No, CorrectlyRounded, ["sqrt"], Some(scalar::sqrt), "Square root; NaN below zero, -0.0 for -0.0.";
            Floor = 49, "floor", Unary(FLOAT), false, No, Exact, ["floor"], Some(scalar::floor), "Rounded towards negative infinity.";
            Ceil = 50, "ceil", Unary(FLOAT), false, No, Exact, ["ceil"], Some(scalar::ceil), "Rounded towards positive infinity.";
            Trunc = 51, "trunc", Unary(FLOAT), false, No, Exact, ["trunc"], Some(scalar::trunc), "Rounded towards zero.";
            RoundEven = 52, "round_even", Unary(FLOAT), false, No, Exact, ["round_ties_even"], Some(scalar::round_even), "Rounded to nearest, halves to even.";
            Round = 53, "round", Unary(FLOAT), false, No, Exact, ["round"], Some(scalar::round), "Rounded to nearest, halves away from zero.";
            MulAdd = 54, "fma", Ternary(FLOAT), true, No, CorrectlyRounded, ["mul_add"], Some(scalar::mul_add), "`a * b + c` with one rounding.";
            CopySign = 55, "copysign", Binary(FLOAT), false, No, Exact, ["copysign"], Some(scalar::copysign), "The first operand's magnitude with the second's sign bit.";
            IsNan = 56, "is_nan", Test(FLOAT), false, No, Exact, ["is_nan"], Some(scalar::is_nan), "Whether the operand is NaN.";
            IsInfinite = 57, "is_inf", Test(FLOAT), false, No, Exact, ["is_infinite"], Some(scalar::is_infinite), "Whether the operand is an infinity.";
            IsFinite = 58, "is_finite", Test(FLOAT), false, No, Exact, ["is_finite"], Some(scalar::is_finite), "Whether the operand is neither NaN nor an infinity.";
            Cast = 64, "cast", Cast, false, No, CorrectlyRounded, ["as"], Option::None, "Conversion between two types of the cast table.";
            Bitcast = 65, "bitcast", Bitcast, false, No, Exact, ["to_bits", "from_bits"], Option::None, "The same bits read as another type of the same width.";
            Construct = 72, "vec", Construct, false, No, Exact, ["new"], Option::None, "A vector of its lanes.";
            Extract = 73, "extract", Extract, false, No, Exact, [], Option::None, "A lane of a vector, counted from 0; zero if there is none.";
        }
    };
}

macro_rules! define_ops {
    ($($name:ident = $number:literal, $text:literal, $sig:ident $(($class:ident))?, $comm:literal, $assoc:ident, $float:ident,
        [$($rust:literal),*], $lane:expr, $doc:literal;)*) => {
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
        pub enum Op { $(#[doc = $doc] $name = $number,)* }

        impl Op {
            /// Every op, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The op's row.
            pub const fn info(self) -> &'static OpInfo {
                match self {$(
                    Self::$name => const { &OpInfo {
                        op: Self::$name,
                        number: $number,
                        name: $text,
                        signature: Signature::$sig $((Class::$class))?,
                        commutative: $comm,
                        associative: Associative::$assoc,
                        float: FloatClass::$float,
                        rust: &[$($rust),*],
                        lane: $lane,
                        doc: $doc,
                    } },
                )*}
            }
        }
    };
}
for_each_op!(define_ops);

impl Op {
    /// The op with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.info().name == name)
    }

    /// The op with this wire number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.info().number == number)
    }

    /// The op that a Rust operator or method with this many operands means; `-` is
    /// subtraction with two and negation with one.
    pub fn from_rust(spelling: &str, operands: usize) -> Option<Self> {
        let fits = |op: &Self| {
            let info = op.info();
            info.rust.contains(&spelling) && info.signature.arity().0 == operands
        };
        Self::ALL.iter().copied().find(fits)
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
        let same = || args.iter().all(|&ty| ty == first);
        let fits = |class: Class| first.lane().is_some_and(|lane| class.contains(lane));
        match signature {
            Signature::Unary(c) | Signature::Binary(c) | Signature::Ternary(c) => (fits(c) && same()).then_some(first),
            Signature::Compare(c) | Signature::Test(c) => (fits(c) && same()).then_some(first.with_lane(Scalar::Bool)),
            Signature::Count(c) => fits(c).then_some(first.with_lane(Scalar::U32)),
            Signature::Distance(c) => {
                (fits(c) && same()).then(|| first.with_lane(first.lane().map_or(Scalar::U32, Scalar::unsigned)))
            }
            Signature::Shift(c) => (fits(c) && args[1] == first.with_lane(Scalar::U32)).then_some(first),
            Signature::Select => (first == Type::BOOL && args[1] == args[2] && args[1].is_value()).then_some(args[1]),
            Signature::Cast => stated.filter(|&to| scalar::cast_rule(first, to).is_some()),
            Signature::Bitcast => stated.filter(|&to| bitcast_fits(first, to)),
            Signature::Construct => match first {
                Type::Scalar(lane) if same() => Some(Type::Vector(lane, args.len() as u8)),
                _ => None,
            },
            Signature::Extract => match first {
                Type::Vector(lane, _) if args[1] == Type::U32 => Some(Type::Scalar(lane)),
                _ => None,
            },
        }
    }

    /// The op's value. The types must be ones that [`Op::result`] accepts.
    pub fn eval(self, types: &[Type], result: Type, args: &[Lanes]) -> Lanes {
        let mut out = [0; 4];
        let info = self.info();
        if let (Some(lane_fn), Some(lane)) = (info.lane, types[0].lane()) {
            for (i, out) in out.iter_mut().enumerate().take(result.lanes()) {
                let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i]);
                *out = lane_fn(lane, [operand(0), operand(1), operand(2)]);
            }
            return out;
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

macro_rules! atomic_ops {
    ($($name:ident = $number:literal, $text:literal, $rust:literal, $operands:literal, $class:ident, $doc:literal;)*) => {
        /// What an atomic access does. All but [`AtomicOp::Store`] give the old value.
        ///
        /// ```
        /// use samebits_ir::ops::AtomicOp;
        /// assert_eq!(AtomicOp::from_rust("fetch_add"), Some(AtomicOp::Add));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum AtomicOp { $(#[doc = $doc] $name = $number,)* }

        impl AtomicOp {
            /// Every atomic op.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text, after `atomic.`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The method that spells it in Rust.
            pub const fn rust(self) -> &'static str {
                match self { $(Self::$name => $rust,)* }
            }

            /// The number of value operands.
            pub const fn operands(self) -> usize {
                match self { $(Self::$name => $operands,)* }
            }

            /// The types that have it.
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class,)* }
            }

            /// The frozen wire number.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// One sentence of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

atomic_ops! {
    Load = 1, "load", "load", 0, NUM, "The value.";
    Store = 2, "store", "store", 1, NUM, "Replaces the value; gives nothing.";
    Add = 3, "add", "fetch_add", 1, NUM, "Adds, wrapping; floats as `add`.";
    Sub = 4, "sub", "fetch_sub", 1, NUM, "Subtracts, wrapping; floats as `sub`.";
    Min = 5, "min", "fetch_min", 1, NUM, "Keeps the lesser; floats as `min`.";
    Max = 6, "max", "fetch_max", 1, NUM, "Keeps the greater; floats as `max`.";
    And = 7, "and", "fetch_and", 1, INT, "Bitwise and.";
    Or = 8, "or", "fetch_or", 1, INT, "Bitwise or.";
    Xor = 9, "xor", "fetch_xor", 1, INT, "Bitwise exclusive or.";
    Exchange = 10, "exchange", "swap", 1, NUM, "Replaces the value.";
    CompareExchange = 11, "cmpxchg", "compare_exchange", 2, NUM, "Replaces the value by the second operand if its bits are those of the first; never fails spuriously.";
    Nand = 12, "nand", "fetch_nand", 1, INT, "The complement of bitwise and.";
    IncWrap = 13, "inc_wrap", "fetch_inc_wrap", 1, UNSIGNED, "One more, or 0 if the value is the operand or above.";
    DecWrap = 14, "dec_wrap", "fetch_dec_wrap", 1, UNSIGNED, "One less, or the operand if the value is 0 or above the operand.";
}

impl AtomicOp {
    /// The types with atomics.
    pub const CLASS: Class = Class::NUM;

    /// The op with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The op that this Rust method means.
    pub fn from_rust(method: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.rust() == method)
    }

    /// The op with this wire number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.number() == number)
    }

    /// The value that the memory holds afterwards. A value of the op's [class](Self::class)
    /// is its bits, zero-extended.
    pub fn apply(self, ty: Scalar, old: u64, operands: [u64; 2]) -> u64 {
        let [value, new] = operands;
        let args = [old, value, 0];
        match self {
            Self::Load => old,
            Self::Store | Self::Exchange => value,
            Self::Add => scalar::add(ty, args),
            Self::Sub => scalar::sub(ty, args),
            Self::Min => scalar::min(ty, args),
            Self::Max => scalar::max(ty, args),
            Self::And => scalar::and(ty, args),
            Self::Or => scalar::or(ty, args),
            Self::Xor => scalar::xor(ty, args),
            Self::Nand => scalar::not(ty, [scalar::and(ty, args), 0, 0]),
            Self::IncWrap if old >= value => 0,
            Self::IncWrap => old + 1,
            Self::DecWrap if old == 0 || old > value => value,
            Self::DecWrap => old - 1,
            Self::CompareExchange if old == value => new,
            Self::CompareExchange => old,
        }
    }
}

macro_rules! builtins {
    ($($name:ident = $number:literal, $text:literal, $doc:literal;)*) => {
        /// What an invocation knows of its place in the launch; every one is a `u32`.
        ///
        /// ```
        /// use samebits_ir::ops::Builtin;
        /// assert_eq!(Builtin::from_name("global_id.x"), Some(Builtin::GlobalIdX));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum Builtin { $(#[doc = $doc] $name = $number,)* }

        impl Builtin {
            /// Every builtin.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The frozen wire number.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// One sentence of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

builtins! {
    GlobalIdX = 1, "global_id.x", "Workgroup index times workgroup size plus local index, on x.";
    GlobalIdY = 2, "global_id.y", "The same on y.";
    GlobalIdZ = 3, "global_id.z", "The same on z.";
    LocalIdX = 4, "local_id.x", "The place in the workgroup on x.";
    LocalIdY = 5, "local_id.y", "The same on y.";
    LocalIdZ = 6, "local_id.z", "The same on z.";
    WorkgroupIdX = 7, "workgroup_id.x", "The workgroup's index on x.";
    WorkgroupIdY = 8, "workgroup_id.y", "The same on y.";
    WorkgroupIdZ = 9, "workgroup_id.z", "The same on z.";
    NumWorkgroupsX = 10, "num_workgroups.x", "The number of workgroups on x.";
    NumWorkgroupsY = 11, "num_workgroups.y", "The same on y.";
    NumWorkgroupsZ = 12, "num_workgroups.z", "The same on z.";
    LocalIndex = 13, "local_index", "`local_id.x + size.x * (local_id.y + size.y * local_id.z)`.";
}

impl Builtin {
    /// The builtin with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|b| b.name() == name)
    }

    /// The builtin with this wire number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|b| b.number() == number)
    }

    /// The axis, 0 to 2, or `None` for [`Builtin::LocalIndex`].
    pub const fn axis(self) -> Option<usize> {
        match self {
            Self::LocalIndex => None,
            other => Some((other as usize - 1) % 3),
        }
    }
}
