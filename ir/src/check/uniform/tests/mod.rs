//! Barriers that must be accepted, and ones that must not and why.

use crate::check::{Checked, check};
use crate::diag::{Code, Diag, Diags, line_column, render};
use crate::text::parse;

mod phases;
mod private;

const PARAMS: &str = "%n: u32, %flag: bool, @a: [u32], @w: mut [u32], @h: atomic [u32]";

fn judged_with(size: &str, body: &str) -> (String, Result<Checked, Diags>) {
    let source = format!("func kernel workgroup_size({size}) @k({PARAMS}) {{\n{body}\nret\n}}");
    let module = parse(&source).unwrap_or_else(|d| panic!("{}", render(&d, "in", &source)));
    (source, check(module))
}

#[track_caller]
fn accepts(body: &str) {
    accepts_with("64, 1, 1", body);
}

#[track_caller]
fn accepts_with(size: &str, body: &str) {
    let (source, result) = judged_with(size, body);
    if let Err(diags) = result {
        panic!("{}", render(&diags, "in", &source));
    }
}

/// The one report, and the text of the line that each label is at.
#[track_caller]
fn rejects(body: &str) -> (Diag, Vec<(String, String)>) {
    let (source, result) = judged_with("64, 1, 1", body);
    let diags = result.expect_err("a divergent barrier");
    let [diag] = diags.as_slice() else { panic!("{}", render(&diags, "in", &source)) };
    assert_eq!(diag.code, Code::V010);
    let line = |loc: crate::loc::Loc| {
        let (line, _) = line_column(&source, loc.index().expect("a place") as usize);
        source.lines().nth(line - 1).expect("a line").trim().to_owned()
    };
    assert!(line(diag.loc).contains("barrier"), "{}", render(&diags, "in", &source));
    let labels = diag.labels.iter().map(|(loc, text)| (line(*loc), text.clone())).collect();
    (diag.clone(), labels)
}

fn pair(line: &str, text: &str) -> (String, String) {
    (line.to_owned(), text.to_owned())
}

#[test]
fn a_barrier_under_a_condition_on_the_local_id_is_refused() {
    let (diag, labels) = rejects("%l = local_id.x\n%c = lt %l, 63u32\nif %c {\nbarrier\n}");
    let want = [
        pair("%c = lt %l, 63u32", "this condition differs between invocations"),
        pair("%l = local_id.x", "`local_id().x` differs between invocations"),
    ];
    assert_eq!(labels, want);
    assert_eq!(diag.message, "barrier is not reached by every invocation of the workgroup");
    assert_eq!(diag.help.as_deref(), Some("move the barrier out of the `if`"));
}

#[test]
fn a_barrier_after_some_returned_is_refused_and_says_how_to_wrap() {
    let (diag, labels) = rejects("%i = global_id.x\n%c = ge %i, %n\nif %c {\nret\n}\nbarrier");
    let want = [
        pair("ret", "some invocations leave here"),
        pair("%c = ge %i, %n", "this condition differs between invocations"),
        pair("%i = global_id.x", "`global_id().x` differs between invocations"),
    ];
    assert_eq!(labels, want);
    let help = "wrap the code around the barrier in `if i < n { … }` and keep the barrier outside";
    assert_eq!(diag.help.as_deref(), Some(help));
}

#[test]
fn whole_workgroups_may_return() {
    accepts("%i = workgroup_id.x\n%c = ge %i, %n\nif %c {\nret\n}\nbarrier");
}

#[test]
fn a_barrier_under_a_launch_argument_is_accepted() {
    accepts("if %flag {\nbarrier\n}\n%k = len @w\nswitch %k { case 1u32 { barrier } default { } }");
}

/// A loop with `bound` rounds and a barrier in it, as `for` makes it.
fn rounds(prelude: &str, bound: &str) -> String {
    format!(
        "{prelude}\nloop 'l (%j: u32 = 0u32) {{\n%c = lt %j, {bound}\nif %c {{\n}} else {{\nbreak 'l\n}}\n\
         barrier\n%k = add %j, 1u32\ncontinue 'l %k\n}}"
    )
}

