//! Memory, atomics and subgroups: what modules declare, and that they are valid.

use super::tests::validated;
use super::{Target, emit};
use crate::builder::Builder;
use crate::check::check;
use crate::ir::{Access, Module as Ir};
use crate::ops::AtomicOp;
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::soft::plan::Native;
use crate::text::parse;
use crate::types::{Scalar, Type, Types};
use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Module, Operand};
use spirv::{Capability, Decoration, MemoryModel, Op, StorageClass};

/// Storage of bytes and of pairs of them.
const SMALL: Target = Target { bytes: true, halves: true, ..Target::VULKAN };

/// Everything.
const RICH: Target = Target {
    native: Native::WEBGPU.having(Scalar::I64).having(Scalar::F64).having(Scalar::F16),
    memory_model: true,
    subgroups: true,
    table_buffer: true,
    ..SMALL
};

fn emitted(module: Ir, target: &Target) -> Module {
    let checked = check(module).expect("the kernel is right");
    validated(&emit(&checked, 0, target).expect("there is a kernel").words)
}

/// The module of a kernel with these parameters and this body.
fn kernel(target: &Target, size: u32, params: &str, body: &str) -> Module {
    let text = format!("func kernel workgroup_size({size}, 1, 1) @k({params}) {{ {body} ret }}");
    emitted(parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text))), target)
}

/// The instructions of the functions.
fn code(module: &Module) -> impl Iterator<Item = &Instruction> {
    module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions)
}

fn count(module: &Module, op: Op) -> usize {
    code(module).filter(|inst| inst.class.opcode == op).count()
}

fn has(module: &Module, capability: Capability) -> bool {
    module.capabilities.iter().any(|inst| inst.operands == [Operand::Capability(capability)])
}

/// The variables of a class, as ids.
fn variables(module: &Module, class: StorageClass) -> Vec<u32> {
    let outside = module.types_global_values.iter();
    let all = outside.chain(code(module)).filter(|inst| inst.class.opcode == Op::Variable);
    let of_class = all.filter(|inst| inst.operands.first() == Some(&Operand::StorageClass(class)));
    of_class.filter_map(|inst| inst.result_id).collect()
}

/// The variables that are decorated so.
fn decorated(module: &Module, decoration: Decoration) -> Vec<u32> {
    let found = module.annotations.iter().filter(|inst| {
        inst.class.opcode == Op::Decorate && inst.operands.get(1) == Some(&Operand::Decoration(decoration))
    });
    found.filter_map(|inst| inst.operands.first().and_then(Operand::id_ref_any)).collect()
}

/// The instruction that makes this.
fn made(module: &Module, id: u32) -> &Instruction {
    let all = module.types_global_values.iter().chain(code(module));
    all.into_iter().find(|inst| inst.result_id == Some(id)).expect("an instruction")
}

/// The elements of a variable's array: the bits of a lane and the number of lanes.
fn element(module: &Module, variable: u32) -> (u32, u32) {
    let operand = |inst: &Instruction, i: usize| inst.operands[i].clone();
    let id = |inst: &Instruction, i: usize| operand(inst, i).id_ref_any().expect("an id");
    let pointer = made(module, made(module, variable).result_type.expect("a type"));
    let mut ty = made(module, id(pointer, 1));
    if ty.class.opcode == Op::TypeStruct {
        ty = made(module, id(ty, 0));
    }
    let mut element = made(module, id(ty, 0));
    let mut lanes = 1;
    if element.class.opcode == Op::TypeVector {
        lanes = operand(element, 1).unwrap_literal_bit32();
        element = made(module, id(element, 0));
    }
    (operand(element, 0).unwrap_literal_bit32(), lanes)
}

/// The elements of all buffers, in the order of their declaration.
fn buffers(module: &Module) -> Vec<(u32, u32)> {
    variables(module, StorageClass::StorageBuffer).into_iter().map(|variable| element(module, variable)).collect()
}

