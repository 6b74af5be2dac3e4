//! What passes make of kernels. Every test also runs the kernel before and after on a
//! few inputs and asserts that the buffers hold equal bytes.

use super::{Pass, algebra, dce, fold, optimize};
use crate::check::{Checked, check, check_image};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Function, InstKind, Module, ParamKind};
use crate::text::{parse, print};

/// Numbers that buffers and scalars are filled from; the first few decide branches.
const INPUTS: &[[u32; 4]] = &[[0, 0, 0, 0], [1, 2, 3, 4], [7, 0, u32::MAX, 5], [0x8000_0000, 1, 0x7fc0_0001, 9]];

/// The bytes of the buffers after a launch of 2 groups.
fn bytes(checked: &Checked, input: &[u32; 4]) -> Vec<Vec<u8>> {
    let function = &checked.module().functions[0];
    let memory: Vec<u8> = input.iter().cycle().take(16).flat_map(|word| word.to_le_bytes()).collect();
    let buffers: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&memory)).collect();
    let args = function.params.iter().zip(&buffers).enumerate().map(|(i, (param, words))| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len: 8 },
        ParamKind::Scalar(_) => Arg::Scalar([input[i % 4].into(), 0, 0, 0]),
    });
    let args: Vec<Arg<'_>> = args.collect();
    let program = Program::new(checked, 0).expect("a function");
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    program.run([2, 1, 1], &args, &options).expect("no fault");
    buffers.iter().map(|words| words.read(0..words.bytes())).collect()
}

