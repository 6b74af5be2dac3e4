//! Probes: kernels that find out what no driver tells.
//!
//! A device may flush subnormals, contract a product and a sum, round a division wrongly
//! (NVIDIA by default), or do `mul_add` in two roundings (llvmpipe). Kernels use its own
//! arithmetic only if it gives the right bits for arguments that tell these cases apart. No driver
//! says either which invocations form a subgroup, and in which order. Kernels use a device's own
//! subgroups only if they are laid out as ours. If a probe fails, the answer is no.

use super::Wgpu;
use crate::backend::outcome::Inherited;
use crate::backend::{Backend, Bound, Part};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Value};
use samebits_ir::limits::{Limit, Limits};
use samebits_ir::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use samebits_ir::soft::plan::{Form, Group, Native};
use samebits_ir::types::{Type, Types};

/// Triples whose results are subnormal, or differ by one rounding.
const CASES: [[u32; 3]; 7] = [
    // (1 + 2^-23) * (1 - 2^-23) - 1 is -2^-46 with one rounding and 0 with two.
    [0x3f80_0001, 0x3f7f_fffe, 0xbf80_0000],
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 with one rounding and 0 with two.
    [0x3f80_0800, 0x3f80_0800, 0xbf80_1000],
    // 1 * 2^-149 + 2^-149, all subnormal.
    [0x3f80_0000, 0x0000_0001, 0x0000_0001],
    // 2^-100 * 2^-40 + 0, a subnormal result of normal factors.
    [0x0d80_0000, 0x2b80_0000, 0x0000_0000],
    // 2^-127 * 2 + 0, a normal result of a subnormal factor.
    [0x0040_0000, 0x4000_0000, 0x0000_0000],
    // A sum of normals that is subnormal.
    [0x0080_0001, 0x3f80_0000, 0x8080_0000],
    // A division that is not exact, by a divisor whose reciprocal is not.
    [0x4b7f_ffff, 0x4040_0001, 0x3f80_0000],
];
/// Triples of random bits besides.
const RANDOM: usize = 1017;
/// Results of a triple.
const RESULTS: usize = 5;

/// Which of the device's own operations are right.
pub(super) fn floats(device: &Wgpu) -> Native {
    let triples = triples();
    let trusting = Native::EXACT_F32.with(Group::Fused32, Form::Routine);
    let exact = agrees(device, arithmetic(), trusting, &triples, plain);
    let (native, fused) = if exact { (trusting, Form::Function) } else { (Native::WEBGPU, Form::Checked) };
    // Where arithmetic is not exact, the device's `mul_add` is used only for results that
    // cannot be subnormal, so that it need not keep those.
    let fused = native.with(Group::Fused32, fused);
    let is_fused = agrees(device, fusion(), fused, &triples, |[a, b, c]| [a.mul_add(b, c); RESULTS]);
    if is_fused { fused } else { native }
}

/// The fixed triples, then random ones of moderate exponents, so that results are finite.
fn triples() -> Vec<[u32; 3]> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (state >> 32) as u32;
        bits & 0x807f_ffff | (0x3000_0000 + (bits >> 3 & 0x0f80_0000) * 2)
    };
    let random = std::iter::repeat_with(|| [next(), next(), next()]);
    CASES.into_iter().chain(random.take(RANDOM)).collect()
}

/// What `arithmetic` computes, on the host.
fn plain([a, b, c]: [f32; 3]) -> [f32; RESULTS] {
    [a * b + c, a + c, a * b, a / b, a.abs().sqrt()]
}

/// Whether a probe compiles, runs and gives the expected bits.
fn agrees(
    device: &Wgpu,
    module: Module,
    native: Native,
    triples: &[[u32; 3]],
    expected: impl Fn([f32; 3]) -> [f32; RESULTS],
) -> bool {
    let expected: Vec<u32> = triples.iter().flat_map(|t| expected(t.map(f32::from_bits)).map(f32::to_bits)).collect();
    Kernel::from_module(&module, 0)
        .and_then(|kernel| answers(device, kernel.load()?, native, triples))
        .is_ok_and(|answers| answers == expected)
}

