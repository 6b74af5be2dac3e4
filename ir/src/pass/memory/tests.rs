//! What becomes of loads and stores, and what must not.

use crate::check::{Checked, check};
use crate::clock::thread_time;
use crate::ir::Module;
use crate::pass::tests::{after, named};
use crate::text::{parse, print};

/// A kernel with all sorts of memory around a body; `@t` and `@p` are read at the end, and
/// what is read goes to `@z`.
fn rooted(body: &str) -> String {
    format!(
        "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32], @z: mut [u32], @h: atomic [u32]) {{
            shared @t: [u32; 4]
            private @p: [u32; 4]
            %i = local_id.x
            store @t[%i], %n
            store @p[%i], %n
            barrier
            {body}
            barrier
            %end0 = load u32 @t[%n]
            %end1 = load u32 @p[%n]
            %end2 = mul %end0, 5u32
            %end3 = add %end1, %end2
            %end4 = add %i, 4u32
            store @z[%end4], %end3
            ret
        }}"
    )
}

fn text(module: &Module) -> String {
    print(module)
}

/// What the pass leaves of a body with all memory around it.
#[track_caller]
fn left(body: &str) -> String {
    text(&after(&rooted(body), named("memory")))
}

/// How often something stands in what the pass leaves of a body.
#[track_caller]
fn count(body: &str, what: &str) -> usize {
    left(body).matches(what).count()
}

// Loads of what was stored.

/// Stores 7 at a place, does something, loads from the place.
fn store_load(place: &str, between: &str) -> String {
    format!("store @{place}, 7u32 {between} %a = load u32 @{place} store @z[%i], %a")
}

#[test]
fn a_load_gives_what_was_stored_in_bounds() {
    for place in ["t[%i]", "t[1u32]", "p[%i]", "p[3u32]", "p + 8"] {
        assert_eq!(count(&store_load(place, ""), &format!("load u32 @{place}")), 0, "{place}");
        let masked = format!("%m = and %n, 3u32 {}", store_load("p[%m]", ""));
        assert_eq!(count(&masked, "load u32 @p[%m]"), 0);
        let rest = format!("%m = rem %n, 4u32 {}", store_load("t[%m]", ""));
        assert_eq!(count(&rest, "load u32 @t[%m]"), 0);
    }
}

#[test]
fn a_load_that_may_be_out_of_bounds_is_done() {
    // Nothing is stored there, and the load gives zero.
    for place in ["y[%n]", "y[%i]", "t[%n]", "p[%n]", "p[%n < 4]", "t[%i < 1]"] {
        assert_eq!(count(&store_load(place, ""), "7u32"), 1, "{place}");
        assert_eq!(count(&store_load(place, ""), "%a = load"), 1, "{place}");
    }
    let masked = format!("%m = and %n, 4u32 {}", store_load("p[%m]", ""));
    assert_eq!(count(&masked, "load u32 @p[%m]"), 1);
    let rest = format!("%m = rem %n, 5u32 {}", store_load("p[%m]", ""));
    assert_eq!(count(&rest, "load u32 @p[%m]"), 1);
}

#[test]
fn other_stores_to_the_same_memory_end_it_where_they_may_meet() {
    for (between, loads) in [
        ("store @p[2u32], 8u32", 0),
        ("store @p + 8, 8u32", 0),
        ("store @t[1u32], 8u32", 0),
        ("store @z[1u32], 8u32", 0),
        ("%m = and %n, 3u32 store @p[%m], 8u32", 1),
        ("store @p[%n], 8u32", 1),
        ("store @p[%n < 1], 8u32", 0),
        ("store @p[%n < 2], 8u32", 1),
        ("store @p[%n * 8], 8u32", 0),
        ("store @p[%n * 8] + 4, 8u32", 1),
        ("store @p[%n * 4] + 8, 8u32", 0),
    ] {
        assert_eq!(count(&store_load("p[1u32]", between), "load u32 @p[1u32]"), loads, "{between}");
    }
}

