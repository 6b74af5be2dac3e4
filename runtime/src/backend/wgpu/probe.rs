//! What a device does that no driver tells.
//!
//! A `mul_add` may be two roundings (llvmpipe) or flush subnormals (NVIDIA). The device's
//! own is used only if it gives the right bits for arguments that tell these apart.

use super::Wgpu;
use crate::backend::{Bound, Memory};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::types::{Type, Types};

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

/// Whether the device's own `mul_add` is right; a device that cannot tell has none.
pub(super) fn fuses_mul_add(device: &Wgpu) -> bool {
    let expected: Vec<u32> = CASES.iter().map(|case| case[3]).collect();
    Kernel::from_module(&module(), 0)
        .and_then(|kernel| answers(device, kernel.load()?))
        .is_ok_and(|answers| answers == expected)
}

/// What the device answers to the cases.
fn answers(device: &Wgpu, kernel: &Loaded) -> Result<Vec<u32>, Error> {
    let pipeline = device.compile_with(kernel, true)?;
    let cases: Vec<u32> = CASES.iter().flat_map(|case| case[..3].iter().copied()).collect();
    let input = device.zeros(cases.len() as u64 * 4)?;
    device.write(&input, 0, bytemuck::cast_slice(&cases))?;
    let input = Memory::Wgpu(input);
    let output = device.zeros(CASES.len() as u64 * 4)?;
    let bound = Memory::Wgpu(output.clone());
    let args = [Bound::Buffer(&input, cases.len() as u32), Bound::Buffer(&bound, CASES.len() as u32)];
    device.dispatch(kernel, &pipeline, [CASES.len() as u32, 1, 1], &args)?;
    let mut answers = vec![0; CASES.len()];
    device.read(&output, 0, bytemuck::cast_slice_mut(&mut answers))?;
    Ok(answers)
}

/// `y[i] = x[3 * i].mul_add(x[3 * i + 1], x[3 * i + 2])`, `i` being the workgroup.
fn module() -> Module {
    let mut b = Builder::new("samebits_probe_mul_add", [1, 1, 1]);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let triple = [Index { value: i, stride: 12, bound: None }];
    let factors = [0, 4, 8].map(|offset| {
        let place = b.place(x, &triple, offset);
        b.load(place, Type::F32)
    });
    let sum = b.op(Op::MulAdd, &factors);
    let place = b.place(y, &[Index { value: i, stride: 4, bound: None }], 0);
    b.store(place, sum);
    b.ret();
    b.into_module(Types::default())
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
    fn the_probe_passes_the_checks() {
        assert!(Kernel::from_module(&module(), 0).is_ok());
    }
}
