//! What a device does that no driver tells.
//!
//! A device may flush subnormals, contract a product and a sum, round a division wrongly
//! (NVIDIA by default), or do `mul_add` in two roundings (llvmpipe). Its own arithmetic is
//! used only if it gives the right bits for arguments that tell these apart; a device that
//! cannot be asked has none.

use super::{Floats, Wgpu};
use crate::backend::{Bound, Memory, Part};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Value};
use samebits_ir::ops::{Builtin, Op};
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

/// What of the device's own arithmetic is right.
pub(super) fn floats(device: &Wgpu) -> Floats {
    let triples = triples();
    let trusting = Floats { exact: true, fused_mul_add: false };
    let exact = agrees(device, arithmetic(), trusting, &triples, plain);
    // Where arithmetic is not exact, the device's `mul_add` is used only for results that
    // cannot be subnormal, so that it need not keep those.
    let fused = Floats { exact, fused_mul_add: true };
    let fused_mul_add = agrees(device, fusion(), fused, &triples, |[a, b, c]| [a.mul_add(b, c); RESULTS]);
    Floats { exact, fused_mul_add }
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
    floats: Floats,
    triples: &[[u32; 3]],
    expected: impl Fn([f32; 3]) -> [f32; RESULTS],
) -> bool {
    let expected: Vec<u32> = triples.iter().flat_map(|t| expected(t.map(f32::from_bits)).map(f32::to_bits)).collect();
    Kernel::from_module(&module, 0)
        .and_then(|kernel| answers(device, kernel.load()?, floats, triples))
        .is_ok_and(|answers| answers == expected)
}

/// What the device answers.
fn answers(device: &Wgpu, kernel: &Loaded, floats: Floats, triples: &[[u32; 3]]) -> Result<Vec<u32>, Error> {
    let pipeline = device.compile_with(kernel, floats, 0)?;
    let count = triples.len() as u32;
    let input = device.zeros(u64::from(count) * 12)?;
    device.write(&input, 0, bytemuck::cast_slice(triples))?;
    let input = Memory::Wgpu(input);
    let mut answers = vec![0; triples.len() * RESULTS];
    let output = Memory::Wgpu(device.zeros(answers.len() as u64 * 4)?);
    let part = |memory, len: u32| Bound::Buffer(Part { memory, start: 0, bytes: u64::from(len) * 4, len });
    let args = [part(&input, count * 3), part(&output, count * RESULTS as u32)];
    device.dispatch(kernel, &pipeline, [count, 1, 1], &args)?;
    if let Memory::Wgpu(output) = &output {
        device.read(output, 0, bytemuck::cast_slice_mut(&mut answers))?;
    }
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

/// A kernel of which each workgroup is one invocation and takes the triple of its index.
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
    fn the_probes_pass_the_checks() {
        for module in [arithmetic(), fusion()] {
            assert!(Kernel::from_module(&module, 0).is_ok());
        }
    }
}