#[test]
fn the_same_indices_with_other_offsets_do_not_meet() {
    let body = "%m = and %n, 1u32
        store @p[%m * 8], 7u32
        store @p[%m * 8] + 4, 8u32
        %a = load u32 @p[%m * 8]
        store @z[%i], %a";
    assert_eq!(count(body, "load u32 @p[%m"), 0);
}

#[test]
fn a_wide_store_meets_both_halves() {
    for half in ["@q + 8", "@q + 12"] {
        let body = format!("store {half}, 7u32 store @q[1u32], 8u64 %a = load u32 {half} store @z[%i], %a");
        let source = rooted(&body).replace("private @p", "private @q: [u64; 2] private @p");
        let text = text(&after(&source, named("memory")));
        assert_eq!((text.matches("load u32 @q").count(), text.matches("7u32").count()), (1, 0), "{text}");
    }
}

#[test]
fn a_wide_store_at_an_unknown_place_reaches_over_its_step() {
    let source =
        rooted("store @q + 8, 7u32 %v = vec %n, %i store @q[%n * 8] + 4, %v %a = load u32 @q + 8 store @z[%i], %a");
    let source = source.replace("private @p", "private @q: [vec2<u32>; 2] private @p");
    assert_eq!(text(&after(&source, named("memory"))).matches("load u32 @q").count(), 1);
}

#[test]
fn an_access_of_another_type_is_another_value() {
    let body = "store @p[1u32], %n %a = load f32 @p[1u32] %c = bitcast %a to u32 store @z[%i], %c";
    // Elements are accessed as what they are, so that the other type needs bytes.
    let source = rooted(&body.replace("@p[1u32]", "@q + 4")).replace("private @p", "private @q: [u64; 2] private @p");
    assert_eq!(text(&after(&source, named("memory"))).matches("load f32 @q").count(), 1);
}

#[test]
fn bits_of_floats_come_back() {
    let source = rooted(
        "%f = bitcast %n to f32 store @q[1u32], %f %g = load f32 @q[1u32] %c = bitcast %g to u32 store @z[%i], %c",
    );
    let source = source.replace("private @p", "private @q: [f32; 2] private @p");
    assert_eq!(text(&after(&source, named("memory"))).matches("@q[").count(), 0);
}

// Loads of what was loaded.

#[test]
fn a_load_is_done_once_in_bounds_or_not() {
    for place in ["x[%n]", "y[%n]", "t[%n]", "p[%n < 3]"] {
        let body =
            format!("%a = load u32 @{place} store @z[%i], %a %c = load u32 @{place} %d = add %a, %c store @z[%i], %d");
        let end = usize::from(&place[1..] == "[%n]" && &place[..1] == "t");
        assert_eq!(count(&body, &format!("load u32 @{place}")), 1 + end, "{place}");
    }
}

#[test]
fn what_both_branches_leave_alone_or_give_alike_is_known_after() {
    for (branches, loads) in [
        ("if %c { store @z[2u32], 1u32 } else { store @p[2u32], 1u32 }", 0),
        ("if %c { store @p[1u32], 9u32 }", 1),
        ("if %c { store @p[1u32], 9u32 } else { store @p[1u32], 9u32 }", 0),
        ("if %c { store @p[1u32], 9u32 } else { store @p[1u32], 8u32 }", 1),
        ("if %c { store @p[1u32], 9u32 ret }", 0),
        ("if %c { } else { store @p[1u32], 9u32 ret }", 0),
        ("switch %n { case 1u32 { store @p[1u32], 9u32 } default { store @p[1u32], 9u32 } }", 0),
        ("switch %n { case 1u32 { store @p[1u32], 9u32 } default { } }", 1),
    ] {
        let body = store_load("p[1u32]", &format!("%c = lt %n, 2u32 {branches}"));
        assert_eq!(count(&body, "load u32 @p[1u32]"), loads, "{branches}");
    }
}

