//! Functions in pairs, held against those in `f64`, which are themselves held against other implementations elsewhere.

use crate::math::{Bits, Math, Real};
use crate::types::Scalar;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Shl, Shr, Sub};

/// An `f32` as a device has it: with `mul_add` of its own, or without.
#[derive(Clone, Copy)]
pub struct Single<const FUSED: bool>(pub f32);

/// Its bits.
#[derive(Clone, Copy)]
pub struct Word(pub u32);

macro_rules! wrapping {
    ($($operator:ident $method:ident $by:ident),*) => {$(
        impl $operator for Word {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(self.0.$by(other.0))
            }
        }
        impl $operator<u64> for Word {
            type Output = Self;
            fn $method(self, other: u64) -> Self {
                Self(self.0.$by(other as u32))
            }
        }
    )*};
}
wrapping!(
    Add add wrapping_add, Sub sub wrapping_sub, Mul mul wrapping_mul,
    BitAnd bitand bitand, BitOr bitor bitor, BitXor bitxor bitxor
);

impl Shl<u32> for Word {
    type Output = Self;
    fn shl(self, count: u32) -> Self {
        Self(self.0 << count)
    }
}

impl Shr<u32> for Word {
    type Output = Self;
    fn shr(self, count: u32) -> Self {
        Self(self.0 >> count)
    }
}

impl Bits for Word {
    type Flag = bool;