#[track_caller]
pub(super) fn checked(source: &str) -> Checked {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

/// What `pass` makes of a function, having proven that it does the same.
#[track_caller]
pub(super) fn after(source: &str, pass: impl Fn(Checked) -> Checked) -> Module {
    let before = checked(source);
    let after = pass(before.clone());
    for input in INPUTS {
        assert_eq!(bytes(&after, input), bytes(&before, input), "for {input:?}:\n{}", print(after.module()));
    }
    after.module().clone()
}

fn alone(pass: fn(&mut Function) -> bool) -> impl Fn(Checked) -> Checked {
    move |checked| {
        let mut module = checked.into_flat_module();
        pass(&mut module.functions[0]);
        check_image(module).expect("a sound module")
    }
}

/// The pass of this name.
pub(super) fn named(name: &str) -> impl Fn(Checked) -> Checked {
    let pass = Pass::from_name(name).expect("a pass");
    |checked| pass.apply(checked)
}

/// A kernel with a buffer and a few scalars around a body.
pub(super) fn kernel(body: &str) -> String {
    format!("func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32], %f: f32, %b: bool, %s: i32) {{ {body} }}")
}

/// Asserts what a pass makes of a body.
#[track_caller]
pub(super) fn becomes(body: &str, pass: impl Fn(Checked) -> Checked, expected: &str) {
    let actual = print(&after(&kernel(body), pass));
    let expected = print(checked(&kernel(expected)).module());
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

#[track_caller]
fn folds(body: &str, expected: &str) {
    becomes(body, alone(fold), expected);
}

#[track_caller]
fn simplifies(body: &str, expected: &str) {
    becomes(body, alone(algebra), expected);
}

#[track_caller]
fn optimizes(body: &str, expected: &str) {
    becomes(body, optimize, expected);
}

// Folding.

#[test]
fn ops_on_constants_become_constants() {
    folds(
        "%a = add 4294967295u32, 3u32
         %c = cast -2i32 to u32
         %d = div 7u32, 0u32
         %e = lt 1.5f32, 2.5f32
         %g = select %e, %a, %d
         %x = xor %c, %g
         store @y[0u32], %x
         ret",
        "store @y[0u32], 4294967292u32 ret",
    );
}

#[test]
fn float_constants_fold_by_the_same_arithmetic_as_they_run() {
    folds(
        "%p = fma 1.0000001f32, 1.0000001f32, -1.0000002f32
         %a = bitcast %p to u32
         store @y[0u32], %a
         ret",
        &format!("store @y[0u32], {}u32 ret", 1.000_000_1_f32.mul_add(1.000_000_1, -1.000_000_2).to_bits()),
    );
}

#[test]
fn a_branch_on_a_constant_becomes_the_region_it_takes() {
    folds(
        "%c = lt 1u32, 2u32
         %r = if %c -> u32 { store @y[0u32], 1u32 %d = add %n, 7u32 yield %d } else { store @y[1u32], 2u32 yield 3u32 }
         store @y[2u32], %r
         ret",
        "store @y[0u32], 1u32 %d = add %n, 7u32 store @y[2u32], %d ret",
    );
}

#[test]
fn a_switch_on_a_constant_becomes_the_case_it_takes() {
    for (selector, value) in [(1, 10), (4, 20), (5, 20), (9, 30)] {
        folds(
            &format!(
                "%r = switch {selector}u32 -> u32 {{ case 1u32 {{ yield 10u32 }} case 4u32, 5u32 {{ yield 20u32 }} default {{ yield 30u32 }} }}
                 store @y[0u32], %r ret"
            ),
            &format!("store @y[0u32], {value}u32 ret"),
        );
    }
}

#[test]
fn nothing_follows_a_taken_region_that_leaves() {
    folds(
        "loop 'l (%i: u32 = 0u32) {
            store @y[%i], 1u32
            if true { if true { break 'l } store @y[3u32], 9u32 } else { }
            store @y[4u32], 9u32
            continue 'l 5u32
         }
         if true { ret }
         store @y[5u32], 9u32
         ret",
        "loop 'l (%i: u32 = 0u32) { store @y[%i], 1u32 break 'l } ret",
    );
}

#[test]
fn a_result_that_is_the_same_from_every_region_is_that_value() {
    folds(
        "%c = lt %n, 3u32
         %r, %q = if %c -> u32, u32 { store @y[0u32], 1u32 yield %n, 4u32 } else { yield %n, 5u32 }
         store @y[1u32], %r
         store @y[2u32], %q
         ret",
        "%c = lt %n, 3u32
         %r, %q = if %c -> u32, u32 { store @y[0u32], 1u32 yield %n, 4u32 } else { yield %n, 5u32 }
         store @y[1u32], %n
         store @y[2u32], %q
         ret",
    );
}

#[test]
fn a_value_that_one_region_alone_yields_stays_where_it_is() {
    let body = "%c = lt %n, 3u32
         %r = if %c -> u32 { %m = add %n, 1u32 yield %m } else { ret }
         store @y[0u32], %r
         ret";
    folds(body, body);
}

#[test]
fn a_loop_parameter_that_never_changes_is_its_initial_value() {
    folds(
        "loop 'l (%i: u32 = 0u32, %k: u32 = %n, %m: u32 = 4u32) {
            %done = ge %i, %m
            if %done { break 'l }
            store @y[%i], %k
            %j = add %i, 1u32
            %odd = and %i, 1u32
            %c = eq %odd, 1u32
            if %c { continue 'l %j, %n, %m }
            continue 'l %j, %k, 4u32
         }
         ret",
        "loop 'l (%i: u32 = 0u32, %k: u32 = %n, %m: u32 = 4u32) {
            %done = ge %i, 4u32
            if %done { break 'l }
            store @y[%i], %n
            %j = add %i, 1u32
            %odd = and %i, 1u32
            %c = eq %odd, 1u32
            if %c { continue 'l %j, %n, 4u32 }
            continue 'l %j, %n, 4u32
         }
         ret",
    );
}

#[test]
fn loads_and_effects_stay_in_their_order_around_barriers() {
    let body = "%a = load u32 @y[0u32]
         %b1 = load u32 @y[1u32]
         barrier
         %c = load u32 @y[0u32]
         %d = add %a, %b1
         %e = add %c, %d
         %i = local_id.x
         %z = eq %i, 0u32
         if %z { store @y[5u32], %e }
         barrier
         ret";
    optimizes(body, body);
}

// Algebra.

#[test]
fn laws_of_integers_remove_the_op() {
    let same = [
        "add %n, 0u32",
        "add 0u32, %n",
        "sub %n, 0u32",
        "mul %n, 1u32",
        "mul 1u32, %n",
        "div %n, 1u32",
        "and %n, %n",
        "and %n, 4294967295u32",
        "and 4294967295u32, %n",
        "or %n, %n",
        "or %n, 0u32",
        "or 0u32, %n",
        "xor %n, 0u32",
        "xor 0u32, %n",
        "min %n, %n",
        "max %n, %n",
        "shl %n, 0u32",
        "shl %n, 32u32",
        "shr %n, 64u32",
        "rotl %n, 0u32",
        "rotr %n, 32u32",
        "select %b, %n, %n",
        "cast %n to u32",
        "bitcast %n to u32",
    ];
    for op in same {
        simplifies(&format!("%r = {op} store @y[0u32], %r ret"), "store @y[0u32], %n ret");
    }
    let constants = [
        ("sub %n, %n", "0u32"),
        ("xor %n, %n", "0u32"),
        ("mul %n, 0u32", "0u32"),
        ("mul 0u32, %n", "0u32"),
        ("and %n, 0u32", "0u32"),
        ("and 0u32, %n", "0u32"),
        ("div 0u32, %n", "0u32"),
        ("div %n, 0u32", "0u32"),
        ("rem 0u32, %n", "0u32"),
        ("rem %n, 0u32", "0u32"),
        ("rem %n, 1u32", "0u32"),
        ("or %n, 4294967295u32", "4294967295u32"),
        ("abs_diff %s, %s", "0u32"),
        ("shl 0u32, %n", "0u32"),
        ("shr 0u32, %n", "0u32"),
        ("rotl 0u32, %n", "0u32"),
    ];
    for (op, constant) in constants {
        simplifies(&format!("%r = {op} store @y[0u32], %r ret"), &format!("store @y[0u32], {constant} ret"));
    }
    for (op, constant) in [("eq", 1), ("le", 1), ("ge", 1), ("ne", 0), ("lt", 0), ("gt", 0)] {
        let body = format!("%c = {op} %s, %s %r = select %c, 1u32, 0u32 store @y[0u32], %r ret");
        simplifies(&body, &format!("store @y[0u32], {constant}u32 ret"));
    }
}

#[test]
fn laws_of_bool_remove_the_op() {
    for op in [
        "eq %b, true",
        "eq true, %b",
        "ne %b, false",
        "ne false, %b",
        "select %b, true, false",
        "and %b, true",
        "or %b, false",
    ] {
        simplifies(
            &format!("%c = {op} %r = select %c, 5u32, 6u32 store @y[0u32], %r ret"),
            "%r = select %b, 5u32, 6u32 store @y[0u32], %r ret",
        );
    }
}

#[test]
fn floats_have_no_such_laws() {
    for op in ["add %f, 0.0f32", "sub %f, 0.0f32", "mul %f, 1.0f32", "sub %f, %f", "min %f, %f", "mul %f, 0.0f32"] {
        let body = format!("%r = {op} %u = bitcast %r to u32 store @y[0u32], %u ret");
        simplifies(&body, &body);
    }
    let body = "%c = eq %f, %f %r = select %c, 1u32, 0u32 store @y[0u32], %r ret";
    simplifies(body, body);
}

#[test]
fn lanes_of_a_vector_that_was_just_built_are_its_operands() {
    let built = "%v = vec %n, 5u32";
    for (index, lane) in [(0, "%n"), (1, "5u32"), (2, "0u32"), (u32::MAX, "0u32")] {
        simplifies(
            &format!("{built} %r = extract %v, {index}u32 store @y[0u32], %r ret"),
            &format!("{built} store @y[0u32], {lane} ret"),
        );
    }
}

// Dead code.

#[test]
fn what_nobody_looks_at_goes() {
    becomes(
        "%a = add %n, 1u32
         %b1 = mul %a, %a
         %c = load u32 @y[100u32]
         %i = global_id.x
         %l = len @y
         store @y[0u32], %n
         ret",
        alone(dce),
        "store @y[0u32], %n ret",
    );
}

#[test]
fn effects_stay_though_their_results_are_unused() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(@h: atomic [u32], @t: mut [u32]) {
        %a = atomic.add @h[0u32], 1u32
        %b = atomic.load u32 @h[0u32]
        store @t[0u32], 1u32
        barrier
        ret
    }";
    assert_eq!(print(&after(source, optimize)), print(&parse(source).expect("sound text")));
}

#[test]
fn branches_without_effects_or_used_results_go() {
    becomes(
        "%c = lt %n, 3u32
         %r = if %c -> u32 { %m = add %n, 1u32 yield %m } else { yield 2u32 }
         switch %n { case 1u32 { %q = mul %r, %r } default { } }
         store @y[0u32], %n
         ret",
        alone(dce),
        "store @y[0u32], %n ret",
    );
}

#[test]
fn unused_results_of_branches_go_with_what_made_them() {
    becomes(
        "%r, %q = switch %n -> u32, u32 {
            case 1u32 { %a = add %n, 1u32 %b1 = mul %n, 3u32 yield %a, %b1 }
            default { %a2 = add %n, 2u32 %b2 = mul %n, 5u32 yield %a2, %b2 }
         }
         store @y[0u32], %q
         ret",
        alone(dce),
        "%q = switch %n -> u32 {
            case 1u32 { %b1 = mul %n, 3u32 yield %b1 }
            default { %b2 = mul %n, 5u32 yield %b2 }
         }
         store @y[0u32], %q
         ret",
    );
}

#[test]
fn a_counter_that_counts_only_itself_goes() {
    becomes(
        "%r, %t = loop 'l (%i: u32 = 0u32, %k: u32 = 0u32, %u: u32 = 1u32) -> u32, u32 {
            %done = ge %i, 4u32
            if %done { break 'l %k, %u }
            %j = add %i, 1u32
            %k2 = add %k, %u
            %u2 = mul %u, 3u32
            continue 'l %j, %k2, %u2
         }
         store @y[0u32], %t
         ret",
        alone(dce),
        "%t = loop 'l (%i: u32 = 0u32, %u: u32 = 1u32) -> u32 {
            %done = ge %i, 4u32
            if %done { break 'l %u }
            %j = add %i, 1u32
            %u2 = mul %u, 3u32
            continue 'l %j, %u2
         }
         store @y[0u32], %t
         ret",
    );
}

#[test]
fn a_loop_stays_though_it_does_nothing_because_it_may_not_end() {
    let body = "loop 'l (%i: u32 = %n) {
            %done = lt %i, 256u32
            if %done { break 'l }
            %j = shr %i, 1u32
            continue 'l %j
         }
         store @y[0u32], 1u32
         ret";
    optimizes(body, body);
}

#[test]
fn nothing_follows_a_branch_that_always_leaves() {
    becomes(
        "%c = lt %n, 3u32
         if %c { store @y[0u32], 1u32 ret } else { ret }
         store @y[1u32], 2u32
         ret",
        alone(dce),
        "%c = lt %n, 3u32
         if %c { store @y[0u32], 1u32 ret } else { ret }
         unreachable",
    );
}

#[test]
fn nothing_follows_a_loop_that_nobody_breaks() {
    becomes(
        "%c = loop 'l (%i: u32 = 0u32) -> u32 {
            store @y[%i], 3u32
            %done = ge %i, 3u32
            if %done { ret }
            %j = add %i, 1u32
            continue 'l %j
         }
         store @y[4u32], %c
         ret",
        alone(dce),
        "loop 'l (%i: u32 = 0u32) {
            store @y[%i], 3u32
            %done = ge %i, 3u32
            if %done { ret }
            %j = add %i, 1u32
            continue 'l %j
         }
         unreachable",
    );
}

