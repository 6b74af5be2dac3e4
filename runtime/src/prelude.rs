//! What a program with kernels imports: `use samebits::prelude::*;`.
//!
//! Types of signatures are real. What only a kernel's body uses is known to the macro and
//! needs no import:
//!
//! - `global_id()`, `local_id()`, `workgroup_id()` and `num_workgroups()`, each with `.x`,
//!   `.y` and `.z`, `local_index()`, `subgroup_id()`, `subgroup_lane()` and `num_subgroups()`: where
//!   an invocation is. All are `usize`, and so is `x.len()`.
//! - `workgroup_barrier()`: every invocation of the workgroup waits here for the others.
//! - `broadcast(&cell)`: a value in workgroup memory that all invocations then agree on.
//! - `subgroup_add(x)`, `subgroup_shuffle(x, lane)`, `subgroup_any(b)` and others: what 32
//!   invocations do together.
//! - the methods of [`Atomic`], and `fence(order)`.
//!
//! [`language`](crate::language) tells the rest.

pub use crate::below::Below;
pub use crate::buffer::Buffer;
pub use crate::classes::{Float, Int, Number, Signed, Unsigned};
pub use crate::device::Device;
pub use crate::distinct::Distinct;
pub use crate::element::{Atomic, Element, Mat2, Mat3, Mat4, Vec2, Vec3, Vec4};
pub use crate::error::Error;

pub use crate::launch::Grid;
#[cfg(feature = "f16")]
pub use half::{bf16, f16};
pub use samebits_macros::{Element, device, kernel};
/// The orders of atomics, which are Rust's own.
pub use std::sync::atomic::Ordering;

/// Between whom an atomic access or a fence orders what is around it.
///
/// It is written in kernels only, as the last argument of methods that end in `_in` and of
/// `fence_in`. Without it, an access to workgroup memory concerns the workgroup, and an access to
/// a buffer, or a fence, all invocations of the device.
///
/// ```
/// use samebits::prelude::*;
///
/// // Invocation 0 of each workgroup hands a number to invocation 1 of the same workgroup, which waits for it.
/// #[kernel(workgroup_size(2), features(atomic_orders))]
/// fn hand_over(x: &[u32], flags: &[Atomic<u32>], between: &mut [u32], y: &mut [u32]) {
///     let group = workgroup_id().x;
///     if local_id().x == 0 {
///         unsafe {
///             between[group] = x[group] + 1;
///         }
///         flags[group].store_in(1, Ordering::Release, Scope::Workgroup);
///     }
///     workgroup_barrier();
///     if local_id().x == 1 && flags[group].load_in(Ordering::Acquire, Scope::Workgroup) == 1 {
///         y[group] = unsafe { between[group] };
///     }
/// }
///
/// let device = Device::interpreter();
/// let x = device.upload(&[4u32, 7])?;
/// let (mut flags, mut between, mut y) = (device.zeros::<u32>(2)?, device.zeros::<u32>(2)?, device.zeros::<u32>(2)?);
/// hand_over::launch(&device, 4, &x, &mut flags, &mut between, &mut y)?;
/// assert_eq!(y.read()?, [5, 8]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The invocations of the workgroup.
    Workgroup,
    /// All invocations of the device.
    Device,
}