const INDEX: &str = "%i = global_id.x ";

#[test]
fn a_buffer_is_words_or_blocks_by_its_accesses() {
    let words = "%a = load f32 @x[%i] store @y[%i], %a";
    let module = kernel(&Target::VULKAN, 64, "@x: [f32], @y: mut [f32]", &format!("{INDEX}{words}"));
    assert_eq!(buffers(&module), [(32, 1), (32, 1)]);
    assert_eq!(count(&module, Op::Bitcast), 0);
    let blocks = "%a = load vec4<f32> @x[%i] store @y[%i], %a";
    let module = kernel(&Target::VULKAN, 64, "@x: [vec4<f32>], @y: mut [vec4<f32>]", &format!("{INDEX}{blocks}"));
    assert_eq!(buffers(&module), [(32, 4), (32, 4)]);
    let pairs = "%a = load f64 @x[%i] store @y[%i], %a";
    for target in [Target::VULKAN, RICH] {
        let module = kernel(&target, 64, "@x: [f64], @y: mut [f64]", &format!("{INDEX}{pairs}"));
        assert_eq!(buffers(&module), [(32, 2), (32, 2)]);
        assert!(decorated(&module, Decoration::Aliased).is_empty());
    }
}

#[test]
fn blocks_beside_words_are_another_view_of_the_same_binding() {
    // The second access may begin within a block.
    let body = format!(
        "{INDEX}%a = load vec4<f32> @x[%i * 16] %b = load vec2<f32> @x[%i * 4] + 4
                        store @x[%i * 16], %a store @x[0u32], 1.0f32"
    );
    let module = kernel(&Target::VULKAN, 64, "@x: mut [f32]", &body);
    let mut seen = buffers(&module);
    seen.sort_unstable();
    assert_eq!(seen, [(32, 1), (32, 4)]);
    assert_eq!(decorated(&module, Decoration::Aliased).len(), 2);
    let bindings: Vec<&Operand> = module
        .annotations
        .iter()
        .filter(|inst| inst.operands.get(1) == Some(&Operand::Decoration(Decoration::Binding)))
        .filter(|inst| decorated(&module, Decoration::Aliased).contains(&inst.operands[0].id_ref_any().expect("an id")))
        .map(|inst| &inst.operands[2])
        .collect();
    assert_eq!(bindings, [&Operand::LiteralBit32(0), &Operand::LiteralBit32(0)]);
    // The first block of a buffer of less than four elements does not exist, so that the load of
    // a block stands under its test.
    let loads_block = |inst: &Instruction| {
        let ty = (inst.class.opcode == Op::Load).then(|| made(&module, inst.result_type.expect("a type")));
        ty.is_some_and(|ty| ty.operands.get(1) == Some(&Operand::LiteralBit32(4)))
    };
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let label = blocks
        .filter(|block| block.instructions.iter().any(loads_block))
        .filter_map(|block| block.label.as_ref()?.result_id)
        .next()
        .expect("a block is loaded");
    let accepts = |inst: &Instruction| {
        inst.class.opcode == Op::BranchConditional && inst.operands.get(1) == Some(&Operand::IdRef(label))
    };
    assert!(code(&module).any(accepts), "{}", module.disassemble());
}

#[test]
fn buffers_that_only_are_read_alias_freely() {
    let body = format!(
        "{INDEX}%a = load vec4<f32> @x[%i * 16] %b = load vec2<f32> @x[%i * 4] + 4
                        %c = extract %a, 0u32 %d = extract %b, 1u32 %e = add %c, %d store @y[%i], %e"
    );
    let module = kernel(&Target::VULKAN, 64, "@x: [f32], @y: mut [f32]", &body);
    assert_eq!(buffers(&module).len(), 3);
    assert!(decorated(&module, Decoration::Aliased).is_empty());
    assert_eq!(decorated(&module, Decoration::NonWritable).len(), 2);
}

