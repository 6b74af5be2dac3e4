//! What the pass makes of kernels. Each test also runs the kernel before and after and
//! compares bytes.

use super::sccp;
use crate::check::{Checked, check, check_image};
use crate::clock::thread_time;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::Module;
use crate::ops::{Builtin, Op};
use crate::pass::{dce, fold};
use crate::text::{parse, print};
use crate::types::{Type, Types};

#[track_caller]
fn checked(body: &str) -> Checked {
    let source =
        format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, %m: u32, %f: f32, @y: mut [u32]) {{ {body} }}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)))
}

fn bytes(checked: &Checked, [n, m]: [u32; 2]) -> Vec<u8> {
    let words = Words::from_bytes(&[7; 32]);
    let scalar = |bits: u32| Arg::Scalar([bits.into(), 0, 0, 0]);
    let args = [scalar(n), scalar(m), scalar(n), Arg::Buffer { words: &words, offset: 0, len: 8 }];
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a function").run([1, 1, 1], &args, &options).expect("no fault");
    words.read(0..32)
}

#[track_caller]
fn same(before: &Checked, after: &Checked) {
    let text = print(after.module());
    for n in [0, 1, 2, 5, 9, 0x8000_0000, 0x3f80_0000, u32::MAX] {
        for m in [0, 1, 5, 0x8000_0000] {
            assert_eq!(bytes(after, [n, m]), bytes(before, [n, m]), "for {n:#x}, {m:#x}:\n{text}");
        }
    }
}

