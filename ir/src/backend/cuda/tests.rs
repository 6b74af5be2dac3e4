//! The rules that the text has to spell out.

use super::{Parameter, emit, emit_under, join};
use crate::check::check;
use crate::text;

/// The text of the only kernel of some IR.
fn cuda(source: &str) -> String {
    let module = text::parse(source).expect("a kernel");
    emit(&check(module).expect("a valid kernel"), 0).expect("a kernel").text()
}

/// What a kernel does with an op that takes these operands.
fn with_op(ty: &str, line: &str) -> String {
    cuda(&format!(
        "func kernel workgroup_size(64, 1, 1) @k(%a: {ty}, %b: {ty}, %c: {ty}, %n: u32, @y: mut [{ty}]) {{\n  {line}\n  \
         store @y[%n], %r\n  ret\n}}\n"
    ))
}

fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no `{part}` in:\n{text}");
}

#[test]
fn every_op_is_native_or_in_the_library() {
    use crate::ops::{Op, Signature};
    for &op in Op::ALL.iter().filter(|op| !op.is_compound()) {
        let Signature::Lanes(class, ..) = op.info().signature else { continue };
        for ty in class.members() {
            let native = super::op::native(&mut super::code::Code::default(), op, ty, &["a", "b", "c"]);
            assert!(native.is_some() || crate::soft::Routine::of_op(op, ty).is_some(), "{op:?} on {ty:?}");
        }
    }
}

#[test]
fn saxpy_is_the_text_of_the_golden_file() {
    let source = include_str!("../../../../tests/filetests/saxpy.gir");
    let golden = include_str!("saxpy.cu");
    assert_eq!(cuda(source), golden);
}

#[test]
fn the_same_kernel_always_gives_the_same_text() {
    let source = include_str!("../../../../tests/filetests/matmul.gir");
    assert_eq!(cuda(source), cuda(source));
}

#[test]
fn a_product_and_a_sum_are_two_intrinsics() {
    let text = with_op("f32", "%p = mul %a, %b\n  %r = add %p, %c");
    has(&text, "__fmul_rn(");
    has(&text, "__fadd_rn(");
    let text = with_op("f64", "%p = mul %a, %b\n  %r = add %p, %c");
    has(&text, "__dmul_rn(");
    has(&text, "__dadd_rn(");
}

#[test]
fn a_nan_is_made_canonical_only_where_it_can_be_told_from_others() {
    let text = with_op("f32", "%p = mul %a, %b\n  %r = add %p, %c");
    has(&text, "__float_as_uint(__fmul_rn(");
    has(&text, "sb_canonical_f32(__float_as_uint(__fadd_rn(");
}

#[test]
fn an_accumulator_is_made_canonical_after_its_loop() {
    let text = cuda(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, %x: f32, @y: mut [f32]) {
           %r = loop 'l (%i: u32 = 0u32, %sum: f32 = 0.0f32) -> f32 {
             %end = ge %i, %n
             if %end { break 'l %sum } else { yield }
             %more = mul %sum, %x
             %next = add %more, 1.0f32
             %j = add %i, 1u32
             continue 'l %j, %next
           }
           store @y[0u32], %r
           ret
         }",
    );
    let (_, after) = text.split_once("for (;;)").expect("a loop");
    let mended = after.lines().filter(|line| line.contains("sb_canonical_f32(")).collect::<Vec<_>>();
    assert_eq!(mended.len(), 1, "{text}");
    assert!(mended[0].starts_with("    v") && mended[0].contains("_r = sb_canonical_f32("), "{text}");
}

#[test]
fn narrow_integers_are_cut_after_each_op() {
    has(&with_op("u8", "%r = mul %a, %b"), "(p0_a * p1_b) & 0xffu;");
    has(&with_op("i16", "%r = neg %a"), "(0u - p0_a) & 0xffffu;");
}

#[test]
fn division_never_divides_by_zero_nor_overflows() {
    let text = with_op("i32", "%r = div %a, %b");
    has(&text, "if (b == 0u) return 0u;");
    has(&text, "if (b == 0xffffffffu) return 0u - a;");
}

#[test]
fn a_shuffle_names_the_lanes_that_there_are() {
    let of = |size: &str| {
        let text = format!(
            "func kernel workgroup_size({size}) @k(@y: mut [u32]) {{\n  %i = local_index\n  \
             %r = subgroup.broadcast_first %i\n  store @y[%i], %r\n  ret\n}}\n"
        );
        cuda(&text)
    };
    has(&of("64, 1, 1"), "0u, 32u);");
    has(&of("40, 1, 1"), "< 32u ? 32u : 8u));");
    has(&of("7, 1, 1"), "0u, 7u);");
    has(&of("7, 1, 1"), "__shfl_sync(0xffffffffu >> (32u - lanes), value, ");
}

#[test]
fn shift_counts_are_masked() {
    has(&with_op("u64", "%r = shl %a, %n"), "p0_a << (p3_n & 63u)");
}