#[test]
fn trip_counts_from_read_only_memory_and_arguments_are_uniform() {
    accepts(&rounds("", "%n"));
    accepts(&rounds("%s = load u32 @a[0u32]", "%s"));
    accepts(&rounds("%g = workgroup_id.x\n%s = load u32 @a[%g]", "%s"));
}

#[test]
fn a_trip_count_at_a_divergent_index_is_refused() {
    let (diag, labels) = rejects(&rounds("%g = local_id.x\n%s = load u32 @a[%g]", "%s"));
    let want = [
        pair("break 'l", "some invocations leave the loop here"),
        pair("%c = lt %j, %s", "this condition differs between invocations"),
        pair("%g = local_id.x", "`local_id().x` differs between invocations"),
    ];
    assert_eq!(labels, want);
    let help = "instead of `break`, let every invocation run all rounds, with its work under an `if`";
    assert_eq!(diag.help.as_deref(), Some(help));
}

#[test]
fn a_trip_count_from_writable_memory_is_refused_with_the_cure() {
    let (_, labels) = rejects(&rounds("%s = load u32 @w[0u32]", "%s"));
    let source = "the load from writable buffer `w` may differ: make it read-only or broadcast it";
    assert_eq!(labels.last(), Some(&pair("%s = load u32 @w[0u32]", source)));
}

#[test]
fn an_atomic_result_differs() {
    let (_, labels) = rejects("%s = atomic.add @h[0u32], 1u32\n%c = eq %s, 0u32\nif %c {\nbarrier\n}");
    assert!(labels[1].1.contains("atomic access to `h`"));
}

#[test]
fn a_tree_reduction_is_accepted() {
    accepts(
        "shared @t: [u32; 64]
         %l = local_id.x
         loop 'l (%s: u32 = 32u32) {
           %go = gt %s, 0u32
           if %go { } else { break 'l }
           %c = lt %l, %s
           if %c {
             %m = add %l, %s
             %x = load u32 @t[%l]
             %y = load u32 @t[%m]
             %z = add %x, %y
             store @t[%l], %z
           }
           barrier
           %half = div %s, 2u32
           continue 'l %half
         }",
    );
}

#[test]
fn a_load_of_workgroup_memory_between_barriers_is_uniform() {
    let body = |after: &str| {
        format!(
            "shared @cell: [u32; 1]\n%l = local_id.x\n%z = eq %l, 0u32\nif %z {{\n%x = load u32 @a[0u32]\n\
             store @cell[0u32], %x\n}}\nbarrier\n%s = load u32 @cell[0u32]\n{after}\n%c = lt %s, 3u32\nif %c {{\nbarrier\n}}"
        )
    };
    accepts(&body("barrier"));
    accepts(&body(""));
    let (_, labels) = rejects(&body("store @cell[0u32], 5u32\nbarrier"));
    assert_eq!(labels[1].1, "the load from workgroup memory `cell` may differ: read it with `broadcast`");
}

#[test]
fn a_load_between_two_barriers_is_fine() {
    accepts(
        "shared @s: [u32; 1]
         %l = local_id.x
         %z = eq %l, 0u32
         if %z { store @s[0u32], 1u32 }
         barrier
         %r = load u32 @s[0u32]
         barrier
         store @w[%l], %r
         if %z { store @s[0u32], 2u32 }",
    );
}

#[test]
fn a_uniform_value_set_under_a_divergent_condition_differs() {
    let (_, labels) = rejects(
        "var $x: u32\n%l = local_id.x\n%d = lt %l, 2u32\nif %d {\nset $x, 1u32\n}\n%v = get $x\n\
         %c = ne %v, 0u32\nif %c {\nbarrier\n}",
    );
    let want = [
        pair("%c = ne %v, 0u32", "this condition differs between invocations"),
        pair("if %d {", "`x` depends on the path that an invocation took"),
        pair("%d = lt %l, 2u32", "this condition differs between invocations"),
        pair("%l = local_id.x", "`local_id().x` differs between invocations"),
    ];
    assert_eq!(labels, want);
}