#[test]
fn bindings_have_block_types_of_their_own() {
    let body = format!("{INDEX}%a = load u32 @x[%i] %b = load u32 @y[%i] %c = add %a, %b store @z[%i], %c");
    let module = kernel(&Target::VULKAN, 64, "@x: [u32], @y: [u32], @z: mut [u32]", &body);
    let buffers = variables(&module, StorageClass::StorageBuffer);
    let declared = module.types_global_values.iter();
    let of_buffers = declared.filter(|inst| inst.result_id.is_some_and(|id| buffers.contains(&id)));
    let mut types: Vec<u32> = of_buffers.filter_map(|inst| inst.result_type).collect();
    types.dedup();
    assert_eq!(types.len(), 3, "{}", module.disassemble());
}

#[test]
fn parts_of_words_are_stored_natively_where_the_device_can() {
    for ty in ["u8", "i8", "u16", "i16", "f16"] {
        let body = format!("{INDEX}%a = load {ty} @x[%i] store @y[%i], %a");
        let params = format!("@x: [{ty}], @y: mut [{ty}]");
        let module = kernel(&Target::VULKAN, 64, &params, &body);
        assert_eq!(buffers(&module), [(32, 1), (32, 1)], "{ty}");
        assert_eq!((count(&module, Op::AtomicAnd), count(&module, Op::AtomicOr)), (1, 1), "{ty}");
        for target in [SMALL, RICH] {
            let module = kernel(&target, 64, &params, &body);
            let bits = if ty.ends_with('8') { 8 } else { 16 };
            assert_eq!(buffers(&module), [(bits, 1), (bits, 1)], "{ty}");
            assert_eq!(count(&module, Op::AtomicAnd), 0, "{ty}");
            assert_eq!(has(&module, Capability::StorageBuffer8BitAccess), bits == 8, "{ty}");
            assert_eq!(has(&module, Capability::StorageBuffer16BitAccess), bits == 16, "{ty}");
        }
    }
}

#[test]
fn lanes_that_are_whole_words_are_accessed_as_words() {
    let body = format!("{INDEX}%a = load vec4<u8> @x[%i] store @y[%i], %a");
    for target in [Target::VULKAN, SMALL] {
        let module = kernel(&target, 64, "@x: [vec4<u8>], @y: mut [vec4<u8>]", &body);
        assert_eq!(buffers(&module), [(32, 1), (32, 1)]);
        assert_eq!(count(&module, Op::AtomicAnd), 0);
    }
}

#[test]
fn large_arrays_of_the_invocation_have_no_first_value() {
    for (words, has_value) in [(8, true), (64, true), (65, false), (1000, false)] {
        let body = format!(
            "private @own: [u32; {words}] {INDEX}%a = load u32 @own[%i] store @own[%i], 1u32
                            store @y[%i], %a"
        );
        let module = kernel(&Target::VULKAN, 64, "@y: mut [u32]", &body);
        let own = variables(&module, StorageClass::Function).into_iter();
        let arrays: Vec<u32> = own
            .filter(|&id| {
                let pointer = made(&module, made(&module, id).result_type.expect("a type"));
                let to = pointer.operands[1].id_ref_any().expect("a type");
                made(&module, to).class.opcode == Op::TypeArray
            })
            .collect();
        let [array] = arrays.as_slice() else { panic!("{}", module.disassemble()) };
        assert_eq!(made(&module, *array).operands.len() == 2, has_value, "{words}");
    }
}

