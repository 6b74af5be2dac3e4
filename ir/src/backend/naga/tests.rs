//! Every op and construct becomes a module that naga accepts without capabilities.

use super::*;
use crate::builder::Builder;
use crate::check::check;
use crate::ir::{Case, Index, Place, Value};
use crate::ops::{AtomicOp, Builtin, Op, Signature};
use crate::scalar::cast_rule;
use crate::types::{Scalar, StructDef};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const EXACT: Options = Options { immediates: false, fused_mul_add: true, exact_floats: true };
const SOFT: Options = Options { immediates: true, fused_mul_add: false, exact_floats: false };
const HALF_SOFT: Options = Options { immediates: false, fused_mul_add: true, exact_floats: false };

/// Emits with every option, validates, writes SPIR-V, and gives the WGSL of the exact form.
fn wgsl(b: Builder, types: Types) -> String {
    let checked = check(b.into_module(types)).expect("the kernel is right");
    let mut text = String::new();
    for options in [SOFT, HALF_SOFT, EXACT] {
        let shader = emit(&checked, 0, &options).expect("there is a kernel");
        let capabilities = if options.immediates { Capabilities::IMMEDIATES } else { Capabilities::empty() };
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&shader.module)
            .unwrap_or_else(|e| panic!("{}\n{:#?}", e.emit_to_string(""), shader.module.entry_points));
        let spirv = naga::back::spv::write_vec(&shader.module, &info, &naga::back::spv::Options::default(), None)
            .expect("SPIR-V can be written");
        validate_spirv(&spirv);
        text = naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty())
            .expect("WGSL can be written");
    }
    text
}

/// Runs `spirv-val` if this machine has it.
fn validate_spirv(words: &[u32]) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let spawned = Command::new("spirv-val").args(["--target-env", "vulkan1.1", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&bytes).expect("spirv-val reads");
    }
    assert!(child.wait().expect("spirv-val ends").success());
}

fn at(b: &Builder, root: Root, value: Value, stride: u32) -> Place {
    b.place(root, &[Index { value, stride, bound: None }], 0)
}

fn saxpy() -> Builder {
    let mut b = Builder::new("saxpy", [256, 1, 1]);
    let a = b.scalar("a", Type::F32);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let n = b.len(y);
    let inside = b.op(Op::Lt, &[i, n]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    let vx = b.load(at(&b, x, i, 4), Type::F32);
    let product = b.op(Op::Mul, &[a, vx]);
    let vy = b.load(at(&b, y, i, 4), Type::F32);
    let sum = b.op(Op::Add, &[product, vy]);
    b.store(at(&b, y, i, 4), sum);
    b.yield_(&[]);
    b.leave();
    b.enter(otherwise);
    b.yield_(&[]);
    b.leave();
    b.if_else(inside, then, otherwise, &[]);
    b.ret();
    b
}

#[test]
fn saxpy_declares_two_float_arrays_and_the_launch() {
    let text = wgsl(saxpy(), Types::default());
    assert!(text.contains("@group(0) @binding(0) \nvar<storage> buffer: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(1) \nvar<storage, read_write> buffer_1: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(2) \nvar<uniform> parameters: Parameters;"), "{text}");
}