#[test]
fn breaks_out_of_several_loops_keep_what_they_carry() {
    let body = "%r = loop 'a (%i: u32 = %n) -> u32 {
            %s2 = loop 'b (%j: u32 = %i) -> u32 {
                %c = lt %j, 10u32
                if %c { break 'a %j }
                %d = lt %j, 100u32
                if %d { break 'b %j }
                %h = shr %j, 3u32
                continue 'b %h
            }
            %q = shr %s2, 1u32
            continue 'a %q
         }
         store @y[0u32], %r
         ret";
    optimizes(body, body);
}

#[test]
fn folding_and_removal_go_on_until_nothing_changes() {
    optimizes(
        "%z = sub %n, %n
         %c = eq %z, 0u32
         %r = if %c -> u32 { yield 6u32 } else { %l = load u32 @y[1u32] yield %l }
         %p = mul %r, 7u32
         %big = gt %p, 40u32
         %t = loop 'l (%k: u32 = %p, %i: u32 = 0u32) -> u32 {
            if %big { break 'l %k }
            continue 'l %k, %i
         }
         store @y[0u32], %t
         ret",
        "store @y[0u32], 42u32 ret",
    );
}

#[test]
fn passes_say_whether_they_changed_anything() {
    let mut module =
        parse(&kernel("%a = add 1u32, 2u32 %b1 = xor %a, %n store @y[0u32], %b1 ret")).expect("sound text");
    let function = &mut module.functions[0];
    assert!(fold(function));
    assert!(algebra(function));
    assert!(!algebra(function));
    assert!(!fold(function));
    assert!(!dce(function));
    let mut module = parse(&kernel("%a = add %n, 1u32 ret")).expect("sound text");
    let function = &mut module.functions[0];
    assert!(!fold(function));
    assert!(dce(function));
    assert!(!dce(function));
    assert!(matches!(function.insts[function.regions[function.body].insts[0]].kind, InstKind::Return(_)));
}

