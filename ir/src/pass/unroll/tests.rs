//! What unrolling makes of loops. Every test also runs the kernel before and after, on
//! a few inputs, and asserts that the buffer holds equal bytes.

use super::{MAX_SIZE, MAX_SIZE_ASKED, unmet, unroll};
use crate::check::{Checked, check, check_image};
use crate::diag::{Code, render};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Function, InstKind, MAX_NESTING};
use crate::pass::optimize;
use crate::text::{parse, print};
use std::fmt::Write;

const LEN: u32 = 64;

/// The bytes of `@y` after a launch of two groups with this `%n`.
fn bytes(checked: &Checked, n: u32) -> Vec<u8> {
    let memory: Vec<u8> = (0..LEN).flat_map(|i| (i * 7 % 11).to_le_bytes()).collect();
    let words = Words::from_bytes(&memory);
    let args = [Arg::Scalar([n.into(), 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: LEN }];
    let program = Program::new(checked, 0).expect("a function");
    let options = Options { threads: 1, max_steps: Some(1 << 22) };
    program.run([2, 1, 1], &args, &options).expect("no fault");
    words.read(0..words.bytes())
}

#[track_caller]
fn checked(body: &str) -> Checked {
    let source = format!("func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{\n{body}\n}}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", render(&diags, "text", &source)));
    check(module).unwrap_or_else(|diags| panic!("{}", render(&diags, "text", &source)))
}

/// A body after unrolling alone, or after all passes.
#[track_caller]
fn after(body: &str, pass: impl Fn(Checked) -> Checked) -> Checked {
    let before = checked(body);
    let after = pass(before.clone());
    for n in [0, 1, 2, 3, 5, 8, u32::MAX] {
        assert_eq!(bytes(&after, n), bytes(&before, n), "for {n}:\n{}", print(after.module()));
    }
    after
}

fn alone(checked: Checked) -> Checked {
    let mut module = checked.into_flat_module();
    unroll(&mut module.functions[0]);
    check_image(module).expect("a sound module")
}

fn function(checked: &Checked) -> &Function {
    &checked.module().functions[0]
}

fn count(checked: &Checked, of: impl Fn(&InstKind) -> bool) -> usize {
    function(checked).insts.iter().filter(|(_, def)| of(&def.kind)).count()
}

