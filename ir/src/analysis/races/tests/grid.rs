//! Buffers that the whole grid accesses.

use super::{RaceVerdict, YZ, described, kernel, races_of, rests_on};

#[test]
fn one_element_for_each_invocation() {
    rests_on(
        &kernel("@y: mut [u32]", "%n = len @y\n%c = lt %i, %n\nif %c {\nstore @y[%i], %i\n}"),
        YZ,
        &[("@y[%i]", "@y[%g]"), ("store @y[%i], %i", "store @y[%i], %i\n%a = load u32 @y[0u32]")],
    );
    let shift = kernel("@y: mut [u32], %n: u32", "%j = add %i, %n\nstore @y[%j], %i");
    rests_on(&shift, YZ, &[("add %i, %n", "mul %i, %n"), ("add %i, %n", "min %i, %n"), ("add %i, %n", "shr %i, 1u32")]);
    rests_on(&kernel("@y: mut [u32]", "%j = xor %i, 21u32\nstore @y[%j], %i"), YZ, &[("xor %i", "or %i")]);
    // A product that may wrap is not injective.
    let triple = kernel("@y: mut [u32]", "%j = mul %i, 4u32\nstore @y[%j], %i");
    rests_on(&triple, &["groups.y == 1", "groups.z == 1", "16777216 >= groups.x"], &[]);
}

#[test]
fn a_proof_for_no_launch_is_none() {
    let source = kernel("@y: mut [u32]", "%j = mul %i, 1073741825u32\nstore @y[%j], %i");
    let shown = described(&source);
    assert!(shown.contains("the index wraps around, whatever the launch is"), "{shown}");
    let small = source.replace("1073741825u32", "3u32");
    let (races, _) = races_of(&small);
    assert!(matches!(races.verdict, RaceVerdict::FreeIf(_)), "{}", described(&small));
}

/// The text of a kernel of tiles of 16 by 16 in a matrix, each beside the one before, where a tile is within its row.
fn tiles(test: &str) -> String {
    format!(
        "func kernel workgroup_size(16, 1, 1) @k(@y: mut [u32], %columns: u32, %first: u32, %last: u32) {{
            %l = local_id.x
            %g = workgroup_id.x
            %inside = le %g, %last
            %up = sub %last, %g
            %top = mul %up, 16u32
            %right = add %first, %g
            %left = mul %right, 16u32
            %end = add %left, 16u32
            %fits = {test}
            if %inside {{ if %fits {{
                %a = add %top, %l
                %b = add %a, 1u32
                %c = mul %b, %columns
                %d = add %c, %left
                %v = load u32 @y[%d]
                barrier
                loop 'down (%t: u32 = 0u32) {{
                    %more = lt %t, 16u32
                    if %more {{ yield }} else {{ break 'down }}
                    %e = add %top, %t
                    %f = add %e, 1u32
                    %h = mul %f, %columns
                    %i = add %h, %left
                    %j = add %i, %l
                    %k = add %j, 1u32
                    store @y[%k], %v
                    %next = add %t, 1u32
                    continue 'down %next
                }}
            }} }}
            ret
        }}"
    )
}

/// A place for each invocation, the last one first.
fn from_the_last_row_up(before: &str, behind: &str) -> String {
    format!(
        "func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32], %last: u32) {{
            %i = global_id.x
            {before}
            %inside = le %i, %last
            if %inside {{
                {behind}
                store @y[%up], 7u32
            }}
            ret
        }}"
    )
}

#[test]
fn a_difference_is_known_before_the_condition_that_keeps_it_from_wrapping() {
    let up = "%up = sub %last, %i";
    rests_on(&from_the_last_row_up("", up), YZ, &[("sub %last, %i", "and %last, %i")]);
    rests_on(&from_the_last_row_up(up, ""), YZ, &[("sub %last, %i", "and %last, %i")]);
}

#[test]
fn a_proof_for_launches_that_never_come_to_an_access_is_none() {
    let shown = described(&tiles("lt %end, %columns"));
    assert!(shown.starts_with("not proven race-free"), "{shown}");
}

