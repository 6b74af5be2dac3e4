//! Every op on every type, natively and by routines, is a valid module.

use super::*;
use crate::builder::Builder;
use crate::check::{check, needs};
use crate::ir::{Module as Ir, Value};
use crate::ops::{Builtin, Op, Signature};
use crate::soft::plan::{Form, Group, Native};
use crate::text::parse;
use crate::types::{Scalar, Type, Types};
use rspirv::binary::Disassemble;

/// A device that has next to nothing of its own.
pub(super) const SOFT: Target = Target {
    native: Native::WEBGPU,
    round_to_nearest: Widths { half: false, single: false, double: false },
    keep_subnormals: Widths { half: false, single: false, double: false },
    bytes: false,
    halves: false,
    long_atomics: false,
    memory_model: false,
    subgroups: false,
    immediates: false,
    table_buffer: false,
    report_cut_loops: None,
    launch_conditions: 0,
};

/// A device that has all.
const HARD: Target = Target {
    native: Native::CUDA,
    round_to_nearest: Widths { half: false, single: true, double: true },
    immediates: true,
    ..SOFT
};

/// Targets that differ in what they have.
fn targets() -> [Target; 5] {
    let long = Native::EXACT_F32.having(Scalar::I64);
    let double = Native::EXACT_F32.having(Scalar::F64).with(Group::Sum64, Form::Exact).with(Group::Fused32, Form::Pair);
    let cutting = Target { report_cut_loops: Some(2), ..SOFT };
    [SOFT, Target { native: long, ..SOFT }, Target { native: double, ..SOFT }, cutting, HARD]
}

/// Emits for each of the targets and validates; what the last one gets.
pub(super) fn emitted(mut module: Ir, targets: &[Target]) -> rspirv::dr::Module {
    let types = module.types.clone();
    module.functions.iter_mut().for_each(|f| f.limits = needs(&types, f).beyond_defaults());
    let checked = check(module).expect("the kernel is right");
    let mut last = rspirv::dr::Module::new();
    for target in targets {
        let shader = emit(&checked, 0, target).expect("there is a kernel");
        last = rspirv::dr::load_words(&shader.words).expect("a module");
        validate(&shader.words, &last);
    }
    last
}

/// Runs `spirv-val` if this machine has it.
fn validate(words: &[u32], module: &rspirv::dr::Module) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", "vulkan1.2", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&bytes).expect("spirv-val reads");
    }
    let output = child.wait_with_output().expect("spirv-val ends");
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), module.disassemble());
}

/// What a kernel becomes on a target.
pub(super) fn text_of(target: Target, body: &str) -> String {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k() {{ {body} ret }}");
    emitted(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}")), &[target]).disassemble()
}

/// A kernel on values that nobody knows.
pub(super) struct Kernel {
    pub b: Builder,
    id: Value,
}

impl Kernel {
    pub fn new() -> Self {
        let mut b = Builder::new("k", [64, 1, 1]);
        let id = b.builtin(Builtin::GlobalIdX);
        Self { b, id }
    }

    pub fn operand(&mut self, ty: Type) -> Value {
        let lane = ty.lane().expect("it is a value");
        let bits = match lane {
            Scalar::F16 => Scalar::U16,
            Scalar::F32 => Scalar::U32,
            Scalar::F64 => Scalar::U64,
            _ => lane,
        };
        let mut value = self.id;
        if bits != Scalar::U32 {
            value = self.b.op_to(Op::Cast, &[value], bits.into());
        }
        if bits != lane {
            value = self.b.op_to(Op::Bitcast, &[value], lane.into());
        }
        if ty.lanes() > 1 { self.b.op(Op::Construct, &vec![value; ty.lanes()]) } else { value }
    }

    pub fn finish(mut self) -> Ir {
        self.b.ret();
        self.b.into_module(Types::default())
    }
}

fn value_types() -> Vec<Type> {
    let vectors = Scalar::ALL.iter().flat_map(|&s| (2..=4).map(move |n| Type::Vector(s, n)));
    Scalar::ALL.iter().map(|&s| Type::Scalar(s)).chain(vectors).collect()
}

/// The operand types of an op whose leading operand, or what it selects, is of this type.
fn operand_types(op: Op, ty: Type) -> Option<Vec<Type>> {
    let signature = op.info().signature;
    let operands = match signature {
        Signature::Select => vec![Type::BOOL, ty, ty],
        Signature::Extract => vec![ty, Type::U32],
        Signature::Construct => vec![ty; 3],
        Signature::Cast | Signature::Bitcast => return None,
        Signature::Lanes(..) | Signature::Fixed(..) | Signature::Insert | Signature::Reduce => signature.types(ty)?.0,
    };
    op.result(&operands, None).map(|_| operands)
}

#[test]
fn every_op_of_every_type_is_lowered() {
    let mut seen = 0;
    for ty in value_types() {
        let mut k = Kernel::new();
        for &op in Op::ALL {
            let Some(types) = operand_types(op, ty) else { continue };
            let operands: Vec<Value> = types.iter().map(|&ty| k.operand(ty)).collect();
            k.b.op(op, &operands);
            seen += 1;
        }
        emitted(k.finish(), &targets());
    }
    assert!(seen > 250, "{seen}");
}

#[test]
fn every_op_is_lowered_loosely() {
    let mut k = Kernel::new();
    for &op in Op::ALL {
        let Some(types) = operand_types(op, Type::F32) else { continue };
        let operands: Vec<Value> = types.iter().map(|&ty| k.operand(ty)).collect();
        k.b.op(op, &operands);
    }
    let mut module = k.finish();
    module.functions.iter_mut().for_each(|function| function.fast_math = true);
    emitted(module, &targets());
}

#[test]
fn every_cast_of_the_table_is_lowered() {
    let mut seen = 0;
    for from in value_types() {
        let mut k = Kernel::new();
        for to in value_types() {
            for op in [Op::Cast, Op::Bitcast] {
                if op.result(&[from], Some(to)).is_some() {
                    let operand = k.operand(from);
                    k.b.op_to(op, &[operand], to);
                    seen += 1;
                }
            }
        }
        emitted(k.finish(), &targets());
    }
    assert!(seen > 150, "{seen}");
}