#[test]
fn divergence_that_a_loop_carries_back_is_found() {
    rejects(
        "var $x: u32 var $y: u32 var $z: u32
         %l = local_id.x
         loop 'l (%j: u32 = 0u32) {
           %v = get $x
           %c = ne %v, 0u32
           if %c {
             barrier
           }
           %v2 = get $y
           set $x, %v2
           %v3 = get $z
           set $y, %v3
           set $z, %l
           %e = ge %j, %n
           if %e { break 'l }
           %k = add %j, 1u32
           continue 'l %k
         }",
    );
}

#[test]
fn a_barrier_before_a_divergent_break_is_refused() {
    let (_, labels) = rejects(
        "%l = local_id.x
         loop 'l (%j: u32 = 0u32) {
           barrier
           %c = ge %j, %l
           if %c {
             break 'l
           }
           %k = add %j, 1u32
           continue 'l %k
         }",
    );
    assert_eq!(labels[0], pair("break 'l", "some invocations leave the loop here"));
}

#[test]
fn after_a_loop_that_some_leave_early_all_are_together_again() {
    let body = |after: &str| {
        format!(
            "%l = local_id.x
             %r = loop 'l (%j: u32 = 0u32) -> u32 {{
               %c = ge %j, %l
               if %c {{ break 'l %j }}
               %k = add %j, 1u32
               continue 'l %k
             }}
             {after}"
        )
    };
    accepts(&body("barrier"));
    // What the loop gives is not the same for all.
    rejects(&body("%d = lt %r, 3u32\nif %d {\nbarrier\n}"));
}

#[test]
fn a_divergent_continue_skips_only_the_rest_of_the_body() {
    let body = |head: &str, rest: &str| {
        format!(
            "%l = local_id.x
             loop 'l (%j: u32 = 0u32) {{
               {head}
               %e = ge %j, %n
               if %e {{ break 'l }}
               %k = add %j, 1u32
               %c = lt %l, %j
               if %c {{
                 continue 'l %k
               }}
               {rest}
               continue 'l %k
             }}
             barrier"
        )
    };
    accepts(&body("barrier", ""));
    let (_, labels) = rejects(&body("", "\nbarrier\n"));
    assert_eq!(labels[0].1, "some invocations skip the rest of the loop's body here");
}