#[test]
fn indices_of_64_bits() {
    let source = kernel(
        "@y: mut [u32]",
        "%w = cast %i to u64
        %t = mul %w, 2u64
        %j = add %t, 1u64
        %m = min %j, 4294967295u64
        %c = cast %m to u32
        store @y[%c], %i",
    );
    // What is cut at another place may be an index of many.
    let changes = [("min %j, 4294967295u64", "min %j, 4294967294u64"), ("mul %w, 2u64", "shr %w, 1u32")];
    rests_on(&source, YZ, &changes);
    rests_on(&source.replace("min %j, 4294967295u64", "min 4294967295u64, %j"), YZ, &[]);
}

pub(super) const PLANE: &str = "func kernel workgroup_size(8, 8, 1) @k(@y: mut [u32], %w: u32, %h: u32) {
    %x = global_id.x
    %r = global_id.y
    %c = lt %x, %w
    %d = lt %r, %h
    %both = and %c, %d
    if %both { yield } else { ret }
    %row = mul %r, %w
    %j = add %row, %x
    store @y[%j], %x
    ret
}";

#[test]
fn planes() {
    let changes = [("add %row, %x", "xor %row, %x"), ("mul %r, %w", "add %r, %w"), ("mul %r, %w", "mul %x, %w")];
    rests_on(PLANE, &["groups.z == 1", "w + 4294967295 >= w * h", "4294967296 >= w * h"], &changes);
    // Without the guard, or with another width, the rows must be as long as the grid is wide.
    for (from, to) in [("and %c, %d", "or %c, %d"), ("lt %x, %w", "le %x, %w")] {
        let (races, function) = races_of(&PLANE.replace(from, to));
        let RaceVerdict::FreeIf(conditions) = races.verdict else { panic!("{to}: {:?}", races.verdict) };
        let last = conditions.last().map(|condition| condition.display(&function));
        assert_eq!(last.as_deref(), Some("w >= 8 * groups.x"));
    }
}

pub(super) const BLOCKS: &str = "%b = mul %i, 4u32
    loop 'l (%k: u32 = 0u32) {
        %c = lt %k, 4u32
        if %c { yield } else { break 'l }
        %j = add %b, %k
        store @y[%j], 1u32
        %next = add %k, 1u32
        continue 'l %next
    }";

#[test]
fn blocks_of_elements() {
    let fixed = kernel("@y: mut [u32]", BLOCKS);
    let expected = ["groups.y == 1", "groups.z == 1", "16777216 >= groups.x"];
    rests_on(
        &fixed,
        &expected,
        &[("lt %k, 4u32", "lt %k, 5u32"), ("mul %i, 4u32", "mul %i, 3u32"), ("mul %i, 4u32", "mul %g, 4u32")],
    );
    let chunk = kernel("@y: mut [u32], %n: u32", &BLOCKS.replace("4u32", "%n"));
    let expected =
        ["groups.y == 1", "groups.z == 1", "n + 4294967295 >= 64 * groups.x * n", "67108864 >= groups.x * n"];
    rests_on(&chunk, &expected, &[("lt %k, %n", "le %k, %n"), ("mul %i, %n", "mul %g, %n")]);
}

pub(super) const STRIDE: &str = "%c = num_workgroups.x
        %t = mul %c, 64u32
        %n = len @y
        loop 'l (%k: u32 = %i) {
            %c2 = lt %k, %n
            if %c2 { yield } else { break 'l }
            %v = load u32 @x[%k]
            store @y[%k], %v
            %next = add %k, %t
            continue 'l %next
        }";

#[test]
fn a_stride_of_the_whole_grid() {
    let expected = ["groups.y == 1", "groups.z == 1", "4294967296 >= y.len() + 64 * groups.x"];
    let changes = [("mul %c, 64u32", "mul %c, 32u32"), ("= %i)", "= %g)"), ("mul %c, 64u32", "add %c, 64u32")];
    rests_on(&kernel("@x: [u32], @y: mut [u32]", STRIDE), &expected, &changes);
}

pub(super) const STENCIL: &str = "%a = add %i, 1u32\n%v = load u32 @x[%a]\n%b = sub %i, 1u32\n%w = load u32 @x[%b]\n%s = add %v, %w\nstore @y[%i], %s";

