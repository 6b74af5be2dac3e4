//! Methods of vectors that are methods of their lanes, and conversions of lanes.
//!
//! Each is computed by the function that defines the op for kernels, so that the bits are the same. A test asks
//! for every method of the table of ops.

use crate::classes::{Float, Int, Number, Signed, Unsigned};
use crate::element::{Lane, Vec2, Vec3, Vec4};
use samebits_ir::ops::Op;
use samebits_ir::scalar::{self, Lanes};
use samebits_ir::types::{Scalar, Type};
use std::ops::Neg;

/// What a lane of a vector is: a number or a `bool`.
///
/// ```
/// use samebits::{prelude::*, vectors::Component};
/// fn first<T: Component>(v: Vec2<T>) -> T {
///     v.x
/// }
/// assert!(first(Vec2::new(true, false)));
/// ```
pub trait Component: Copy + crate::argument::sealed::Sealed {
    /// The type in the IR.
    #[doc(hidden)]
    const SCALAR: Scalar;
    /// The unsigned integer of the same width.
    #[doc(hidden)]
    type Bits: Component;
    /// The bits, zero-extended.
    #[doc(hidden)]
    fn bits(self) -> u64;
    /// The value of these bits.
    #[doc(hidden)]
    fn of_bits(bits: u64) -> Self;
    /// 0, or `false`.
    #[doc(hidden)]
    const ZERO: Self;
    /// 1, or `true`.
    #[doc(hidden)]
    const ONE: Self;
}

