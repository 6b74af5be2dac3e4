//! Mathematical functions: `exp`, `sin` and the like.
//!
//! Each is written once, over exact operations on numbers of 64 bits, generic over what a number is
//! ([`Real`]). For the host a number is an `f64`; for devices it is a handle of a value, and the same Rust
//! function records the instructions that compute it (`pass::expand`). So all devices and the host
//! compute the same by construction.
//!
//! - `single` is for `f16` and `f32`: the argument is widened, which is exact, and what comes out is rounded. The
//!   result is the correctly rounded one for every argument (`erf`, `erfc`, `tgamma` and `lgamma` excepted),
//!   whether [`Real::step`] rounds once or twice. So each device may choose.
//! - `ends` says what functions of `single` give for NaN, infinities and what is out of their domain.
//! - `pair` is for `f32` where `f64` is slow: pairs of `f32`, and a test whether they were enough.
//! - `quick` is for `f32` where `f64` is quick: fewer terms than `single` has, and the same test.
//! - `double` is for `f64`: within a unit in the last place, by one algorithm.
//!
//! Constants are made by a program, `tests/src/coefficients`, and a test holds them against it.

mod double;
mod ends;
mod host;
mod pair;
mod quick;
mod single;
mod table;

pub(crate) use pair::Sure;
pub(crate) use quick::Quick;
pub(crate) use single::sin_cos as single_sin_cos;
pub use table::Math;
pub(crate) use table::sin_cos;

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// How [`Real::step`] is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// By `mul_add`, with one rounding.
    Fused,
    /// By a product and a sum.
    Twice,
}

/// How functions of `f32` and `f16` are computed. The results are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// In `f64`.
    Doubles,
    /// In `f64`, logarithms by few terms and a test, for targets whose `f64` is quick.
    FewTerms,
    /// In pairs of `f32` with such steps, where a function has this form; else in `f64`.
    Pairs(Step),
}

/// A condition.
pub trait Flag: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}

/// An integer of as many bits as a number, 64 or 32; arithmetic wraps. Shift counts are below that.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Add<u64, Output = Self>
    + Sub<u64, Output = Self>
    + Mul<u64, Output = Self>
    + BitAnd<u64, Output = Self>
    + BitOr<u64, Output = Self>
    + BitXor<u64, Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// What comparisons give.
    type Flag: Flag;

    /// A left shift by a number that is not a constant.
    fn shl_by(self, count: Self) -> Self;
    /// A right shift by a number that is not a constant.
    fn shr_by(self, count: Self) -> Self;
    /// A right shift that keeps the sign.
    fn sar(self, count: u32) -> Self;
    /// Whether it is this number.
    fn equals(self, other: u64) -> Self::Flag;
    /// Whether it is the lesser as an unsigned number.
    fn below(self, other: Self) -> Self::Flag;
    /// Whether the low `bits` bits are `first` or one of the `count - 1` numbers after it; `bits` is at most 32, and no number is above
    /// what as many bits hold.
    fn low_bits_among(self, bits: u32, first: u32, count: u32) -> Self::Flag;
    /// The number of zero bits above the highest set bit; all of them for zero.
    fn clz(self) -> Self;
    /// The entry of a table at this index, which is in bounds. Devices choose among all entries, so this is for
    /// branches that are rarely taken.
    fn of_table(self, table: &'static [u64]) -> Self;
}

/// A number: an `f64`, or in `pair` an `f32`. Every operation rounds once, to nearest even.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// What comparisons give.
    type Flag: Flag;
    /// Its bits.
    type Bits: Bits<Flag = Self::Flag>;

    /// A constant beside this number, rounded to its type.
    fn k(self, value: f64) -> Self;
    /// An integer constant beside this number.
    fn n(self, value: u64) -> Self::Bits;
    /// The bits.
    fn bits(self) -> Self::Bits;
    /// The number of these bits.
    fn of_bits(bits: Self::Bits) -> Self;
    /// `self * b + c` with one rounding or with two, as is quick. Only for what comes out right both ways.
    fn step(self, b: Self, c: Self) -> Self;
    /// `self * b + c` with one rounding.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// The product and the error of its rounding, which must not underflow.
    fn product(self, b: Self) -> (Self, Self) {
        let product = self * b;
        (product, self.mul_add(b, -product))
    }
    /// The same of `f32` without `mul_add`; the factors must be below 2^115.
    fn product_in_halves(self, b: Self) -> (Self, Self) {
        // 12 bits, and the others with their sign.
        let halves = |number: Self| {
            let scaled = number * 4097.0;
            let high = scaled - (scaled - number);
            (high, number - high)
        };
        let (product, a, b) = (self * b, halves(self), halves(b));
        let rest = (a.0 * b.0 - product) + a.0 * b.1 + a.1 * b.0;
        (product, rest + a.1 * b.1)
    }
    /// The square root.
    fn sqrt(self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The magnitude with the sign of another number.
    fn copysign(self, sign: Self) -> Self;
    /// Whether it is less.
    fn lt(self, other: Self) -> Self::Flag;
    /// Whether it is less or equal.
    fn le(self, other: Self) -> Self::Flag;
    /// Whether it is the same number; zeros are.
    fn equals(self, other: Self) -> Self::Flag;
    /// Whether it is no number.
    fn is_nan(self) -> Self::Flag;
    /// The first if the condition holds, else the second. Both are computed.
    fn pick(flag: Self::Flag, yes: Self, no: Self) -> Self;
    /// The same, of integers.
    fn pick_bits(flag: Self::Flag, yes: Self::Bits, no: Self::Bits) -> Self::Bits;
    /// What one of two sides gives; the other one is not computed.
    fn branch<const N: usize>(
        flag: Self::Flag,
        yes: impl FnOnce() -> [Self; N],
        no: impl FnOnce() -> [Self; N],
    ) -> [Self; N];
    /// Applies a step as often as it says: a loop on devices.
    fn repeat<const N: usize>(count: u32, state: [Self; N], step: impl Fn([Self; N]) -> [Self; N]) -> [Self; N];
}

/// 0 of a number, and NaN of an infinity and of NaN.
#[expect(clippy::eq_op, reason = "not every number is equal to itself")]
#[inline(always)]
pub(crate) fn zero_or_nan<R: Real>(x: R) -> R {
    x - x
}

/// The value of a polynomial, the lowest coefficient first, in steps.
///
/// ```
/// use samebits_ir::math::polynomial;
/// assert_eq!(polynomial(3.0, &[1.0, 0.0, 2.0]), 19.0);
/// ```
#[inline(always)]
pub fn polynomial<R: Real>(x: R, coefficients: &[f64]) -> R {
    let (highest, others) = coefficients.split_last().unwrap_or((&0.0, &[]));
    others.iter().rev().fold(x.k(*highest), |sum, &c| sum.step(x, x.k(c)))
}

/// The same by `mul_add`.
#[inline(always)]
pub(crate) fn fused_polynomial<R: Real>(x: R, coefficients: &[f64]) -> R {
    let (highest, others) = coefficients.split_last().unwrap_or((&0.0, &[]));
    others.iter().rev().fold(x.k(*highest), |sum, &c| sum.mul_add(x, x.k(c)))
}