#[test]
fn helpers_that_nothing_calls_are_not_written() {
    let text = with_op("u32", "%r = add %a, %b");
    assert!(!text.contains("static"), "{text}");
}

#[test]
fn names_of_users_meet_no_keyword_and_no_other_name() {
    let text = cuda(
        "func kernel workgroup_size(1, 1, 1) @double(%int: u32, @for: mut [u32]) {\n  %while = add %int, %int\n  \
         %at = mul %while, %int\n  store @for[%at], %while\n  ret\n}\n",
    );
    let kernel = text.split_once("extern").map(|(_, kernel)| kernel).unwrap_or_default();
    for word in ["int", "for", "while", "double"] {
        let found = kernel.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|part| part == word);
        assert!(!found, "`{word}` in:\n{kernel}");
    }
}

#[test]
fn workgroup_memory_is_cleared_before_it_is_used() {
    let text = cuda(
        "func kernel workgroup_size(8, 2, 1) @k(@y: mut [u32]) {\n  shared @t: [u32; 40]\n  %i = local_index\n  \
         %v = load u32 @t[%i]\n  store @y[%i], %v\n  ret\n}\n",
    );
    has(&text, "__shared__ __align__(16) sb_u32 s0_t[40];");
    has(&text, "i < 40u; i += 16u) s0_t[i] = 0;\n    __syncthreads();");
}

#[test]
fn a_loop_has_an_effect() {
    let text = cuda(
        "func kernel workgroup_size(1, 1, 1) @k(%n: u32) {\n  loop 'l (%i: u32 = 0u32) {\n    continue 'l %i\n  }\n  \
         unreachable\n}\n",
    );
    has(&text, "for (;;) {\n        asm volatile(\"\");");
}

#[test]
fn kernels_in_one_unit_share_their_helpers() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(%a: i32, @y: mut [i32]) {\n  %r = div 7i32, %a\n  %z = cast %a to u32\n  store @y[%z], %r\n  ret\n}\n";
    let both = format!("{source}{}", source.replace("@k", "@l"));
    let checked = check(text::parse(&both).expect("two kernels")).expect("valid kernels");
    let sources = [0, 1].map(|i| emit(&checked, i).expect("a kernel"));
    let text = join(&sources);
    assert_eq!(text.matches("sb_u32 sb_div_i32(").count(), 1);
    assert_eq!(text.matches("__global__").count(), 2);
}

#[test]
fn parameters_stand_in_the_order_of_the_launch() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(%a: vec2<f64>, @x: [u8], %b: bool) {\n  ret\n}\n";
    let checked = check(text::parse(source).expect("a kernel")).expect("a valid kernel");
    let wide = |lane| Parameter::Lane { param: 0, lane, bytes: 8 };
    let narrow = Parameter::Lane { param: 2, lane: 0, bytes: 4 };
    let groups = [0, 1, 2].map(Parameter::Groups);
    let wanted = [Parameter::Pointer(1), Parameter::Count(1), wide(0), wide(1), narrow];
    assert_eq!(emit(&checked, 0).expect("a kernel").parameters, [&wanted[..], &groups[..]].concat());
}

#[test]
fn different_names_are_different_symbols() {
    let entries = ["a_b", "a.b", "a_2e_b"].map(super::entry);
    assert_eq!(entries[0], "kernel_a_b");
    assert_eq!(entries[1], "escaped_a_2e_b");
    assert_ne!(entries[1], entries[2]);
}

/// What a kernel does with an atomic access.
fn with_atomic(ty: &str, access: &str) -> String {
    cuda(&format!(
        "func kernel workgroup_size(1, 1, 1) @k(%v: {ty}, @h: atomic [{ty}], @y: mut [{ty}]) {{\n  %r = {access}\n  \
         store @y[0u32], %r\n  ret\n}}\n"
    ))
}

#[test]
fn an_order_is_a_fence_of_its_scope_on_either_side() {
    let text = with_atomic("u32", "atomic.add @h[0u32], %v ordering=acq_rel scope=workgroup");
    has(&text, "{\n        __threadfence_block();\n");
    has(&text, "_r = atomicAdd(&b1_h[0u], p0_v);\n        __threadfence_block();\n");
    let text = with_atomic("u32", "atomic.load u32 @h[0u32] ordering=acquire");
    has(&text, "_r = *(volatile sb_u32*)&b1_h[0u];\n        __threadfence();\n");
    let text = with_atomic("u32", "atomic.exchange @h[0u32], %v");
    assert!(!text.contains("__threadfence"), "{text}");
}

#[test]
fn the_host_takes_part_in_atomics_of_the_system() {
    has(&with_atomic("i64", "atomic.min @h[0u32], %v ordering=relaxed scope=system"), "atomicMin_system((long long*)(");
}

