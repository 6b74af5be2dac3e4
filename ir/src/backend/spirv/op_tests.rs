//! Every op on every type, natively and by routines, is a valid module.

use super::tests::validated;
use super::*;
use crate::builder::Builder;
use crate::check::{check, needs};
use crate::ir::{Module as Ir, Value};
use crate::ops::{Builtin, Op, Signature};
use crate::soft::plan::{Form, Group, Native};
use crate::text::parse;
use crate::types::{Scalar, Type, Types};
use spirv::Op as Spirv;

/// A device that has all.
const HARD: Target = Target {
    native: Native::CUDA,
    round_to_nearest: Widths { half: false, single: true, double: true },
    immediates: true,
    ..Target::VULKAN
};

/// Targets that differ in what they have.
fn targets() -> [Target; 5] {
    let long = Native::EXACT_F32.having(Scalar::I64);
    let double = long.having(Scalar::F64).with(Group::Sum64, Form::Exact).with(Group::Fused32, Form::Pair);
    let cutting = Target { report_cut_loops: Some(2), ..Target::VULKAN };
    [
        Target::VULKAN,
        Target { native: long, ..Target::VULKAN },
        Target { native: double, ..Target::VULKAN },
        cutting,
        HARD,
    ]
}

/// The words for a target.
fn words(module: &mut Ir, target: &Target) -> Vec<u32> {
    let types = module.types.clone();
    module.functions.iter_mut().for_each(|f| f.limits = needs(&types, f).beyond_defaults());
    let checked = check(module.clone()).expect("the kernel is right");
    emit(&checked, 0, target).expect("there is a kernel").words
}

/// Emits for each of the targets and validates; what the last one gets.
pub(super) fn emitted(mut module: Ir, targets: &[Target]) -> rspirv::dr::Module {
    let mut last = rspirv::dr::Module::new();
    for target in targets {
        let words = words(&mut module, target);
        last = validated(&words);
    }
    last
}

