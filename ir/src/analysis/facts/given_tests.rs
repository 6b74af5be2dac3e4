//! What is proven of accesses because of what a kernel requires.

use super::tests::Found;

const XY: &str = "%n: u32, @x: [u32], @y: mut [u32]";

/// Asserts the verdicts of a kernel's accesses under requirements.
#[track_caller]
fn verdicts_under(requires: &str, params: &str, body: &str, expected: &[&str]) {
    let source = format!("func kernel workgroup_size(64, 1, 1) @k({params}) requires({requires}) {{ {body} }}");
    assert_eq!(Found::of(&source).verdicts(), expected);
}

/// A load of each element up to `%n`.
const EACH: &str = "loop 'l (%k: u32 = 0u32) {
         %c = lt %k, %n
         if %c { yield } else { break 'l }
         %v = load u32 @x[%k]
         %next = add %k, 1u32
         continue 'l %next
     } ret";

#[test]
fn a_requirement_takes_the_place_of_a_condition() {
    let source = format!("func kernel workgroup_size(64, 1, 1) @k({XY}) {{ {EACH} }}");
    assert_eq!(Found::of(&source).verdicts(), ["x.len() >= n"]);
    verdicts_under("len @x >= %n", XY, EACH, &["proven"]);
    verdicts_under("%n <= len @y, len @y == len @x", XY, EACH, &["proven"]);
    verdicts_under("len @x + 1 >= %n", XY, EACH, &["x.len() >= n"]);
}

#[test]
fn a_requirement_bounds_an_index_of_an_array() {
    let body = EACH.replace("load u32 @x", "load u32 @tile");
    let body = format!("shared @tile: [u32; 16] {body}");
    verdicts_under("%n <= 16", XY, &body, &["proven"]);
    verdicts_under("%n <= 17", XY, &body, &["16 >= n"]);
}

#[test]
fn a_requirement_proves_that_a_difference_does_not_wrap() {
    let body = "%d = sub %n, 1u32 %v = load u32 @x[%d] ret";
    verdicts_under("%n >= 1, %n <= len @x", XY, body, &["proven"]);
}

#[test]
fn a_requirement_makes_a_constant_index_proven() {
    verdicts_under("len @x > 7", XY, "%v = load u32 @x[7u32] ret", &["proven"]);
    verdicts_under("len @x > 6", XY, "%v = load u32 @x[7u32] ret", &["x.len() >= 8"]);
}

#[test]
fn a_requirement_of_an_argument_with_a_sign_is_about_its_number() {
    let params = "%n: i32, @x: [u32]";
    let body = "%i = cast %n to u32 %v = load u32 @x[%i] ret";
    verdicts_under("%n < len @x", params, body, &["x.len() >= n + 1"]);
    verdicts_under("%n < len @x, %n >= 0", params, body, &["proven"]);
}

#[test]
fn what_is_at_most_a_length_is_not_that_length() {
    let params = "%n: u32, @y: mut [u32]";
    let body = "%g = global_id.x %l = len @y %c = le %g, %l if %c { %d = sub %g, %n store @y[%d], 7u32 } ret";
    verdicts_under("len @y >= %n, %n >= 1", params, body, &["guarded"]);
    let equal = body.replace("le %g, %l", "eq %g, %l");
    verdicts_under("len @y >= %n, %n >= 1", params, &equal, &["proven"]);
}

#[test]
fn an_operand_of_a_greatest_is_not_the_greatest() {
    let params = "%n: u32, %m: u32, @y: mut [u32]";
    let body = "%g = global_id.x %x = max %g, %m %c = eq %x, %n if %c { %d = sub %g, %m store @y[%d], 7u32 } ret";
    verdicts_under("len @y >= %n, %n >= 1, %n <= %m + %m", params, body, &["guarded"]);
}

