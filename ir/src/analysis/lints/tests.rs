//! Which accesses, barriers and loops are found slow, and which are not.

use super::{Lint, lints};
use crate::check::check;
use crate::diag::render;
use crate::text::parse;

/// What is said about a kernel of such a workgroup, without the code.
#[track_caller]
fn said(size: &str, body: &str) -> Vec<String> {
    let text = format!(
        "func kernel workgroup_size({size}) @k(%n: u32, @x: [f32], @w: mut [f32], @h: atomic [u32]) {{\n{body}\nret\n}}"
    );
    let module = parse(&text).unwrap_or_else(|diags| panic!("{}", render(&diags, "k.gir", &text)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", render(&diags, "k.gir", &text)));
    let (function, _) = checked.function(0).expect("a kernel");
    let about = [Lint::Strides, Lint::Banks, Lint::Contention, Lint::Barriers, Lint::Doubles];
    lints(&checked.module().types, function, &about).as_slice().iter().map(|diag| diag.message.clone()).collect()
}

/// The load of `x` at an index, which the lines before compute as `%at`.
fn load(index: &str) -> String {
    format!("{index}\n%v = load f32 @x[%at]\n%i = global_id.x\nstore @w[%i], %v")
}

#[test]
fn neighbours_at_neighbouring_places_are_fine() {
    for index in [
        "%at = global_id.x",
        "%g = global_id.x\n%at = add %g, 7u32",
        "%g = global_id.x\n%at = add %g, %n",
        "%g = local_index\n%at = xor %g, 1u32",
        "%g = workgroup_id.x\n%at = mul %g, 1000u32",
        "%g = global_id.x\n%at = rem %g, 32u32",
        "%g = global_id.x\n%at = div %g, 32u32",
        "%g = global_id.x\n%at = mul %g, 2u32",
    ] {
        assert!(said("64, 1, 1", &load(index)).is_empty(), "{index}");
    }
}

#[test]
fn neighbours_that_are_far_apart_are_named_with_their_distance() {
    let apart = |bytes: u32| vec![format!("neighbours load from `x` {bytes} bytes apart")];
    for (index, bytes) in [
        ("%g = global_id.x\n%at = mul %g, 64u32", 256),
        ("%g = global_id.x\n%at = shl %g, 3u32", 32),
        ("%g = local_id.x\n%h = mul %g, 16u32\n%at = add %h, %n", 64),
    ] {
        assert_eq!(said("64, 1, 1", &load(index)), apart(bytes), "{index}");
    }
}

#[test]
fn a_distance_that_the_launch_decides_is_named() {
    let found = said("64, 1, 1", &load("%g = global_id.x\n%at = mul %g, %n"));
    assert_eq!(found, ["neighbours load from `x` a multiple of `n` apart"]);
    // The rows of a workgroup of 32 are no neighbours.
    let found = said("32, 2, 1", &load("%g = global_id.y\n%h = mul %g, %n\n%c = global_id.x\n%at = add %h, %c"));
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_rows_of_a_narrow_tile_are_rows_of_neighbours() {
    let at = "%r = global_id.y\n%h = mul %r, %n\n%c = global_id.x\n%at = add %h, %c";
    for size in ["16, 16, 1", "8, 8, 1", "32, 4, 1"] {
        assert!(said(size, &load(at)).is_empty(), "{size}");
    }
    assert_eq!(said("4, 16, 1", &load(at)).len(), 1);
}

#[test]
fn a_tile_of_sixteen_wide_rows_takes_whole_sectors() {
    let found = said("16, 16, 1", &load("%r = local_id.y\n%h = mul %r, 1024u32\n%c = local_id.x\n%at = add %h, %c"));
    assert!(found.is_empty(), "{found:?}");
    let found = said("16, 16, 1", &load("%r = local_id.x\n%h = mul %r, 1024u32\n%c = local_id.y\n%at = add %h, %c"));
    assert_eq!(found.len(), 1);
}

#[test]
fn the_counter_of_a_loop_is_shared() {
    let body = "%g = global_id.x\n%sum = loop 'l (%k: u32 = 0u32, %s: f32 = 0.0f32) -> f32 {\n\
                %c = ge %k, %n\nif %c { break 'l %s }\n%m = mul %g, 128u32\n%at = add %m, %k\n\
                %v = load f32 @x[%at]\n%t = add %s, %v\n%next = add %k, 1u32\ncontinue 'l %next, %t\n}\n\
                store @w[%g], %sum";
    assert_eq!(said("64, 1, 1", body), ["neighbours load from `x` 512 bytes apart"]);
}

#[test]
fn what_one_lane_does_is_not_apart() {
    let body = "%l = local_index\n%c = eq %l, 0u32\nif %c {\n%at = mul %l, 99u32\n%v = load f32 @x[%at]\nstore @w[0u32], %v\n}";
    assert!(said("64, 1, 1", body).is_empty());
}

#[test]
fn banks_are_counted() {
    let shared = |row: u32| {
        format!(
            "shared @tile: [[f32; {row}]; 32]\n%l = local_id.x\nstore @tile[%l * {0} < 32][3u32 * 4], 1.0f32\nbarrier\n\
             %v = load f32 @tile[3u32 * {0}][%l * 4]\nstore @w[%l], %v",
            4 * row
        )
    };
    let found = said("32, 1, 1", &shared(32));
    assert_eq!(found, ["32 lanes store to `tile` in one bank of workgroup memory, one after the other"]);
    let found = said("32, 1, 1", &shared(36));
    assert_eq!(found, ["4 lanes store to `tile` in one bank of workgroup memory, one after the other"]);
    assert!(said("32, 1, 1", &shared(33)).is_empty());
}

#[test]
fn an_atomic_that_all_lanes_do_to_one_place_is_contended() {
    let found = said("64, 1, 1", "%g = workgroup_id.x\n%old = atomic.add @h[%g], 1u32");
    assert_eq!(found, ["atomic `add` on `h`: the lanes of a subgroup do it to one place, one after the other"]);
    assert!(said("64, 1, 1", "%g = local_index\n%old = atomic.add @h[%g], 1u32").is_empty());
    let one = "%c = subgroup.elect\nif %c {\n%old = atomic.add @h[0u32], 1u32\n}";
    assert!(said("64, 1, 1", one).is_empty());
}

#[test]
fn a_barrier_that_orders_nothing_is_found() {
    let found = said("64, 1, 1", "%g = global_id.x\n%v = load f32 @x[%g]\nbarrier\nstore @w[%g], %v");
    let want = "this barrier orders nothing: no memory is written on one side of it and accessed on the other";
    assert_eq!(found, [want]);
    assert!(said("64, 1, 1", "%g = global_id.x\nstore @w[%g], 1.0f32\nbarrier\nstore @w[0u32], 2.0f32").is_empty());
}

#[test]
fn a_barrier_of_which_another_copy_orders_something_is_none() {
    let text = "func kernel workgroup_size(64, 1, 1) @k(@w: mut [f32]) {
        shared @t: [f32; 64]
        %l = local_index
        loop 'l (%k: u32 = 0u32) {
            %done = ge %k, 2u32
            if %done { break 'l }
            %m = add %k, 1u32
            %o = xor %l, %m
            store @t[%l], 1.0f32
            barrier
            %v = load f32 @t[%o]
            store @w[%l], %v
            barrier
            continue 'l %m
        }
        ret
    }";
    let checked = check(parse(text).expect("text")).expect("a kernel");
    let checked = crate::pass::optimize(checked);
    let (function, _) = checked.function(0).expect("the kernel");
    assert!(lints(&checked.module().types, function, &[Lint::Barriers]).as_slice().is_empty());
}

#[test]
fn operations_on_f64_are_counted_and_casts_are_not() {
    let body = "%g = global_id.x\n%v = load f32 @x[%g]\n%d = cast %v to f64\n%e = add %d, %d\n%f = mul %e, %e\n\
                %r = cast %f to f32\nstore @w[%g], %r";
    assert_eq!(said("64, 1, 1", body), ["2 operations on `f64`"]);
}

#[test]
fn huge_numbers_are_no_panic() {
    for index in [
        "%g = global_id.x\n%w = cast %g to u64\n%m = and %w, 9223372036854775807u64\n%at = cast %m to u32",
        "%g = global_id.x\n%w = cast %g to u64\n%m = mul %w, 144115188075855872u64\n%at = cast %m to u32",
        "%g = global_id.x\n%w = cast %g to u64\n%m = mul %w, 144115188075855872u64\n\
         %o = sub %m, 9223372036854775807u64\n%at = cast %o to u32",
        "%l = subgroup_lane\n%w = cast %l to u64\n%o = sub %w, 9u64\n%c = eq %o, 9223372036854775807u64\n\
         if %c {\nstore @w[%l], 1.0f32\n}\n%at = cast %o to u32",
    ] {
        // Whatever is said of such places is a hint.
        said("64, 1, 1", &load(index));
    }
}
