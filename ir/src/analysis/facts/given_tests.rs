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
