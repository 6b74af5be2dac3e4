//! Methods of vectors that are not those of their lanes, and how vectors become others.
//!
//! Sums and products stand in the order in which the front end builds them for a kernel.

use super::lanes::{CastTo, Component, apply, cast};
use crate::classes::{Float, Number};
use crate::element::{Vec2, Vec3, Vec4};
use samebits_ir::ops::Op;
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type};

/// A small whole number as a float.
fn number<T: Component>(number: u32) -> T {
    let lanes = scalar::cast(Type::Scalar(Scalar::U32), Type::Scalar(T::SCALAR), [number.into(), 0, 0, 0]);
    T::of_bits(lanes.map_or(0, |lanes| lanes[0]))
}

fn lesser<T: Component>(a: T, b: T) -> T {
    apply(Op::Min, a, b.bits())
}

fn greater<T: Component>(a: T, b: T) -> T {
    apply(Op::Max, a, b.bits())
}

macro_rules! vectors {
    ($($vector:ident $lanes:literal { $first:ident $($rest:ident)* })*) => { $(
        impl<T: Copy> $vector<T> {
            /// The lanes of `a` where the mask is true, and those of `b` elsewhere.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let (a, b) = (", stringify!($vector), "::splat(1), ", stringify!($vector), "::splat(2));")]
            #[doc = concat!("assert_eq!(", stringify!($vector), "::select(a.cmpeq(a), a, b), a);")]
            /// ```
            pub const fn select(mask: $vector<bool>, a: Self, b: Self) -> Self {
                Self {
                    $first: if mask.$first { a.$first } else { b.$first },
                    $($rest: if mask.$rest { a.$rest } else { b.$rest }),*
                }
            }

            /// The vector of the lanes of an array.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let v = ", stringify!($vector), "::from_array([7u32; ", stringify!($lanes), "]);")]
            #[doc = concat!("assert_eq!(v, ", stringify!($vector), "::splat(7));")]
            /// ```
            pub const fn from_array([$first, $($rest),*]: [T; $lanes]) -> Self {
                Self { $first, $($rest),* }
            }

            /// The lanes as an array.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let v = ", stringify!($vector), "::splat(7u32);")]
            #[doc = concat!("assert_eq!(v.to_array(), [7; ", stringify!($lanes), "]);")]
            /// ```
            pub const fn to_array(self) -> [T; $lanes] {
                [self.$first, $(self.$rest),*]
            }

            /// The lanes as another type, converted as `as` does.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let v = ", stringify!($vector), "::splat(2.75f32);")]
            #[doc = concat!("assert_eq!(v.cast::<u8>(), ", stringify!($vector), "::splat(2));")]
            /// ```
            pub fn cast<U: Component>(self) -> $vector<U>
            where
                T: CastTo<U>,
            {
                $vector { $first: cast(self.$first), $($rest: cast(self.$rest)),* }
            }
        }

        impl<T: PartialOrd> $vector<T> {
            /// Which lanes are equal.
            pub fn cmpeq(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a == b)
            }

            /// Which lanes are not equal.
            pub fn cmpne(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a != b)
            }

            /// Which lanes are less.
            pub fn cmplt(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a < b)
            }

            /// Which lanes are less or equal.
            pub fn cmple(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a <= b)
            }

            /// Which lanes are greater.
            pub fn cmpgt(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a > b)
            }

            /// Which lanes are greater or equal.
            pub fn cmpge(self, other: Self) -> $vector<bool> {
                self.zip(other, |a, b| a >= b)
            }
        }

        impl $vector<bool> {
            /// Whether every lane is true.
            pub const fn all(self) -> bool {
                self.$first $(&& self.$rest)*
            }

            /// Whether any lane is true.
            pub const fn any(self) -> bool {
                self.$first $(|| self.$rest)*
            }
        }

        impl<T: Number + Component> $vector<T> {
            /// The sum of the products of the lanes, from the first to the last.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let v = ", stringify!($vector), "::splat(2);")]
            #[doc = concat!("assert_eq!(v.dot(v), 4 * ", stringify!($lanes), ");")]
            /// ```
            pub fn dot(self, other: Self) -> T {
                self.$first * other.$first $(+ self.$rest * other.$rest)*
            }

            /// The product [`dot`](Self::dot) of the vector with itself.
            pub fn length_squared(self) -> T {
                self.dot(self)
            }

            /// The `length_squared` of the difference.
            pub fn distance_squared(self, other: Self) -> T {
                (self - other).length_squared()
            }

            /// The least lane, by `min` from the first to the last.
            pub fn min_element(self) -> T {
                let least = self.$first;
                $(let least = lesser(least, self.$rest);)*
                least
            }

            /// The greatest lane, by `max` from the first to the last.
            pub fn max_element(self) -> T {
                let most = self.$first;
                $(let most = greater(most, self.$rest);)*
                most
            }

            /// The sum of the lanes, from the first to the last.
            pub fn element_sum(self) -> T {
                self.$first $(+ self.$rest)*
            }

            /// The product of the lanes, from the first to the last.
            pub fn element_product(self) -> T {
                self.$first $(* self.$rest)*
            }
        }

        impl<T: Float + Component> $vector<T> {
            /// The square root of `length_squared`.
            ///
            /// ```
            /// use samebits::prelude::*;
            #[doc = concat!("let v = ", stringify!($vector), "::splat(0.0f32);")]
            /// assert_eq!(v.length(), 0.0);
            /// ```
            pub fn length(self) -> T {
                apply(Op::Sqrt, self.length_squared(), 0)
            }

            /// The [`length`](Self::length) of the difference.
            pub fn distance(self, other: Self) -> T {
                (self - other).length()
            }

            /// The vector times 1 over its [`length`](Self::length).
            pub fn normalize(self) -> Self {
                self * Self::splat(apply(Op::Recip, self.length(), 0))
            }

            /// As [`normalize`](Self::normalize), but zeros where 1 over the length is not finite or not above zero.
            pub fn normalize_or_zero(self) -> Self {
                let scale: T = apply(Op::Recip, self.length(), 0);
                let right = apply::<T, bool>(Op::IsFinite, scale, 0) && scale > number(0);
                if right { self * Self::splat(scale) } else { Self::splat(number(0)) }
            }

            /// `v - n * (2.0 * v.dot(n))`: the vector mirrored at what stands upright on `n`, whose length is 1.
            pub fn reflect(self, normal: Self) -> Self {
                self - normal * Self::splat(number::<T>(2) * self.dot(normal))
            }

            /// `a * (1.0 - t) + b * t`
            pub fn lerp(self, other: Self, t: T) -> Self {
                self * Self::splat(number::<T>(1) - t) + other * Self::splat(t)
            }

            /// The sine and the cosine of each lane.
            pub fn sin_cos(self) -> (Self, Self) {
                (self.sin(), self.cos())
            }
        }

        impl<T: Copy> From<[T; $lanes]> for $vector<T> {
            fn from(lanes: [T; $lanes]) -> Self {
                Self::from_array(lanes)
            }
        }

        impl<T: Copy> From<$vector<T>> for [T; $lanes] {
            fn from(vector: $vector<T>) -> Self {
                vector.to_array()
            }
        }
    )* };
}