#[test]
fn workgroup_memory_is_set_to_zero_before_a_barrier() {
    for (size, words, stores) in [(64, 64, 1), (64, 65, 2), (64, 256, 4), (1, 4, 4), (64, 4000, 16 + 14 + 1)] {
        let body = format!("shared @tile: [u32; {words}] {INDEX}%a = load u32 @tile[%i] store @y[%i], %a");
        let module = kernel(&Target::VULKAN, size, "@y: mut [u32]", &body);
        let tile = variables(&module, StorageClass::Workgroup);
        assert_eq!(tile.len(), 1);
        let pointers: Vec<u32> = code(&module)
            .filter(|inst| inst.class.opcode == Op::AccessChain)
            .filter(|inst| inst.operands[0].id_ref_any() == Some(tile[0]))
            .filter_map(|inst| inst.result_id)
            .collect();
        let stored = code(&module)
            .filter(|inst| inst.class.opcode == Op::Store)
            .filter(|inst| pointers.contains(&inst.operands[0].id_ref_any().expect("a pointer")))
            .count();
        // 4,000 = 62 * 64 + 32: rounds of 16, 14 more, and the last elements.
        assert_eq!((stored, count(&module, Op::ControlBarrier)), (stores, usize::from(size > 1)), "{words}");
    }
}

#[test]
fn tables_are_a_variable_or_a_buffer() {
    let body = format!(
        "table @t: [u32; 3] = (5u32, 6u32, 7u32) table @s: [f32; 2] = (1.0f32, 2.0f32)
                        {INDEX}%a = load u32 @t[%i] %b = load f32 @s[%i] %c = bitcast %b to u32 %d = add %a, %c
                        store @y[%i], %d"
    );
    let module = kernel(&Target::VULKAN, 64, "@y: mut [u32]", &body);
    assert_eq!(variables(&module, StorageClass::Private).len(), 1);
    let module = kernel(&RICH, 64, "@y: mut [u32]", &body);
    assert_eq!(variables(&module, StorageClass::Private).len(), 0);
    assert_eq!(decorated(&module, Decoration::NonWritable).len(), 1);
}

#[test]
fn an_extent_is_tested_without_a_division_where_sums_are_wide_enough() {
    let far = format!("{INDEX}%v = load u32 @y[0u32] store @g[%i * 16][%v * 4], 1u32");
    let params = "@y: mut [u32], @g: mut [[u32; 4]]";
    let divisions = |target: &Target, body: &str| count(&kernel(target, 64, params, body), Op::UDiv);
    // Two are in the prologue.
    assert!(divisions(&Target::VULKAN, &far) > 2);
    assert_eq!(divisions(&RICH, &far), 2);
    let near = format!("{INDEX}%v = and %i, 7u32 %w = and %i, 63u32 store @g[%w * 16][%v * 4], 1u32");
    assert_eq!(divisions(&Target::VULKAN, &near), 2);
}

/// A kernel with every op on a type, in every order and scope.
fn every_atomic(scalar: Scalar, access: impl Fn(&mut Builder, &mut Types) -> crate::ir::Root) -> Ir {
    let (mut b, mut types) = (Builder::new("k", [64, 1, 1]), Types::default());
    let root = access(&mut b, &mut types);
    let i = b.builtin(crate::ops::Builtin::GlobalIdX);
    let stride = scalar.size();
    for &op in AtomicOp::ALL.iter().filter(|op| op.class().contains(scalar)) {
        for &ordering in Ordering::ALL {
            for &failure in Ordering::ALL {
                for &scope in Scope::ALL {
                    let order = MemoryOrder { ordering, failure, scope };
                    if order.fault(op).is_some() {
                        continue;
                    }
                    let args: Vec<_> = (0..op.operands()).map(|n| b.constant(scalar, n as u64 + 1)).collect();
                    let place = b.place(root, &[crate::ir::Index { value: i, stride, bound: None }], 0);
                    b.atomic_with(op, place, &args, Type::Scalar(scalar), order);
                }
            }
        }
    }
    b.ret();
    b.into_module(types)
}

fn atomic_types() -> impl Iterator<Item = Scalar> {
    let all = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64];
    all.into_iter().chain([Scalar::F16, Scalar::F32, Scalar::F64])
}

