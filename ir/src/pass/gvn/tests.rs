//! What value numbering makes one, and what it keeps apart.

use crate::check::{Checked, check};
use crate::clock::thread_time;
use crate::pass::tests::{after, becomes, kernel, named};
use crate::text::{parse, print};

/// Asserts what value numbering makes of a body.
#[track_caller]
fn numbers(body: &str, expected: &str) {
    becomes(body, named("gvn"), expected);
}

#[track_caller]
fn stays(body: &str) {
    numbers(body, body);
}

// Ops.

#[test]
fn an_op_on_the_same_operands_is_computed_once() {
    numbers(
        "%a = mul %n, 3u32
         %c = mul %n, 3u32
         %d = add %a, %c
         %e = add %c, %a
         store @y[0u32], %d
         store @y[1u32], %e
         ret",
        "%a = mul %n, 3u32
         %d = add %a, %a
         store @y[0u32], %d
         store @y[1u32], %d
         ret",
    );
}

#[test]
fn operands_of_commutative_ops_have_no_order() {
    numbers(
        "%g = add %f, 1.5f32
         %h = add 1.5f32, %f
         %p = sub %f, 1.5f32
         %q = sub 1.5f32, %f
         %r = add %g, %h
         %t = mul %p, %q
         %u = add %r, %t
         %v = bitcast %u to u32
         store @y[0u32], %v
         ret",
        "%g = add %f, 1.5f32
         %p = sub %f, 1.5f32
         %q = sub 1.5f32, %f
         %r = add %g, %g
         %t = mul %p, %q
         %u = add %r, %t
         %v = bitcast %u to u32
         store @y[0u32], %v
         ret",
    );
}

#[test]
fn a_comparison_is_its_mirror_image() {
    numbers(
        "%a = lt %f, 2.0f32
         %c = gt 2.0f32, %f
         %d = ge %f, 2.0f32
         %e = le 2.0f32, %f
         %p = and %a, %c
         %q = or %d, %e
         %r = xor %p, %q
         %z = cast %r to u32
         store @y[0u32], %z
         ret",
        "%a = lt %f, 2.0f32
         %d = ge %f, 2.0f32
         %p = and %a, %a
         %q = or %d, %d
         %r = xor %p, %q
         %z = cast %r to u32
         store @y[0u32], %z
         ret",
    );
}

#[test]
fn results_of_different_types_stay_apart() {
    stays("%a = cast %f to u32 %c = cast %f to i32 %d = cast %c to u32 store @y[0u32], %a store @y[1u32], %d ret");
}

#[test]
fn lengths_ids_and_vectors_are_computed_once() {
    numbers(
        "%l = len @y
         %m = len @y
         %i = global_id.x
         %j = global_id.x
         %k = global_id.y
         %v = vec %l, 1u32
         %w = vec %m, 1u32
         %p = add %v, %w
         %q = extract %p, 0u32
         %r = add %i, %j
         %t = add %r, %k
         %u = add %q, %t
         store @y[0u32], %u
         ret",
        "%l = len @y
         %i = global_id.x
         %k = global_id.y
         %v = vec %l, 1u32
         %p = add %v, %v
         %q = extract %p, 0u32
         %r = add %i, %i
         %t = add %r, %k
         %u = add %q, %t
         store @y[0u32], %u
         ret",
    );
}

#[test]
fn a_value_is_seen_in_the_regions_below_and_not_beside() {
    numbers(
        "%a = mul %n, %n
         if %b { %c = mul %n, %n %d = add %c, 1u32 store @y[0u32], %d }
         else { %g = add %a, 1u32 store @y[1u32], %g }
         %e = add %a, 1u32
         store @y[2u32], %e
         ret",
        "%a = mul %n, %n
         if %b { %d = add %a, 1u32 store @y[0u32], %d }
         else { %g = add %a, 1u32 store @y[1u32], %g }
         %e = add %a, 1u32
         store @y[2u32], %e
         ret",
    );
}

#[test]
fn what_a_round_computes_anew_stays() {
    stays(
        "%s0 = add %n, 1u32
         loop 'l (%i: u32 = 0u32) {
            %j = add %i, 1u32
            %k = add %j, 1u32
            store @y[%i], %k
            %done = ge %j, 4u32
            if %done { break 'l }
            continue 'l %j
         }
         store @y[7u32], %s0
         ret",
    );
}

// Flags.

#[test]
fn what_is_taken_to_differ_stays_apart() {
    stays(
        "%a = add %n, 1u32
         %c = nonuniform add %n, 1u32
         store @y[0u32], %a
         store @y[1u32], %c
         ret",
    );
}