/// Asserts what the pass alone makes of a body.
#[track_caller]
fn becomes(body: &str, expected: &str) {
    let before = checked(body);
    let mut module: Module = before.clone().into_flat_module();
    sccp(&mut module.functions[0]);
    let after = check_image(module).expect("a sound module");
    same(&before, &after);
    let (actual, expected) = (print(after.module()), print(checked(expected).module()));
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

/// Asserts what the pass with folding and removal makes of a body.
#[track_caller]
fn cleans(body: &str, expected: &str) {
    let before = checked(body);
    let mut module: Module = before.clone().into_flat_module();
    for pass in [sccp, fold, dce] {
        pass(&mut module.functions[0]);
    }
    let after = check_image(module).expect("a sound module");
    same(&before, &after);
    let (actual, expected) = (print(after.module()), print(checked(expected).module()));
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

#[track_caller]
fn stays(body: &str) {
    becomes(body, body);
}

#[test]
fn a_choice_of_two_numbers_is_neither_of_them() {
    stays("%c = lt %n, %m %r = if %c -> u32 { yield 1u32 } else { yield 2u32 } store @y[0u32], %r ret");
}

#[test]
fn a_choice_of_two_numbers_by_a_known_condition_is_one_of_them() {
    for (condition, value) in [("lt 1u32, 2u32", 1), ("gt 1u32, 2u32", 2)] {
        cleans(
            &format!(
                "%c = {condition} %r = if %c -> u32 {{ yield 1u32 }} else {{ yield 2u32 }} store @y[0u32], %r ret"
            ),
            &format!("store @y[0u32], {value}u32 ret"),
        );
    }
}

#[test]
fn a_chained_guard_does_not_take_the_first_ones_constness() {
    stays(
        "%a = lt %n, 5u32
         %ok = if %a -> bool { %b = lt %m, 5u32 yield %b } else { yield false }
         %ok2 = if %ok -> bool { %c = ne %m, 3u32 yield %c } else { yield false }
         if %ok2 { store @y[0u32], %n }
         ret",
    );
}

#[test]
fn a_chained_guard_tells_what_each_link_says() {
    cleans(
        "%a = eq %n, 5u32
         %ok = if %a -> bool { %b = eq %m, 1u32 yield %b } else { yield false }
         if %ok { if %a { store @y[0u32], %n } else { store @y[1u32], 7u32 } store @y[%m], %m }
         ret",
        "%a = eq %n, 5u32
         %ok = if %a -> bool { %b = eq %m, 1u32 yield %b } else { yield false }
         if %ok { store @y[0u32], 5u32 store @y[1u32], 1u32 }
         ret",
    );
}

#[test]
fn a_condition_is_true_in_its_own_branch_and_false_in_the_other() {
    cleans(
        "%c = lt %n, %m
         if %c {
            if %c { store @y[0u32], 1u32 } else { store @y[0u32], 2u32 }
         } else {
            %r = select %c, 3u32, 4u32
            store @y[0u32], %r
         }
         ret",
        "%c = lt %n, %m
         if %c { store @y[0u32], 1u32 } else { store @y[0u32], 4u32 }
         ret",
    );
}

#[test]
fn what_equals_a_constant_is_it_where_that_is_known() {
    cleans(
        "%c = eq %n, 5u32
         if %c { %a = add %n, 1u32 store @y[0u32], %a } else { store @y[0u32], %n }
         %d = ne 9u32, %n
         if %d { store @y[1u32], %n } else { store @y[1u32], %n }
         store @y[2u32], %n
         ret",
        "%c = eq %n, 5u32
         if %c { store @y[0u32], 6u32 } else { store @y[0u32], %n }
         %d = ne 9u32, %n
         if %d { store @y[1u32], %n } else { store @y[1u32], 9u32 }
         store @y[2u32], %n
         ret",
    );
}

#[test]
fn a_float_that_equals_zero_may_be_either() {
    stays("%c = eq %f, 0.0f32 if %c { %b = bitcast %f to u32 store @y[0u32], %b } ret");
    cleans(
        "%c = eq %f, 1.0f32 if %c { %b = bitcast %f to u32 store @y[0u32], %b } ret",
        "%c = eq %f, 1.0f32 if %c { store @y[0u32], 1065353216u32 } ret",
    );
    // A NaN is unequal, too.
    stays("%c = ne %f, 1.0f32 if %c { %b = bitcast %f to u32 store @y[0u32], %b } ret");
}

#[test]
fn conditions_made_of_others_tell_what_those_say() {
    cleans(
        "%a = eq %n, 5u32
         %b = ne %m, 1u32
         %nb = not %b
         %c = and %a, %nb
         if %c { store @y[%m], %n }
         %d = or %b, %a
         if %d { store @y[2u32], 1u32 } else { store @y[3u32], %m %s = select %a, 8u32, 9u32 store @y[4u32], %s }
         ret",
        "%a = eq %n, 5u32
         %b = ne %m, 1u32
         %nb = not %b
         %c = and %a, %nb
         if %c { store @y[1u32], 5u32 }
         %d = or %b, %a
         if %d { store @y[2u32], 1u32 } else { store @y[3u32], 1u32 store @y[4u32], 9u32 }
         ret",
    );
}

#[test]
fn after_a_branch_that_leaves_the_other_is_known() {
    cleans(
        "%c = ne %n, 5u32
         if %c { store @y[0u32], %n ret }
         store @y[1u32], %n
         %d = lt %n, %m
         if %d { store @y[%n], %m } else { ret }
         if %d { store @y[2u32], 1u32 } else { store @y[2u32], 2u32 }
         ret",
        "%c = ne %n, 5u32
         if %c { store @y[0u32], %n ret }
         store @y[1u32], 5u32
         %d = lt 5u32, %m
         if %d { store @y[5u32], %m } else { ret }
         store @y[2u32], 1u32
         ret",
    );
}

#[test]
fn a_case_of_one_value_is_that_value() {
    cleans(
        "switch %n {
            case 3u32 { store @y[0u32], %n }
            case 4u32, 5u32 { store @y[0u32], %n }
            default { store @y[1u32], %n }
         }
         ret",
        "switch %n {
            case 3u32 { store @y[0u32], 3u32 }
            case 4u32, 5u32 { store @y[0u32], %n }
            default { store @y[1u32], %n }
         }
         ret",
    );
}