macro_rules! components {
    ($($(#[$cfg:meta])* $ty:ty: $bits:ident, $zero:expr, $one:expr;)*) => { $(
        $(#[$cfg])*
        impl Component for $ty {
            const SCALAR: Scalar = <Self as Lane>::LANE;
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            type Bits = $bits;

            fn bits(self) -> u64 {
                bytemuck::cast::<$ty, $bits>(self).into()
            }

            fn of_bits(bits: u64) -> Self {
                bytemuck::cast::<$bits, $ty>(bits as $bits)
            }
        }
    )* };
}

components! {
    i8: u8, 0, 1;
    i16: u16, 0, 1;
    i32: u32, 0, 1;
    i64: u64, 0, 1;
    u8: u8, 0, 1;
    u16: u16, 0, 1;
    u32: u32, 0, 1;
    u64: u64, 0, 1;
    #[cfg(feature = "f16")] half::f16: u16, half::f16::ZERO, half::f16::ONE;
    f32: u32, 0.0, 1.0;
    f64: u64, 0.0, 1.0;
}

impl Component for bool {
    const SCALAR: Scalar = Scalar::Bool;
    const ZERO: Self = false;
    const ONE: Self = true;
    type Bits = u32;

    fn bits(self) -> u64 {
        self.into()
    }

    fn of_bits(bits: u64) -> Self {
        bits != 0
    }
}

/// A lane that `cast` converts to another: every number to every number, and `bool` to integers.
///
/// ```
/// use samebits::prelude::*;
/// assert_eq!(Vec2::new(2.9f32, -1.0).cast::<u8>(), Vec2::new(2, 0));
/// assert_eq!(Vec2::new(true, false).cast::<i64>(), Vec2::new(1, 0));
/// ```
pub trait CastTo<T>: Component {}

macro_rules! casts {
    ($($from:ty)*) => { $( impl<T: Number + Component> CastTo<T> for $from {} )* };
}

casts! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }
#[cfg(feature = "f16")]
casts! { half::f16 }
impl<T: Int + Component> CastTo<T> for bool {}

/// The value as another type, as `as` converts it.
pub(super) fn cast<T: CastTo<U>, U: Component>(value: T) -> U {
    let (from, to) = (Type::Scalar(T::SCALAR), Type::Scalar(U::SCALAR));
    U::of_bits(scalar::cast(from, to, [value.bits(), 0, 0, 0]).map_or(0, |lanes| lanes[0]))
}

/// What an op gives for scalars.
pub(crate) fn apply<T: Component, R: Component>(op: Op, first: T, second: u64) -> R {
    let (ty, result) = (Type::Scalar(T::SCALAR), Type::Scalar(R::SCALAR));
    R::of_bits(op.eval(&[ty, ty], result, &[[first.bits(), 0, 0, 0], [second, 0, 0, 0]])[0])
}

macro_rules! lane_by_lane {
    ($dollar:tt $([$($bound:tt)*] { $($name:ident($($arg:ident: $operand:ident),*) -> $result:ident = $op:ident;)* })*) => {
        /// The methods here.
        #[cfg(test)]
        const NAMES: &[&str] = &[$($(stringify!($name)),*),*];

        macro_rules! methods {
            ($dollar($vector:ident $lanes:literal { $dollar($field:ident)* })*) => { $dollar(
                impl<T: Component> $vector<T> {
                    fn bits_of_lanes(self) -> Lanes {
                        let (mut bits, lanes) = ([0; 4], [$dollar(self.$field),*]);
                        bits.iter_mut().zip(lanes).for_each(|(bits, lane)| *bits = lane.bits());
                        bits
                    }

                    fn of_bits_of_lanes(bits: Lanes) -> Self {
                        let mut lanes = bits.into_iter().map(T::of_bits);
                        Self { $dollar($field: lanes.next().unwrap_or_else(|| T::of_bits(0))),* }
                    }
                }

                $(
                    impl<T: $($bound)*> $vector<T> {
                        $(
                            #[doc = concat!("The lanes' `", stringify!($name), "`, as in a kernel.")]
                            pub fn $name(self, $($arg: operand!($vector $operand)),*) -> operand!($vector $result) {
                                let first = Type::Vector(T::SCALAR, $lanes);
                                let result = Type::Vector(scalar_of!($result), $lanes);
                                let types = [first, $(Type::Vector(scalar_of!($operand), $lanes)),*];
                                let args = [self.bits_of_lanes(), $($arg.bits_of_lanes()),*];
                                <operand!($vector $result)>::of_bits_of_lanes(Op::$op.eval(&types, result, &args))
                            }
                        )*
                    }
                )*
            )* };
        }
    };
}

/// A vector as long as another.
macro_rules! operand {
    ($vector:ident Same) => { $vector<T> };
    ($vector:ident Bits) => { $vector<T::Bits> };
    ($vector:ident U32) => { $vector<u32> };
    ($vector:ident I32) => { $vector<i32> };
    ($vector:ident Bool) => { $vector<bool> };
}

/// The type of its lanes.
macro_rules! scalar_of {
    (Same) => {
        T::SCALAR
    };
    (Bits) => {
        T::Bits::SCALAR
    };
    (U32) => {
        Scalar::U32
    };
    (I32) => {
        Scalar::I32
    };
    (Bool) => {
        Scalar::Bool
    };
}

lane_by_lane! { $
    [Number + Component] {
        min(other: Same) -> Same = Min;
        max(other: Same) -> Same = Max;
        clamp(low: Same, high: Same) -> Same = Clamp;
        div_euclid(other: Same) -> Same = DivEuclid;
        rem_euclid(other: Same) -> Same = RemEuclid;
    }
    [Number + Component + Neg<Output = T>] {
        abs() -> Same = Abs;
        signum() -> Same = Sign;
    }
    [Int + Component] {
        wrapping_add(other: Same) -> Same = Add;
        wrapping_sub(other: Same) -> Same = Sub;
        wrapping_mul(other: Same) -> Same = Mul;
        wrapping_div(other: Same) -> Same = Div;
        wrapping_rem(other: Same) -> Same = Rem;
        wrapping_neg() -> Same = Neg;
        wrapping_shl(count: U32) -> Same = Shl;
        wrapping_shr(count: U32) -> Same = Shr;
        wrapping_div_euclid(other: Same) -> Same = DivEuclid;
        wrapping_rem_euclid(other: Same) -> Same = RemEuclid;
        saturating_add(other: Same) -> Same = AddSat;
        saturating_sub(other: Same) -> Same = SubSat;
        saturating_mul(other: Same) -> Same = MulSat;
        abs_diff(other: Same) -> Bits = AbsDiff;
        midpoint(other: Same) -> Same = Midpoint;
        pow(power: U32) -> Same = Pow;
        wrapping_pow(power: U32) -> Same = Pow;
        ilog2() -> U32 = Ilog2;
        rotate_left(count: U32) -> Same = RotateLeft;
        rotate_right(count: U32) -> Same = RotateRight;
        count_ones() -> U32 = CountOnes;
        count_zeros() -> U32 = CountZeros;
        leading_zeros() -> U32 = LeadingZeros;
        leading_ones() -> U32 = LeadingOnes;
        trailing_zeros() -> U32 = TrailingZeros;
        trailing_ones() -> U32 = TrailingOnes;
        reverse_bits() -> Same = ReverseBits;
        swap_bytes() -> Same = SwapBytes;
    }
    [Signed + Component] {
        wrapping_abs() -> Same = Abs;
        unsigned_abs() -> Bits = UnsignedAbs;
        is_negative() -> Bool = IsNegative;
        is_positive() -> Bool = IsPositive;
    }
    [Unsigned + Component] {
        isqrt() -> Same = Isqrt;
        div_ceil(other: Same) -> Same = DivCeil;
        next_multiple_of(other: Same) -> Same = NextMultipleOf;
        is_power_of_two() -> Bool = IsPowerOfTwo;
        next_power_of_two() -> Same = NextPowerOfTwo;
    }
    [Float + Component] {
        sqrt() -> Same = Sqrt;
        floor() -> Same = Floor;
        ceil() -> Same = Ceil;
        trunc() -> Same = Trunc;
        round() -> Same = Round;
        round_ties_even() -> Same = RoundEven;
        fract() -> Same = Fract;
        recip() -> Same = Recip;
        mul_add(by: Same, to: Same) -> Same = MulAdd;
        copysign(sign: Same) -> Same = CopySign;
        is_nan() -> Bool = IsNan;
        is_infinite() -> Bool = IsInfinite;
        is_finite() -> Bool = IsFinite;
        is_normal() -> Bool = IsNormal;
        is_subnormal() -> Bool = IsSubnormal;
        is_sign_negative() -> Bool = IsSignNegative;
        is_sign_positive() -> Bool = IsSignPositive;
        to_degrees() -> Same = ToDegrees;
        to_radians() -> Same = ToRadians;
        exp() -> Same = Exp;
        exp2() -> Same = Exp2;
        exp_m1() -> Same = ExpM1;
        ln() -> Same = Ln;
        log2() -> Same = Log2;
        log10() -> Same = Log10;
        ln_1p() -> Same = Ln1p;
        sin() -> Same = Sin;
        cos() -> Same = Cos;
        tan() -> Same = Tan;
        asin() -> Same = Asin;
        acos() -> Same = Acos;
        atan() -> Same = Atan;
        sinh() -> Same = Sinh;
        cosh() -> Same = Cosh;
        tanh() -> Same = Tanh;
        asinh() -> Same = Asinh;
        acosh() -> Same = Acosh;
        atanh() -> Same = Atanh;
        cbrt() -> Same = Cbrt;
        powf(power: Same) -> Same = Powf;
        powi(power: I32) -> Same = Powi;
        atan2(other: Same) -> Same = Atan2;
        hypot(other: Same) -> Same = Hypot;
    }
}

methods! { Vec2 2 { x y } Vec3 3 { x y z } Vec4 4 { x y z w } }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_table_is_here() {
        for scalar in Scalar::ALL {
            for (name, _) in Op::methods(*scalar) {
                assert!(NAMES.contains(&name), "vectors of `{}` lack `{name}`", scalar.name());
            }
        }
    }

    #[test]
    fn lanes_are_computed_as_scalars_are() {
        let v = Vec3::new(-2.5f32, 0.5, f32::NAN);
        assert_eq!(v.min(Vec3::splat(-0.0)), Vec3::new(-2.5, -0.0, -0.0));
        assert_eq!(v.xy().round_ties_even(), Vec2::new(-2.0, 0.0));
        assert_eq!(v.is_nan(), Vec3::new(false, false, true));
        let n = Vec2::new(i8::MIN, 5);
        assert_eq!((n.abs(), n.unsigned_abs(), n.leading_zeros()), (n, Vec2::new(128, 5), Vec2::new(0, 5)));
        assert_eq!(Vec4::new(9u64, 10, 15, 16).isqrt(), Vec4::new(3, 3, 3, 4));
        assert_eq!(Vec2::new(300.7f64, -1.0).cast::<u8>(), Vec2::new(255, 0));
    }
}