// Loops that run once.

#[test]
fn a_call_without_early_return_leaves_no_loop() {
    let source = "
        func @f(%a: u32) -> u32 { %c = add %a, 1u32 ret %c }
        func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {
          %a = call @f(%n)
          store @y[0u32], %a
          ret
        }";
    let kernel = crate::pass::inline::kernel(&optimize(checked(source)), 1).expect("a kernel");
    let expected = "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {
          %c = add %n, 1u32
          store @y[0u32], %c
          ret
        }";
    assert_eq!(print(kernel.module()), print(checked(expected).module()));
}

#[test]
fn an_early_return_on_a_constant_leaves_no_loop() {
    let body = "%r = loop 'l -> u32 {
          if true { break 'l %n }
          %m = add %n, 1u32
          break 'l %m
        }
        store @y[0u32], %r ret";
    optimizes(body, "store @y[0u32], %n ret");
}

#[test]
fn a_pure_call_that_nobody_looks_at_goes() {
    let source = "
        func @f(%a: u32) -> u32 {
          %c = lt %a, 3u32
          if %c { ret 1u32 }
          %d = mul %a, %a
          ret %d
        }
        func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {
          %a = call @f(%n)
          ret
        }";
    let kernel = crate::pass::inline::kernel(&optimize(checked(source)), 1).expect("a kernel");
    let expected = "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) { ret }";
    assert_eq!(print(kernel.module()), print(checked(expected).module()));
}

#[test]
fn a_loop_that_runs_once_stays_if_it_has_an_effect() {
    for inside in ["store @y[1u32], 5u32", "%z = eq %n, 9u32 if %z { ret }", "barrier"] {
        let body =
            format!("loop 'l {{ %c = lt %n, 5u32 if %c {{ break 'l }} {inside} break 'l }} store @y[0u32], %n ret");
        let body = kernel(&body).replace("workgroup_size(2", "workgroup_size(1");
        assert!(print(&after(&body, optimize)).contains("loop"), "{inside}");
    }
}

#[test]
fn the_only_break_of_a_loop_that_runs_once_may_be_nested() {
    let body = "%r = loop 'l -> u32 {
          if %b { break 'l %n } else { ret }
          unreachable
        }
        store @y[0u32], %r ret";
    after(&kernel(body), optimize);
}

#[test]
fn passes_wait_for_passes_that_exist() {
    for pass in super::PASSES {
        for name in pass.unmoved_by {
            assert!(Pass::from_name(name).is_some(), "{} names {name}", pass.name);
        }
    }
}