#[test]
fn atomic_floats_are_added_as_add_does() {
    let text = with_atomic("f32", "atomic.add @h[0u32], %v");
    has(
        &text,
        "found = atomicCAS(p, old, sb_canonical_f32(__float_as_uint(__fadd_rn(__uint_as_float(old), __uint_as_float(v)))));",
    );
}

#[test]
fn less_than_a_word_is_exchanged_in_the_word_around_it() {
    let text = with_atomic("u8", "atomic.nand @h[0u32], %v");
    has(&text, "whole = atomicCAS(word, seen, seen & ~(0xffu << shift) | next << shift);");
    has(&text, "next = (~(old & v)) & 0xffu;");
}

#[test]
fn an_access_that_is_proven_for_the_launch_is_not_guarded() {
    let source = "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32], @c: atomic [u32]) {
        %i = global_id.x
        %in = lt %i, %n
        if %in {
            %v = load u32 @x[%i]
            store @y[%i], %v
            %old = atomic.add @c[%i], 1u32
        }
        ret
    }";
    let checked = check(text::parse(source).expect("a kernel")).expect("a valid kernel");
    let text = |conditions| emit_under(&checked, 0, conditions).expect("a kernel").text();
    let guards = |conditions| ["n1_x", "n2_y", "n3_c"].map(|count| text(conditions).contains(&format!("< {count}")));
    assert_eq!(guards(0), [true; 3]);
    assert_eq!(guards(0b001), [false, true, true]);
    assert_eq!(guards(0b111), [false; 3]);
}

#[test]
fn an_index_that_cannot_leave_its_element_leaves_the_test_to_the_first() {
    let source = "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [vec4<u32>]) {
        %i = global_id.x
        %j = and %n, 3u32
        store @y[%i * 16][%j * 4], 1u32
        ret
    }";
    let text = cuda(source);
    has(&text, "if (v1_i < n1_y) {");
}

#[test]
fn aligned_vectors_are_accessed_at_once() {
    let text = cuda(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [vec4<f32>], @y: mut [vec4<f32>], @z: mut [f32]) {
           shared @t: [f32; 64]
           %i = local_id.x
           %four = mul %i, 4u32
           %a = load vec4<f32> @x[%n]
           store @t[%four * 4], %a
           barrier
           %b = load vec4<f32> @t[%n * 16]
           store @y[%i], %b
           store @z[%four * 4], %b
           ret
         }",
    );
    has(&text, "struct __align__(16) sb_4x4 {");
    has(&text, "__shared__ __align__(16) sb_u32 s0_t[64];");
    assert_eq!(text.matches("*(const sb_4x4*)&b1_x[").count(), 1, "{text}");
    assert_eq!(text.matches("*(const sb_4x4*)&s0_t[").count(), 1, "{text}");
    assert_eq!(text.matches("*(sb_4x4*)&s0_t[").count(), 1, "{text}");
    assert_eq!(text.matches("*(sb_4x4*)&b2_y[").count(), 1, "{text}");
    // A buffer of single numbers may begin anywhere.
    assert!(!text.contains("*)&b3_z"), "{text}");
}

#[test]
fn vectors_that_may_begin_anywhere_are_accessed_lane_by_lane() {
    let text = cuda(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [vec4<f32>]) {
           shared @t: [f32; 64]
           %a = load vec4<f32> @t[%n * 4]
           %b = load vec2<f32> @t[%n * 16] +4
           %c = load vec3<f32> @t[%n * 16]
           store @y[%n], %a
           store @t[%n * 8] +4, %b
           store @t[%n * 4], %c
           ret
         }",
    );
    assert!(!text.contains("*)&s0_t"), "{text}");
}

#[test]
fn a_load_that_is_used_after_a_barrier_stands_before_it() {
    let source = "func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32], @o: mut [u32]) {
        shared @t: [u32; 64]
        %i = local_id.x
        %u = load u32 @t[%i]
        %v = load u32 @y[%i]
        barrier
        %a = mul %u, 2u32
        %b = add %a, %u
        %c = mul %v, %b
        %d = add %c, %v
        store @o[%i], %d
        ret
    }";
    let text = cuda(source);
    let body = text.split("extern \"C\"").last().unwrap_or_default();
    let (before, after) = body.rsplit_once("__syncthreads();").expect("a barrier");
    for memory in ["s0_t[", "b0_y["] {
        assert!(before.contains(memory) && !after.contains(memory), "{memory} in:\n{text}");
    }
}

#[test]
fn memory_with_a_racy_access_is_volatile() {
    let text = |racy: &str| {
        cuda(&format!(
            "func kernel workgroup_size(64, 1, 1) @k(@y: mut [vec4<f32>]) {{
               %v = {racy}load vec4<f32> @y[0u32]
               {racy}store @y[1u32], %v
               ret
             }}"
        ))
    };
    assert!(!text("").contains("volatile"));
    has(&text("racy "), "((volatile sb_u32*)b0_y)");
}
