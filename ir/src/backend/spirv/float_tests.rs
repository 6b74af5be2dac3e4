//! Every form of every op on floats is a valid module, and arithmetic is decorated as its form says.

use super::op_tests::{Kernel, emitted};
use super::{Target, Widths};
use crate::ops::{Op, Signature};
use crate::soft::plan::{Form, Group, Native};
use crate::text::parse;
use crate::types::{Scalar, Type};
use rspirv::binary::Disassemble;

/// A device that has all in its quickest form.
fn full() -> Native {
    let has = [Scalar::I64, Scalar::F64, Scalar::F16].into_iter().fold(Native::SOFTWARE, Native::having);
    Group::ALL.iter().fold(has, |native, &group| native.with(group, group.candidates()[0]))
}

fn target(native: Native) -> Target {
    let round_to_nearest = Widths { half: false, single: true, double: native.has_double() };
    Target { native, round_to_nearest, ..Target::VULKAN }
}

/// Every op on floats, and every conversion from one or to one, on operands of which nothing is
/// known and on known ones.
fn all_ops() -> Kernel {
    let mut k = Kernel::new();
    for float in [Scalar::F16, Scalar::F32, Scalar::F64] {
        let ty = Type::Scalar(float);
        for known in [false, true] {
            for &op in Op::ALL {
                let Signature::Lanes(..) = op.info().signature else { continue };
                let Some((types, _)) = op.info().signature.types(ty) else { continue };
                if op.result(&types, None).is_none() {
                    continue;
                }
                let mut operands: Vec<_> = types.iter().map(|&ty| k.operand(ty)).collect();
                if known && let (Some(last), Some(Type::Scalar(lane))) = (operands.last_mut(), types.last()) {
                    *last = k.b.constant(*lane, 0);
                }
                k.b.op(op, &operands);
            }
        }
        for &other in Scalar::ALL.iter().filter(|&&other| other != Scalar::Bool) {
            let (value, back) = (k.operand(ty), k.operand(other.into()));
            k.b.op_to(Op::Cast, &[value], other.into());
            k.b.op_to(Op::Cast, &[back], ty);
        }
    }
    k
}

#[test]
fn every_form_is_a_valid_module() {
    let module = all_ops().finish();
    let mut targets = vec![target(full()), target(Native::SOFTWARE)];
    for &group in Group::ALL {
        // The first form is the one that all have above.
        targets.extend(group.candidates().iter().skip(1).map(|&form| target(full().with(group, form))));
    }
    // Without the types.
    targets.push(target(full().limited_to(|_, _| true)));
    emitted(module, &targets);
}

/// The text of a kernel on floats that nobody knows.
fn text(native: Native, body: &str) -> String {
    let load = "%i = global_id.x %a = bitcast %i to f32 %j = global_id.y %b = bitcast %j to f32
        %k = global_id.z %c = bitcast %k to f32";
    let text = format!("func kernel workgroup_size(64, 1, 1) @k() {{ {load} {body} ret }}");
    emitted(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}")), &[target(native)]).disassemble()
}

/// How often an instruction stands there.
fn count(text: &str, op: &str) -> usize {
    text.split_whitespace().filter(|word| *word == op).count()
}

#[test]
fn a_fused_product_is_a_product_and_a_sum_of_its_own() {
    let native = full();
    let fused = text(native, "%r = fma %a, %b, %c %s = fma %a, %b, %a");
    let ops = ["OpFMul", "OpFAdd", "OpFNegate", "OpFSub"];
    assert_eq!(ops.map(|op| count(&fused, op)), [2, 1, 1, 1], "{fused}");
    // It is the sign's.
    assert_eq!(count(&fused, "NoContraction"), 1, "{fused}");
    let apart = text(native, "%p = mul %a, %b %r = add %p, %c");
    assert_eq!(count(&apart, "NoContraction"), 2, "{apart}");
    let both = text(native, "%p = mul %a, %b %r = add %p, %c %s = fma %a, %b, %c");
    assert_eq!(ops.map(|op| count(&both, op)), [2, 1, 1, 1], "{both}");
    assert_eq!(count(&both, "NoContraction"), 3, "{both}");
}