#[test]
fn what_only_a_branch_computes_is_not_known_after() {
    let branches = "%c = lt %n, 2u32
        if %c { %m = and %n, 1u32 %v = add %n, 3u32 store @p[%m], %v store @p[3u32], %v } else { ret }";
    let body = format!(
        "{branches} %a = load u32 @p[3u32] %m2 = and %n, 1u32 %d = load u32 @p[%m2] %e = add %a, %d store @z[%i], %e"
    );
    assert_eq!(count(&body, "load u32 @p["), 3);
}

#[test]
fn loops_keep_what_they_do_not_write_and_what_all_ends_know() {
    let repeat = |inside: &str, end: &str| {
        format!(
            "loop 'l (%k: u32 = 0u32) {{
                %done = ge %k, 2u32
                if %done {{ {end} break 'l }}
                {inside}
                %next = add %k, 1u32
                continue 'l %next
             }}"
        )
    };
    for (inside, end, loads) in [
        ("store @z[%k], 3u32", "", 0),
        ("store @p[2u32], 3u32", "", 1),
        ("store @p[1u32], 3u32", "", 1),
        ("%u = load u32 @p[1u32] store @z[%k], %u", "", 0),
        ("store @p[1u32], 3u32", "store @p[1u32], 4u32", 0),
        ("barrier", "", 0),
    ] {
        let body = store_load("p[1u32]", &repeat(inside, end));
        let body = if inside == "barrier" { body.replace("@p[1u32]", "@t[1u32]") } else { body };
        let loads = loads + usize::from(inside == "barrier");
        assert_eq!(count(&body, "load u32 @p[1u32]") + count(&body, "load u32 @t[1u32]"), loads, "{inside}, {end}");
    }
}

#[test]
fn a_round_does_not_know_what_the_round_before_did() {
    let body = "loop 'l (%k: u32 = 0u32) {
            %m = and %k, 3u32
            %a = load u32 @p[%m]
            %c = load u32 @p[0u32]
            %d = add %a, %c
            %e = add %d, 1u32
            store @p[0u32], %e
            store @z[%i], %d
            %next = add %k, 1u32
            %done = ge %next, 3u32
            if %done { break 'l }
            continue 'l %next
        }";
    assert_eq!(count(body, "load u32 @p["), 3);
}

// Other invocations.

const LETS_OTHERS: &[&str] = &[
    "barrier",
    "fence ordering=seq_cst scope=workgroup",
    "%r = atomic.add @h[0u32], 1u32 ordering=acq_rel scope=device",
];

#[test]
fn only_private_memory_and_what_nobody_writes_is_known_beyond_a_barrier() {
    for between in LETS_OTHERS {
        assert_eq!(count(&store_load("t[1u32]", between), "load u32 @t[1u32]"), 1, "{between}");
        assert_eq!(count(&store_load("p[1u32]", between), "load u32 @p[1u32]"), 0, "{between}");
        for (root, loads) in [("x", 1), ("y", 2), ("t", 2), ("p", 1)] {
            let place = format!("load u32 @{root}[3u32]");
            let body = format!("%a = {place} {between} %c = {place} %d = shl %a, %c store @z[%i], %d");
            assert_eq!(count(&body, &place), loads, "@{root} {between}");
        }
    }
}

#[test]
fn a_relaxed_atomic_access_is_about_its_own_memory() {
    let between = "%r = atomic.add @h[0u32], 1u32";
    assert_eq!(count(&store_load("t[1u32]", between), "load u32 @t[1u32]"), 0);
}

#[test]
fn stores_stay_on_their_side_of_what_lets_others_look() {
    for between in LETS_OTHERS {
        for root in ["y", "t"] {
            let body = format!("store @{root}[1u32], 8u32 {between} store @{root}[1u32], 9u32");
            assert_eq!(count(&body, "8u32"), 1, "@{root} {between}");
        }
        let body = format!("store @p[1u32], 8u32 {between} store @p[1u32], 9u32");
        assert_eq!(count(&body, "8u32"), 0, "{between}");
    }
}