#[test]
fn a_loop_parameter_that_only_unreached_rounds_change_is_constant() {
    cleans(
        "%r = loop 'l (%i: u32 = 0u32, %k: u32 = 4u32) -> u32 {
            %done = ge %i, 3u32
            if %done { break 'l %k }
            %next = add %i, 1u32
            %odd = ne %k, 4u32
            if %odd { store @y[0u32], %k %k2 = add %k, 1u32 continue 'l %next, %k2 }
            %same = mul %k, 1u32
            continue 'l %next, %same
         }
         store @y[1u32], %r
         ret",
        "loop 'l (%i: u32 = 0u32) {
            %done = ge %i, 3u32
            if %done { break 'l }
            %next = add %i, 1u32
            continue 'l %next
         }
         store @y[1u32], 4u32
         ret",
    );
}

#[test]
fn two_loop_parameters_that_exchange_equal_constants_are_constant() {
    cleans(
        "%r = loop 'l (%i: u32 = 0u32, %a: u32 = 3u32, %b: u32 = 3u32) -> u32 {
            %done = ge %i, 3u32
            if %done { break 'l %a }
            %next = add %i, 1u32
            continue 'l %next, %b, %a
         }
         store @y[1u32], %r
         ret",
        "loop 'l (%i: u32 = 0u32) {
            %done = ge %i, 3u32
            if %done { break 'l }
            %next = add %i, 1u32
            continue 'l %next
         }
         store @y[1u32], 3u32
         ret",
    );
}

/// What is constant goes, though something that is never done still names it.
#[test]
fn what_is_not_reached_names_nothing() {
    becomes(
        "%k = mul 2u32, 3u32
         %c = eq %k, 7u32
         if %c { store @y[%k], %k %q = add %k, %n if %c { store @y[1u32], %q } } else { store @y[0u32], %n }
         ret",
        "if false { unreachable } else { store @y[0u32], %n } ret",
    );
}

#[test]
fn a_counter_is_not_constant() {
    stays(
        "loop 'l (%i: u32 = 0u32) {
            store @y[%i], 1u32
            %done = ge %i, 3u32
            if %done { break 'l }
            %next = add %i, 1u32
            continue 'l %next
         }
         ret",
    );
}

#[test]
fn a_value_is_known_after_the_loop_that_waits_for_it() {
    cleans(
        "%r = loop 'l (%i: u32 = 0u32) -> u32 {
            store @y[0u32], %i
            %done = eq %i, 5u32
            if %done { break 'l %i }
            %next = add %i, 1u32
            continue 'l %next
         }
         store @y[1u32], %r
         ret",
        "loop 'l (%i: u32 = 0u32) {
            store @y[0u32], %i
            %done = eq %i, 5u32
            if %done { break 'l }
            %next = add %i, 1u32
            continue 'l %next
         }
         store @y[1u32], 5u32
         ret",
    );
}

#[test]
fn nothing_is_reached_after_what_never_comes_out() {
    cleans(
        "%c = lt 1u32, 2u32
         if %c { store @y[0u32], 1u32 ret } else { store @y[1u32], 1u32 }
         store @y[2u32], 1u32
         ret",
        "store @y[0u32], 1u32 ret",
    );
    becomes(
        "loop 'l (%i: u32 = 0u32, %k: u32 = 1u32) {
            store @y[%i], 3u32
            %done = ge %i, 3u32
            if %done { ret }
            %never = eq %k, 2u32
            if %never { break 'l }
            %j = add %i, 1u32
            continue 'l %j, %k
         }
         store @y[4u32], 1u32
         ret",
        "loop 'l (%i: u32 = 0u32, %k: u32 = 1u32) {
            store @y[%i], 3u32
            %done = ge %i, 3u32
            if %done { ret }
            if false { unreachable }
            %j = add %i, 1u32
            continue 'l %j, 1u32
         }
         unreachable",
    );
}

