//! What moves before loops, and what stays.

use crate::pass::tests::{after, becomes, named};
use crate::text::print;

/// Asserts what the pass makes of a body.
#[track_caller]
fn moves(body: &str, expected: &str) {
    becomes(body, named("licm"), expected);
}

/// A loop of three rounds around instructions.
fn repeat(inside: &str) -> String {
    format!(
        "loop 'l (%k: u32 = 0u32) {{
            %done = ge %k, 3u32
            if %done {{ break 'l }}
            {inside}
            %next = add %k, 1u32
            continue 'l %next
         }}"
    )
}

/// Asserts that of these lines in a loop the first few move before it, and the rest stays.
#[track_caller]
fn splits(moved: &str, stays: &str) {
    let inside = format!("{moved} {stays}");
    moves(&format!("{} ret", repeat(&inside)), &format!("{moved} {} ret", repeat(stays)));
}

#[test]
fn ops_on_what_no_round_changes_move() {
    splits("%a = mul %n, 3u32 %c = add %a, %n", "%d = add %c, %k store @y[%k], %d");
    splits("%a = div %n, 3u32 %l = len @y %i = global_id.x %c = add %a, %l %d = add %c, %i", "store @y[%k], %d");
}

#[test]
fn what_a_round_changes_stays() {
    splits("", "%a = mul %k, 3u32 %c = add %a, %n store @y[%k], %c");
}

#[test]
fn an_op_leaves_the_loops_that_it_does_not_depend_on() {
    let nest = |before: &str, between: &str, inside: &str| {
        format!(
            "{before}
             loop 'a (%k: u32 = 0u32) {{
                %done = ge %k, 3u32
                if %done {{ break 'a }}
                {between}
                loop 'b (%m: u32 = 0u32) {{
                    %end = ge %m, 2u32
                    if %end {{ break 'b }}
                    {inside}
                    %again = add %m, 1u32
                    continue 'b %again
                }}
                %next = add %k, 1u32
                continue 'a %next
             }}
             ret"
        )
    };
    let (none, outer, inner) = ("%p = mul %n, %n", "%q = add %p, %k", "%r = add %q, %m store @y[%r], %q");
    moves(&nest("", "", &format!("{none} {outer} {inner}")), &nest(none, outer, inner));
}

#[test]
fn what_moves_stays_in_the_branch_that_holds_the_loop() {
    let body = |before: &str, inside: &str| {
        format!(
            "if %b {{
                %v = add %n, 5u32
                {before}
                {}
             }}
             ret",
            repeat(inside)
        )
    };
    let (moved, stays) = ("%a = mul %v, %v %l = load u32 @y[%a]", "%t = add %l, %k");
    moves(&body("", &format!("{moved} {stays}")), &body(moved, stays));
}

#[test]
fn loads_move_unless_a_round_may_change_their_memory() {
    let source = |inside: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32], @z: mut [u32], @h: atomic [u32]) {{
                shared @t: [u32; 2]
                private @p: [u32; 2]
                %i = local_id.x
                store @t[%i], %n
                store @p[%i], %n
                {}
                ret
            }}",
            repeat(inside)
        )
    };
    let cases = [
        ("", "xytp"),
        ("store @z[%k], 1u32", "xytp"),
        ("store @y[%k], 1u32", "xtp"),
        ("store @t[%k], 1u32", "xyp"),
        ("store @p[%k], 1u32", "xyt"),
        ("barrier", "xp"),
        ("fence ordering=acquire scope=device", "xp"),
        ("%r = atomic.add @h[0u32], 1u32", "xytp"),
        ("%r = atomic.add @h[0u32], 1u32 ordering=release scope=workgroup", "xp"),
        ("%c = eq %k, 7u32 if %c { store @y[0u32], 1u32 ret }", "xtp"),
        ("loop 'm { barrier break 'm }", "xp"),
    ];
    for (inside, moving) in cases {
        for root in ["x", "y", "t", "p"] {
            let body = format!("%a = load u32 @{root}[1u32] {inside} %d = add %a, %k store @z[%k], %d");
            // What the loop itself stores to `@z` is another root than all of these.
            let text = print(&after(&source(&body), named("licm")));
            let (load, start) = (text.find("%a = load").expect("it stays"), text.find("loop 'l").expect("it stays"));
            assert_eq!(load < start, moving.contains(root), "@{root}, {inside}:\n{text}");
        }
    }
}