#[test]
fn a_value_read_before_a_barrier_is_not_what_others_write_after_it() {
    for source in [
        // The neighbour overwrites what this invocation has read.
        "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
            shared @t: [u32; 2]
            %i = local_id.x
            %o = sub 1u32, %i
            %v = add %i, 10u32
            store @t[%i], %v
            barrier
            %r = load u32 @t[%o]
            barrier
            store @t[%i], 99u32
            %d = xor %r, 2u32
            %e = mul %d, %r
            store @y[%i], %e
            ret
        }",
        "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
            %i = local_id.x
            %o = sub 1u32, %i
            %r = load u32 @y[%o]
            barrier
            %d = xor %r, 2u32
            %e = mul %d, %r
            store @y[%i], %e
            ret
        }",
    ] {
        for pass in ["gvn", "memory", "licm"] {
            after(source, named(pass));
        }
        let all = text(&after(source, crate::pass::optimize));
        let place = |what: &str| all.find(what).expect("it stays");
        let last_barrier = all.rfind("barrier").expect("it stays");
        assert!(place("%r = load") < last_barrier && last_barrier < place("%d = "), "{all}");
    }
}

// Zero.

#[test]
fn private_memory_begins_as_zero() {
    let source = |body: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{
                private @p: [u32; 4]
                private @v: [vec2<f32>; 4]
                {body}
                ret
            }}"
        )
    };
    let left = |body: &str| text(&after(&source(body), named("memory")));
    let loads = |body: &str| left(body).matches("load").count();
    assert_eq!(loads("%a = load u32 @p[%n] store @y[0u32], %a"), 0);
    let vector = left("%a = load vec2<f32> @v[%n] %c = extract %a, 1u32 %d = bitcast %c to u32 store @y[0u32], %d");
    assert!(vector.contains("vec 0.0f32, 0.0f32"), "{vector}");
    assert_eq!(loads("store @p[%n], 3u32 %a = load u32 @p[1u32] store @y[0u32], %a"), 1);
    let branch = "%c = eq %n, 1u32 if %c { store @p[1u32], 3u32 }";
    assert_eq!(loads(&format!("{branch} %a = load u32 @p[1u32] store @y[0u32], %a")), 1);
    let again = "loop 'l (%k: u32 = 0u32) {
        %a = load u32 @p[0u32]
        %e = add %a, 3u32
        store @p[0u32], %e
        %next = add %k, 1u32
        %done = ge %next, 3u32
        if %done { store @y[0u32], %a break 'l }
        continue 'l %next
    }";
    assert_eq!(loads(again), 1);
    // So a zero need not be stored.
    let zero = left("store @p[%n], 0u32 store @p[1u32], 1u32 %a = load u32 @p[%n] store @y[0u32], %a");
    assert_eq!(zero.matches("store @p").count(), 1, "{zero}");
}

#[test]
fn workgroup_memory_that_nobody_stores_to_is_zero() {
    let source = |body: &str| {
        format!("func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{ shared @t: [u32; 4] {body} ret }}")
    };
    let loads = |body: &str| text(&after(&source(body), named("memory"))).matches("load").count();
    assert_eq!(loads("%a = load u32 @t[%n] store @y[0u32], %a"), 0);
    assert_eq!(loads("%a = load u32 @t[%n] store @y[0u32], %a barrier store @t[0u32], 1u32"), 1);
}

// Stores of what is there.

#[test]
fn what_was_just_loaded_or_stored_is_not_stored_again() {
    for place in ["y[%n]", "t[%n]", "p[%n < 3]"] {
        let store = format!("store @{place}");
        assert_eq!(count(&format!("%a = load u32 @{place} {store}, %a store @z[%i], %a"), &store), 0, "{place}");
        assert_eq!(count(&format!("{store}, %i {store}, %i"), &store), 1, "{place}");
        let other = format!("%a = load u32 @{place} {store}, 1u32 {store}, %a store @z[%i], %a");
        assert_eq!(count(&other, &store), 1, "{place}");
    }
    let body = "%a = load u32 @y[1u32] barrier store @y[1u32], %a store @z[%i], %a";
    assert_eq!(count(body, "store @y"), 1);
}