#[test]
fn one_instruction_for_two_forbids_what_either_did() {
    numbers(
        "%a = nonan nosz add %f, 1.0f32
         %c = precise nonan add %f, 1.0f32
         %d = mul %a, %c
         %e = bitcast %d to u32
         store @y[0u32], %e
         ret",
        "%a = precise nonan add %f, 1.0f32
         %d = mul %a, %a
         %e = bitcast %d to u32
         store @y[0u32], %e
         ret",
    );
}

// Loads.

/// A kernel with all sorts of memory around a body.
fn rooted(body: &str) -> String {
    format!(
        "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32], @z: mut [u32], @h: atomic [u32]) {{
            shared @t: [u32; 2]
            private @p: [u32; 2]
            %i = local_id.x
            store @t[%i], %n
            store @p[%i], %n
            barrier
            {body}
            ret
        }}"
    )
}

/// How many loads are left of two from a root with something between.
#[track_caller]
fn loads(root: &str, between: &str) -> usize {
    let body = format!(
        "%a = load u32 @{root}[0u32]
         {between}
         %c = load u32 @{root}[0u32]
         %d = mul %a, 3u32
         %e = add %d, %c
         store @z[%i], %e"
    );
    let text = print(&after(&rooted(&body), named("gvn")));
    text.matches(&format!("load u32 @{root}[0u32]")).count()
}

#[test]
fn a_load_is_done_once_while_its_memory_stays() {
    for root in ["x", "y", "t", "p"] {
        assert_eq!(loads(root, ""), 1, "{root}");
        assert_eq!(loads(root, "store @z[1u32], 7u32"), 1, "{root}");
        assert_eq!(loads(root, "%r = atomic.add @h[0u32], 1u32"), 1, "{root}");
        assert_eq!(loads(root, "%c0 = eq %n, 1u32 if %c0 { store @z[1u32], 7u32 }"), 1, "{root}");
    }
}

#[test]
fn a_store_to_its_memory_ends_what_a_load_gave() {
    for root in ["y", "t", "p"] {
        assert_eq!(loads(root, &format!("store @{root}[%n], 7u32")), 2, "{root}");
        let branch = format!("%c0 = eq %n, 1u32 if %c0 {{ store @{root}[0u32], 7u32 }}");
        assert_eq!(loads(root, &branch), 2, "{root}");
        let case = format!("switch %n {{ case 1u32 {{ store @{root}[0u32], 7u32 }} default {{ }} }}");
        assert_eq!(loads(root, &case), 2, "{root}");
    }
}

#[test]
fn a_branch_that_leaves_ends_nothing() {
    for root in ["y", "t", "p"] {
        let branch = format!("%c0 = eq %n, 1u32 if %c0 {{ store @{root}[0u32], 7u32 ret }}");
        assert_eq!(loads(root, &branch), 1, "{root}");
    }
}

#[test]
fn a_load_stays_behind_what_lets_others_write() {
    let lets_others_write = [
        "barrier",
        "fence ordering=acq_rel scope=device",
        "%r = atomic.add @h[0u32], 1u32 ordering=acquire scope=device",
        "%c0 = eq %n, 1u32 if %c0 { barrier }",
    ];
    for between in lets_others_write {
        for (root, left) in [("y", 2), ("t", 2), ("p", 1), ("x", 1)] {
            assert_eq!(loads(root, between), left, "@{root}, {between}");
        }
    }
}

#[test]
fn a_loop_ends_what_its_rounds_may_change() {
    for (inside, left) in [("store @y[%k], 3u32", 2), ("store @z[%k], 3u32", 1), ("barrier", 2)] {
        let between = format!(
            "loop 'l (%k: u32 = 0u32) {{
                %done = ge %k, 2u32
                if %done {{ break 'l }}
                {inside}
                %next = add %k, 1u32
                continue 'l %next
             }}"
        );
        assert_eq!(loads("y", &between), left, "{inside}");
    }
}

#[test]
fn the_first_load_of_a_round_is_not_the_last_ones() {
    let body = "loop 'l (%k: u32 = 0u32) {
            %a = load u32 @y[0u32]
            %e = add %a, 1u32
            store @y[0u32], %e
            %next = add %k, 1u32
            %done = ge %next, 3u32
            if %done { break 'l }
            continue 'l %next
         }
         ret";
    stays(&format!("%q = load u32 @y[0u32] store @y[1u32], %q {body}"));
}

