//! Helpers, structs, constants and kernels that other crates use: each is public here and
//! needs something that is not.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

pub mod shapes;

use samebits::prelude::*;

/// From `a` to `b`, by `t`.
#[device]
pub fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

/// Not a literal, so that only rustc knows it.
const FACTOR: u32 = [2u32, 3, 5][1] * 10;

/// What [`scaled`] adds.
pub const OFFSET: u32 = 7;

/// Seen in this crate alone.
#[device]
pub(crate) fn times_factor(x: u32) -> u32 {
    x * FACTOR
}

/// `x` times what only this crate knows.
#[device]
pub fn scaled(x: u32) -> u32 {
    times_factor(x) + OFFSET
}

/// Calls a function for each of the first numbers.
#[device]
pub fn sum_of(n: u32, f: impl Fn(u32) -> u32) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        sum += f(i);
    }
    sum
}

/// Adds to what a reference leads to.
#[device]
pub fn raise(to: &mut u32, by: u32) {
    *to += by;
}

/// The sum of an array of any length.
#[device]
pub fn total<const N: usize>(list: &[u32; N]) -> u32 {
    let mut sum = 0;
    for i in 0..N {
        sum += list[i];
    }
    sum
}

/// How many invocations work together.
#[device]
pub const LANES: usize = HALF * 2;

#[device]
const HALF: usize = 4;

/// The sum over a workgroup of [`LANES`].
#[device]
pub fn sum_of_group(tile: &mut [u32; LANES], mine: u32) -> u32 {
    let lane = local_id().x;
    tile[lane] = mine;
    workgroup_barrier();
    let mut sum = 0;
    for i in 0..LANES {
        sum += tile[i];
    }
    workgroup_barrier();
    sum
}

/// `x` times `N`, element by element.
#[kernel(workgroup_size(LANES), instances(T = [f32, u32], N = [2, 3]))]
pub fn multiplied<T: Number, const N: usize>(x: &[T], y: &mut [T]) {
    let i = global_id().x;
    let mut sum = 0 as T;
    for _ in 0..N {
        sum += x[i];
    }
    y[i] = sum;
}

/// A counter. No other crate reads its number, this package's own programs included, though they do not name its type.
///
/// ```
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(1))]
/// fn counted(o: &mut [u32]) {
///     let mut counter = samebits_tests_a::counter_at(3);
///     o[0] = counter.next();
/// }
/// ```
///
/// ```compile_fail
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(1))]
/// fn counted(o: &mut [u32]) {
///     let counter = samebits_tests_a::counter_at(3);
///     o[0] = counter.count;
/// }
/// ```
#[device]
pub fn counter_at(count: u32) -> shapes::Counter {
    shapes::Counter::starting(count)
}

/// A helper of a macro's making.
#[macro_export]
macro_rules! make_helper {
    ($(#[$attr:meta])* $name:ident, $by:expr) => {
        $(#[$attr])*
        #[::samebits::device]
        pub fn $name(x: u32) -> u32 {
            x * $by
        }
    };
}

make_helper!(
    /// Three times as much.
    tripled, 1 + 2
);