#[test]
fn a_bool_that_was_loaded_is_stored_as_0_or_1() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [bool]) {
        %a = load bool @y[1u32]
        store @y[1u32], %a
        ret
    }";
    assert_eq!(text(&after(source, named("memory"))).matches("store").count(), 1);
}

// Dead stores.

#[test]
fn a_store_that_is_stored_over_before_anybody_looks_is_dead() {
    for place in ["y[%n]", "t[%n]", "p[%n]"] {
        let store = format!("store @{place}");
        for (between, stores) in [
            ("", 1),
            ("store @z[0u32], 2u32", 1),
            ("%a = load u32 @x[0u32] store @z[0u32], %a", 1),
            ("%r = atomic.add @h[0u32], 1u32", 1),
            ("%c = eq %n, 1u32 if %c { store @z[0u32], 1u32 }", 1),
        ] {
            let body = format!("{store}, 8u32 {between} {store}, 9u32");
            assert_eq!(count(&body, &store), stores, "{place} {between}");
        }
    }
}

#[test]
fn a_store_that_is_looked_at_stays() {
    for root in ["y", "t", "p"] {
        for between in [
            format!("%a = load u32 @{root}[%i] store @z[%i], %a"),
            format!("%c = eq %n, 1u32 if %c {{ %a = load u32 @{root}[%i] store @z[%i], %a }}"),
        ] {
            let body = format!("store @{root}[%n], 8u32 {between} store @{root}[%n], 9u32");
            assert_eq!(count(&body, "8u32"), 1, "{root} {between}");
        }
    }
}

#[test]
fn a_buffer_is_looked_at_when_the_function_ends() {
    for (root, stores) in [("y", 1), ("p", 0)] {
        let body = format!("store @{root}[%n], 8u32 %c = eq %n, 1u32 if %c {{ ret }} store @{root}[%n], 9u32");
        assert_eq!(count(&body, "8u32"), stores, "{root}");
    }
}

#[test]
fn a_store_before_a_loop_that_need_not_end_stays() {
    let looping = "loop 'l (%k: u32 = %n) {
            %done = lt %k, 9u32
            if %done { break 'l }
            %next = shr %k, 1u32
            continue 'l %next
        }";
    let body = format!("store @y[1u32], 8u32 {looping} store @y[1u32], 9u32");
    assert_eq!(count(&body, "8u32"), 1);
}

#[test]
fn both_branches_may_hide_a_store() {
    for (branches, stores) in
        [("if %c { store @y[%n], 1u32 } else { store @y[%n], 2u32 }", 1), ("if %c { store @y[%n], 1u32 }", 1)]
    {
        let body = format!("%c = eq %n, 1u32 store @y[%n], 8u32 {branches}");
        assert_eq!(count(&body, "8u32"), stores, "{branches}");
    }
    let after = "%c = eq %n, 1u32 store @y[%n], 8u32 if %c { store @z[%i], 1u32 } else { } store @y[%n], 9u32";
    assert_eq!(count(after, "8u32"), 0);
}

#[test]
fn a_wider_store_hides_a_narrower_one_only_if_it_is_in_bounds() {
    let source = |index: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{
                private @p: [vec2<u32>; 2]
                %m = and %n, 1u32
                %v = vec 1u32, %n
                store @p[{index} * 4] + 4, 8u32
                store @p[{index} * 4] + 4, %v
                %a = load u32 @p[%n * 4] + 8
                store @y[0u32], %a
                ret
            }}"
        )
    };
    let left = |index: &str| text(&after(&source(index), named("memory"))).matches("8u32").count();
    assert_eq!((left("%m"), left("%n")), (0, 1));
}