#[test]
fn effects_and_branches_stay() {
    splits("", "store @y[0u32], %n %r = if %b -> u32 { yield 1u32 } else { yield %n } store @y[%r], %k");
}

// What a round may skip.

#[test]
fn what_is_cheap_moves_out_of_a_branch_and_the_rest_does_not() {
    let inside = |cheap: &str, costly: &str| {
        format!("%c = eq %k, 1u32 if %c {{ {cheap} {costly} %e = add %d, %k store @y[%e], %g }}")
    };
    let cheap = "%a = mul %n, 3u32";
    let costly = "%d = div %n, 7u32 %g = load u32 @x[%a]";
    let source = |body: &str| {
        format!("func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32], @x: [u32]) {{ {body} ret }}")
    };
    let text = print(&after(&source(&repeat(&inside(cheap, costly))), named("licm")));
    let start = text.find("loop 'l").expect("it stays");
    let place = |what: &str| text.find(what).expect("it stays");
    assert!(place("%a = mul") < start && start < place("%d = div") && start < place("%g = load"), "{text}");
}

#[test]
fn what_stands_beside_a_way_out_is_not_skipped() {
    let body = |before: &str, inside: &str| {
        format!(
            "{before}
             loop 'l (%k: u32 = 0u32) {{
                %more = lt %k, 3u32
                if %more {{
                    {inside} %e = add %d, %k store @y[%k], %e
                }} else {{ break 'l }}
                %next = add %k, 1u32
                continue 'l %next
             }}
             ret"
        )
    };
    moves(&body("", "%d = div %n, 7u32"), &body("%d = div %n, 7u32", ""));
}

#[test]
fn what_follows_an_early_continue_is_skipped() {
    let early = "%odd = and %k, 1u32 %c = eq %odd, 1u32 %early = add %k, 1u32 if %c { continue 'l %early }";
    splits("", &format!("{early} %d = div %n, 7u32 store @y[%k], %d"));
}

#[test]
fn a_loop_that_runs_once_keeps_what_is_costly() {
    let body = |before: &str, inside: &str| {
        format!(
            "{before}
             loop 'once {{
                %c = lt %n, 3u32
                if %c {{ break 'once }}
                {inside}
                store @y[0u32], %d
                break 'once
             }}
             ret"
        )
    };
    let text = print(&after(&super::super::tests::kernel(&body("", "%d = div %n, 7u32")), named("licm")));
    assert!(text.find("loop").expect("it stays") < text.find("%d = div").expect("it stays"), "{text}");
}

#[test]
fn only_so_many_values_move_out_of_branches() {
    let ops: String = (0..40).map(|i| format!("%v{i} = xor %n, {i}u32 store @y[%k], %v{i} ")).collect();
    let body = format!("{} ret", repeat(&format!("%c = eq %k, 1u32 if %c {{ {ops} }}")));
    let text = print(&after(&super::super::tests::kernel(&body), named("licm")));
    let start = text.find("loop 'l").expect("it stays");
    assert_eq!(text[..start].matches("xor").count(), super::MAX_RARE);
}

#[test]
fn barriers_and_what_decides_about_them_stay_sound() {
    // The condition is uniform; so it stays when what it is made of moves.
    let source = "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32]) {
        shared @t: [u32; 2]
        %i = local_id.x
        loop 'l (%k: u32 = 0u32) {
            %done = ge %k, 3u32
            if %done { break 'l }
            barrier
            %u = load u32 @t[0u32]
            barrier
            %a = load u32 @x[1u32]
            %c = lt %a, %u
            if %c { barrier }
            store @t[%i], %k
            %next = add %k, 1u32
            continue 'l %next
        }
        ret
    }";
    let text = print(&after(source, named("licm")));
    let start = text.find("loop 'l").expect("it stays");
    assert!(text.find("%a = load").expect("it stays") < start && start < text.find("%u = load").expect("it stays"));
}