#[test]
fn from_one_buffer_into_another() {
    rests_on(
        &kernel("@x: [u32], @y: mut [u32]", STENCIL),
        YZ,
        &[("u32 @x[%a]", "u32 @y[%a]"), ("u32 @x[%b]", "u32 @y[%b]")],
    );
}

pub(super) const STEP: &str = "%j2 = xor %i, %j
        %c = gt %j2, %i
        if %c {
            %a = load u32 @y[%i]
            %b = load u32 @y[%j2]
            %less = lt %b, %a
            if %less {
                store @y[%i], %b
                store @y[%j2], %a
            }
        }";

#[test]
fn a_bitonic_step_across_the_grid() {
    rests_on(
        &kernel("@y: mut [u32], %j: u32", STEP),
        YZ,
        &[("gt %j2", "ne %j2"), ("xor %i, %j", "or %i, %j"), ("xor %i, %j", "xor %i, %l")],
    );
}

pub(super) const LEADERS: &str = "%lane = subgroup_lane
        %s = subgroup_id
        %two = mul %g, 2u32
        %j = add %two, %s
        %c = eq %lane, 0u32
        if %c { store @y[%j], 1u32 }";

#[test]
fn one_lane_of_each_subgroup() {
    rests_on(
        &kernel("@y: mut [u32]", LEADERS),
        YZ,
        &[("eq %lane, 0u32", "le %lane, 1u32"), ("mul %g, 2u32", "mul %g, 1u32")],
    );
}

#[test]
fn lanes_and_fields() {
    // Structs of 12 bytes, and vectors of four lanes.
    let fields = "store @y[%i * 12], %i\nstore @y[%i * 12] + 4, %i\nstore @y[%i * 12] + 8, %i";
    rests_on(&kernel("@y: mut [u32]", fields), YZ, &[("[%i * 12] + 8", "[%i * 12] + 12"), ("[%i * 12]", "[%i * 8]")]);
    let lanes = "store @y[%i * 16][%k * 4 < 4], %i";
    let vectors = kernel("@y: mut [vec4<u32>], %k: u32", lanes);
    rests_on(&vectors, YZ, &[("%i * 16", "%g * 16")]);
}

pub(super) const TENS: &str = "%row = div %i, 10u32
        %column = rem %i, 10u32
        %a = mul %row, 10u32
        %j = add %a, %column
        store @y[%j], %i";

#[test]
fn rows_and_columns_of_one_number() {
    rests_on(
        &kernel("@y: mut [u32]", TENS),
        YZ,
        &[("mul %row, 10u32", "mul %row, 9u32"), ("rem %i, 10u32", "rem %i, 9u32")],
    );
    let bits = "%row = shr %i, 3u32
        %column = and %i, 7u32
        %a = shl %row, 3u32
        %j = or %a, %column
        store @y[%j], %i";
    rests_on(&kernel("@y: mut [u32]", bits), YZ, &[("and %i, 7u32", "and %i, 6u32"), ("shr %i, 3u32", "shr %i, 4u32")]);
}

#[test]
fn accesses_that_are_all_racy_are_their_authors() {
    let text = |load: &str, store: &str| {
        kernel("@y: mut [u32]", &format!("%v = {load}load u32 @y[0u32]\n{store}store @y[0u32], %v"))
    };
    let is_free = |load: &str, store: &str| races_of(&text(load, store)).0.verdict == RaceVerdict::Free;
    assert!(is_free("racy ", "racy "));
    assert!(!is_free("", "racy ") && !is_free("racy ", "") && !is_free("", ""));
}

pub(super) const ROWS: &str = "func kernel workgroup_size(8, 8, 1) @k(@y: mut [u32], %w: u32) {
        %x = global_id.x
        %r = global_id.y
        %row = mul %r, %w
        %j = add %row, %x
        store @y[%j], %x
        ret
    }";