#[test]
fn what_others_stored_before_a_barrier_is_seen_after_it() {
    // Each invocation reads its neighbour's word before and after that one writes it.
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
        shared @t: [u32; 2]
        %i = local_id.x
        %o = sub 1u32, %i
        %a = load u32 @t[%o]
        barrier
        %v = add %i, 10u32
        store @t[%i], %v
        barrier
        %c = load u32 @t[%o]
        %w = shl %c, 8u32
        %r = or %w, %a
        store @y[%i], %r
        ret
    }";
    let after = after(source, named("gvn"));
    assert_eq!(print(&after).matches("load u32 @t").count(), 2);
}

#[test]
fn views_may_be_of_one_memory() {
    let source = "func @f(@a: [u32], @b: mut [u32]) -> u32 {
        %p = load u32 @a[0u32]
        store @b[0u32], 5u32
        %q = load u32 @a[0u32]
        %r = add %p, %q
        ret %r
    }";
    let pass = named("gvn");
    let checked: Checked = check(parse(source).expect("sound text")).expect("sound");
    assert_eq!(print(pass(checked).module()).matches("load").count(), 2);
}

// Results and parameters.

#[test]
fn parameters_that_start_equal_and_step_alike_are_one() {
    numbers(
        "%r, %t = loop 'l (%i: u32 = 0u32, %j: u32 = 0u32, %k: u32 = 0u32) -> u32, u32 {
            %i2 = add %i, 3u32
            %j2 = add 3u32, %j
            %j3 = add %j, 3u32
            %k2 = add %k, 2u32
            %done = ge %i, 9u32
            if %done { break 'l %j, %k }
            continue 'l %i2, %j3, %k2
         }
         store @y[%r], %t
         ret",
        "%r, %t = loop 'l (%i: u32 = 0u32, %j: u32 = 0u32, %k: u32 = 0u32) -> u32, u32 {
            %i2 = add %i, 3u32
            %k2 = add %k, 2u32
            %done = ge %i, 9u32
            if %done { break 'l %i, %k }
            continue 'l %i2, %i2, %k2
         }
         store @y[%r], %t
         ret",
    );
}

#[test]
fn a_barrier_may_depend_on_a_parameter_that_became_another() {
    // Control that differs decides which of two values `%p` becomes, while `%q` becomes the
    // same one on both ways. As one they still do, since all three values become one too.
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
        %i = local_id.x
        %c = eq %i, 0u32
        loop 'l (%p: u32 = 0u32, %q: u32 = 0u32) {
            %done = ge %q, 3u32
            if %done { break 'l }
            barrier
            store @y[%i], %p
            %v = add %q, 1u32
            if %c { %w1 = add %p, 1u32 continue 'l %w1, %v } else { %w2 = add %p, 1u32 continue 'l %w2, %v }
            unreachable
        }
        ret
    }";
    let text = print(&after(source, named("gvn")));
    assert!(text.contains("%done = ge %p") && text.matches("add").count() == 1, "{text}");
}

#[test]
fn parameters_that_start_apart_stay() {
    stays(
        "loop 'l (%i: u32 = 0u32, %j: u32 = 1u32) {
            %i2 = add %i, 1u32
            %j2 = add %j, 1u32
            store @y[%i], %j
            %done = ge %i, 3u32
            if %done { break 'l }
            continue 'l %i2, %j2
         }
         ret",
    );
}

#[test]
fn results_that_every_end_gives_alike_are_one() {
    numbers(
        "%p, %q, %r = if %b -> u32, u32, u32 { yield 1u32, 1u32, 2u32 } else { yield %n, %n, %n }
         %t = add %p, %q
         %u = add %t, %r
         store @y[0u32], %u
         ret",
        "%p, %q, %r = if %b -> u32, u32, u32 { yield 1u32, 1u32, 2u32 } else { yield %n, %n, %n }
         %t = add %p, %p
         %u = add %t, %r
         store @y[0u32], %u
         ret",
    );
}

#[test]
fn ten_thousand_instructions_take_no_time() {
    let mut body = String::from("%v0 = add %n, 1u32 ");
    for i in 1..10_000 {
        body += &format!("%v{i} = {} %v{}, %v{} ", ["mul", "add", "xor"][i % 3], i - 1, i / 2);
    }
    let source = kernel(&format!("{body} store @y[0u32], %v9999 ret"));
    let checked = check(parse(&source).expect("sound text")).expect("sound");
    let (pass, start) = (named("gvn"), thread_time());
    let after = pass(checked);
    let taken = thread_time() - start;
    assert!(taken.as_secs() < 5, "{taken:?}");
    assert!(after.module().functions[0].regions[after.module().functions[0].body].insts.len() > 9_000);
}
