//! Which kernels are written for several workgroups at a time, and that the modules are valid.

use super::tests::validated;
use super::{Shader, Target, emit, has_large_form};
use crate::check::check;
use crate::soft::plan::Native;
use crate::text::parse;
use rspirv::dr::Instruction;
use spirv::Op;

/// A kernel of two buffers and a number with this body, for large launches.
fn shader(body: &str) -> Shader {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k(@x: [f32], @y: mut [f32], %n: u32) {{ {body} ret }}");
    let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let target = Target { large: true, native: Native::EXACT_F32, ..Target::VULKAN };
    let shader = emit(&checked, 0, &target).expect("there is a kernel");
    assert_eq!(has_large_form(&checked, 0, &target), shader.groups_at_once > 1, "{body}");
    validated(&shader.words);
    let small = emit(&checked, 0, &Target::VULKAN).expect("there is a kernel");
    assert_eq!(small.groups_at_once, 1, "{body}");
    shader
}

/// The ops of its instructions in order.
fn ops(shader: &Shader) -> Vec<Op> {
    let module = rspirv::dr::load_words(&shader.words).expect("a module");
    module.all_inst_iter().map(|inst: &Instruction| inst.class.opcode).collect()
}

#[test]
fn four_loads_stand_before_the_first_store() {
    let shader = shader("%i = global_id.x %v = load f32 @x[%i] %w = mul %v, %v store @y[%i], %w");
    assert_eq!(shader.groups_at_once, 4);
    let ops = ops(&shader);
    let products: Vec<usize> = (0..ops.len()).filter(|&at| ops[at] == Op::FMul).collect();
    assert_eq!(products.len(), 5, "four together and one alone");
    assert!(ops[products[0]..products[3]].iter().all(|op| *op != Op::Store), "they are together");
}

#[test]
fn wide_accesses_take_fewer_workgroups() {
    let of = |lanes: u32| {
        let body = format!("%i = global_id.x %v = load vec{lanes}<f32> @x[%i] store @y[%i], %v");
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [vec{lanes}<f32>], @y: mut [vec{lanes}<f32>]) {{ {body} ret }}"
        );
        let checked = check(parse(&text).expect("text")).expect("a kernel");
        let shader = emit(&checked, 0, &Target { large: true, ..Target::VULKAN }).expect("there is a kernel");
        validated(&shader.words);
        shader.groups_at_once
    };
    assert_eq!([2, 4].map(of), [2, 1]);
}

#[test]
fn kernels_with_early_returns_and_nested_conditions_are_written_so() {
    for body in [
        "%i = global_id.x %c = lt %i, %n if %c { %v = load f32 @x[%i] store @y[%i], %v }",
        "%i = global_id.x %c = ge %i, %n if %c { ret } %v = load f32 @x[%i] store @y[%i], %v",
        "%i = global_id.x %c = ge %i, %n if %c { } else { %v = load f32 @x[%i] store @y[%i], %v ret }",
        "%i = global_id.x %c = lt %i, %n if %c { %d = gt %i, 7u32 if %d { %v = load f32 @x[%i] store @y[%i], %v } }",
        "%i = global_id.x %c = eq %n, 3u32 if %c { %v = load f32 @x[%i] store @y[%i], %v } else { store @y[%i], 1.0f32 }
         %w = load f32 @x[%i] store @y[%i], %w",
        "%i = global_id.x %v = load f32 @x[%i] %c = lt %v, 1.0f32 if %c { store @y[%i], %v }",
        "%i = global_id.x %v = load f32 @x[%i] %c = lt %v, 1.0f32 %w = if %c -> f32 { yield %v } else { yield 2.0f32 } store @y[%i], %w",
        "%i = global_id.x %v = load f32 @x[%i] switch %n { case 1u32 { store @y[%i], %v } default { store @y[0u32], %v } }",
    ] {
        assert_eq!(shader(body).groups_at_once, 4, "{body}");
    }
}

#[test]
fn kernels_whose_invocations_may_meet_are_not() {
    for body in [
        "%i = global_id.x store @y[%i], 1.0f32",
        "%i = global_id.x %v = load f32 @x[%i] store @y[%i], %v barrier",
        "%i = global_id.x %v = load f32 @x[%i] store @y[%i], %v %c = lt %n, 3u32 if %c { store @y[0u32], %v ret }
         store @y[1u32], %v",
        "%i = global_id.x %v = load f32 @x[%i] %c = lt %v, 1.0f32 if %c { ret } store @y[%i], %v",
        "%l = subgroup_lane %v = load f32 @x[%l] store @y[%l], %v",
    ] {
        assert_eq!(shader(body).groups_at_once, 1, "{body}");
    }
}

#[test]
fn functions_without_branches_take_part() {
    let text = "func kernel workgroup_size(64, 1, 1) @k(@x: [f32], @y: mut [f32]) {
        %i = global_id.x %v = load f32 @x[%i] %w = exp %v store @y[%i], %w ret
    }";
    let checked = check(parse(text).expect("text")).expect("a kernel");
    let target = Target { large: true, native: Native::CUDA, ..Target::VULKAN };
    let shader = emit(&checked, 0, &target).expect("there is a kernel");
    validated(&shader.words);
    assert!(shader.groups_at_once > 1);
}

/// How often a branch is written where its side does something.
#[test]
fn what_is_unusual_is_computed_behind_one_condition() {
    let body = "%i = global_id.x %v = load f32 @x[%i] %c = lt %v, 1.0f32
        %w = if %c -> f32 { yield %v } else { %p = mul %v, %v yield %p } store @y[%i], %w";
    let ops = ops(&shader(body));
    let products: Vec<usize> = (0..ops.len()).filter(|&at| ops[at] == Op::FMul).collect();
    assert_eq!(products.len(), 5, "four together and one alone");
    let before = &ops[..products[0]];
    let last_load = before.iter().rposition(|op| *op == Op::Load).expect("there are loads");
    let branches = |ops: &[Op]| ops.iter().filter(|op| **op == Op::BranchConditional).count();
    // One for all, and one for the first of them.
    assert_eq!(branches(&before[last_load..]), 2);
}

#[test]
fn what_takes_long_waits_for_all_loads() {
    let steps = |count: usize| (0..count).map(|i| format!("%p{i} = mul %v, {i}.5f32 ")).collect::<String>();
    let sums = |count: usize| {
        let step =
            |i: usize| format!("%s{i} = add {}, %p{i} ", if i == 0 { "%v".to_owned() } else { format!("%s{}", i - 1) });
        (0..count).map(step).collect::<String>()
    };
    for (count, joined) in [(4, 0), (20, 4)] {
        let last = count - 1;
        let body =
            format!("%i = global_id.x %v = load f32 @x[%i] {}{} store @y[%i], %s{last}", steps(count), sums(count));
        let found = ops(&shader(&body)).iter().filter(|op| **op == Op::BitwiseXor).count();
        assert_eq!(found, joined, "{count} steps");
    }
}