/// Whether the subgroups of a device that has subgroups of 32 invocations are consecutive local
/// indices in order, in workgroups of one axis. The probe's kernel uses the device's own subgroup
/// operations.
pub(super) fn subgroups(device: &Wgpu) -> bool {
    let most = device.limits.max_compute_invocations_per_workgroup.min(SUBGROUP_SIZES[SUBGROUP_SIZES.len() - 1]);
    SUBGROUP_SIZES.iter().filter(|&&size| size <= most).all(|&size| {
        let expected: Vec<u32> = (0..SUBGROUP_GROUPS).flat_map(|group| told(group * size, size)).collect();
        let kernel = Kernel::from_module(&telling(size), 0);
        let told = kernel.and_then(|kernel| {
            let kernel = kernel.load()?;
            let pipeline = device.compile_with(kernel, Native::SOFTWARE, 0)?;
            let mut told = vec![0; expected.len()];
            let memory = device.zeros(told.len() as u64 * 4)?;
            let len = told.len() as u32;
            let part = Part { memory: &memory, start: 0, bytes: u64::from(len) * 4, len };
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

/// The device's results for the triples.
fn answers(device: &Wgpu, kernel: &Loaded, native: Native, triples: &[[u32; 3]]) -> Result<Vec<u32>, Error> {
    let pipeline = device.compile_with(kernel, native, 0)?;
    let count = triples.len() as u32;
    let input = device.zeros(u64::from(count) * 12)?;
    device.write(&input, 0, bytemuck::cast_slice(triples))?;
    let mut answers = vec![0; triples.len() * RESULTS];
    let output = device.zeros(answers.len() as u64 * 4)?;
    let part = |memory, len: u32| Bound::Buffer(Part { memory, start: 0, bytes: u64::from(len) * 4, len });
    let args = [part(&input, count * 3), part(&output, count * RESULTS as u32)];
    device.dispatch(kernel, &pipeline, [count, 1, 1], &args, &Inherited::default())?.afterwards?;
    device.read(&output, 0, bytemuck::cast_slice_mut(&mut answers))?;
    Ok(answers)
}

/// The kernel of [`plain`].
fn arithmetic() -> Module {
    module("samebits_probe_arithmetic", |b, [x, y, z]| {
        let product = b.op(Op::Mul, &[x, y]);
        let contracted = b.op(Op::Add, &[product, z]);
        let magnitude = b.op(Op::Abs, &[x]);
        [contracted, b.op(Op::Add, &[x, z]), product, b.op(Op::Div, &[x, y]), b.op(Op::Sqrt, &[magnitude])]
    })
}

/// `mul_add`, in each result.
fn fusion() -> Module {
    module("samebits_probe_fusion", |b, triple| [b.op(Op::MulAdd, &triple); RESULTS])
}

/// A kernel whose workgroups are one invocation each and compute with the triple of their index.
fn module(name: &str, compute: impl Fn(&mut Builder, [Value; 3]) -> [Value; RESULTS]) -> Module {
    let mut b = Builder::new(name, [1, 1, 1]);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let triple = [0, 4, 8].map(|offset| {
        let place = b.place(x, &[Index { value: i, stride: 12, bound: None }], offset);
        b.load(place, Type::F32)
    });
    for (at, result) in compute(&mut b, triple).into_iter().enumerate() {
        let stride = RESULTS as u32 * 4;
        let place = b.place(y, &[Index { value: i, stride, bound: None }], at as u32 * 4);
        b.store(place, result);
    }
    b.ret();
    b.into_module(Types::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use samebits_ir::interp::{Arg, Options, Program, Words};

    #[test]
    fn the_fixed_triples_tell_one_rounding_from_two() {
        let differ = |[a, b, c]: [f32; 3]| a.mul_add(b, c) != a * b + c;
        assert!(CASES.iter().filter(|case| differ(case.map(f32::from_bits))).count() >= 2);
    }

    #[test]
    fn no_result_is_a_nan() {
        for triple in triples() {
            let triple = triple.map(f32::from_bits);
            assert!(plain(triple)[..4].iter().all(|result| !result.is_nan()), "{triple:?}");
        }
    }

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
    fn the_probes_pass_the_checks() {
        for module in [arithmetic(), fusion()].into_iter().chain(SUBGROUP_SIZES.map(telling)) {
            assert!(Kernel::from_module(&module, 0).is_ok_and(|kernel| kernel.load().is_ok()));
        }
    }
}