#[test]
fn rows_that_must_be_long_enough() {
    // Nothing in the kernel says that a column is less than the width.
    let expected = ["groups.z == 1", "w + 4294967296 >= 8 * groups.x + 8 * groups.y * w", "w >= 8 * groups.x"];
    rests_on(
        ROWS,
        &expected,
        &[("mul %r, %w", "mul %x, %w"), ("add %row, %x", "xor %row, %x"), ("mul %r, %w", "add %r, %w")],
    );
    // Rows of 1,024 elements.
    let expected =
        ["groups.z == 1", "524288 >= groups.y", "536871040 >= groups.x + 1024 * groups.y", "128 >= groups.x"];
    rests_on(&ROWS.replace("mul %r, %w", "mul %r, 1024u32"), &expected, &[("mul %r, 1024u32", "mul %r, 4u32")]);
}

pub(super) const WIDTH: &str = "%row = div %i, %w
        %column = rem %i, %w
        %a = mul %row, %w
        %j = add %a, %column
        store @y[%j], %i";

#[test]
fn a_condition_on_the_place_in_the_workgroup_makes_rows_shorter() {
    let body = "%few = lt %l, 16u32\nif %few {\n%row = mul %g, %n\n%a = add %row, %l\nstore @y[%a], 7u32\n}";
    let expected = ["groups.y == 1", "groups.z == 1", "n + 4294967280 >= groups.x * n", "n >= 16"];
    rests_on(&kernel("@y: mut [u32], %n: u32", body), &expected, &[("mul %g, %n", "and %g, %n")]);
}

#[test]
fn a_difference_behind_its_condition_is_a_column() {
    let body = "%some = ge %l, 16u32\nif %some {\n%row = mul %g, %n\n%less = sub %l, 16u32\n%a = add %row, %less\nstore @y[%a], 7u32\n}";
    let expected = ["groups.y == 1", "groups.z == 1", "n + 4294967248 >= groups.x * n", "n >= 48"];
    rests_on(&kernel("@y: mut [u32], %n: u32", body), &expected, &[("ge %l, 16u32", "ge %l, 15u32")]);
}

#[test]
fn rows_from_the_second_one_on_need_no_width_of_zero() {
    let body = "%next = add %g, 1u32\n%far = mul %next, 64u32\n%column = add %far, %l\n\
        loop 'down (%t: u32 = 1u32) {\n%more = lt %t, 16u32\nif %more { yield } else { break 'down }\n\
        %row = mul %t, %n\n%a = add %row, %column\nstore @y[%a], 7u32\n\
        %then = add %t, 1u32\ncontinue 'down %then\n}";
    let (races, function) = races_of(&kernel("@y: mut [u32], %n: u32", body));
    let RaceVerdict::FreeIf(conditions) = &races.verdict else { panic!("{races:?}") };
    let shown: Vec<String> = conditions.iter().map(|one| one.display(&function)).collect();
    assert!(shown.contains(&"n >= 64 * groups.x + 64".to_owned()), "{shown:?}");
    assert!(!shown.iter().any(|one| one.starts_with("0 >=")), "{shown:?}");
}

#[test]
fn rows_and_columns_of_a_width_that_the_launch_tells() {
    let expected = ["groups.y == 1", "groups.z == 1", "w >= 1"];
    rests_on(
        &kernel("@y: mut [u32], %w: u32", WIDTH),
        &expected,
        &[("rem %i, %w", "rem %l, %w"), ("add %a, %column", "add %row, %column")],
    );
}

pub(super) const COMPACT: &str = "%v = load u32 @x[%i]
    %c = lt %v, 7u32
    if %c {
        %t = atomic.add @n[0u32], 1u32
        store @y[%t], %v
    }";