    fn shl_by(self, count: Self) -> Self {
        Self(self.0 << count.0)
    }
    fn shr_by(self, count: Self) -> Self {
        Self(self.0 >> count.0)
    }
    fn sar(self, count: u32) -> Self {
        Self((self.0 as i32 >> count) as u32)
    }
    fn equals(self, other: u64) -> bool {
        u64::from(self.0) == other
    }
    fn below(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn low_bits_among(self, bits: u32, first: u32, count: u32) -> bool {
        let above = 32 - bits;
        (self.0 << above).wrapping_sub(first << above) < count << above
    }
    fn clz(self) -> Self {
        Self(self.0.leading_zeros())
    }
    fn of_table(self, table: &'static [u64]) -> Self {
        Self(table[self.0 as usize] as u32)
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl<const FUSED: bool> $operator for Single<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
        impl<const FUSED: bool> $operator<f64> for Single<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: f64) -> Self {
                Self(self.0.$method(other as f32))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl<const FUSED: bool> Neg for Single<FUSED> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<const FUSED: bool> Real for Single<FUSED> {
    type Flag = bool;
    type Bits = Word;

    fn k(self, value: f64) -> Self {
        Self(value as f32)
    }
    fn n(self, value: u64) -> Word {
        Word(value as u32)
    }
    fn bits(self) -> Word {
        Word(self.0.to_bits())
    }
    fn of_bits(bits: Word) -> Self {
        Self(f32::from_bits(bits.0))
    }
    #[inline(always)]
    fn step(self, b: Self, c: Self) -> Self {
        if FUSED { self.mul_add(b, c) } else { self * b + c }
    }
    #[inline(always)]
    fn product(self, b: Self) -> (Self, Self) {
        if !FUSED {
            return self.product_in_halves(b);
        }
        let product = self * b;
        (product, self.mul_add(b, -product))
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(self.0.mul_add(b.0, c.0))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn copysign(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn le(self, other: Self) -> bool {
        self.0 <= other.0
    }
    #[expect(clippy::float_cmp, reason = "the same number is meant")]
    fn equals(self, other: Self) -> bool {
        self.0 == other.0
    }
    fn is_nan(self) -> bool {
        self.0.is_nan()
    }
    fn pick(flag: bool, yes: Self, no: Self) -> Self {
        if flag { yes } else { no }
    }
    fn pick_bits(flag: bool, yes: Word, no: Word) -> Word {
        if flag { yes } else { no }
    }
    fn branch<const N: usize>(
        flag: bool,
        yes: impl FnOnce() -> [Self; N],
        no: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        if flag { yes() } else { no() }
    }
    fn repeat<const N: usize>(count: u32, state: [Self; N], step: impl Fn([Self; N]) -> [Self; N]) -> [Self; N] {
        (0..count).fold(state, |state, _| step(state))
    }
}

/// Arguments at a time, so that compilers can compute many in a row.
const BATCH: usize = 256;

/// What became of a function's results.
#[derive(Default, Debug)]
struct Found {
    tried: u64,
    /// Of arguments from 2^-30 to 2^6, which have a result that is a normal number.
    usual: u64,
    usual_and_unsure: u64,
    /// The first bits of arguments with a sure result that is wrong.
    wrong: Vec<u32>,
}

impl Found {
    /// Looks at arguments whose bits are `first` and the next ones, a stride apart.
    #[inline(always)]
    fn look<const FUSED: bool>(&mut self, function: Math, first: u32, stride: u32) {
        let bits = |i: usize| first.wrapping_add(i as u32 * stride);
        let (mut values, mut sure, mut right) = ([0u32; BATCH], [0u32; BATCH], [0u32; BATCH]);
        for i in 0..BATCH {
            let x = Single::<FUSED>(f32::from_bits(bits(i)));
            let found = function.in_pairs(x).expect("it has the form");
            values[i] = found.value.0.to_bits();
            sure[i] = u32::from(found.sure);
        }
        for (i, right) in right.iter_mut().enumerate() {
            *right = (function.apply(Scalar::F32, &[f64::from(f32::from_bits(bits(i)))]) as f32).to_bits();
        }
        for i in 0..BATCH {
            let is_usual = (0x3080_0000..0x4280_0000).contains(&bits(i));
            self.tried += 1;
            self.usual += u64::from(is_usual);
            self.usual_and_unsure += u64::from(is_usual && sure[i] == 0);
            if sure[i] == 1 && values[i] != right[i] && self.wrong.len() < 8 {
                self.wrong.push(bits(i));
            }
        }
    }
}

/// Each of the functions, so that it is a constant where it is computed.
macro_rules! each {
    ($fused:literal, $stride:expr; $($name:ident)*) => {
        [$({
            let mut found = Found::default();
            let is_asked = std::env::var("SAMEBITS_FUNCTION").map_or(true, |name| name == stringify!($name));
            let step = BATCH as u64 * u64::from($stride);
            for batch in 0..if is_asked { (1u64 << 32).div_ceil(step) } else { 0 } {
                found.look::<$fused>(Math::$name, (batch * step) as u32, $stride);
            }
            (stringify!($name), $fused, found)
        },)*]
    };
}

/// Results of every argument whose bits are a multiple of the stride, and of some more.
fn found(stride: u32) -> Vec<(&'static str, bool, Found)> {
    let fused = each!(true, stride; Exp Exp2 Exp10 Tanh Rsqrt Ln Log2 Log10 Sin Cos);
    let twice = each!(false, stride; Exp Exp2 Exp10 Tanh Rsqrt Ln Log2 Log10 Sin Cos);
    fused.into_iter().chain(twice).collect()
}

/// All arguments with `SAMEBITS_MATH=all`, some hundred thousand otherwise; `SAMEBITS_FUNCTION=NAME` leaves other functions out.
#[test]
fn a_sure_result_is_right_and_few_are_not_sure() {
    let all = std::env::var("SAMEBITS_MATH").is_ok_and(|value| value == "all");
    for (name, fused, found) in found(if all { 1 } else { 40_009 }) {
        let of = format!("{name}, fused: {fused}, of {} arguments", found.tried);
        assert!(found.wrong.is_empty(), "{of}: {:x?}", found.wrong);
        assert!(found.usual_and_unsure * 1000 <= found.usual, "{of}: {} of {}", found.usual_and_unsure, found.usual);
    }
}

/// What programs ask for often is not left to the slow way.
#[test]
fn zeros_and_far_arguments_are_sure() {
    let sure = |function: Math, x: f32| function.in_pairs(Single::<true>(x)).is_some_and(|it| it.sure);
    for x in [0.0, -0.0, 1.0, -1.0] {
        for function in [Math::Exp, Math::Exp2, Math::Exp10, Math::Tanh, Math::Sin, Math::Cos] {
            assert!(sure(function, x), "{function:?} of {x}");
        }
    }
    for x in [-1e30, -1000.0, 1000.0, f32::NEG_INFINITY, f32::INFINITY] {
        for function in [Math::Exp, Math::Exp2, Math::Exp10, Math::Tanh] {
            assert!(sure(function, x), "{function:?} of {x}");
        }
    }
    for function in [Math::Ln, Math::Log2, Math::Log10, Math::Rsqrt] {
        assert!(sure(function, 1.0), "{function:?}");
    }
}
