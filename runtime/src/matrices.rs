//! Matrices on the host, which have the operators and methods that they have in kernels.
//!
//! The steps of products, determinants and inverses are those of kernels, in the same order, so the bits are the same.
//!
//! ```
//! use samebits::prelude::*;
//!
//! let turn = Mat2::from_cols(Vec2::new(0.0f32, 1.0), Vec2::new(-1.0, 0.0));
//! assert_eq!(turn * Vec2::new(1.0, 2.0), Vec2::new(-2.0, 1.0));
//! assert_eq!(turn * turn, Mat2::IDENTITY * -1.0);
//! assert_eq!(turn.inverse(), turn.transpose());
//! assert_eq!(turn[1].x, -1.0);
//! ```

use crate::classes::Float;
use crate::element::{Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};
use crate::vectors::{Component, apply};
#[cfg(feature = "f16")]
use half::f16;
use samebits_ir::matrix::{self, Steps};
use samebits_ir::ops::Op;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

/// Takes steps with numbers.
struct Numbers<T>(PhantomData<T>);

impl<T: Float + Component> Steps for Numbers<T> {
    type Number = T;

    fn add(&mut self, a: T, b: T) -> T {
        a + b
    }

    fn sub(&mut self, a: T, b: T) -> T {
        a - b
    }

    fn mul(&mut self, a: T, b: T) -> T {
        a * b
    }

    fn neg(&mut self, a: T) -> T {
        -a
    }

    fn recip(&mut self, a: T) -> T {
        apply(Op::Recip, a, 0)
    }
}

macro_rules! with_number {
    ($matrix:ident $($(#[$cfg:meta])* $number:ident)*) => { $(
        $(#[$cfg])*
        impl Mul<$matrix<$number>> for $number {
            type Output = $matrix<$number>;

            fn mul(self, matrix: $matrix<$number>) -> $matrix<$number> {
                matrix * self
            }
        }
    )* };
}

macro_rules! assigned {
    ($matrix:ident $t:ident $([$($bound:tt)*] $name:ident $(<$of:ident>)? $method:ident $op:tt $with:ty;)*) => { $(
        impl<$t: $($bound)*> $name $(<$of>)? for $matrix<$t> {
            fn $method(&mut self, other: $with) {
                *self = *self $op other;
            }
        }
    )* };
}

macro_rules! matrices {
    ($($matrix:ident $vector:ident $n:literal $count:literal { $($column:ident $i:literal)* })*) => { $(
        impl<T: Copy> $matrix<T> {
            const fn diagonal(zero: T, diagonal: [T; $n]) -> Self {
                let mut columns = [[zero; $n]; $n];
                $(columns[$i][$i] = diagonal[$i];)*
                Self { $($column: $vector::from_array(columns[$i])),* }
            }

            /// The matrix of these columns.
            pub const fn from_cols($($column: $vector<T>),*) -> Self {
                Self { $($column),* }
            }

            /// The matrix of the numbers of its columns, one after the other.
            pub fn from_cols_array(numbers: [T; $count]) -> Self {
                Self { $($column: $vector::from_array(std::array::from_fn(|lane| numbers[$i * $n + lane]))),* }
            }

            /// The numbers of the columns, one after the other.
            pub fn to_cols_array(self) -> [T; $count] {
                let columns = [$(self.$column.to_array()),*];
                std::array::from_fn(|i| columns[i / $n][i % $n])
            }

            /// The matrix whose columns are the rows of this one.
            pub fn transpose(self) -> Self {
                Self::of(&matrix::transposed($n, &self.to_cols_array()))
            }

            /// The matrix of so many numbers.
            fn of(numbers: &[T]) -> Self {
                Self::from_cols_array(std::array::from_fn(|i| numbers[i]))
            }
        }

        impl<T: Float + Component> $matrix<T> {
            /// Zeros.
            pub const ZERO: Self = Self::diagonal(T::ZERO, [T::ZERO; $n]);
            /// The matrix that changes nothing: ones on the diagonal, zeros elsewhere.
            pub const IDENTITY: Self = Self::diagonal(T::ZERO, [T::ONE; $n]);

            /// The matrix with these numbers on the diagonal, and zeros elsewhere.
            pub fn from_diagonal(diagonal: $vector<T>) -> Self {
                Self::diagonal(T::ZERO, diagonal.to_array())
            }

            /// The determinant.
            pub fn determinant(self) -> T {
                matrix::determinant(&mut Numbers(PhantomData), $n, &self.to_cols_array())
            }

            /// The inverse: the adjugate, each number times 1 over the determinant. It is infinite or NaN where that is.
            pub fn inverse(self) -> Self {
                Self::of(&matrix::inverse(&mut Numbers(PhantomData), $n, &self.to_cols_array()))
            }
        }

        impl<T: Float + Component> Mul<$vector<T>> for $matrix<T> {
            type Output = $vector<T>;

            fn mul(self, vector: $vector<T>) -> $vector<T> {
                let numbers =
                    matrix::product(&mut Numbers(PhantomData), $n, &self.to_cols_array(), &vector.to_array());
                $vector::from_array(std::array::from_fn(|i| numbers[i]))
            }
        }

        impl<T: Float + Component> Mul for $matrix<T> {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                Self { $($column: self * other.$column),* }
            }
        }

        impl<T: Float> Mul<T> for $matrix<T> {
            type Output = Self;

            fn mul(self, number: T) -> Self {
                Self { $($column: self.$column * $vector::splat(number)),* }
            }
        }

        impl<T: Float> Div<T> for $matrix<T> {
            type Output = Self;

            fn div(self, number: T) -> Self {
                Self { $($column: self.$column / $vector::splat(number)),* }
            }
        }

        impl<T: Float> Add for $matrix<T> {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self { $($column: self.$column + other.$column),* }
            }
        }

        impl<T: Float> Sub for $matrix<T> {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                Self { $($column: self.$column - other.$column),* }
            }
        }

        impl<T: Float> Neg for $matrix<T> {
            type Output = Self;

            fn neg(self) -> Self {
                Self { $($column: -self.$column),* }
            }
        }

        assigned! { $matrix T
            [Float] AddAssign add_assign + Self;
            [Float] SubAssign sub_assign - Self;
            [Float + Component] MulAssign mul_assign * Self;
            [Float] MulAssign<T> mul_assign * T;
            [Float] DivAssign<T> div_assign / T;
        }

        impl<T> Index<usize> for $matrix<T> {
            type Output = $vector<T>;

            fn index(&self, column: usize) -> &$vector<T> {
                [$(&self.$column),*][column]
            }
        }

        impl<T> IndexMut<usize> for $matrix<T> {
            fn index_mut(&mut self, column: usize) -> &mut $vector<T> {
                let Self { $($column),* } = self;
                let columns = [$($column),*];
                let count = columns.len();
                columns.into_iter().nth(column).unwrap_or_else(|| panic!("column {column} of a matrix of {count}"))
            }
        }

        with_number! { $matrix f32 f64 #[cfg(feature = "f16")] f16 }
    )* };
}

