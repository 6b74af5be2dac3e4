//! What calls become, and what they may not become.

use super::{MAX_INDICES, flatten};
use crate::check::{check, check_image};
use crate::diag::{Code, Diags, render};
use crate::ir::{MAX_INSTS, MAX_NESTING, Module};
use crate::text::{parse, print};
use std::fmt::Write;

/// What the function of this index becomes, and that it passes the checks by itself.
#[track_caller]
fn flat(source: &str, index: usize) -> String {
    let module = parse(source).unwrap_or_else(|d| panic!("{}", render(&d, "in", source)));
    let checked = check(module).unwrap_or_else(|d| panic!("{}", render(&d, "in", source)));
    let (function, _) = checked.function(index).expect("a function");
    let module = Module { types: checked.module().types.clone(), functions: vec![function.clone()] };
    let again = check_image(module.clone()).unwrap_or_else(|d| panic!("{d:?}\n{}", print(&module)));
    print(again.module())
}

#[track_caller]
fn becomes(source: &str, index: usize, expected: &str) {
    let expected = print(&parse(expected).unwrap_or_else(|d| panic!("{}", render(&d, "expected", expected))));
    let actual = flat(source, index);
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

fn errors(source: &str) -> Diags {
    parse(source).and_then(check).map(|_| ()).expect_err("a mistake")
}

#[test]
fn a_body_that_returns_at_its_end_stands_in_the_place_of_the_call() {
    becomes(
        "func @f(%a: u32, @x: mut [u32]) -> u32 { store @x[%a], 1u32 %c = add %a, %a ret %c }
         func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           %a = call @f(%n, @y[%n] + 4)
           %b = call @f(%a, @y)
           store @y[0u32], %b
           ret
         }",
        1,
        "func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           store @y[%n][%n] + 4, 1u32
           %c = add %n, %n
           store @y[%c], 1u32
           %c.1 = add %c, %c
           store @y[0u32], %c.1
           ret
         }",
    );
}

#[test]
fn an_early_return_leaves_a_loop_that_runs_once() {
    becomes(
        "func @f(%a: u32) -> u32 { %c = lt %a, 3u32 if %c { ret 1u32 } ret %a }
         func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           %r = call @f(%n)
           store @y[0u32], %r
           ret
         }",
        1,
        "func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           %r = loop 'l0 -> u32 {
             %c = lt %n, 3u32
             if %c { break 'l0 1u32 }
             break 'l0 %n
           }
           store @y[0u32], %r
           ret
         }",
    );
}

#[test]
fn the_length_of_a_view_of_whole_elements_is_counted_in_elements() {
    becomes(
        "func @f(@x: [u32]) -> u32 { %n = len @x ret %n }
         func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           %a = call @f(@y)
           store @y[0u32], %a
           %b = call @f(@y[%n < 7])
           store @y[0u32], %b
           ret
         }",
        1,
        "func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
           %0 = len @y
           store @y[0u32], %0
           %1 = len @y
           %2 = le %n, %1
           %3 = sub %1, %n
           %4 = select %2, %3, 0u32
           %5 = lt %n, 7u32
           %6 = select %5, %4, 0u32
           store @y[0u32], %6
           ret
         }",
    );
}

#[test]
fn a_divergent_barrier_in_a_callee_names_the_calls() {
    let source = "
func @inner(%c: bool) {
  if %c {
    barrier
  }
  ret
}
func @outer(%c: bool) {
  call @inner(%c)
  ret
}
func kernel workgroup_size(4, 1, 1) @k() {
  %i = local_index
  %c = lt %i, 2u32
  call @outer(%c)
  ret
}
";
    let diags = errors(source);
    let [diag] = diags.as_slice() else { panic!("{}", render(&diags, "in", source)) };
    let at = |text: &str| source.find(text).map(|at| at as u32);
    assert_eq!((diag.code, diag.loc.index()), (Code::V010, at("barrier")));
    let labels: Vec<(Option<u32>, &str)> = diag.labels.iter().map(|(loc, text)| (loc.index(), text.as_str())).collect();
    assert!(labels.contains(&(at("call @inner"), "the barrier is reached through this call of `inner`")), "{labels:?}");
    assert!(labels.contains(&(at("call @outer"), "the barrier is reached through this call of `outer`")), "{labels:?}");
    assert!(labels.contains(&(at("lt %i"), "this condition differs between invocations")), "{labels:?}");
}

#[test]
fn an_early_return_in_a_callee_is_what_a_report_names() {
    let source = "
func @f(%i: u32, %n: u32) {
  %c = ge %i, %n
  if %c {
    ret
  }
  barrier
  ret
}
func kernel workgroup_size(4, 1, 1) @k(%n: u32) {
  %i = local_index
  call @f(%i, %n)
  ret
}
";
    let diags = errors(source);
    let [diag] = diags.as_slice() else { panic!("{}", render(&diags, "in", source)) };
    let first_return = source.find("ret").map(|at| at as u32);
    assert_eq!(diag.labels[0].0.index(), first_return);
    assert_eq!(diag.labels[0].1, "some invocations leave here");
    assert_eq!(
        diag.help.as_deref(),
        Some("wrap the code around the barrier in `if i < n { … }` and keep the barrier outside")
    );
}

/// Functions of which each calls the one before it twice; the first has a store.
fn doubling(count: usize) -> String {
    let mut source = String::from("func @f0(@x: mut [u32]) { store @x[0u32], 1u32 ret }\n");
    for i in 1..count {
        let _ = writeln!(source, "func @f{i}(@x: mut [u32]) {{ call @f{0}(@x) call @f{0}(@x) ret }}", i - 1);
    }
    source
}

