//! Which of a kernel's conditions a launch fulfils, by its grid, lengths and scalars.
//!
//! This runs at each launch, so it needs no memory of the heap for as many arguments as
//! kernels usually have.

use super::{Bound, PerArgument};
use samebits_ir::analysis::facts::{Condition, Launch};

/// The conditions that a launch fulfils, as bits.
pub(super) fn fulfilled(conditions: &[Condition], groups: [u32; 3], args: &[Bound<'_>]) -> u64 {
    if conditions.is_empty() {
        return 0;
    }
    in_launch(groups, args, |launch| Condition::satisfied(conditions, launch))
}

/// All conditions, as bits.
pub(super) fn all(conditions: &[Condition]) -> u64 {
    (0..conditions.len()).fold(0, |bits, i| bits | 1 << i)
}

/// What `f` says of a launch of so many workgroups.
pub(crate) fn in_launch<T>(groups: [u32; 3], args: &[Bound<'_>], f: impl FnOnce(&Launch<'_>) -> T) -> T {
    let (mut lens, mut scalars) = (PerArgument::new(args.len(), 0u32), PerArgument::new(args.len(), 0u64));
    let (lens, scalars) = (lens.as_mut_slice(), scalars.as_mut_slice());
    for ((arg, len), scalar) in args.iter().zip(&mut *lens).zip(&mut *scalars) {
        (*len, *scalar) = (arg.len(), arg.bits());
    }
    f(&Launch { groups, lens, scalars })
}
