//! Buffers that the whole grid accesses.

use super::{YZ, kernel, rests_on};

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

const PLANE: &str = "func kernel workgroup_size(8, 8, 1) @k(@y: mut [u32], %w: u32, %h: u32) {
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
    let changes = [("and %c, %d", "or %c, %d"), ("mul %r, %w", "mul %r, %h"), ("lt %x, %w", "le %x, %w")];
    rests_on(PLANE, &["groups.z == 1", "w + 4294967295 >= w * h", "4294967296 >= w * h"], &changes);
}

const BLOCKS: &str = "%b = mul %i, 4u32
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

#[test]
fn a_stride_of_the_whole_grid() {
    let stride = "%c = num_workgroups.x
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
    let expected = ["groups.y == 1", "groups.z == 1", "4294967296 >= y.len() + 64 * groups.x"];
    let changes = [("mul %c, 64u32", "mul %c, 32u32"), ("= %i)", "= %g)"), ("mul %c, 64u32", "add %c, 64u32")];
    rests_on(&kernel("@x: [u32], @y: mut [u32]", stride), &expected, &changes);
}

#[test]
fn from_one_buffer_into_another() {
    let body = "%a = add %i, 1u32\n%v = load u32 @x[%a]\n%b = sub %i, 1u32\n%w = load u32 @x[%b]\n%s = add %v, %w\nstore @y[%i], %s";
    rests_on(
        &kernel("@x: [u32], @y: mut [u32]", body),
        YZ,
        &[("u32 @x[%a]", "u32 @y[%a]"), ("u32 @x[%b]", "u32 @y[%b]")],
    );
}

#[test]
fn a_bitonic_step_across_the_grid() {
    let body = "%j2 = xor %i, %j
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
    rests_on(
        &kernel("@y: mut [u32], %j: u32", body),
        YZ,
        &[("gt %j2", "ne %j2"), ("xor %i, %j", "or %i, %j"), ("xor %i, %j", "xor %i, %l")],
    );
}

#[test]
fn one_lane_of_each_subgroup() {
    let body = "%lane = subgroup_lane
        %s = subgroup_id
        %two = mul %g, 2u32
        %j = add %two, %s
        %c = eq %lane, 0u32
        if %c { store @y[%j], 1u32 }";
    rests_on(
        &kernel("@y: mut [u32]", body),
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

#[test]
fn rows_and_columns_of_one_number() {
    let body = "%row = div %i, 10u32
        %column = rem %i, 10u32
        %a = mul %row, 10u32
        %j = add %a, %column
        store @y[%j], %i";
    rests_on(
        &kernel("@y: mut [u32]", body),
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
    let is_free = |load: &str, store: &str| super::races_of(&text(load, store)).0.verdict == super::RaceVerdict::Free;
    assert!(is_free("racy ", "racy "));
    assert!(!is_free("", "racy ") && !is_free("racy ", "") && !is_free("", ""));
}