/// The loops that come round again.
fn repeating(checked: &Checked) -> usize {
    let function = function(checked);
    let mut targets: Vec<usize> = Vec::new();
    for (_, def) in function.insts.iter() {
        if let InstKind::Continue(target, _) = def.kind {
            targets.push(target.index());
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets.len()
}

fn loops(checked: &Checked) -> usize {
    count(checked, |kind| matches!(kind, InstKind::Loop { .. }))
}

fn stores(checked: &Checked) -> usize {
    count(checked, |kind| matches!(kind, InstKind::Store(..)))
}

#[track_caller]
fn becomes(body: &str, expected: &str) {
    let actual = print(after(body, optimize).module());
    let expected = print(checked(expected).module());
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

#[test]
fn a_loop_of_few_rounds_becomes_its_bodies() {
    becomes(
        "loop 'l (%i: u32 = 0u32) {
            %d = ge %i, 3u32
            if %d { break 'l }
            store @y[%i], %n
            %j = add %i, 1u32
            continue 'l %j
        }
        ret",
        "store @y[0u32], %n
        store @y[1u32], %n
        store @y[2u32], %n
        ret",
    );
}

#[test]
fn a_test_at_the_tail_needs_no_further_copy() {
    becomes(
        "loop 'l (%i: u32 = 3u32) {
            store @y[%i], %n
            %d = eq %i, 1u32
            if %d { break 'l }
            %j = sub %i, 1u32
            continue 'l %j
        }
        ret",
        "store @y[3u32], %n
        store @y[2u32], %n
        store @y[1u32], %n
        ret",
    );
}

#[test]
fn a_loop_that_is_left_at_once_goes() {
    becomes(
        "loop 'l (%i: u32 = 5u32) {
            %d = ge %i, 3u32
            if %d { break 'l }
            store @y[%i], %n
            %j = add %i, 1u32
            continue 'l %j
        }
        ret",
        "ret",
    );
}

#[test]
fn parameters_change_places_all_at_once() {
    becomes(
        "%x = load u32 @y[2u32]
        %r, %s = loop 'l (%i: u32 = 0u32, %a: u32 = %n, %b: u32 = %x) -> u32, u32 {
            %d = ge %i, 3u32
            if %d { break 'l %a, %b }
            %j = add %i, 1u32
            continue 'l %j, %b, %a
        }
        store @y[0u32], %r
        store @y[1u32], %s
        ret",
        "%x = load u32 @y[2u32]
        store @y[0u32], %x
        store @y[1u32], %n
        ret",
    );
}

#[test]
fn each_copy_has_its_own_values() {
    becomes(
        "%r = loop 'l (%i: u32 = 1u32, %a: u32 = %n) -> u32 {
            %d = gt %i, 3u32
            if %d { break 'l %a }
            %m = mul %a, %a
            %e = xor %m, %i
            %j = add %i, 1u32
            continue 'l %j, %e
        }
        store @y[0u32], %r
        ret",
        "%m = mul %n, %n
        %e = xor %m, 1u32
        %m.1 = mul %e, %e
        %e.1 = xor %m.1, 2u32
        %m.2 = mul %e.1, %e.1
        %e.2 = xor %m.2, 3u32
        store @y[0u32], %e.2
        ret",
    );
}

/// A loop that skips the rest of a round and one that leaves early.
const JUMPS: &str = "%r = loop 'l (%i: u32 = 0u32, %a: u32 = 1u32) -> u32 {
        %d = ge %i, 6u32
        if %d { break 'l %a }
        %j = add %i, 1u32
        %v = load u32 @y[%i]
        %c = eq %v, %n
        if %c { %b = mul %a, 3u32 continue 'l %j, %b }
        %e = eq %a, 27u32
        if %e { break 'l 99u32 }
        store @y[%i], %a
        %k = add %a, %v
        continue 'l %j, %k
    }
    store @y[63u32], %r
    ret";

#[test]
fn other_jumps_lead_to_the_next_copy_or_to_the_end() {
    let unrolled = after(JUMPS, optimize);
    assert_eq!(repeating(&unrolled), 0, "{}", print(unrolled.module()));
    assert_eq!(stores(&unrolled), 7);
}

#[test]
fn what_leaves_an_outer_loop_or_the_function_still_does() {
    let body = "loop 'o (%k: u32 = 0u32) {
            %f = ge %k, %n
            if %f { break 'o }
            %l = add %k, 1u32
            loop 'i (%i: u32 = 0u32) {
                %d = ge %i, 4u32
                if %d { break 'i }
                %v = load u32 @y[%i]
                %a = eq %v, 7u32
                if %a { continue 'o %l }
                %b = eq %v, 2u32
                if %b { break 'o }
                %c = eq %v, 9u32
                if %c { ret }
                %w = add %v, 1u32
                store @y[%i], %w
                %j = add %i, 1u32
                continue 'i %j
            }
            continue 'o %l
        }
        store @y[9u32], 5u32
        ret";
    let unrolled = after(body, optimize);
    assert_eq!(repeating(&unrolled), 1, "{}", print(unrolled.module()));
    assert_eq!(stores(&unrolled), 5);
}

#[test]
fn nested_loops_are_unrolled_from_within() {
    let body = "loop 'o (%k: u32 = 0u32) {
            %f = ge %k, 3u32
            if %f { break 'o }
            %l = add %k, 1u32
            loop 'i (%i: u32 = 0u32) {
                %d = ge %i, %k
                if %d { break 'i }
                %s = mul %k, 8u32
                %p = add %s, %i
                store @y[%p], %n
                %j = add %i, 1u32
                continue 'i %j
            }
            continue 'o %l
        }
        ret";
    // The inner bound is a constant only once the outer loop is unrolled.
    becomes(body, "store @y[8u32], %n store @y[16u32], %n store @y[17u32], %n ret");
}

#[test]
fn barriers_stay_where_they_are() {
    let body = "shared @s: [u32; 2]
        %t = local_id.x
        loop 'l (%i: u32 = 1u32) {
            %d = eq %i, 0u32
            if %d { break 'l }
            %v = load u32 @s[%i]
            %w = add %v, %n
            barrier
            store @s[%t], %w
            barrier
            %j = shr %i, 1u32
            continue 'l %j
        }
        %r = load u32 @s[%t]
        %g = global_id.x
        store @y[%g], %r
        ret";
    let unrolled = after(&body.replace("= 1u32)", "= 8u32)"), optimize);
    assert_eq!(loops(&unrolled), 0);
    assert_eq!(count(&unrolled, |kind| matches!(kind, InstKind::Barrier)), 8);
}

#[test]
fn ifs_bring_continues_together() {
    becomes(
        "%r = loop 'l (%i: u32 = 0u32, %a: u32 = %n) -> u32 {
            %d = ge %i, 2u32
            if %d { break 'l %a }
            %j = add %i, 1u32
            %c = gt %a, 9u32
            %v = if %c -> u32 {
                store @y[0u32], %i
                continue 'l %j, 7u32
            } else { yield %a }
            %w = mul %v, 3u32
            continue 'l %j, %w
        }
        store @y[1u32], %r
        ret",
        "%c = gt %n, 9u32
        %a = if %c -> u32 {
            store @y[0u32], 0u32
            yield 7u32
        } else {
            %w = mul %n, 3u32
            yield %w
        }
        %c.1 = gt %a, 9u32
        %a.1 = if %c.1 -> u32 {
            store @y[0u32], 1u32
            yield 7u32
        } else {
            %w.1 = mul %a, 3u32
            yield %w.1
        }
        store @y[1u32], %a.1
        ret",
    );
}

/// A loop whose rounds some invocations cut short, and after it a barrier that depends on
/// a value that the ends of a round pass on as it is.
fn cut_short(cut: &str, barrier: &str) -> String {
    format!(
        "%t = local_id.x
        %g = global_id.x
        %r = loop 'l (%i: u32 = 0u32, %u: u32 = %n) -> u32 {{
            %d = ge %i, 3u32
            if %d {{ break 'l %u }}
            %j = add %i, 1u32
            %c = eq %t, %i
            if %c {{ {cut} }}
            store @y[%g], %i
            continue 'l %j, %u
        }}
        %p = eq %r, 3u32
        if %p {{ {barrier} store @y[%g], 8u32 }}
        ret"
    )
}

#[test]
fn barriers_may_depend_on_what_is_the_same_at_all_ends_of_a_round() {
    assert_eq!(repeating(&after(&cut_short("continue 'l %j, %u", "barrier"), alone)), 0);
}

#[test]
fn where_ifs_do_not_suffice_loops_with_barriers_after_them_are_kept() {
    let inside = "%e = eq %n, 2u32 if %e { continue 'l %j, %u } store @y[%g], 9u32";
    assert_eq!(repeating(&after(&cut_short(inside, "barrier"), alone)), 1);
    assert_eq!(repeating(&after(&cut_short(inside, ""), alone)), 0);
}

#[test]
fn many_rounds_share_a_test() {
    let body = |rounds: u32| {
        format!(
            "loop 'l (%i: u32 = 0u32) {{
                %v = load u32 @y[%i]
                %w = add %v, %i
                %e = add %w, %n
                store @y[%i], %e
                %d = eq %i, {}u32
                if %d {{ break 'l }}
                %j = add %i, 1u32
                continue 'l %j
            }}
            ret",
            rounds - 1
        )
    };
    // Rounds that are no multiple of the copies, too.
    for rounds in [300, 301, 302, 303] {
        let unrolled = after(&body(rounds), optimize);
        assert_eq!(repeating(&unrolled), 1);
        assert_eq!(stores(&unrolled), 4);
        assert_eq!(count(&unrolled, |kind| matches!(kind, InstKind::If { .. })), 1);
    }
}

#[test]
fn as_many_copies_as_asked_also_where_nothing_is_known() {
    let body = "loop unroll(3) 'l (%i: u32 = 0u32) {
            %d = ge %i, %n
            if %d { break 'l }
            %e = ge %i, 60u32
            if %e { ret }
            store @y[%i], %i
            %j = add %i, 1u32
            continue 'l %j
        }
        store @y[63u32], 1u32
        ret";
    let unrolled = after(body, optimize);
    assert_eq!(repeating(&unrolled), 1);
    assert_eq!(stores(&unrolled), 4);
    assert!(unmet(&unrolled).is_empty());
    // Once is enough.
    assert_eq!(stores(&after(body, |checked| alone(alone(checked)))), 4);
}

#[test]
fn several_copies_with_jumps_inside() {
    for copies in 2..6 {
        let body = JUMPS.replace("loop 'l", &format!("loop unroll({copies}) 'l")).replace("6u32", "50u32");
        let unrolled = after(&body, alone);
        assert_eq!(repeating(&unrolled), 1);
        assert_eq!(stores(&unrolled), copies + 1);
    }
}

#[test]
fn what_is_asked_never_to_be_unrolled_is_not() {
    let body = "loop unroll(never) 'l (%i: u32 = 0u32) {
            %d = ge %i, 3u32
            if %d { break 'l }
            store @y[%i], %n
            %j = add %i, 1u32
            continue 'l %j
        }
        ret";
    assert_eq!(repeating(&after(body, optimize)), 1);
}

/// A loop of so many rounds and stores in each.
fn large(asked: &str, rounds: usize, stores: usize) -> String {
    let mut body = format!("loop {asked} 'l (%i: u32 = 0u32) {{ %d = ge %i, {rounds}u32 if %d {{ break 'l }}\n");
    for i in 0..stores {
        let _ = writeln!(body, "store @y[{}u32], %n", i % 64);
    }
    body + "%j = add %i, 1u32 continue 'l %j } ret"
}

#[test]
fn large_loops_are_left_alone_unless_asked() {
    assert_eq!(stores(&after(&large("", 9, 50), alone)), 10 * 50);
    assert_eq!(stores(&after(&large("", 9, 100), alone)), 100);
    assert_eq!(stores(&after(&large("unroll", 9, 100), alone)), 10 * 100);
}

#[test]
fn a_private_array_that_would_become_values_is_worth_more() {
    let text = |root: &str| {
        format!(
            "private @own: [u32; 64]
            %q = and %n, 63u32
            loop 'l (%i: u32 = 0u32) {{
                %d = ge %i, 60u32
                if %d {{ break 'l }}
                %v = load u32 {root}[%i]
                %a = add %v, %n
                %b = mul %a, %v
                %c = xor %b, %n
                %e = add %c, %v
                %f = mul %e, %b
                %g = xor %f, %c
                %h = add %g, %a
                store {root}[%i], %h
                store @own[%q], %e
                %j = add %i, 1u32
                continue 'l %j
            }}
            %w = load u32 @own[%q]
            store @y[0u32], %w
            ret"
        )
    };
    assert_eq!(repeating(&after(&text("@own"), alone)), 0);
    assert_eq!(repeating(&after(&text("@y"), alone)), 1);
}

#[test]
fn the_function_stays_within_its_limits() {
    let mut body = String::new();
    for i in 0..1200 {
        let _ = writeln!(
            body,
            "loop 'l (%i{i}: u32 = 0u32) {{ %d{i} = ge %i{i}, 30u32 if %d{i} {{ break }}
            store @y[%i{i}], %n  %j{i} = add %i{i}, 1u32 continue %j{i} }}"
        );
    }
    let unrolled = optimize(checked(&(body + "ret")));
    let size = count(&unrolled, |kind| !matches!(kind, InstKind::Unreachable));
    assert!(size <= MAX_SIZE, "{size}");
    assert!(repeating(&unrolled) > 0);
}

#[track_caller]
fn refusal(body: &str) -> (Code, String) {
    let unmet = unmet(&after(body, optimize));
    let [diag] = unmet.as_slice() else { panic!("{unmet:?}") };
    (diag.code, diag.message.clone())
}

#[test]
fn what_was_asked_and_cannot_be_done_is_told() {
    let endless = "loop unroll 'l (%i: u32 = 0u32) {
            %d = ge %i, %n
            if %d { break 'l }
            %e = ge %i, 9u32
            %f = and %d, %e
            %j = add %i, 1u32
            %g = gt %i, %n
            if %g { ret }
            continue 'l %j
        }
        ret";
    let message = "cannot unroll this loop: its number of rounds is not a constant";
    assert_eq!(refusal(&endless.replace("u32 = 0u32", "u32 = %n")), (Code::V109, message.to_owned()));
    let rounds = MAX_SIZE_ASKED / 5;
    let message = format!("cannot unroll this loop: the kernel would have more than {MAX_SIZE_ASKED} instructions");
    assert_eq!(refusal(&large("unroll", rounds, 1)), (Code::V109, message));
    let fulfilled = ["loop unroll { break } ret".to_owned(), large("unroll", 3, 1), large("unroll(9)", 3, 1)];
    for body in fulfilled {
        assert!(unmet(&after(&body, optimize)).is_empty(), "{body}");
    }
}

/// A loop that does something in each of so many rounds.
fn doing(rounds: u32, what: &str) -> String {
    format!(
        "%w = cast %n to f64 %q = cast %n to u64
         loop 'l (%i: u32 = 0u32, %s: f64 = %w, %t: u64 = %q) {{
            %d = ge %i, {rounds}u32
            if %d {{ break 'l }}
            {what}
            %j = add %i, 1u32
            continue 'l %j, %s, %t
         }}
         ret"
    )
}

#[test]
fn what_is_expensive_to_compile_is_not_multiplied_unasked() {
    let ballots = "%p = eq %n, %i %b = subgroup.ballot %p store @y[%i], %b\n";
    let expensive = [
        ("ballots", ballots.to_owned(), 4),
        ("sums of a subgroup", "%b = subgroup.add %n store @y[%i], %b".to_owned(), 1),
        ("f64", "%a = mul %s, %w %b = cast %a to u32 store @y[%i], %b".to_owned(), 7),
        ("divisions of u64", "%a = div %t, %q %b = cast %a to u32 store @y[%i], %b".to_owned(), 15),
        ("barriers", "barrier store @y[%i], %n barrier".to_owned(), 30),
    ];
    for (what, body, rounds) in expensive {
        let more = if what == "barriers" { 63 } else { 5 * rounds };
        assert_eq!(repeating(&optimize(checked(&doing(rounds, &body)))), 0, "few {what}");
        assert_eq!(repeating(&optimize(checked(&doing(more, &body)))), 1, "many {what}");
        let asked = doing(more, &body).replace("loop 'l", "loop unroll 'l");
        assert_eq!(repeating(&optimize(checked(&asked))), 0, "{what} that somebody asked for");
    }
    // What folds is no cost.
    let known = "%u = cast %i to u64 %a = div 1000u64, %u %b = cast %a to u32 store @y[%i], %b";
    assert_eq!(repeating(&optimize(checked(&doing(60, known)))), 0);
    // An outer loop multiplies what the inner one has.
    let inner = "loop 'm (%k: u32 = 0u32) {
            %e = ge %k, 4u32
            if %e { break 'm }
            %p = eq %n, %k
            %b = subgroup.ballot %p
            store @y[%i], %b
            %h = add %k, 1u32
            continue 'm %h
         }";
    let nested = doing(4, inner);
    assert_eq!(repeating(&optimize(checked(&nested))), 1);
}

#[test]
fn inner_loops_may_start_the_next_round_and_test_for_the_last() {
    // As `'l: for i in (0..4).rev()` is, with `continue 'l` in a loop inside.
    let body = "loop unroll 'l (%i: u32 = 3u32, %s: u32 = 0u32) {
            loop 'm (%j: u32 = 0u32) {
               %e = ge %j, %n
               if %e { break 'm }
               %v = load u32 @y[%j]
               %c = eq %v, %i
               if %c {
                  %z = eq %i, 0u32
                  if %z { store @y[60u32], %s break 'l }
                  %h = sub %i, 1u32
                  continue 'l %h, %s
               }
               %k = add %j, 1u32
               continue 'm %k
            }
            %t = add %s, %i
            %z.1 = eq %i, 0u32
            if %z.1 { store @y[61u32], %t break 'l }
            %h.1 = sub %i, 1u32
            continue 'l %h.1, %t
         }
         ret";
    assert_eq!(repeating(&after(body, alone)), 4, "only the inner loops");
    assert!(unmet(&after(body, optimize)).is_empty());
    // A jump within the inner loop ends no round.
    let stays = body.replace("if %z { store @y[60u32], %s break 'l }", "if %z { break 'm }");
    assert_eq!(refusal(&stays).0, Code::V109);
}

/// So is a request that was taken back because of a barrier, here by doing no pass at all.
#[test]
fn what_was_taken_back_is_told() {
    let body = large("unroll", 3, 1);
    let messages = [body.clone(), format!("barrier {body}")].map(|body| {
        let unmet = unmet(&checked(&body));
        unmet.as_slice().first().map(|diag| diag.message.clone())
    });
    let why = [
        "it would be nested too deeply",
        "the checks could no longer prove that all invocations reach the same barriers",
    ];
    assert_eq!(messages, why.map(|why| Some(format!("cannot unroll this loop: {why}"))));
}

#[test]
fn a_loop_with_very_many_continues_is_told_so() {
    let mut body =
        "loop unroll 'l (%i: u32 = 0u32) { %d = ge %i, 3u32 if %d { break 'l } %j = add %i, 1u32\n".to_owned();
    for i in 0..200 {
        let _ = writeln!(body, "%c{i} = eq %n, {i}u32 if %c{i} {{ store @y[1u32], {i}u32 continue 'l %j }}");
    }
    let message = "cannot unroll this loop: its next round begins from more than 128 places";
    assert_eq!(refusal(&(body + "continue 'l %j } ret")), (Code::V109, message.to_owned()));
}

#[test]
fn a_loop_that_is_gone_asks_for_nothing() {
    let body =
        "if false { loop unroll 'l { %v = load u32 @y[0u32] %c = eq %v, %n if %c { break 'l } continue 'l } } ret";
    assert!(unmet(&after(body, optimize)).is_empty());
}

/// What no `if` brings together with the end of the round.
const NESTED: &str = "{ %e = eq %n, 1u32 if %e { continue 'l %j } store @y[%i], 2u32 }";

#[test]
fn deep_nesting_is_no_reason_to_fail() {
    for depth in MAX_NESTING - 9..MAX_NESTING {
        // The body's copies need loops around them.
        let inner = "loop 'l (%i: u32 = 0u32) {
                %j = add %i, 1u32
                %d = ge %i, 3u32
                if %d { break 'l }
                %v = load u32 @y[%i]
                %c = eq %v, %n
                if %c {{ continue 'l %j }
                store @y[%i], 1u32
                continue 'l %j
            }";
        let inner = inner.replace("{{ continue 'l %j }", ["{ continue 'l %j }", NESTED][depth % 2]);
        let body = "if %p { ".repeat(depth - 3) + &inner + &" }".repeat(depth - 3) + " ret";
        let source = format!("%p = ne %n, 0u32 {body}");
        after(&source, alone);
    }
}