vectors! {
    Vec2 2 { x y }
    Vec3 3 { x y z }
    Vec4 4 { x y z w }
}

macro_rules! from_parts {
    ($($vector:ident: $($name:ident $part:ty),* => $($lane:expr),*;)*) => { $(
        impl<T: Copy> From<($($part,)*)> for $vector<T> {
            fn from(($($name,)*): ($($part,)*)) -> Self {
                Self::new($($lane),*)
            }
        }
    )* };
}

from_parts! {
    Vec2: x T, y T => x, y;
    Vec3: x T, y T, z T => x, y, z;
    Vec3: v Vec2<T>, z T => v.x, v.y, z;
    Vec4: x T, y T, z T, w T => x, y, z, w;
    Vec4: v Vec3<T>, w T => v.x, v.y, v.z, w;
    Vec4: x T, v Vec3<T> => x, v.x, v.y, v.z;
    Vec4: v Vec2<T>, u Vec2<T> => v.x, v.y, u.x, u.y;
    Vec4: v Vec2<T>, z T, w T => v.x, v.y, z, w;
}

impl<T: Copy> Vec2<T> {
    /// The vector with one lane more.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec2::new(1, 2).extend(3), Vec3::new(1, 2, 3));
    /// ```
    pub const fn extend(self, z: T) -> Vec3<T> {
        Vec3::new(self.x, self.y, z)
    }
}

impl<T: Copy> Vec3<T> {
    /// The vector with one lane more.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec3::new(1, 2, 3).extend(4), Vec4::new(1, 2, 3, 4));
    /// ```
    pub const fn extend(self, w: T) -> Vec4<T> {
        Vec4::new(self.x, self.y, self.z, w)
    }

    /// The vector without its last lane.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec3::new(1, 2, 3).truncate(), Vec2::new(1, 2));
    /// ```
    pub const fn truncate(self) -> Vec2<T> {
        Vec2::new(self.x, self.y)
    }
}

impl<T: Number> Vec3<T> {
    /// The cross product: `a.y * b.z - b.y * a.z` and so on.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec3::new(1, 0, 0).cross(Vec3::new(0, 1, 0)), Vec3::new(0, 0, 1));
    /// ```
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - other.y * self.z,
            self.z * other.x - other.z * self.x,
            self.x * other.y - other.x * self.y,
        )
    }
}

impl<T: Copy> Vec4<T> {
    /// The vector without its last lane.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Vec4::new(1, 2, 3, 4).truncate(), Vec3::new(1, 2, 3));
    /// ```
    pub const fn truncate(self) -> Vec3<T> {
        Vec3::new(self.x, self.y, self.z)
    }
}

samebits_macros::swizzles!();
