//! Vectors on the host, which have the operators and methods that they have in kernels.
//!
//! Operators work lane by lane between vectors, and `+ - * /` also with a scalar on either side. Lanes behave as
//! scalars do: on the host, an integer overflow panics in a debug build, while in a kernel it wraps. An index beyond
//! the lanes panics on the host; in a kernel it reads a zero and stores nothing.
//!
//! Methods of the lanes, such as `floor` and `exp`, are computed by the functions that define them for kernels, and
//! so have the same bits. Products such as `dot` are sums and products in the order that their documentation states.
//!
//! ```
//! use samebits::prelude::*;
//!
//! let v = Vec3::new(3.0f32, 4.0, 0.5);
//! assert_eq!(v.truncate().length(), 5.0);
//! assert_eq!(v.floor().cast::<i32>(), Vec3::new(3, 4, 0));
//! let large = v.cmpgt(Vec3::splat(1.0));
//! assert_eq!(large, Vec3::new(true, true, false));
//! assert_eq!(Vec3::select(large, v.zyx(), Vec3::splat(-1.0)), Vec3::new(0.5, 4.0, -1.0));
//! ```

mod lanes;
mod methods;

pub(crate) use lanes::apply;
pub use lanes::{CastTo, Component};

use crate::element::{Vec2, Vec3, Vec4};
#[cfg(feature = "f16")]
use half::f16;
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Index, IndexMut,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};

macro_rules! binary {
    ($vector:ident $($op:ident $method:ident $assign:ident $assign_method:ident;)*) => { $(
        impl<T: $op<Output = T>> $op for $vector<T> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.zip(other, T::$method)
            }
        }

        impl<T: Copy + $op<Output = T>> $assign for $vector<T> {
            fn $assign_method(&mut self, other: Self) {
                *self = (*self).$method(other);
            }
        }
    )* };
}

macro_rules! with_scalar {
    ($vector:ident $lane:ident $($op:ident $method:ident $assign:ident $assign_method:ident;)*) => { $(
        impl $op<$lane> for $vector<$lane> {
            type Output = Self;

            fn $method(self, scalar: $lane) -> Self {
                self.$method(Self::splat(scalar))
            }
        }

        impl $op<$vector<$lane>> for $lane {
            type Output = $vector<$lane>;

            fn $method(self, vector: $vector<$lane>) -> $vector<$lane> {
                $vector::splat(self).$method(vector)
            }
        }

        impl $assign<$lane> for $vector<$lane> {
            fn $assign_method(&mut self, scalar: $lane) {
                *self = (*self).$method(scalar);
            }
        }
    )* };
}

macro_rules! vectors {
    ($($vector:ident { $($field:ident)* })*) => { $(
        impl<T: Copy> $vector<T> {
            /// The vector with this value in every lane.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("assert_eq!(", stringify!($vector), "::splat(2.5f32).y, 2.5);")]
            /// ```
            pub const fn splat(value: T) -> Self {
                Self { $($field: value),* }
            }
        }

        impl<T> $vector<T> {
            fn zip<U, R>(self, other: $vector<U>, op: impl Fn(T, U) -> R) -> $vector<R> {
                $vector { $($field: op(self.$field, other.$field)),* }
            }
        }

        impl<T: Neg<Output = T>> Neg for $vector<T> {
            type Output = Self;

            fn neg(self) -> Self {
                Self { $($field: -self.$field),* }
            }
        }

        impl<T: Not<Output = T>> Not for $vector<T> {
            type Output = Self;

            fn not(self) -> Self {
                Self { $($field: !self.$field),* }
            }
        }

        binary! { $vector
            Add add AddAssign add_assign;
            Sub sub SubAssign sub_assign;
            Mul mul MulAssign mul_assign;
            Div div DivAssign div_assign;
            Rem rem RemAssign rem_assign;
            BitAnd bitand BitAndAssign bitand_assign;
            BitOr bitor BitOrAssign bitor_assign;
            BitXor bitxor BitXorAssign bitxor_assign;
        }
        with_scalars! { $vector f32 f64 u8 u16 u32 u64 i8 i16 i32 i64 }
        #[cfg(feature = "f16")]
        with_scalars! { $vector f16 }

        impl<T> Index<usize> for $vector<T> {
            type Output = T;

            fn index(&self, lane: usize) -> &T {
                [$(&self.$field),*][lane]
            }
        }

        impl<T> IndexMut<usize> for $vector<T> {
            fn index_mut(&mut self, lane: usize) -> &mut T {
                let Self { $($field),* } = self;
                let lanes = [$($field),*];
                let count = lanes.len();
                lanes.into_iter().nth(lane).unwrap_or_else(|| panic!("lane {lane} of a vector of {count} lanes"))
            }
        }
    )* };
}

macro_rules! with_scalars {
    ($vector:ident $($lane:ident)*) => { $(
        with_scalar! { $vector $lane
            Add add AddAssign add_assign;
            Sub sub SubAssign sub_assign;
            Mul mul MulAssign mul_assign;
            Div div DivAssign div_assign;
        }
    )* };
}

vectors! { Vec2 { x y } Vec3 { x y z } Vec4 { x y z w } }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_those_of_the_lanes() {
        let (a, b) = (Vec3::new(7, -7, 5), Vec3::new(2, 2, -3));
        assert_eq!(a + b, Vec3::new(9, -5, 2));
        assert_eq!(a % b, Vec3::new(1, -1, 2));
        assert_eq!(-(a & b) | !a, Vec3::new(-2 | -8, 6, -5 | -6));
        let mut c = Vec2::new(1.5f32, -2.0);
        c *= Vec2::new(2.0, 0.25);
        assert_eq!(c, Vec2::new(3.0, -0.5));
    }

    #[test]
    fn a_scalar_stands_for_a_vector_of_it() {
        let v = Vec4::new(1.0f32, 2.0, 4.0, 8.0);
        assert_eq!(8.0 / v - 1.0, Vec4::new(7.0, 3.0, 1.0, 0.0));
        let mut n = Vec2::new(3u32, 4);
        n += 2;
        assert_eq!(20 - n * 2, Vec2::new(10, 8));
    }
}