#[test]
fn places_from_a_counter() {
    let params = "@x: [u32], @y: mut [u32], @n: atomic [u32], %k: u32";
    rests_on(
        &kernel(params, COMPACT),
        &["n.len() >= 1"],
        &[
            ("@n[0u32], 1u32", "@n[0u32], 2u32"),
            ("@n[0u32], 1u32", "@n[%k], 1u32"),
            ("@n[0u32], 1u32", "@n[%l], 1u32"),
            ("atomic.add", "atomic.max"),
            ("store @y[%t], %v", "store @y[%t], %v\n%u = shr %t, 1u32\nstore @y[%u], %v"),
            ("store @y[%t], %v", "store @y[%t], %v\n%0 = atomic.sub @n[0u32], 1u32"),
            ("store @y[%t], %v", "store @y[%t], %v\nstore @y[%i], %v"),
            ("store @y[%t], %v", "store @y[%t], %v\natomic.store @n[%k], 0u32"),
        ],
    );
    // Half of the numbers times two are the other half.
    let pairs = COMPACT.replace("store @y[%t], %v", "%u = shl %t, 1u32\nstore @y[%u], %v");
    let (races, _) = races_of(&kernel(params, &pairs));
    assert!(matches!(races.verdict, RaceVerdict::Unproven(_)));
    // As is known if they are few, and also beside another counter.
    let few = COMPACT.replace(
        "store @y[%t], %v",
        "%few = lt %t, 1000u32\nif %few {\n%u = shl %t, 1u32\n%w = add %u, 1u32\nstore @y[%u], %v\nstore @y[%w], %v\n}\natomic.store @n[4u32], 9u32",
    );
    rests_on(
        &kernel(params, &few),
        &["n.len() >= 1"],
        &[("add %u, 1u32", "add %u, 2u32"), ("@n[4u32], 9u32", "@n[0u32], 9u32")],
    );
    // Each of two additions gives numbers of its own, if they do not come round.
    let two = COMPACT.to_owned() + "\n%t2 = atomic.add @n[0u32], 1u32\nstore @y[%t2], 1u32";
    rests_on(&kernel(params, &two), &["n.len() >= 1", "33554432 >= groups.x * groups.y * groups.z"], &[]);
    // A narrow counter comes round soon.
    let bytes = kernel(
        "@x: [u32], @y: mut [u32], @n: atomic [u8]",
        &COMPACT.replace("@n[0u32], 1u32", "@n[0u32], 1u8\n%u = cast %t to u32").replace("@y[%t]", "@y[%u]"),
    );
    rests_on(&bytes, &["n.len() >= 1", "4 >= groups.x * groups.y * groups.z"], &[]);
    let again = "loop 'l (%q: u32 = 0u32) {\n%d = lt %q, 4u32\nif %d { yield } else { break 'l }\n".to_owned()
        + COMPACT
        + "\n%next = add %q, 1u32\ncontinue 'l %next\n}";
    let (races, _) = races_of(&kernel(params, &again));
    assert!(matches!(races.verdict, RaceVerdict::Unproven(_)));
}

#[test]
fn counters_of_workgroups_give_each_number_once_for_each_workgroup() {
    let shared = COMPACT.replace("@n", "@s");
    let (races, _) = races_of(&kernel("@x: [u32], @y: mut [u32]", &format!("shared @s: atomic [u32; 1]\n{shared}")));
    assert!(matches!(races.verdict, RaceVerdict::Unproven(_)));
}

/// What `for i in (first..end).step_by(step)` becomes.
fn in_steps(first: &str, end: &str, step: &str, body: &str) -> String {
    format!(
        "%some = lt {first}, {end}
        if %some {{
            %last = sub {end}, 1u32
            %distance = sub %last, {first}
            %rounds = div %distance, {step}
            loop 'l (%r: u32 = 0u32) {{
                %far = mul %r, {step}
                %k = add {first}, %far
                {body}
                %done = eq %r, %rounds
                if %done {{ break 'l }}
                %next = add %r, 1u32
                continue 'l %next
            }}
        }}"
    )
}

/// Steps through a part of a length that the launch tells.
pub(super) fn steps() -> String {
    in_steps("%l", "%n", "64u32", "%a = mul %g, %n\n%j = add %a, %k\nstore @y[%j], %k")
}

#[test]
fn steps_of_a_workgroup_through_its_own_part() {
    let body = in_steps("%l", "2064u32", "64u32", "%a = mul %g, 2064u32\n%j = add %a, %k\nstore @y[%j], %k");
    let changes = [("mul %g, 2064u32", "mul %g, 2063u32"), ("mul %r, 64u32", "mul %r, 63u32")];
    rests_on(&kernel("@y: mut [u32]", &body), &["groups.y == 1", "groups.z == 1", "2080895 >= groups.x"], &changes);
}

