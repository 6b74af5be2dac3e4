//! What the invocations of a workgroup compute together: helpers for kernels.
//!
//! Invariant: the workgroup has 256 invocations in one row, and so eight subgroups. Each call needs memory of its own, and ends
//! with a barrier, so that a loop may call it again.

use crate::prelude::*;

/// The sum of `x` over the invocations of the workgroup before this one, and the sum over all.
///
/// It is for kernels with `workgroup_size(256)`; all invocations must call it. Integers wrap.
///
/// ```
/// use samebits::algo::sums_before;
/// use samebits::prelude::*;
///
/// #[kernel(workgroup_size(256))]
/// fn places(x: &[u32], y: &mut [u32]) {
///     #[shared]
///     let sums: [u32; 8];
///     let i = global_id().x;
///     let (before, _) = sums_before(&mut sums, x[i]);
///     y[i] = before;
/// }
///
/// let device = Device::interpreter();
/// let x = device.upload(&[2u32; 256])?;
/// let mut y = device.zeros::<u32>(256)?;
/// places::launch(&device, 256, &x, &mut y)?;
/// assert!(y.read()?.into_iter().eq((0..256).map(|i| 2 * i)));
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn sums_before(sums: &mut [u32; 8], x: u32) -> (u32, u32) {
    let before = subgroup_exclusive_add(x);
    if subgroup_lane() == 31 {
        sums[subgroup_id()] = before + x;
    }
    workgroup_barrier();
    let mut here = 0;
    let mut total = 0;
    for i in 0..8 {
        if i == subgroup_id() {
            here = total;
        }
        total += sums[i];
    }
    workgroup_barrier();
    (here + before, total)
}
