//! What a device does that no driver tells.
//!
//! A `mul_add` may be two roundings (llvmpipe) or flush subnormals (NVIDIA); a sum may
//! swallow the product before it, a quotient may be off by one. The device's own float
//! arithmetic is used only where it gives the right bits for arguments that tell these
//! apart; for the rest the kernels compute in integers.

use super::Wgpu;
use crate::backend::{Bound, Memory};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::backend::naga::Options;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Value};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type, Types};

/// Bits of a, b, c and of `a * b + c` with one rounding.
const CASES: [[u32; 4]; 5] = [
    // (1 + 2^-23) * (1 - 2^-23) - 1 = -2^-46; two roundings give 0.
    [0x3f80_0001, 0x3f7f_fffe, 0xbf80_0000, 0xa880_0000],
    // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24; two roundings give 0.
    [0x3f80_0800, 0x3f80_0800, 0xbf80_1000, 0x3380_0000],
    // 1 * 2^-149 + 2^-149 = 2^-148, all subnormal.
    [0x3f80_0000, 0x0000_0001, 0x0000_0001, 0x0000_0002],
    // 2^-100 * 2^-40 + 0 = 2^-140, a subnormal result of normal factors.
    [0x0d80_0000, 0x2b80_0000, 0x0000_0000, 0x0000_0200],
    // 2^-127 * 2 + 0 = 2^-126, a normal result of a subnormal factor.
    [0x0040_0000, 0x4000_0000, 0x0000_0000, 0x0080_0000],
];

/// What the probes found out.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Floats {
    /// `mul_add` rounds once and keeps subnormals.
    pub fused_mul_add: bool,
    /// `+ - * /` and `sqrt` are exact, and nothing is contracted.
    pub exact: bool,
}

/// Asks the device; one that cannot tell is not trusted.
pub(super) fn floats(device: &Wgpu) -> Floats {
    let arguments: Vec<[u32; 3]> = CASES.iter().map(|&[a, b, c, _]| [a, b, c]).collect();
    let fused: Vec<u32> = CASES.iter().map(|case| case[3]).collect();
    let right = |module: Module, arguments: &[[u32; 3]], expected: &[u32]| {
        Kernel::from_module(&module, 0)
            .and_then(|kernel| answers(device, kernel.load()?, arguments, expected.len()))
            .is_ok_and(|answers| answers == expected)
    };
    let triples = triples();
    let exact: Vec<u32> = triples.iter().flat_map(|&triple| expected(triple)).collect();
    Floats {
        fused_mul_add: right(module("samebits_probe_mul_add", fused_module), &arguments, &fused),
        exact: right(module("samebits_probe_floats", exact_module), &triples, &exact),
    }
}

/// What the device answers to a kernel with one workgroup a triple.
fn answers(device: &Wgpu, kernel: &Loaded, triples: &[[u32; 3]], len: usize) -> Result<Vec<u32>, Error> {
    let trusting = Options { immediates: false, fused_mul_add: true, exact_floats: true };
    let pipeline = device.compile_with(kernel, trusting)?;
    let input = device.zeros(triples.len() as u64 * 12)?;
    device.write(&input, 0, bytemuck::cast_slice(triples))?;
    let input = Memory::Wgpu(input);
    let output = device.zeros(len as u64 * 4)?;
    let bound = Memory::Wgpu(output.clone());
    let args = [Bound::Buffer(&input, triples.len() as u32 * 3), Bound::Buffer(&bound, len as u32)];
    device.dispatch(kernel, &pipeline, [triples.len() as u32, 1, 1], &args)?;
    let mut answers = vec![0; len];
    device.read(&output, 0, bytemuck::cast_slice_mut(&mut answers))?;
    Ok(answers)
}

/// Bit patterns of all sorts, most of them of normal numbers near one another.
fn triples() -> Vec<[u32; 3]> {
    const COUNT: usize = 1024;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    let mut number = |i: usize| match i % 4 {
        0 => random(),
        // Exponents around that of one: sums round and products do not overflow.
        1 | 2 => random() % 0x0800_0000 + 0x3c00_0000,
        // Subnormals, and normal numbers just above them.
        _ => random() % 0x0100_0000,
    };
    (0..COUNT).map(|i| [number(i), number(i / 4), number(i / 16)]).collect()
}

/// The answers to a triple: sum, difference, product, quotient, root, and product plus sum.
fn expected([a, b, c]: [u32; 3]) -> [u32; 6] {
    let [a, b, c] = [a, b, c].map(u64::from);
    let f32 = |f: fn(Scalar, [u64; 3]) -> u64, a, b| f(Scalar::F32, [a, b, 0]) as u32;
    let product = f32(scalar::mul, a, b);
    [
        f32(scalar::add, a, b),
        f32(scalar::sub, a, b),
        product,
        f32(scalar::div, a, b),
        f32(scalar::sqrt, a, 0),
        f32(scalar::add, u64::from(product), c),
    ]
}

/// A kernel over triples in `x`; `results` gives what it stores for one.
fn module(name: &str, results: fn(&mut Builder, [Value; 3]) -> Vec<Value>) -> Module {
    let mut b = Builder::new(name, [1, 1, 1]);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let triple = [Index { value: i, stride: 12, bound: None }];
    let loaded = [0, 4, 8].map(|offset| {
        let place = b.place(x, &triple, offset);
        b.load(place, Type::F32)
    });
    let results = results(&mut b, loaded);
    let stride = results.len() as u32 * 4;
    for (n, value) in results.into_iter().enumerate() {
        let place = b.place(y, &[Index { value: i, stride, bound: None }], n as u32 * 4);
        b.store(place, value);
    }
    b.ret();
    b.into_module(Types::default())
}

fn fused_module(b: &mut Builder, triple: [Value; 3]) -> Vec<Value> {
    vec![b.op(Op::MulAdd, &triple)]
}

fn exact_module(b: &mut Builder, [x, y, z]: [Value; 3]) -> Vec<Value> {
    let product = b.op(Op::Mul, &[x, y]);
    let pairs = [Op::Add, Op::Sub, Op::Mul, Op::Div].map(|op| b.op(op, &[x, y]));
    let root = b.op(Op::Sqrt, &[x]);
    let sum = b.op(Op::Add, &[product, z]);
    pairs.into_iter().chain([root, sum]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_are_those_of_one_rounding() {
        for [a, b, c, answer] in CASES {
            let [a, b, c] = [a, b, c].map(f32::from_bits);
            assert_eq!(a.mul_add(b, c).to_bits(), answer);
        }
    }

    #[test]
    fn the_probes_pass_the_checks() {
        assert!(Kernel::from_module(&module("fused", fused_module), 0).is_ok());
        assert!(Kernel::from_module(&module("exact", exact_module), 0).is_ok());
    }

    #[test]
    fn the_triples_tell_contraction_and_flushing_apart() {
        let fused = |[a, b, c]: [u32; 3]| f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
        let different =
            triples().iter().filter(|&&t| fused(t).to_bits() != expected(t)[5] && !fused(t).is_nan()).count();
        assert!(different > 50, "{different}");
        let subnormal = triples().iter().filter(|&&t| f32::from_bits(expected(t)[0]).is_subnormal()).count();
        assert!(subnormal > 10, "{subnormal}");
    }
}
