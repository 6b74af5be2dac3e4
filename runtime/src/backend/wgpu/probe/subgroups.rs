//! Whether a device's subgroups are laid out as ours.
//!
//! No driver says which invocations form a subgroup, and in which order.

use crate::backend::outcome::Inherited;
use crate::backend::wgpu::Wgpu;
use crate::backend::{Backend, Bound, LaunchKind, Part};
use crate::kernel::Kernel;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module};
use samebits_ir::limits::{Limit, Limits};
use samebits_ir::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use samebits_ir::soft::plan::Native;
use samebits_ir::types::{Type, Types};

/// Whether the subgroups of a device that has subgroups of 32 invocations are consecutive local
/// indices in order, in workgroups of one axis. The probe's kernel uses the device's own subgroup
/// operations.
pub(in crate::backend::wgpu) fn subgroups(device: &Wgpu) -> bool {
    let most = device.limits.max_compute_invocations_per_workgroup.min(SUBGROUP_SIZES[SUBGROUP_SIZES.len() - 1]);
    SUBGROUP_SIZES.iter().filter(|&&size| size <= most).all(|&size| {
        let expected: Vec<u32> = (0..SUBGROUP_GROUPS).flat_map(|group| told(group * size, size)).collect();
        let kernel = Kernel::from_module(&telling(size), 0);
        let told = kernel.and_then(|kernel| {
            let kernel = kernel.load()?;
            let pipeline = device.compile_with(kernel, Native::SOFTWARE, LaunchKind::of(0))?;
            let mut told = vec![0; expected.len()];
            let memory = device.storage(told.len() as u64 * 4)?;
            let len = told.len() as u32;
            let part = Part { memory: &memory, start: 0, bytes: u64::from(len) * 4, len, most: u32::MAX };
            device
                .dispatch(kernel, &pipeline, [SUBGROUP_GROUPS, 1, 1], &[Bound::Buffer(part)], &Inherited::default())?
                .afterwards?;
            device.read(&memory, 0, bytemuck::cast_slice_mut(&mut told))?;
            Ok(told)
        });
        told.is_ok_and(|told| told == expected)
    })
}

/// The sizes of workgroups that are tried.
const SUBGROUP_SIZES: [u32; 4] = [32, 64, 256, 1024];
/// Workgroups of each.
const SUBGROUP_GROUPS: u32 = 4;
/// Words that each invocation stores.
const TOLD: u32 = 3;
/// An odd number; products with it have bits all over.
const SPREAD: u32 = 0x9e37_79b1;

/// What the invocations of a workgroup store if the first one has this global id. Each stores
/// three words: the global id of the lane that some bits of its spread id name, the ballot of the
/// spread ids' highest bits, and the global id of the next lane.
fn told(first: u32, size: u32) -> Vec<u32> {
    let lanes = |index: u32| (first + index / SUBGROUP_SIZE * SUBGROUP_SIZE)..;
    let ballot = |index| {
        (0..)
            .zip(lanes(index).take(SUBGROUP_SIZE as usize))
            .fold(0, |bits, (lane, id)| bits | (id.wrapping_mul(SPREAD) >> 31) << lane)
    };
    let one = |index: u32| {
        let named = (first + index).wrapping_mul(SPREAD) % SUBGROUP_SIZE;
        let next = if index % SUBGROUP_SIZE == SUBGROUP_SIZE - 1 { 0 } else { first + index + 1 };
        [lanes(index).start + named, ballot(index), next]
    };
    (0..size).flat_map(one).collect()
}

/// The kernel of [`told`].
fn telling(size: u32) -> Module {
    let mut b = Builder::new("samebits_probe_subgroups", [size, 1, 1]);
    if size > Limit::Invocations.default() {
        let mut limits = Limits::NONE;
        limits.set(Limit::Invocations, size);
        b.limits(limits);
    }
    let y = b.buffer("y", Type::U32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let (spread, lanes, top, one) = (b.u32(SPREAD), b.u32(SUBGROUP_SIZE), b.u32(1 << 31), b.u32(1));
    let bits = b.op(Op::Mul, &[i, spread]);
    let named = b.op(Op::Rem, &[bits, lanes]);
    let high = b.op(Op::Ge, &[bits, top]);
    let values = [
        b.subgroup(SubgroupOp::Shuffle, &[i, named]),
        b.subgroup(SubgroupOp::Ballot, &[high]),
        b.subgroup(SubgroupOp::ShuffleDown, &[i, one]),
    ];
    for (at, value) in (0..).zip(values) {
        let place = b.place(y, &[Index { value: i, stride: 4 * TOLD, bound: None }], 4 * at);
        b.store(place, value);
    }
    b.ret();
    b.into_module(Types::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use samebits_ir::interp::{Arg, Options, Program, Words};

    #[test]
    fn the_interpreter_has_the_subgroups_that_are_asked_for() {
        for size in SUBGROUP_SIZES {
            let kernel = Kernel::from_module(&telling(size), 0).expect("a kernel");
            let program = Program::new(kernel.load().expect("loaded").checked(), 0).expect("a kernel");
            let len = SUBGROUP_GROUPS * size * TOLD;
            let words = Words::zeroed(len as usize * 4);
            let args = [Arg::Buffer { words: &words, offset: 0, len }];
            program.run([SUBGROUP_GROUPS, 1, 1], &args, &Options::default()).expect("no fault");
            let expected = (0..SUBGROUP_GROUPS).flat_map(|group| told(group * size, size));
            let expected: Vec<u8> = expected.flat_map(u32::to_le_bytes).collect();
            assert_eq!(words.read(0..len as usize * 4), expected, "{size}");
        }
    }

    #[test]
    fn the_kernels_pass_the_checks() {
        for size in SUBGROUP_SIZES {
            assert!(Kernel::from_module(&telling(size), 0).is_ok_and(|kernel| kernel.load().is_ok()));
        }
    }
}