#[test]
fn no_product_is_both_fused_and_not() {
    let told_apart = |body| {
        let text = text(full(), body);
        ["OpFNegate", "OpBitwiseXor"].map(|op| count(&text, op))
    };
    assert_eq!(told_apart("%s = fma %a, %b, %c %t = fma %a, %c, %b"), [0, 0]);
    assert_eq!(told_apart("%s = fma %a, %b, %c %t = fma %b, %a, %a"), [1, 0]);
    assert_eq!(told_apart("%s = fma %a, %b, %c %t = fma %b, %a, %a %u = fma %a, %b, %b"), [1, 1]);
    assert_eq!(told_apart("%s = fma %a, %b, %c %t = fma %b, %a, %a %p = mul %a, %b"), [1, 1]);
    assert_eq!(told_apart("%p = mul %a, %b %r = mul %a, %c"), [0, 0]);
    assert_eq!(told_apart("%p = mul %a, %b %s = fma %a, %b, %c"), [1, 0]);
    assert_eq!(told_apart("%s = fma %a, %b, %c %p = mul %b, %a"), [0, 1]);
    assert_eq!(told_apart("%s = fma %a, %a, %c %p = mul %a, %a"), [0, 1]);
}

#[test]
fn a_known_zero_and_a_known_addend_are_hidden_and_other_known_operands_are_not() {
    let hidden = |body| count(&text(full(), body), "OpBitwiseXor");
    assert_eq!(hidden("%r = fma %a, %b, -0.0f32"), 1);
    assert_eq!(hidden("%r = fma %a, -0.0f32, %c"), 1);
    assert_eq!(hidden("%r = fma %a, 3.0f32, 1.0f32"), 1);
    assert_eq!(hidden("%r = fma %a, 3.0f32, %c"), 0);
    assert_eq!(hidden("%r = add %a, 1.0f32"), 0);
}

#[test]
fn a_sum_that_begins_with_a_known_number_hides_it_where_the_loop_begins() {
    let looped = |op: &str| {
        format!(
            "%r = loop 'l (%n: u32 = 0u32, %s: f32 = 1.0f32) -> f32 {{
                %end = ge %n, 4u32
                if %end {{ break 'l %s }}
                {op}
                %m = add %n, 1u32
                continue 'l %m, %t
            }}"
        )
    };
    let hidden = |op: &str| count(&text(full(), &looped(op)), "OpBitwiseXor");
    assert_eq!(hidden("%t = fma %a, %b, %s"), 1);
    assert_eq!(hidden("%p = mul %a, %b %t = add %p, %s"), 1);
}

#[test]
fn a_comparison_needs_what_its_operands_make_necessary() {
    let native = full().with(Group::Order32, Form::Difference);
    let without = text(native, "");
    let costs = |body: &str, ops: [&str; 3]| {
        let text = text(native, body);
        ops.map(|op| count(&text, op) - count(&without, op))
    };
    let ops = ["OpFOrdLessThan", "OpFSub", "OpULessThan"];
    assert_eq!(costs("%r = lt %a, 1.0f32", ops), [1, 0, 0]);
    assert_eq!(costs("%r = lt %a, 0.0f32", ops), [0, 0, 1]);
    assert_eq!(costs("%r = lt %a, %b", ops), [0, 1, 1]);
    assert_eq!(costs("%x = cast %i to f32 %r = lt 0.0f32, %x", ops), [1, 0, 0]);
    let ops = ["SMax", "OpFSub", "OpSelect"];
    assert_eq!(costs("%r = max %a, 0.0f32", ops), [1, 0, 1]);
    assert_eq!(costs("%x = cast %i to f32 %r = max %x, 0.0f32", ops), [1, 0, 0]);
    assert_eq!(costs("%r = max %a, %b", ops), [0, 1, 1]);
}

#[test]
fn a_root_of_what_is_not_tiny_is_not_scaled() {
    let native = full().with(Group::Root32, Form::Corrected);
    let scaled = text(native, "%r = sqrt %a");
    // Two for the residuals, one before and one after.
    assert_eq!(count(&scaled, "OpFMul"), 4, "{scaled}");
    let plain = text(native, "%x = cast %i to f32 %r = sqrt %x");
    assert_eq!(count(&plain, "OpFMul"), 2, "{plain}");
}

