//! Outputs, and how they are compared: bit by bit, but any NaN is like any other.

use crate::element::{Vec2, Vec3, Vec4};
use std::fmt::Debug;

/// Elements that are compared. Floats are the same if their bits are, or if both are NaN: plain Rust does not say which
/// NaN it gives.
///
/// ```
/// use samebits::check::Same;
/// assert!(f32::NAN.same(&-f32::NAN) && !0.0f32.same(&-0.0));
/// ```
pub trait Same: Debug {
    /// Whether two are the same.
    fn same(&self, other: &Self) -> bool;
}

/// What a check compares: an element, a `Vec` of elements, or a tuple of up to three outputs.
///
/// ```
/// use samebits::check::Output;
/// let difference = vec![1u32, 2].differs(&vec![1, 3]);
/// assert_eq!(difference.unwrap(), "element 1 is 2, but 3 in plain Rust");
/// ```
pub trait Output {
    /// How it differs from what is right, if it does.
    fn differs(&self, right: &Self) -> Option<String>;
}

macro_rules! equal {
    ($($ty:ty)*) => { $(
        impl Same for $ty {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )* };
}

equal! { bool u8 u16 u32 u64 usize i8 i16 i32 i64 }

macro_rules! floats {
    ($($ty:ty)*) => { $(
        impl Same for $ty {
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )* };
}

floats! { f32 f64 }
#[cfg(feature = "f16")]
floats! { half::f16 }

impl<T: Same, const N: usize> Same for [T; N] {
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(one, other)| one.same(other))
    }
}

macro_rules! vectors {
    ($($ty:ident $($lane:ident)*;)*) => { $(
        impl<T: Same> Same for $ty<T> {
            fn same(&self, other: &Self) -> bool {
                true $(&& self.$lane.same(&other.$lane))*
            }
        }
    )* };
}

vectors! { Vec2 x y; Vec3 x y z; Vec4 x y z w; }

/// Nothing, which is always the same.
impl Output for () {
    fn differs(&self, (): &Self) -> Option<String> {
        None
    }
}

impl<T: Same> Output for T {
    fn differs(&self, right: &Self) -> Option<String> {
        (!self.same(right)).then(|| format!("the result is {self:?}, but {right:?} in plain Rust"))
    }
}

impl<T: Same> Output for Vec<T> {
    fn differs(&self, right: &Self) -> Option<String> {
        if self.len() != right.len() {
            return Some(format!("there are {} elements, but {} in plain Rust", self.len(), right.len()));
        }
        let at = self.iter().zip(right).position(|(found, right)| !found.same(right))?;
        Some(format!("element {at} is {:?}, but {:?} in plain Rust", self[at], right[at]))
    }
}

macro_rules! tuples {
    ($(($($ty:ident $at:tt),*))*) => { $(
        impl<$($ty: Output),*> Output for ($($ty,)*) {
            fn differs(&self, right: &Self) -> Option<String> {
                let all = [$(self.$at.differs(&right.$at)),*];
                all.into_iter().zip(0..).find_map(|(one, at)| Some(format!("of output {at}, {}", one?)))
            }
        }
    )* };
}

tuples! { (A 0, B 1) (A 0, B 1, C 2) }