matrices! {
    Mat2 Vec2 2 4 { x_axis 0 y_axis 1 }
    Mat3 Vec3 3 9 { x_axis 0 y_axis 1 z_axis 2 }
    Mat4 Vec4 4 16 { x_axis 0 y_axis 1 z_axis 2 w_axis 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn determinants_and_inverses_are_those_of_the_numbers() {
        let two = Mat2::from_cols_array([3.0f64, 1.0, 4.0, 2.0]);
        assert_eq!(two.determinant(), 2.0);
        assert_eq!(two.inverse().to_cols_array(), [1.0, -0.5, -2.0, 1.5]);
        let three = Mat3::from_cols_array([2.0f64, 0.0, 1.0, 1.0, 3.0, 2.0, 0.0, 1.0, 4.0]);
        // 2 * (12 - 2) - 1 * (0 - 1) + 0
        assert_eq!(three.determinant(), 21.0);
        let back = three.inverse() * three;
        let far =
            |m: Mat3<f64>| (m - Mat3::IDENTITY).to_cols_array().into_iter().fold(0.0, |far: f64, x| far.max(x.abs()));
        assert!(far(back) < 1e-15, "{back:?}");
        // A scaling and a shift, turned: the inverse is exact.
        let four =
            Mat4::from_cols_array([0.0f64, 2.0, 0.0, 0.0, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 1.0, 2.0, 3.0, 1.0]);
        assert_eq!(four.determinant(), 64.0);
        assert_eq!(four * four.inverse(), Mat4::IDENTITY);
        assert_eq!(four.inverse() * four, Mat4::IDENTITY);
        let odd =
            Mat4::from_cols_array([1.0f64, 5.0, 2.0, 7.0, 3.0, 1.0, 4.0, 6.0, 8.0, 2.0, 1.0, 3.0, 2.0, 9.0, 5.0, 4.0]);
        let back = (odd.inverse() * odd - Mat4::IDENTITY).to_cols_array();
        assert!(back.into_iter().all(|x| x.abs() < 1e-14), "{back:?}");
        // By the rule of Sarrus along the first column.
        let minor = |skip: usize| {
            let columns = odd.to_cols_array();
            let lanes: Vec<usize> = (0..4).filter(|&lane| lane != skip).collect();
            Mat3::from_cols_array(std::array::from_fn(|i| columns[(i / 3 + 1) * 4 + lanes[i % 3]])).determinant()
        };
        let sum = minor(0) - 5.0 * minor(1) + 2.0 * minor(2) - 7.0 * minor(3);
        assert_eq!(odd.determinant(), sum);
    }

    #[test]
    fn products_add_columns_from_the_first_on() {
        let m = Mat3::from_cols_array([1e8f32, 1.0, 0.1, 1.0, 2.0, 3.0, -1e8, 4.0, 0.7]);
        let v = Vec3::new(1.0f32, 3.0, 1.0);
        assert_eq!((m * v).x, (1e8 * 1.0 + 1.0 * 3.0) + -1e8 * 1.0);
        assert_eq!((m * m).to_cols_array()[4], 1.0 * 1.0 + 2.0 * 2.0 + 4.0 * 3.0);
        assert_eq!(m.transpose()[1], Vec3::new(1.0, 2.0, 4.0));
        assert_eq!(2.0 * m, m * 2.0);
        let mut n = m;
        n *= m;
        n += m;
        n *= 2.0;
        n -= m;
        n /= 4.0;
        assert_eq!(n, ((m * m + m) * 2.0 - m) / 4.0);
        assert_eq!(Mat2::from_diagonal(Vec2::new(2.0f64, 3.0)) / 2.0, Mat2::from_cols_array([1.0, 0.0, 0.0, 1.5]));
    }
}
