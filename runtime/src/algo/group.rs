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

/// What the invocations of the workgroup before this one have in all, and what all of them have, where `f` makes one
/// of two. The first invocation gets `none` for what is before it.
///
/// It is for kernels with `workgroup_size(256)`; all invocations must call it. `f` must be associative, `f(f(a, b), c)` the same
/// as `f(a, f(b, c))`, or nearly so; then the order is fixed: lanes that are 1, 2, 4, 8 and 16 apart, then subgroups
/// one after the other, from the left. It need not be commutative. `f(none, a)` must be `a`.
///
/// ```
/// use samebits::algo::combined_before;
/// use samebits::prelude::*;
///
/// // Functions `x -> x * a + b`, one after the other.
/// #[derive(Clone, Copy, PartialEq, Debug, Element)]
/// #[repr(C)]
/// struct Line {
///     a: u32,
///     b: u32,
/// }
///
/// #[kernel(workgroup_size(256))]
/// fn compose(x: &[Line], y: &mut [Line]) {
///     #[shared]
///     let all: [Line; 8];
///     let i = global_id().x;
///     let none = Line { a: 1, b: 0 };
///     let then = |f: Line, g: Line| Line { a: f.a * g.a, b: f.b * g.a + g.b };
///     let (before, _) = combined_before(&mut all, none, x[i], then);
///     y[i] = before;
/// }
///
/// let device = Device::interpreter();
/// let lines: Vec<Line> = (0..256).map(|i| Line { a: i % 3 + 1, b: i }).collect();
/// let (x, mut y) = (device.upload(&lines)?, device.zeros::<Line>(256)?);
/// compose::launch(&device, 256, &x, &mut y)?;
/// let mut before = Line { a: 1, b: 0 };
/// for (found, line) in y.read()?.into_iter().zip(lines) {
///     assert_eq!(found, before);
///     let (a, b) = (before.a.wrapping_mul(line.a), before.b.wrapping_mul(line.a));
///     before = Line { a, b: b.wrapping_add(line.b) };
/// }
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn combined_before<T: Element>(all: &mut [T; 8], none: T, x: T, f: impl Fn(T, T) -> T) -> (T, T) {
    let mut upto = x;
    #[unroll]
    for k in 0..5 {
        let lower = subgroup_shuffle_up(upto, 1 << k);
        if subgroup_lane() >= 1 << k {
            upto = f(lower, upto);
        }
    }
    if subgroup_lane() == 31 {
        all[subgroup_id()] = upto;
    }
    let mut lower = subgroup_shuffle_up(upto, 1);
    workgroup_barrier();
    let mut before = none;
    let mut total = none;
    for i in 0..8 {
        if i == subgroup_id() {
            before = total;
        }
        total = f(total, all[i]);
    }
    workgroup_barrier();
    if subgroup_lane() > 0 {
        lower = f(before, lower);
    } else {
        lower = before;
    }
    (lower, total)
}