#[test]
fn steps_of_a_workgroup_through_a_part_of_a_length_that_the_launch_tells() {
    let body = steps();
    let expected = ["groups.y == 1", "groups.z == 1", "n + 4294967295 >= groups.x * n", "4294967296 >= groups.x * n"];
    let changes = [("mul %g, %n", "mul %g, 2063u32"), ("mul %r, 64u32", "mul %r, 63u32")];
    rests_on(&kernel("@y: mut [u32], %n: u32", &body), &expected, &changes);
}

#[test]
fn steps_of_a_workgroup_through_a_buffer() {
    let body = "%n = len @y\n".to_owned() + &in_steps("%l", "%n", "64u32", "store @y[%k], %k");
    let one = ["groups.x == 1", "groups.y == 1", "groups.z == 1"];
    rests_on(&kernel("@y: mut [u32]", &body), &one, &[("mul %r, 64u32", "mul %r, 63u32")]);
}

#[test]
fn steps_of_the_whole_grid_computed_in_the_loop() {
    let body = "%n = len @y
        loop 'l (%k: u32 = %i) {
            %c2 = lt %k, %n
            if %c2 { yield } else { break 'l }
            store @y[%k], %k
            %c = num_workgroups.x
            %t = mul %c, 64u32
            %next = add %k, %t
            continue 'l %next
        }";
    let expected = ["groups.y == 1", "groups.z == 1", "4294967296 >= y.len() + 64 * groups.x"];
    rests_on(&kernel("@y: mut [u32]", body), &expected, &[("mul %c, 64u32", "mul %c, 32u32")]);
}

#[test]
fn a_condition_that_no_launch_satisfies_is_none() {
    let source = ROWS.replace("@k(@y: mut [u32], %w: u32)", "@k(@y: mut [u32], %w: u32) requires(%w == 4)");
    if crate::text::parse(&source).is_ok() {
        let (races, _) = races_of(&source);
        assert!(matches!(races.verdict, RaceVerdict::Unproven(_)), "{:?}", races.verdict);
    }
}

#[test]
fn places_from_a_buffer_without_equal_elements() {
    let body = "%n = len @p
        %in = lt %i, %n
        if %in {
            %t = load u32 @p[%i]
            store @y[%t], %i
        }";
    rests_on(
        &kernel("@p: distinct [u32], @y: mut [u32]", body),
        YZ,
        &[
            ("distinct ", ""),
            ("store @y[%t], %i", "%u = shr %t, 1u32\nstore @y[%u], %i"),
            ("store @y[%t], %i", "store @y[%t], %i\nstore @y[%i], %t"),
        ],
    );
    // Out of bounds all are 0.
    let (races, function) =
        races_of(&kernel("@p: distinct [u32], @y: mut [u32]", &body.replace("lt %i, %n", "le %i, %n")));
    let RaceVerdict::FreeIf(conditions) = races.verdict else { panic!("{:?}", races.verdict) };
    assert_eq!(conditions.last().map(|one| one.display(&function)).as_deref(), Some("p.len() >= 64 * groups.x"));
    // Pairs of elements, and two buffers, of which nothing is known together.
    let pairs = body.replace("store @y[%t], %i", "%a = and %t, 65535u32\n%same = eq %a, %t\nif %same {\n%u = mul %t, 2u32\n%w = add %u, 1u32\nstore @y[%u], %i\nstore @y[%w], %i\n}");
    rests_on(&kernel("@p: distinct [u32], @y: mut [u32]", &pairs), YZ, &[("add %u, 1u32", "add %u, 2u32")]);
    let two =
        body.to_owned() + "\n%m = len @q\n%in2 = lt %i, %m\nif %in2 {\n%t2 = load u32 @q[%i]\nstore @y[%t2], %i\n}";
    let (races, _) = races_of(&kernel("@p: distinct [u32], @q: distinct [u32], @y: mut [u32]", &two));
    assert!(matches!(races.verdict, RaceVerdict::Unproven(_)));
}