#[test]
fn an_outer_loop_is_continued_from_an_inner_one() {
    cleans(
        "%r = loop 'a (%i: u32 = 0u32, %k: u32 = 2u32) -> u32 {
            %end = ge %i, 3u32
            if %end { break 'a %k }
            %i2 = add %i, 1u32
            loop 'b (%j: u32 = 0u32) {
                %done = ge %j, 4u32
                %two = eq %k, 2u32
                if %two { if %done { continue 'a %i2, %k } } else { continue 'a %i2, 7u32 }
                %j2 = add %j, 1u32
                continue 'b %j2
            }
            break 'a 9u32
         }
         store @y[0u32], %r
         ret",
        "loop 'a (%i: u32 = 0u32) {
            %end = ge %i, 3u32
            if %end { break 'a }
            %i2 = add %i, 1u32
            loop 'b (%j: u32 = 0u32) {
                %done = ge %j, 4u32
                if %done { continue 'a %i2 }
                %j2 = add %j, 1u32
                continue 'b %j2
            }
            unreachable
         }
         store @y[0u32], 2u32
         ret",
    );
}

#[test]
fn lanes_of_constant_vectors_are_constants() {
    cleans(
        "%v = vec 3u32, 4u32
         %w = vec 5u32, 6u32
         %s = add %v, %w
         %a = extract %s, 1u32
         store @y[0u32], %a
         ret",
        "store @y[0u32], 10u32 ret",
    );
}

#[test]
fn the_local_id_on_an_axis_of_one_is_zero() {
    cleans(
        "%x = local_id.x %y1 = local_id.y %z = local_id.z %a = add %y1, %z store @y[%x], %a ret",
        "%x = local_id.x store @y[%x], 0u32 ret",
    );
}

#[test]
fn what_is_said_to_be_nonuniform_varies() {
    stays("%a = nonuniform add 1u32, 2u32 %b = add %a, 1u32 store @y[0u32], %b ret");
}

/// All invocations come to the barrier with the same `r`, because both branches give the
/// same value. If one gave a constant instead, that could no longer be seen.
#[test]
fn an_exit_keeps_its_operand_beside_exits_that_give_the_same() {
    let body = "%i = local_id.x
         %d = lt %i, 2u32
         %five = eq %n, 5u32
         %c = and %d, %five
         %r = if %c -> u32 { store @y[%i], %n yield %n } else { yield %n }
         %go = lt %r, 9u32
         if %go { barrier }
         ret";
    becomes(body, &body.replace("store @y[%i], %n", "store @y[%i], 5u32"));
}

#[test]
fn effects_around_barriers_keep_their_order() {
    stays(
        "%i = local_id.x
         %a = load u32 @y[%i]
         barrier
         store @y[%i], 5u32
         barrier
         %b = load u32 @y[%i]
         %s = add %a, %b
         store @y[%i], %s
         ret",
    );
}

#[test]
fn many_branches_take_no_noticeable_time() {
    let mut b = crate::builder::Builder::new("k", [64, 1, 1]);
    let mut condition = b.builtin(Builtin::GlobalIdX);
    let number = condition;
    condition = b.op(Op::Lt, &[condition, number]);
    for i in 0..2000u32 {
        let bound = b.u32(i);
        let is = b.op(Op::Eq, &[number, bound]);
        condition = b.op(Op::And, &[condition, is]);
        let (then, otherwise) = (b.region(&[]), b.region(&[]));
        b.enter(then);
        let more = b.op(Op::Add, &[number, bound]);
        b.yield_(&[more]);
        b.leave();
        b.enter(otherwise);
        b.yield_(&[number]);
        b.leave();
        b.if_else(condition, then, otherwise, &[Type::U32]);
    }
    b.ret();
    let mut module = b.into_module(Types::default());
    let start = thread_time();
    assert!(sccp(&mut module.functions[0]));
    let taken = thread_time() - start;
    assert!(taken.as_millis() < 2000, "{taken:?}");
}