#[test]
fn functions_that_double_are_refused_before_they_are_long() {
    let diags = errors(&doubling(60));
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    assert_eq!(diag.code, Code::V019);
    assert!(diag.message.contains(&format!("has more than {MAX_INSTS} instructions")), "{}", diag.message);
    assert_eq!(diag.labels.len(), 1);
    assert!(parse(&doubling(14)).and_then(check).is_ok());
}

#[test]
fn many_functions_that_call_a_long_one_are_refused_together() {
    let mut source = doubling(15);
    for i in 0..100 {
        let _ = writeln!(source, "func @g{i}(@x: mut [u32]) {{ call @f14(@x) ret }}");
    }
    let diags = errors(&source);
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    assert_eq!(diag.code, Code::V019);
    assert!(diag.message.contains("the functions of this module have more than 1000000 instructions"));
}

#[test]
fn a_long_chain_of_calls_is_no_deep_recursion() {
    let mut source = String::from("func @f0() { barrier ret }\n");
    for i in 1..1200 {
        let _ = writeln!(source, "func @f{i}() {{ call @f{}() ret }}", i - 1);
    }
    assert!(parse(&source).and_then(check).is_ok());
    let mut cycle = source.replace("func @f0() { barrier ret }", "func @f0() { call @f1199() ret }");
    let diags = errors(&cycle);
    assert_eq!(diags.as_slice()[0].code, Code::V106);
    assert_eq!(diags.as_slice()[0].message, "function `f0` calls itself through `f1199`");
    assert!(diags.as_slice()[0].labels.len() < 10);
    cycle.push_str("func kernel workgroup_size(1, 1, 1) @k() { call @f7() ret }");
    assert_eq!(errors(&cycle).as_slice().len(), 1);
}

#[test]
fn a_function_that_just_fits_cannot_be_run_alone() {
    let stores = |count: usize| {
        let source = format!("func @f(@x: mut [u32]) {{ {} ret }}", "store @x[0u32], 1u32 ".repeat(count));
        parse(&source).and_then(check).unwrap_or_else(|diags| panic!("{diags:?}"))
    };
    assert!(crate::interp::entry(&stores(9), 0).is_some());
    assert!(crate::interp::entry(&stores(MAX_INSTS - 1), 0).is_none());
}

#[test]
fn a_function_as_long_as_allowed_with_zeroed_arrays_passes_the_checks_again() {
    // Each call of `f` sets an array of vectors to zero: a vector and eight stores.
    let source = |calls: usize| {
        let calls = "call @f() ".repeat(calls);
        format!(
            "func @f() {{ private @a: [vec2<f32>; 8] private @b: [vec2<f32>; 8] ret }}
             func kernel workgroup_size(1, 1, 1) @k() {{ {calls} ret }}"
        )
    };
    let checked = (4_900..5_010).rev().step_by(5).find_map(|calls| parse(&source(calls)).and_then(check).ok());
    let checked = checked.expect("some number of calls fits");
    crate::pass::optimize(checked);
}

#[test]
fn blocks_of_callees_count_as_nested() {
    let nested = |depth: usize| {
        let body = (0..depth).fold("barrier".to_owned(), |body, _| format!("if %c {{ {body} }}"));
        format!(
            "func @f(%c: bool) {{ {body} ret }}
             func kernel workgroup_size(1, 1, 1) @k(%c: bool) {{ if %c {{ call @f(%c) }} ret }}"
        )
    };
    assert!(parse(&nested(MAX_NESTING - 1)).and_then(check).is_ok());
    let diags = errors(&nested(MAX_NESTING));
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    assert_eq!((diag.code, diag.message.as_str()), (Code::V018, "with `f` inlined, blocks nest more than 64 deep"));
    assert_eq!(diag.labels.len(), 1);
}

#[test]
fn joined_places_have_a_limited_number_of_indices() {
    let mut source = String::from("func @f0(@x: [u32], %i: u32) -> u32 { %v = load u32 @x[%i] ret %v }\n");
    for i in 1..=MAX_INDICES {
        let _ =
            writeln!(source, "func @f{i}(@x: [u32], %i: u32) -> u32 {{ %v = call @f{}(@x[%i], %i) ret %v }}", i - 1);
    }
    let diags = errors(&source);
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    assert_eq!(diag.code, Code::V019);
    assert_eq!(diag.message, "an access to view `x` has more than 64 indices");
}

#[test]
fn private_memory_of_callees_counts_once_for_each_function() {
    let calls = |size: usize| {
        format!(
            "func @f() {{ private @a: [u32; {size}] ret }}
             func @g() {{ private @b: [u32; 8192] call @f() call @f() ret }}
             func kernel workgroup_size(1, 1, 1) @k() {{ call @g() call @f() ret }}"
        )
    };
    assert!(parse(&calls(8192)).and_then(check).is_ok());
    let codes: Vec<Code> = errors(&calls(8193)).as_slice().iter().map(|diag| diag.code).collect();
    assert_eq!(codes, [Code::V602, Code::V602]);
}

#[test]
fn a_module_without_calls_is_left_alone() {
    let module = parse("func kernel workgroup_size(1, 1, 1) @k() { ret }").unwrap();
    let mut diags = Diags::new();
    assert!(flatten(&module, &mut diags).iter().all(Option::is_none) && diags.is_empty());
}