#[test]
fn bits_of_an_argument_with_a_sign_are_as_great_as_bits_can_be() {
    let body = "%u = cast %s to u8 %i = cast %u to u32 store @y[%i], 7u32 ret";
    verdicts_under("len @y >= 128", "%s: i8, @y: mut [u32]", body, &["y.len() >= 256"]);
    verdicts_under("len @y >= 256", "%s: i8, @y: mut [u32]", body, &["proven"]);
}

#[test]
fn a_requirement_may_promise_a_large_buffer() {
    let body = "%a = load u32 @y[0u32] %i = and %a, 134217727u32 %v = load u32 @x[%i] ret";
    verdicts_under("len @y >= 1, len @x >= 134217728", XY, body, &["proven", "proven"]);
    verdicts_under("len @y >= 1, len @x >= 134217727", XY, body, &["proven", "guarded"]);
}

#[test]
fn what_no_launch_with_an_element_fulfils_is_no_condition() {
    let body = "%i = global_id.x %l = len @x %p = mul %i, %l %v = load u32 @x[%p] ret";
    assert_eq!(
        Found::of(&format!("func kernel workgroup_size(64, 1, 1) @k({XY}) {{ {body} }}")).verdicts(),
        ["guarded"]
    );
}

const GATHER: &str = "@at: below [u32], @x: [u32], @y: mut [u32]";

#[test]
fn an_element_is_below_the_bound_that_the_launch_says() {
    let body = "%i = load u32 @at[3u32] %v = load u32 @x[%i] ret";
    let source = |params: &str, body: &str| format!("func kernel workgroup_size(64, 1, 1) @k({params}) {{ {body} }}");
    let verdicts = |params: &str, body: &str| Found::of(&source(params, body)).verdicts();
    assert_eq!(verdicts(GATHER, body)[1], "x.len() >= at.bound()");
    assert_eq!(verdicts(&GATHER.replace("below ", ""), body)[1], "guarded");
    let doubled = "%i = load u32 @at[3u32] %j = add %i, %i %v = load u32 @x[%j] ret";
    assert_eq!(verdicts(GATHER, doubled)[1], "x.len() + 1 >= 2 * at.bound()");
    let lane = "%l = load vec4<u32> @at[1u32 * 16] %i = extract %l, 2u32 %v = load u32 @x[%i] ret";
    assert_eq!(verdicts(GATHER, lane)[1], "x.len() >= at.bound()");
}

#[test]
fn what_is_no_whole_element_is_not_below_the_bound() {
    let parts = "%i = load u16 @at[3u32 * 4] %j = cast %i to u32 %v = load u32 @x[%j] ret";
    let source = format!("func kernel workgroup_size(64, 1, 1) @k({GATHER}) {{ {parts} }}");
    assert!(!Found::of(&source).verdicts()[1].contains("bound"));
}

#[test]
fn a_requirement_of_a_bound_takes_the_place_of_a_condition() {
    let body = "%i = load u32 @at[3u32] %v = load u32 @x[%i] ret";
    verdicts_under("len @x >= bound @at, len @at > 3", GATHER, body, &["proven", "proven"]);
    verdicts_under("len @x + 1 >= bound @at, len @at > 3", GATHER, body, &["proven", "x.len() >= at.bound()"]);
    let tile = "shared @tile: [u32; 16] %i = load u32 @at[3u32] %v = load u32 @tile[%i] ret";
    verdicts_under("bound @at <= 16, len @at > 3", GATHER, tile, &["proven", "proven"]);
}

#[test]
fn a_loop_between_elements_stays_below_the_bound() {
    let body = "%a = load u32 @at[0u32] %b = load u32 @at[1u32]
        loop 'l (%k: u32 = %a) {
            %c = lt %k, %b
            if %c { yield } else { break 'l }
            %v = load u32 @x[%k]
            %next = add %k, 1u32
            continue 'l %next
        } ret";
    verdicts_under("len @x + 1 >= bound @at, len @at > 1", GATHER, body, &["proven", "proven", "proven"]);
}
