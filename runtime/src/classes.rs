//! Classes of numbers, as traits: what type parameters of generic code are bounded by.
//!
//! The classes are those of the IR: every number is an integer or a float, every integer signed
//! or unsigned. `usize` and `bool` belong to no class of numbers. The traits have
//! no methods. Their supertraits are the operators, so that generic Rust code type-checks as code
//! with the numbers themselves does. They are sealed.

use crate::argument::Argument;
use crate::element::Lane;
#[cfg(feature = "f16")]
use half::f16;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

mod sealed {
    /// Keeps the classes to the numbers.
    pub trait Sealed {}
}

/// Every number: the integers of 8 to 64 bits, `f16`, `f32` and `f64`.
///
/// ```
/// use samebits::prelude::*;
///
/// fn dot<T: Number>(a: Vec3<T>, b: Vec3<T>) -> T {
///     a.x * b.x + a.y * b.y + a.z * b.z
/// }
///
/// fn largest<T: Number>(buffer: &Buffer<T>) -> Result<Option<T>, Error> {
///     Ok(buffer.read()?.into_iter().reduce(|a, b| if b > a { b } else { a }))
/// }
///
/// assert_eq!(dot(Vec3::new(1.0f32, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)), 32.0);
/// assert_eq!(largest(&Device::interpreter().upload(&[3i8, 7, -9])?)?, Some(7));
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    note = "numbers are `i8` to `i64`, `u8` to `u64`, `f16`, `f32` and `f64`"
)]
pub trait Number:
    Lane
    + Argument
    + sealed::Sealed
    + PartialOrd
    + Default
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
}

/// The integers of 8 to 64 bits. Counts of shifts are of the same type or `u32`.
///
/// ```
/// use samebits::prelude::*;
///
/// fn field<T: Int>(word: T, at: u32, mask: T) -> T {
///     (word >> at) & mask
/// }
///
/// assert_eq!(field(0xabcd_u16, 4, 0xf), 0xc);
/// ```
///
/// ```compile_fail,E0277
/// use samebits::prelude::*;
/// fn field<T: Int>(word: T, at: u32, mask: T) -> T {
///     (word >> at) & mask
/// }
/// field(1.0f32, 4, 2.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer of 8 to 64 bits",
    note = "integers are `i8` to `i64` and `u8` to `u64`"
)]
pub trait Int:
    Number
    + Ord
    + Hash
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Shl<Output = Self>
    + Shr<Output = Self>
    + ShlAssign
    + ShrAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + ShlAssign<u32>
    + ShrAssign<u32>
{
}

/// The integers in two's complement: `i8` to `i64`.
///
/// ```
/// use samebits::prelude::*;
///
/// fn distance<T: Signed>(a: T, b: T) -> T {
///     if a < b { -(a - b) } else { a - b }
/// }
///
/// assert_eq!(distance(-3i16, 4), 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a signed integer of 8 to 64 bits",
    note = "signed integers are `i8` to `i64`"
)]
pub trait Signed: Int + Neg<Output = Self> {}

/// The integers that are not negative: `u8` to `u64`.
///
/// ```
/// use samebits::prelude::*;
///
/// fn is_power_of_two<T: Unsigned>(n: T, one: T) -> bool {
///     n >= one && n & (n - one) == T::default()
/// }
///
/// assert!(is_power_of_two(64u8, 1));
/// assert!(!is_power_of_two(0u64, 1));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an unsigned integer of 8 to 64 bits",
    note = "unsigned integers are `u8` to `u64`"
)]
pub trait Unsigned: Int {}

/// The floats of IEEE 754: `f16`, `f32` and `f64`.
///
/// ```
/// use samebits::prelude::*;
///
/// fn mix<T: Float>(a: T, b: T, t: T) -> T {
///     a + t * (b - a)
/// }
///
/// assert_eq!(mix(1.0f64, 3.0, 0.25), 1.5);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a float", note = "floats are `f16`, `f32` and `f64`")]
pub trait Float: Number + Neg<Output = Self> {}

macro_rules! members {
    ($($ty:ty: $($class:ident)*;)*) => { $(
        impl sealed::Sealed for $ty {}
        $(impl $class for $ty {})*
    )* };
}

members! {
    i8: Number Int Signed;
    i16: Number Int Signed;
    i32: Number Int Signed;
    i64: Number Int Signed;
    u8: Number Int Unsigned;
    u16: Number Int Unsigned;
    u32: Number Int Unsigned;
    u64: Number Int Unsigned;
    f32: Number Float;
    f64: Number Float;
}

#[cfg(feature = "f16")]
members! { f16: Number Float; }

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator of integers; `one` is 1.
    fn integers<T: Int>(a: T, one: T) -> [T; 4] {
        let mut b = a + one;
        b += one << 1;
        b <<= one;
        b |= one;
        [(!a ^ b) & b, a >> one, a << 2u32 >> 1u32, (a * b - one) / b % b]
    }

    #[test]
    fn operators_of_a_generic_integer_are_those_of_the_integer() {
        let (a, b) = (21u32, 49u32);
        assert_eq!(integers(21u32, 1), [(!a ^ b) & b, 10, 42, 20]);
        assert_eq!(integers(5i8, 1), [(!5 ^ 17) & 17, 2, 10, 4]);
    }

    #[test]
    fn a_generic_number_has_vectors_and_is_an_argument() {
        fn leaves<T: Number>(value: T) -> usize {
            let vector = crate::Vec2::new(value, value + value);
            [vector, vector].argument().leaves().len()
        }
        assert_eq!(leaves(1.5f32), 2);
    }

    #[cfg(feature = "f16")]
    #[test]
    fn an_f16_is_a_float() {
        fn minus<T: Float>(value: T) -> T {
            -value
        }
        assert_eq!(minus(f16::from_f32(1.5)), f16::from_f32(-1.5));
    }
}
