//! What facts make of kernels, whose bytes stay.

use super::*;
use crate::check::{Checked, check_image};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::ParamKind;
use crate::text::{parse, print};

#[track_caller]
fn checked(source: &str) -> Checked {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

/// The bytes of the buffers after a launch of 2 groups.
fn bytes(checked: &Checked, input: [u32; 4]) -> Vec<Vec<u8>> {
    let function = &checked.module().functions[0];
    let memory: Vec<u8> = input.iter().cycle().take(8).flat_map(|word| word.to_le_bytes()).collect();
    let buffers: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&memory)).collect();
    let args = function.params.iter().zip(&buffers).enumerate().map(|(i, (param, words))| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len: 8 },
        ParamKind::Scalar(_) => Arg::Scalar([input[i % 4].into(), 0, 0, 0]),
    });
    let args: Vec<Arg<'_>> = args.collect();
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a function").run([2, 1, 1], &args, &options).expect("no fault");
    buffers.iter().map(|words| words.read(0..words.bytes())).collect()
}

/// What both passes make of a kernel's body, and then what is dead removed.
#[track_caller]
fn after(body: &str) -> String {
    let before = checked(&kernel(body));
    let mut module = before.clone().into_flat_module();
    let types = module.types.clone();
    ranges(&mut module.functions[0], &types);
    bounds(&mut module.functions[0], &types);
    let after = check_image(module).expect("a sound module");
    for input in [[0, 0, 0, 0], [1, 2, 3, 4], [7, 0, u32::MAX, 5], [0x8000_0000, 1, 20, 9]] {
        assert_eq!(bytes(&after, input), bytes(&before, input), "for {input:?}:\n{}", print(after.module()));
    }
    print(after.module())
}

fn kernel(body: &str) -> String {
    format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32], %s: i32) {{ {body} ret }}")
}

/// Asserts which operand of the last store is used after the passes.
#[track_caller]
fn stores(body: &str, expected: &str) {
    let text = after(body);
    let store = text.lines().rfind(|line| line.contains("store @y")).expect("a store").trim();
    assert_eq!(store.split(", ").last().expect("an operand"), expected, "\n{text}");
}

#[test]
fn comparisons_that_are_decided_are_constants() {
    stores("%i = local_id.x %c = lt %i, 4u32 %v = select %c, 5u32, %n store @y[%i], %v", "5u32");
    stores("%i = local_id.x %c = lt %i, 3u32 %v = select %c, 5u32, %n store @y[%i], %v", "%v");
    let text = after(
        "%c = lt %n, 4u32 if %c { %d = lt %n, 5u32 if %d { store @y[%n], 1u32 yield } else { yield } yield } else { yield }",
    );
    assert!(text.contains("if true"), "{text}");
}

#[test]
fn ops_that_change_nothing_go() {
    for op in ["rem %i, 4u32", "and %i, 3u32", "and 7u32, %i", "min %i, 3u32", "max %i, 0u32", "clamp %i, 0u32, 9u32"] {
        stores(&format!("%i = local_id.x %v = {op} store @y[%i], %v"), "%i");
    }
    for op in ["rem %i, 3u32", "and %i, 2u32", "min %i, 2u32", "max %i, 1u32", "clamp %i, 1u32, 9u32"] {
        stores(&format!("%i = local_id.x %v = {op} store @y[%i], %v"), "%v");
    }
}

#[test]
fn what_a_guard_says_is_used_inside_of_it_only() {
    stores("%c = lt %n, 8u32 if %c { %v = rem %n, 8u32 store @y[0u32], %v yield } else { yield }", "%n");
    stores("%c = lt %n, 8u32 if %c { yield } else { yield } %v = rem %n, 8u32 store @y[0u32], %v", "%v");
    stores("%c = eq %n, 8u32 if %c { %v = add %n, 1u32 store @y[0u32], %v yield } else { yield }", "9u32");
}

#[test]
fn ids_on_axes_of_one_invocation_are_zero() {
    stores("%j = local_id.y %i = local_id.x store @y[%i], %j", "0u32");
}

#[test]
fn a_flagged_instruction_keeps_its_result() {
    stores("%j = nonuniform local_id.y %i = local_id.x store @y[%i], %j", "%j");
}

#[test]
fn signed_divisions_of_natural_numbers_are_shifts() {
    let text = after(
        "%c = ge %s, 0i32
         if %c { %a = div %s, 8i32 %b = rem %s, 8i32 %d = sub %a, %b %v = cast %d to u32 store @y[0u32], %v yield }
         else { %e = div %s, 8i32 %w = cast %e to u32 store @y[0u32], %w yield }",
    );
    assert!(text.contains("shr %s, 3u32") && text.contains("and %s, 7i32"), "{text}");
    assert!(text.contains("div %s, 8i32"), "{text}");
}

#[test]
fn saturation_that_never_happens_goes() {
    let text = after("%i = local_id.x %a = add_sat %i, 1u32 %b = sub_sat %n, %a store @y[%i], %b");
    assert!(text.contains("add %i, 1u32") && text.contains("sub_sat"), "{text}");
}

#[test]
fn bounds_of_indices_that_always_hold_go() {
    let text = after("%i = local_id.x store @y[%i < 4], 1u32 store @y[%i < 3], 2u32 store @y[%n < 9], 3u32");
    assert_eq!(text.matches('<').count(), 2, "{text}");
}