/// How many instructions of each kind a body adds to an empty kernel on a target.
fn added<const N: usize>(target: Target, body: &str, kinds: [Spirv; N]) -> [usize; N] {
    let module = |body: &str| {
        let text = format!("func kernel workgroup_size(64, 1, 1) @k(@x: [f32], @y: mut [f64]) {{ {body} ret }}");
        emitted(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}")), &[target])
    };
    let [with, without] = [module(body), module("")];
    let count = |module: &rspirv::dr::Module, kind| module.all_inst_iter().filter(|it| it.class.opcode == kind).count();
    kinds.map(|kind| count(&with, kind) - count(&without, kind))
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
        if bits.bits() == 64 {
            let both = self.b.op(Op::Construct, &[value, value]);
            value = self.b.op_to(Op::Cast, &[both], Type::Scalar(Scalar::U64));
        }
        if bits != Scalar::U32 && bits != Scalar::U64 {
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

/// Every scalar, and a vector of each; each length is one of some. Lanes are lowered one by one.
fn scalars_and_vectors() -> Vec<Type> {
    let vectors = (0..).zip(Scalar::ALL).map(|(i, &s)| Type::Vector(s, 2 + i % 3));
    Scalar::ALL.iter().map(|&s| Type::Scalar(s)).chain(vectors).collect()
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
    for ty in scalars_and_vectors() {
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
fn every_op_is_native_or_in_the_library() {
    // An op that nothing computes would be zero, for which nothing is written.
    let written = |module: &mut Ir, target: &Target| {
        let module = rspirv::dr::load_words(words(module, target)).expect("a module");
        module.functions.iter().map(|function| function.all_inst_iter().count()).sum::<usize>()
    };
    for &op in Op::ALL.iter().filter(|op| !op.is_compound()) {
        let Signature::Lanes(class, ..) = op.info().signature else { continue };
        // The bytes of one byte have one order only.
        for ty in class.members().filter(|ty| op != Op::SwapBytes || ty.bits() > 8) {
            let types = operand_types(op, ty.into()).expect("the op has the type");
            let kernel = |with: bool| {
                let mut k = Kernel::new();
                let operands: Vec<Value> = types.iter().map(|&ty| k.operand(ty)).collect();
                if with {
                    k.b.op(op, &operands);
                }
                k.finish()
            };
            let (mut with, mut without) = (kernel(true), kernel(false));
            for target in &targets() {
                assert!(written(&mut with, target) > written(&mut without, target), "{op:?} on {ty:?}");
            }
        }
    }
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

#[test]
fn operands_may_all_be_constants() {
    for &scalar in Scalar::ALL {
        let mut k = Kernel::new();
        for &op in Op::ALL {
            let Some(types) = operand_types(op, scalar.into()) else { continue };
            for bits in [0u64, 1, 0x80, 0x7f80_0000, 0x8000_0000, 0xffff_ffff, u64::MAX] {
                let constant = |ty: &Type| ty.lane().map(|lane| (lane, bits & lane.mask()));
                let operands: Vec<Value> =
                    types.iter().filter_map(constant).map(|(lane, bits)| k.b.constant(lane, bits)).collect();
                k.b.op(op, &operands);
            }
        }
        emitted(k.finish(), &targets());
    }
}

#[test]
fn a_division_is_tested_as_far_as_facts_leave_it_open() {
    let kinds = [Spirv::UDiv, Spirv::SDiv, Spirv::IEqual, Spirv::Select];
    let of = |body: &str| added(Target::VULKAN, body, kinds);
    let ids = "%a = global_id.x %b = global_id.y %l = local_index";
    assert_eq!(of(&format!("{ids} %q = div %a, %b")), [1, 0, 1, 2]);
    assert_eq!(of(&format!("{ids} %q = rem %a, %b")), [1, 0, 1, 1]);
    assert_eq!(of(&format!("{ids} %d = or %l, 1u32 %q = div %a, %d")), [1, 0, 0, 0]);
    assert_eq!(of(&format!("{ids} %q = div %a, 7u32")), [1, 0, 0, 0]);
    let signed = "%a = global_id.x %b = global_id.y %c = cast %a to i32 %d = cast %b to i32";
    assert_eq!(of(&format!("{signed} %q = div %c, %d")), [0, 1, 3, 2]);
    assert_eq!(of(&format!("{signed} %q = div %c, 3i32")), [0, 1, 0, 0]);
    // What is not negative is divided without a sign.
    assert_eq!(of("%l = local_index %c = cast %l to i32 %q = div %c, 3i32"), [1, 0, 0, 0]);
    // Narrow quotients fit in a word.
    let narrow = "%a = global_id.x %b = global_id.y %c = cast %a to i8 %d = cast %b to i8";
    assert_eq!(of(&format!("{narrow} %q = div %c, %d")), [0, 1, 1, 2]);
}

#[test]
fn shift_counts_and_narrow_results_are_cut_as_far_as_facts_leave_it_open() {
    let of = |body: &str| added(Target::VULKAN, body, [Spirv::BitwiseAnd, Spirv::BitFieldSExtract]);
    let ids = "%a = global_id.x %b = global_id.y %n = cast %a to u8 %m = cast %b to u8 ";
    // Two casts are cut.
    assert_eq!(of(ids), [2, 0]);
    assert_eq!(of(&format!("{ids} %s = shl %a, %b")), [3, 0]);
    assert_eq!(of(&format!("{ids} %l = shr %b, 27u32 %s = shl %a, %l")), [2, 0]);
    assert_eq!(of(&format!("{ids} %s = add %n, %m")), [3, 0]);
    assert_eq!(of(&format!("{ids} %p = shr %n, 1u32 %q = shr %m, 1u32 %s = add %p, %q")), [2, 0]);
    assert_eq!(of(&format!("{ids} %s = and %n, %m %t = max %n, %s %u = shr %t, 3u32")), [3, 0]);
    // Order needs the sign, equality does not.
    let signed = "%a = global_id.x %b = global_id.y %n = cast %a to i8 %m = cast %b to i8 ";
    assert_eq!(of(&format!("{signed} %e = eq %n, %m")), [2, 0]);
    assert_eq!(of(&format!("{signed} %e = lt %n, %m")), [2, 2]);
}

#[test]
fn a_routine_that_is_called_is_a_function_made_once() {
    let body = "%a = load f64 @y[0u32] %b = mul %a, %a %c = add %a, %b %d = sub %c, %b %e = add %d, %c
                store @y[1u32], %e";
    let kinds = [Spirv::Function, Spirv::FunctionCall, Spirv::FAdd];
    assert_eq!(added(Target::VULKAN, body, kinds), [2, 4, 0]);
    let double = Native::WEBGPU.having(Scalar::I64).having(Scalar::F64).with(Group::Sum64, Form::Exact);
    assert_eq!(added(Target { native: double, ..Target::VULKAN }, body, kinds), [1, 1, 2]);
}

#[test]
fn loops_of_routines_are_counted() {
    let counted = Target { report_cut_loops: Some(3), ..Target::VULKAN };
    let body = "%a = load f32 @x[0u32] %b = load f32 @x[1u32] %c = rem %a, %b %d = cast %c to f64 store @y[0u32], %d";
    let kinds = [Spirv::LoopMerge, Spirv::AtomicIAdd, Spirv::AtomicISub];
    assert_eq!(added(counted, body, kinds), [1, 1, 1]);
    assert_eq!(added(Target::VULKAN, body, kinds), [1, 0, 0]);
}

#[test]
fn halves_that_were_joined_are_not_cut_again() {
    let long = Target { native: Native::WEBGPU.having(Scalar::I64), ..Target::VULKAN };
    let body = "%a = local_id.x %b = local_id.y %v = vec %a, %b %w = cast %v to u64 %u = cast %w to vec2<u32>
                %s = add %w, %w %x = cast %s to vec2<u32> %y = cast %x to u64 %z = add %y, %w";
    // One joins, one cuts the sum.
    assert_eq!(added(long, body, [Spirv::Bitcast, Spirv::IAdd]), [2, 2]);
}