#[test]
fn every_atomic_is_valid_in_every_order_and_scope() {
    for scalar in atomic_types() {
        let buffer = |b: &mut Builder, _: &mut Types| b.buffer("h", Type::Scalar(scalar), Access::Atomic);
        for target in [Target::VULKAN, RICH, Target { report_cut_loops: Some(1), ..SMALL }] {
            let module = emitted(every_atomic(scalar, buffer), &target);
            let bits = if scalar.bits() == 64 { 64 } else { 32 };
            assert!(buffers(&module).contains(&(bits, 1)), "{scalar:?}");
            assert_eq!(has(&module, Capability::VulkanMemoryModel), target.memory_model);
            assert_eq!(has(&module, Capability::Int64Atomics), bits == 64);
        }
    }
}

#[test]
fn every_atomic_of_workgroup_memory_is_valid() {
    for scalar in atomic_types() {
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k() {{
            shared @h: atomic [{}; 64] %i = local_id.x %a = atomic.load {} @h[%i] ret }}",
            scalar.name(),
            scalar.name()
        );
        for target in [Target::VULKAN, RICH] {
            let module = emitted(parse(&text).expect("a text"), &target);
            let bits = if scalar.bits() == 64 { 64 } else { 32 };
            assert_eq!(element(&module, variables(&module, StorageClass::Workgroup)[0]), (bits, 1));
        }
    }
}

#[test]
fn integer_ops_on_words_are_one_instruction_each() {
    let ops = ["add", "sub", "min", "max", "and", "or", "xor", "exchange"];
    let body: String = ops.iter().map(|op| format!("%{op} = atomic.{op} @h[%i], 1i32 ")).collect();
    let body = format!("{INDEX}{body} %c = atomic.cmpxchg @h[%i], 1i32, 2i32 atomic.store @h[%i], 3i32");
    let module = kernel(&Target::VULKAN, 64, "@h: atomic [i32]", &body);
    let expected = [
        Op::AtomicIAdd,
        Op::AtomicISub,
        Op::AtomicSMin,
        Op::AtomicSMax,
        Op::AtomicAnd,
        Op::AtomicOr,
        Op::AtomicXor,
        Op::AtomicExchange,
        Op::AtomicCompareExchange,
        Op::AtomicStore,
    ];
    assert!(expected.iter().all(|&op| count(&module, op) == 1), "{}", module.disassemble());
    assert_eq!(count(&module, Op::LoopMerge), 0);
    // No order, so nothing that a device must have for one.
    assert_eq!(count(&kernel(&RICH, 64, "@h: atomic [i32]", &body), Op::MemoryBarrier), 0);
}

#[test]
fn only_kernels_with_an_order_have_the_vulkan_memory_model() {
    let model = |target: &Target, body: &str| {
        let module = kernel(target, 64, "@h: atomic [u32], @y: mut [u32]", body);
        let model = module.memory_model.as_ref().map(|inst| inst.operands[1].clone());
        (model == Some(Operand::MemoryModel(MemoryModel::Vulkan)), count(&module, Op::MemoryBarrier))
    };
    let relaxed = "%a = atomic.add @h[0u32], 1u32 scope=workgroup";
    let ordered = "store @y[0u32], 1u32 %a = atomic.add @h[0u32], 1u32 ordering=acq_rel";
    let fence = "store @y[0u32], 1u32 fence ordering=release scope=workgroup";
    assert_eq!([relaxed, ordered, fence].map(|body| model(&RICH, body)), [(false, 0), (true, 2), (true, 1)]);
    assert_eq!(
        [relaxed, ordered, fence].map(|body| model(&Target::VULKAN, body)),
        [(false, 0), (false, 2), (false, 1)]
    );
    let own = "%a = atomic.add @h[0u32], 1u32 ordering=acq_rel scope=invocation fence scope=invocation";
    assert_eq!(model(&RICH, own), (false, 0));
}

