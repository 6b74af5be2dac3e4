//! Primitives on buffers, written as kernels of this language: sorts, scans, reductions, compaction, histograms,
//! transposition, products of matrices and random numbers. They need the feature `algo`, which is off by default: their
//! kernels take some seconds to check, and most of a minute to become native code in a release build.
//!
//! | function | what it does | temporary memory |
//! | --- | --- | --- |
//! | [`reduce`] | the sum, least or greatest of all elements | 32 KiB |
//! | [`inclusive_scan`], [`exclusive_scan`] | the same up to each element | 32 KiB |
//! | [`compact`], [`indices`] | elements, or their indices, that a flag keeps | less than 64 KiB |
//! | [`partition`] | elements that a flag keeps, then the others | less than 64 KiB |
//! | [`histogram`] | how often each key occurs | none |
//! | [`sort`], [`sort_pairs`] | keys in order, with or without values | as much as keys and values, and some |
//! | [`transpose`] | rows as columns | none |
//! | [`matmul`], [`matmul_add`], [`matmul_tuned`] | products of matrices of `f32` | none, or as much as the matrices |
//! | [`sums_before`], [`combined_before`] | helpers for kernels of your own: scans over a workgroup, by any operator | 8 elements of workgroup memory |
//! | [`random`] | Philox and PCG in kernels and on the host, buffers of random numbers | none |
//!
//! - *Time* is proportional to the number of elements, of all of them.
//! - *Each function allocates* its temporary memory and frees it. The methods of [`Scratch`] do the same work in memory
//!   that stays; some leave a result on the device, so that nothing waits.
//! - *Calls are queued* like launches, except for those that return a number, which wait for it.
//! - *The same bits on every device*: integers wrap, and sums of floats are taken in an order that depends on the
//!   number of elements alone. No workgroup waits for another one.
//! - *Errors* are those of allocations and launches, and those that each function lists. After an error the contents of
//!   results are not determined. From 2³¹ elements or words on, all are [`Error::TooManyElements`](crate::Error).
//! - *Arguments* are buffers or [views](crate::View). The borrow checker rules out that a result is an input, too.
//!
//! ```
//! use samebits::algo::{self, Operator, Scratch};
//! use samebits::prelude::*;
//!
//! let device = Device::best()?;
//! let mut keys = device.upload(&[3u32, 1, 2])?;
//! algo::sort(&device, &mut keys)?;
//! assert_eq!(keys.read()?, [1, 2, 3]);
//! assert_eq!(algo::reduce(&device, Operator::Sum, &keys)?, 6);
//!
//! // In a loop, memory is allocated once.
//! let mut scratch = Scratch::new(&device);
//! let mut sums = device.zeros::<u32>(3)?;
//! for _ in 0..3 {
//!     scratch.inclusive_scan(Operator::Sum, &keys, &mut sums)?;
//!     keys.copy_from(&sums)?;
//! }
//! assert_eq!(keys.read()?, [1, 5, 15]);
//! # Ok::<(), Error>(())
//! ```

mod compact;
mod group;
mod histogram;
mod matmul;
pub mod random;
mod scan;
mod scratch;
mod sort;
mod transpose;

pub use compact::{compact, indices, partition};
pub use group::{combined_before, sums_before};
pub use histogram::histogram;
pub use matmul::{matmul, matmul_add, matmul_tuned};
pub use scan::{Operator, Scalar, exclusive_scan, inclusive_scan, reduce};
pub use scratch::Scratch;
pub use sort::{Key, Word, sort, sort_pairs};
pub use transpose::transpose;