#[test]
fn a_refined_root_is_two_fused_steps_and_a_branch_for_the_rest() {
    let root = text(full().with(Group::Root32, Form::Refined), "%r = sqrt %a");
    // The same once more in the branch, where the operand is scaled and the root is scaled back.
    let ops = ["InverseSqrt", "OpFMul", "OpFAdd", "OpFNegate", "Sqrt"];
    assert_eq!(ops.map(|op| count(&root, op)), [2, 10, 4, 2, 0], "{root}");
}

#[test]
fn one_over_a_refined_root_divides_only_in_the_branch() {
    let refined = |body| text(full().with(Group::Root32, Form::Refined), body);
    let inverse = refined("%s = sqrt %a %r = div 1.0f32, %s");
    assert_eq!(["OpFDiv", "OpFMul"].map(|op| count(&inverse, op)), [1, 14], "{inverse}");
    let quotient = refined("%s = sqrt %a %r = div 2.0f32, %s");
    assert_eq!(["OpFDiv", "OpFMul"].map(|op| count(&quotient, op)), [1, 10], "{quotient}");
}

#[test]
fn a_device_without_exact_floats_calls_the_library() {
    let soft = text(Native::SOFTWARE, "%r = div %a, %b %s = div %b, %a");
    assert_eq!((count(&soft, "OpFunctionCall"), count(&soft, "OpFDiv")), (2, 0), "{soft}");
}

#[test]
fn what_a_function_returns_is_disguised() {
    let soft = text(Native::SOFTWARE, "%q = rem %a, %b %r = rem %b, %a");
    assert_eq!(["OpFunctionCall", "OpBitwiseXor"].map(|op| count(&soft, op)), [2, 2], "{soft}");
}

#[test]
fn a_nan_of_one_cast_is_made_canonical_where_another_cast_is_a_routine() {
    let native = full().with(Group::Half64, Form::Routine);
    let text = text(native, "%h = cast %a to f16 %r = bitcast %h to u16");
    assert_eq!(count(&text, "OpFConvert"), 1, "{text}");
    // The canonical NaN is chosen.
    assert_eq!(count(&text, "32256"), 1, "{text}");
}

#[test]
fn a_product_of_two_known_factors_hides_one() {
    let hidden = |body| count(&text(full(), body), "OpBitwiseXor");
    assert_eq!(hidden("%r = fma 3.0f32, 2.5f32, %c"), 1);
    assert_eq!(hidden("%r = fma 3.0f32, %b, %c"), 0);
}

#[test]
fn what_a_select_takes_is_not_what_was_compared_where_comparisons_lose_subnormals() {
    let hidden = |form| {
        let native = full().with(Group::Order32, form);
        count(&text(native, "%l = lt %a, 1.0f32 %r = select %l, %a, %b"), "OpBitwiseXor")
    };
    assert_eq!([Form::Exact, Form::Difference].map(hidden), [0, 1]);
}

#[test]
fn a_nan_that_is_the_bits_of_a_literal_is_hidden() {
    let hidden = |bits: &str| {
        let body = format!("%h = bitcast {bits} to f16 %g = cast %a to f16 %r = add %h, %g");
        count(&text(full(), &body), "OpBitwiseXor")
    };
    assert!(hidden("32736u16") > hidden("15360u16"));
}

#[test]
fn what_becomes_an_integer_is_hidden_unless_it_is_clamped() {
    let hidden = |form| {
        let native = full().with(Group::ToInt32, form);
        let body = "%l = lt %a, 1.0f32 %s = select %l, bits(0x7f800000)f32, %b %r = cast %s to i32";
        count(&text(native, body), "OpBitwiseXor")
    };
    assert_eq!([Form::Exact, Form::Clamped].map(hidden), [1, 0]);
}

#[test]
fn a_hidden_literal_that_becomes_an_integer_is_hidden_in_two_ways() {
    let native = full().with(Group::ToInt32, Form::Exact);
    let text = text(native, "%t = lt %a, %b %l = select %t, bits(0x7fc01234)f32, 0.0f32 %r = cast %l to i16");
    let has = |number: u32| text.lines().any(|line| line.ends_with(&format!("OpConstant  %5  {number}")));
    assert!(has(256) && has(2048), "{text}");
}