#[test]
fn what_is_ordered_is_accessed_through_pointers_that_are_not_private() {
    let body = "shared @s: [u32; 4] %a = load u32 @x[0u32] store @y[0u32], %a %b = load u32 @y[1u32]
                store @s[0u32], %b barrier %c = load u32 @s[1u32] store @y[2u32], %c
                atomic.store @h[0u32], 1u32 ordering=release";
    let text = kernel(&RICH, 64, "@x: [u32], @h: atomic [u32], @y: mut [u32]", body).disassemble();
    let shared = text.lines().filter(|line| line.contains("OpLoad") || line.contains("OpStore"));
    let ordered = shared.filter(|line| line.contains("NonPrivatePointer")).count();
    // The load and two stores of `y`, the load and the store of `s` and its zero; not the load of `x`.
    assert_eq!(ordered, 3 + 3, "{text}");
}

#[test]
fn subgroups_are_the_devices_where_they_are_ours() {
    let body = "%i = local_index %a = subgroup.shuffle %i, %x %b = lt %i, %x %c = subgroup.ballot %b
                %d = subgroup.shuffle %e, %x %f = bitcast %d to u64 %g = cast %f to u32 %h = add %a, %c %j = add %h, %g
                store @y[%i], %j";
    let params = "%x: u32, %e: f64, @y: mut [u32]";
    let native = kernel(&RICH, 64, params, body);
    assert_eq!((count(&native, Op::GroupNonUniformShuffle), count(&native, Op::GroupNonUniformBallot)), (3, 1));
    assert!(variables(&native, StorageClass::Workgroup).is_empty());
    for (target, size) in [(Target::VULKAN, 64), (Target::VULKAN, 20), (RICH, 40)] {
        let module = kernel(&target, size, params, body);
        assert_eq!(count(&module, Op::GroupNonUniformShuffle), 0);
        assert_eq!(variables(&module, StorageClass::Workgroup).len(), 1);
        assert_eq!(count(&module, Op::ControlBarrier), 6);
    }
}

#[test]
fn memory_with_a_racy_access_is_accessed_by_atomics_alone() {
    let body = |racy: &str| {
        format!(
            "shared @s: [u32; 64]
             %i = local_index
             %v = {racy}load vec4<f32> @x[0u32]
             %a = load vec4<f32> @x[1u32]
             {racy}store @s[0u32], %i
             %h = {racy}load u16 @h[%i]
             store @h[%i], %h
             %sum = add %v, %a
             store @x[%i], %sum"
        )
    };
    let found = |racy: &str| {
        let module = kernel(&RICH, 64, "@x: mut [vec4<f32>], @h: mut [u16]", &body(racy));
        // What sets workgroup memory to zero, and what is private to the invocation, stays as it is.
        let plain = code(&module).filter(|inst| inst.class.opcode == Op::Store).count();
        ([Op::AtomicLoad, Op::AtomicStore].map(|op| count(&module, op)), plain)
    };
    let ([loads, stores], _) = found("");
    assert_eq!((loads, stores), (0, 0));
    // Two vectors and a part of a word; a vector, the word of the workgroup and its first zero. A part is stored by `and` and `or`.
    let ([loads, stores], _) = found("racy ");
    assert_eq!((loads, stores), (9, 6));
}

#[test]
fn the_place_on_a_line_takes_one_product_and_one_sum() {
    let before_any_branch = |body: &str| {
        let module = kernel(&Target::VULKAN, 1, "@y: mut [u32]", body);
        let first = module.functions.iter().flat_map(|function| &function.blocks).next().expect("a block");
        let count = |op| first.instructions.iter().filter(|inst| inst.class.opcode == op).count();
        [Op::IMul, Op::IAdd, Op::UDiv].map(count)
    };
    assert_eq!(before_any_branch("%i = workgroup_id.x store @y[0u32], %i"), [1, 1, 0]);
    assert_eq!(before_any_branch("%i = workgroup_id.x %j = global_id.y store @y[%i], %j"), [0, 0, 0]);
}
