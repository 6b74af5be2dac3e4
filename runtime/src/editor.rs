//! What the language of kernels has and Rust lacks, for editors only.
//!
//! Under rust-analyzer the body of a kernel is also a function that nobody calls
//! (`macros/front/src/editor`), and the names in it mean what is declared here. The module is
//! hidden from programs and from their documentation. It is not behind a `cfg`, because an
//! editor sets `cfg(rust_analyzer)` for the packages that are edited and not for their
//! dependencies. Nothing here ever runs. Vectors are the real ones, with their
//! [operators and methods](crate::vectors).

#[cfg(feature = "f16")]
use crate::prelude::f16;
use crate::prelude::{Atomic, Ordering, Scope};
use crate::{Vec2, Vec3, Vec4};

/// What `f16_to_zero` gives where the program has no such type.
#[cfg(not(feature = "f16"))]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct f16;

/// A value of any type, in a function that nobody calls.
pub fn never<T>() -> T {
    unreachable!("it is for editors: a kernel is launched, and a helper is called by kernels")
}

/// What `as` is in a kernel: more casts than Rust has.
pub fn cast<From, To>(_: From) -> To {
    never()
}

/// A number that invocations change, whose methods take an order.
#[derive(Debug)]
pub struct Ordered<T> {
    number: std::marker::PhantomData<T>,
}

/// A place, or a number of workgroups, on three axes.
#[derive(Clone, Copy, Debug)]
pub struct Ids {
    /// On the first axis.
    pub x: usize,
    /// On the second axis.
    pub y: usize,
    /// On the third axis.
    pub z: usize,
}

/// What `debug!` is in a kernel.
#[doc(hidden)]
#[macro_export]
macro_rules! __samebits_debug {
    ($($text:tt)*) => { ::std::println!($($text)*) };
}

/// What needs no import in a body: it hides what the program calls the same, as it does in a kernel.
pub mod scope {
    pub use super::functions::*;
    pub use super::{Atomics as _, MethodsOfF16 as _};
    #[doc(hidden)]
    pub use crate::__samebits_debug as debug;
    pub use crate::prelude::{Atomic, Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};
    #[cfg(feature = "f16")]
    pub use crate::prelude::{bf16, f16};
    // There may be no prelude around.
    pub use std::cmp::{Ord as _, PartialOrd as _};
    pub use std::iter::{DoubleEndedIterator as _, IntoIterator as _, Iterator as _};
    pub use std::ops::{Fn, FnMut, FnOnce};
    pub use std::primitive::{bool, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, usize};
}

/// A number or a vector, and what ops make of it.
pub trait Value: Copy {
    /// `u32`, or a vector of them.
    type U32;
    /// `i32`, or a vector of them.
    type I32;
    /// The unsigned integer of the same width, or a vector of them.
    type Unsigned;
    /// `bool`, or a vector of them.
    type Bool;
}

macro_rules! values {
    ($($ty:ty: $unsigned:ty;)*) => { $(
        impl Value for $ty {
            type U32 = u32;
            type I32 = i32;
            type Unsigned = $unsigned;
            type Bool = bool;
        }
    )* };
}

values! {
    bool: bool;
    usize: usize;
    i8: u8;
    i16: u16;
    i32: u32;
    i64: u64;
    u8: u8;
    u16: u16;
    u32: u32;
    u64: u64;
    f32: u32;
    f64: u64;
    f16: u16;
}

macro_rules! vectors {
    ($($name:ident)*) => { $(
        impl<T: Value> Value for $name<T> {
            type U32 = $name<T::U32>;
            type I32 = $name<T::I32>;
            type Unsigned = $name<T::Unsigned>;
            type Bool = $name<T::Bool>;
        }
    )* };
}

vectors! { Vec2 Vec3 Vec4 }

samebits_macros::editor_items!();