#[test]
fn different_operands_of_divergent_continues_differ() {
    rejects(
        "%l = local_id.x
         loop 'l (%j: u32 = 0u32) {
           %e = ge %j, %n
           if %e { break 'l }
           %c = lt %l, 3u32
           if %c { continue 'l 1u32 }
           continue 'l 2u32
         }
         %x = add %n, 1u32
         loop 'm (%j2: u32 = 0u32) {
           %e2 = ge %j2, %n
           barrier
           if %e2 { break 'm }
           %c2 = lt %l, 3u32
           if %c2 { continue 'm 1u32 }
           continue 'm 2u32
         }",
    );
}

#[test]
fn a_divergent_exit_through_two_loops_reaches_both() {
    let body = |outer: &str, after: &str| {
        format!(
            "%l = local_id.x
             loop 'o (%j: u32 = 0u32) {{
               {outer}
               loop 'i (%k: u32 = 0u32) {{
                 %c = lt %l, %k
                 if %c {{ break 'o }}
                 %e = ge %k, %n
                 if %e {{ break 'i }}
                 %k2 = add %k, 1u32
                 continue 'i %k2
               }}
               {after}
               %e2 = ge %j, %n
               if %e2 {{ break 'o }}
               %j2 = add %j, 1u32
               continue 'o %j2
             }}
             barrier"
        )
    };
    accepts(&body("", ""));
    rejects(&body("\nbarrier\n", ""));
    rejects(&body("", "\nbarrier\n"));
}

#[test]
fn a_return_inside_a_loop_ends_it_for_some() {
    let body = |before: &str, after: &str| {
        format!(
            "%l = local_id.x
             {before}
             loop 'o (%j: u32 = 0u32) {{
               %c = lt %l, %j
               if %c {{ ret }}
               %e2 = ge %j, %n
               if %e2 {{ break 'o }}
               %j2 = add %j, 1u32
               continue 'o %j2
             }}
             {after}"
        )
    };
    accepts(&body("barrier", ""));
    let (_, labels) = rejects(&body("", "\nbarrier\n"));
    assert_eq!(labels[0].1, "some invocations leave here");
}

#[test]
fn the_other_branch_of_a_uniform_condition_is_not_affected_by_a_return() {
    accepts("%l = local_id.x\n%c = lt %l, 3u32\nif %flag {\nif %c {\nret\n}\n} else {\nbarrier\n}");
    rejects("%l = local_id.x\n%c = lt %l, 3u32\nif %flag {\nif %c {\nret\n}\n} else {\n}\nbarrier");
}

#[test]
fn branches_that_yield_one_value_give_it_to_all() {
    accepts(
        "%l = local_id.x\n%c = lt %l, 3u32\n%r = if %c -> u32 { yield %n } else { yield %n }\n\
         %d = lt %r, 3u32\nif %d {\nbarrier\n}",
    );
}

#[test]
fn a_private_array_is_as_uniform_as_what_is_stored() {
    let body = |store: &str| {
        format!(
            "private @t: [u32; 4]\n%l = local_id.x\n%z = lt %l, 3u32\n%x = load u32 @t[0u32]\n%c = ne %x, 0u32\n\
             if %c {{\nbarrier\n}}\n{store}"
        )
    };
    accepts(&body("store @t[0u32], %n"));
    let (_, labels) = rejects(&body("store @t[0u32], %l"));
    assert_eq!(labels[1], pair("store @t[0u32], %l", "elements of `t` differ between invocations after this"));
    rejects(&body("store @t[%l], 1u32"));
    rejects(&body("if %z { store @t[0u32], 1u32 }"));
}

#[test]
fn an_axis_of_one_invocation_is_uniform() {
    accepts(
        "%l = local_id.y\n%c = eq %l, 0u32\nif %c {\nbarrier\n}\n%g = global_id.z\n%d = eq %g, 1u32\nif %d {\nbarrier\n}",
    );
    accepts_with("1, 1, 1", "%l = global_id.x\n%x = load u32 @w[%l]\n%c = eq %x, 0u32\nif %c {\nbarrier\n}");
}

#[test]
fn a_divergent_switch_is_refused() {
    let (diag, _) = rejects("%l = local_index\nswitch %l { case 1u32 {\nbarrier\n} default { } }");
    assert_eq!(diag.help.as_deref(), Some("move the barrier out of the `match`"));
}

#[test]
fn every_barrier_has_its_own_report() {
    let (_, result) =
        judged_with("64, 1, 1", "%l = local_id.x\n%c = lt %l, 3u32\nif %c {\nbarrier\nbarrier\n}\nbarrier");
    assert_eq!(result.expect_err("two").as_slice().len(), 2);
}

#[test]
fn facts_say_which_values_are_uniform() {
    let (_, result) = judged_with("64, 1, 1", "%l = local_id.x\n%x = add %n, 1u32\n%y = add %l, 1u32");
    let checked = result.expect("no barrier");
    let (function, facts) = checked.function(0).expect("a function");
    let uniform = |name: &str| {
        let found = function.values.iter().find(|(_, def)| def.name.as_deref() == Some(name));
        facts.uniform[found.expect("the value").0]
    };
    assert_eq!(["n", "l", "x", "y"].map(uniform), [true, false, true, false]);
}

#[test]
fn a_long_chain_through_loops_ends_and_errs_on_the_safe_side() {
    let count = 400;
    let params: Vec<String> = (0..count).map(|i| format!("%p{i}: u32 = 0u32")).collect();
    let next: Vec<String> = (1..count).map(|i| format!("%p{i}")).chain(["%l".to_owned()]).collect();
    rejects(&format!(
        "%l = local_id.x\nloop 'l ({}) {{\n%c = eq %p0, 0u32\nif %c {{\nbarrier\n}}\nif %flag {{ break 'l }}\ncontinue 'l {}\n}}",
        params.join(", "),
        next.join(", ")
    ));
}

#[test]
fn what_was_passed_before_anyone_left_is_shared() {
    // A loop that runs once, as an early return makes it. All that leave from where some
    // leave bring the same value; where all leave at once, another one.
    accepts(
        "%l = local_id.x
         %d = lt %l, 3u32
         %c = eq %n, 1u32
         %r = loop 'once -> u32 {
           if %c { break 'once 7u32 }
           if %d { break 'once %n }
           break 'once %n
         }
         %e = eq %r, 5u32
         if %e { barrier }",
    );
    rejects(
        "%l = local_id.x
         %d = lt %l, 3u32
         %r = loop 'once -> u32 {
           if %d { break 'once 7u32 }
           break 'once %n
         }
         %e = eq %r, 5u32
         if %e {
           barrier
         }",
    );
}

#[test]
fn what_is_passed_on_where_some_continue_is_shared_if_it_is_one_value() {
    accepts(
        "%l = local_id.x
         %d = lt %l, 3u32
         loop 'l (%i: u32 = 0u32, %s: u32 = 1u32) {
           %end = ge %i, 4u32
           if %end { break 'l }
           %e = eq %s, 5u32
           if %e { barrier }
           %next = add %i, 1u32
           %even = eq %n, %i
           if %even { continue 'l %next, 9u32 }
           if %d { continue 'l %next, %i }
           continue 'l %next, %i
         }",
    );
}

#[test]
fn a_difference_is_followed_through_a_hundred_parameters() {
    // Each round of the analysis brings it one parameter further, and the barrier is about
    // another value.
    let names: Vec<String> = (0..150).map(|i| format!("%p{i}")).collect();
    let params: Vec<String> = names.iter().map(|name| format!("{name}: u32 = 0u32")).collect();
    let body = format!(
        "%l = local_id.x
         loop 'l (%i: u32 = 0u32, {}) {{
           %end = ge %i, %n
           if %end {{ break 'l }}
           barrier
           %next = add %i, 1u32
           continue 'l %next, {}, %l
         }}",
        params.join(", "),
        names[1..].join(", "),
    );
    accepts(&body);
}

#[test]
fn what_is_brought_out_of_rounds_of_ones_own_differs() {
    let body = |value: &str| {
        format!(
            "%l = local_id.x
             %r = loop 'once -> u32 {{
               loop 'i (%k: u32 = 0u32) {{
                 %c = eq %l, %k
                 if %c {{ break 'once {value} }}
                 %next = add %k, 1u32
                 continue 'i %next
               }}
               unreachable
             }}
             %e = eq %r, 5u32
             if %e {{ barrier }}"
        )
    };
    rejects(&body("%k"));
    accepts(&body("%n"));
}

#[test]
fn arithmetic_that_a_difference_does_not_survive_is_uniform() {
    for condition in [
        "%g = global_id.x %b = div %g, 64u32 %c = eq %b, %n",
        "%g = global_id.x %b = shr %g, 6u32 %c = eq %b, %n",
        "%l = local_id.x %b = mul %l, 0u32 %c = eq %b, %n",
        "%l = local_id.x %b = sub %l, %l %c = eq %b, %n",
        "%l = local_id.x %b = mul %l, 4u32 %d = and %b, 3u32 %c = eq %d, %n",
        "%l = local_id.x %c = lt %l, 64u32",
        "%g = global_id.x %c = lt %g, 640u32",
    ] {
        accepts(&format!("{condition} if %c {{ barrier }}"));
    }
    for condition in [
        "%g = global_id.x %b = div %g, 32u32 %c = eq %b, %n",
        "%l = local_id.x %b = mul %l, 4u32 %d = and %b, 7u32 %c = eq %d, %n",
        "%l = local_id.x %c = lt %l, 63u32",
        "%g = global_id.x %c = lt %g, 641u32",
        "%g = global_id.x %c = lt %g, %n",
    ] {
        rejects(&format!("{condition}\nif %c {{\nbarrier\n}}"));
    }
}

#[test]
fn equal_values_on_both_ways_are_one() {
    accepts(
        "%l = local_id.x %d = lt %l, 3u32
         %r = if %d -> u32 { %a = add %n, 1u32 yield %a } else { %b = add %n, 1u32 yield %b }
         %e = lt %r, 3u32
         if %e { barrier }",
    );
    rejects(
        "%l = local_id.x %d = lt %l, 3u32
         %r = if %d -> u32 { %a = add %n, 1u32 yield %a } else { %b = add %n, 2u32 yield %b }
         %e = lt %r, 3u32
         if %e {
           barrier
         }",
    );
}

#[test]
fn workgroup_memory_is_steady_where_its_phase_has_no_store() {
    let body = |rest: &str| {
        format!(
            "shared @s: [u32; 4]\n%l = local_id.x\nstore @s[0u32], %l\nbarrier\n%v = load u32 @s[0u32]\n\
             %c = lt %v, 3u32\nif %c {{\nbarrier\n}}\n{rest}"
        )
    };
    accepts(&body(""));
    accepts(&body("barrier\nstore @s[0u32], %l"));
    rejects(&body("store @s[1u32], %l"));
}

#[test]
fn a_barrier_that_nobody_comes_to_is_accepted() {
    accepts("%l = local_id.x %d = lt %l, 3u32 if %d { ret } else { ret } barrier");
}

// Subgroups.

/// The one report of a subgroup op.
#[track_caller]
fn rejects_subgroup(size: &str, body: &str) -> Diag {
    let (source, result) = judged_with(size, body);
    let diags = result.expect_err("a divergent subgroup op");
    let [diag] = diags.as_slice() else { panic!("{}", render(&diags, "in", &source)) };
    assert_eq!(diag.code, Code::V400);
    diag.clone()
}

#[test]
fn a_subgroup_op_is_for_the_whole_subgroup() {
    accepts("%s = subgroup_id\n%c = eq %s, 0u32\nif %c {\n%r = subgroup.add %n\n}");
    let diag = rejects_subgroup("64, 1, 1", "%l = local_id.x\n%c = eq %l, 0u32\nif %c {\n%r = subgroup.add %n\n}");
    assert_eq!(diag.message, "subgroup operation is not reached by every invocation of the subgroup");
    let labels: Vec<&str> = diag.labels.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(labels, ["this condition differs between invocations", "`local_id().x` differs between invocations"]);
    assert_eq!(diag.help.as_deref(), Some("move the operation out of the `if`"));
}

/// Whether an operation may stand under a condition that this number decides.
fn may_decide(size: &str, number: &str) -> bool {
    let body = format!("{number}\n%c = eq %s, 1u32\nif %c {{\n%r = subgroup.add %n\n}}");
    judged_with(size, &body).1.is_ok()
}

#[test]
fn what_a_subgroup_shares_follows_from_the_size_of_the_workgroup() {
    let shared = [
        ("64, 1, 1", "%s = subgroup_id"),
        ("64, 1, 1", "%l = local_index\n%s = div %l, 32u32"),
        ("64, 1, 1", "%l = global_id.x\n%s = shr %l, 5u32"),
        ("64, 1, 1", "%l = global_id.x\n%m = rem %l, 32u32\n%s = sub %l, %m"),
        ("64, 1, 1", "%l = global_id.x\n%m = and %l, 31u32\n%s = sub %l, %m"),
        ("96, 1, 1", "%l = global_id.x\n%s = div %l, 32u32"),
        ("100, 1, 1", "%l = local_id.x\n%s = div %l, 32u32"),
        ("32, 8, 1", "%s = local_id.y"),
        ("32, 3, 1", "%s = global_id.y"),
        ("16, 8, 1", "%l = local_id.y\n%s = div %l, 2u32"),
        ("16, 8, 1", "%l = global_id.y\n%s = div %l, 2u32"),
        ("16, 6, 2", "%l = global_id.y\n%s = div %l, 2u32"),
        ("8, 4, 3", "%s = local_id.z"),
        ("64, 1, 1", "%g = workgroup_id.x\n%t = subgroup_id\n%s = add %g, %t"),
        ("64, 1, 1", "%t = subgroup_id\n%s = load u32 @a[%t]"),
        ("64, 1, 1", "%l = local_index\n%s = subgroup.max %l"),
        ("64, 1, 1", "%l = load u32 @w[0u32]\n%s = subgroup.broadcast_first %l"),
    ];
    for (size, number) in shared {
        assert!(may_decide(size, number), "{size}: {number}");
    }
    let own = [
        ("64, 1, 1", "%s = subgroup_lane"),
        ("64, 1, 1", "%l = local_index\n%s = div %l, 16u32"),
        ("64, 1, 1", "%l = global_id.x\n%m = rem %l, 16u32\n%s = sub %l, %m"),
        ("64, 1, 1", "%l = global_id.x\n%k = local_index\n%m = rem %k, 32u32\n%s = sub %l, %m"),
        ("100, 1, 1", "%l = global_id.x\n%s = div %l, 32u32"),
        ("24, 4, 1", "%s = local_id.y"),
        ("16, 8, 1", "%s = local_id.y"),
        ("16, 3, 2", "%l = local_id.y\n%s = div %l, 2u32"),
        ("16, 3, 1", "%l = global_id.y\n%s = div %l, 2u32"),
        ("8, 3, 4", "%s = local_id.z"),
        ("64, 1, 1", "%t = subgroup_id\n%s = load u32 @w[%t]"),
        ("64, 1, 1", "%l = local_index\n%s = subgroup.inclusive_add %l"),
    ];
    for (size, number) in own {
        assert!(!may_decide(size, number), "{size}: {number}");
    }
}

#[test]
fn what_all_lanes_get_is_uniform_where_a_workgroup_is_one_subgroup() {
    let shared = ["add %l", "min %l", "broadcast_first %l", "ballot %b", "any %b", "all %b", "broadcast %l, %n"];
    let own = ["inclusive_add %l", "exclusive_add %l", "shuffle %l, %n", "shuffle_up %l, 1u32", "broadcast %l, %l"];
    let body = |op: &str| {
        let head = format!("%l = local_index\n%b = lt %l, 3u32\n%r = subgroup.{op}\n");
        let bool = op.starts_with("any") || op.starts_with("all");
        let test = if bool { "%c = and %r, true" } else { "%c = eq %r, 1u32" };
        format!("{head}{test}\nif %c {{\nbarrier\n}}")
    };
    for op in shared {
        accepts_with("32, 1, 1", &body(op));
        accepts_with("4, 4, 2", &body(op));
        assert!(judged_with("33, 1, 1", &body(op)).1.is_err(), "{op}");
    }
    for op in own {
        assert!(judged_with("32, 1, 1", &body(op)).1.is_err(), "{op}");
    }
}

#[test]
fn the_number_of_subgroups_is_uniform_and_the_lane_is_not() {
    let body = |builtin: &str| format!("%s = {builtin}\n%c = eq %s, 1u32\nif %c {{\nbarrier\n}}");
    accepts_with("100, 1, 1", &body("num_subgroups"));
    accepts_with("8, 4, 1", &body("subgroup_id"));
    assert!(judged_with("8, 4, 2", &body("subgroup_id")).1.is_err());
    assert!(judged_with("8, 4, 1", &body("subgroup_lane")).1.is_err());
}