#[test]
fn memory_that_nobody_reads_loses_its_stores() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {
        shared @t: [u32; 4]
        private @p: [u32; 4]
        loop 'l (%k: u32 = 0u32) {
            store @p[%k], %k
            store @t[%k], %k
            store @y[%k], %k
            %next = add %k, 1u32
            %done = ge %next, 3u32
            if %done { break 'l }
            continue 'l %next
        }
        ret
    }";
    let text = text(&after(source, named("memory")));
    assert_eq!(text.matches("store").count(), 1, "{text}");
}

#[test]
fn a_private_store_that_no_load_follows_is_dead() {
    let source = |inside: &str, after: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{
                private @p: [u32; 4]
                loop 'l (%k: u32 = 0u32) {{
                    {inside}
                    %next = add %k, 1u32
                    %done = ge %next, 3u32
                    if %done {{ break 'l }}
                    continue 'l %next
                }}
                {after}
                ret
            }}"
        )
    };
    let stores =
        |inside: &str, end: &str| text(&after(&source(inside, end), named("memory"))).matches("store @p").count();
    // The next round reads what this one stored.
    assert_eq!(stores("%a = load u32 @p[%k] store @y[%k], %a store @p[%n], %k", ""), 1);
    assert_eq!(stores("store @p[%k], %k", "%a = load u32 @p[%n] store @y[0u32], %a"), 1);
    assert_eq!(stores("", "store @p[0u32], 3u32 %a = load u32 @p[%n] store @y[0u32], %a store @p[1u32], 4u32"), 1);
    let inner = "loop 'm { store @p[%k], %n %q = add %k, 1u32 %c = lt %k, 2u32 if %c { continue 'l %q } break 'm }";
    assert_eq!(stores(&format!("%a = load u32 @p[%n] store @y[%k], %a {inner}"), ""), 1);
}

#[test]
fn views_may_be_of_one_memory() {
    let source = "func @f(@a: mut [u32], @b: mut [u32]) -> u32 {
        store @a[0u32], 5u32
        %q = load u32 @b[0u32]
        store @a[0u32], 6u32
        %r = load u32 @b[0u32]
        %c = add %q, %r
        ret %c
    }";
    let checked: Checked = check(parse(source).expect("sound text")).expect("sound");
    let text = text(named("memory")(checked).module());
    assert_eq!((text.matches("load").count(), text.matches("store").count()), (2, 2), "{text}");
}

#[test]
fn a_load_that_is_taken_to_differ_is_done() {
    let body = "store @p[1u32], 7u32 %a = nonuniform load u32 @p[1u32] %c = load u32 @p[1u32]
        %d = add %a, %c store @z[%i], %d";
    assert_eq!(count(body, "load u32 @p[1u32]"), 1);
}

#[test]
fn ten_thousand_accesses_take_no_time() {
    let mut body = String::new();
    for i in 0..2_500 {
        body += &format!(
            "%m{i} = add %n, {i}u32 store @p[%m{i} < 2], %m{i} %a{i} = load u32 @p[%m{i} * 4] + 8
             %c{i} = eq %a{i}, {i}u32 if %c{i} {{ store @p[%n * 8], %a{i} }} "
        );
    }
    let checked = check(parse(&rooted(&body)).expect("sound text")).expect("sound");
    let (pass, start) = (named("memory"), thread_time());
    pass(checked);
    let taken = thread_time() - start;
    assert!(taken.as_secs() < 5, "{taken:?}");
}

#[test]
fn a_guard_that_proves_an_access_lets_a_store_reach_a_load() {
    let stored = "%g = global_id.x
        %l = len @y
        %c = lt %g, %l
        if %c {
            store @y[%g], %n
            %v = load u32 @y[%g]
            %w = add %v, 1u32
            store @y[%g], %w
        }
        ";
    let unguarded = "%g = global_id.x
        store @y[%g], %n
        %v = load u32 @y[%g]
        %w = add %v, 1u32
        store @y[%g], %w
        ";
    assert_eq!((count(stored, "load u32 @y"), count(unguarded, "load u32 @y")), (0, 1));
}
