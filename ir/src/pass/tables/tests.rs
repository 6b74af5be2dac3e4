//! What becomes a table. Each kernel runs before and after and must store the same.

use crate::check::check_image;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::Module;
use crate::pass::{optimize, tables};
use crate::text::{parse, print};

fn stored(checked: &crate::check::Checked, n: u64) -> Vec<u8> {
    let words = Words::zeroed(64);
    let args = [Arg::Scalar([n, 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: 16 }];
    let options = Options { threads: 1, max_steps: Some(1 << 16) };
    Program::new(checked, 0).expect("a kernel").run([1, 1, 1], &args, &options).expect("no fault");
    words.read(0..64)
}

/// Whether the pass makes a table of `@a` in a kernel with this body.
#[track_caller]
fn becomes_table(body: &str) -> bool {
    let text = format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {{ {body} ret }}");
    let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let before = check_image(module).expect("a sound kernel");
    let mut module = before.clone().into_flat_module();
    let Module { types, functions } = &mut module;
    let changed = tables(&mut functions[0], types);
    let after = check_image(module).expect("a sound module");
    let optimized = optimize(before.clone());
    for n in [0, 1, 4, 5, 6, u64::from(u32::MAX)] {
        assert_eq!(stored(&after, n), stored(&before, n), "for {n}:\n{}", print(after.module()));
        assert_eq!(stored(&optimized, n), stored(&before, n), "for {n}:\n{}", print(optimized.module()));
    }
    changed
}

const FIVE: &str = "private @a: [u32; 6]
    store @a[0u32], 7u32 store @a[1u32], 8u32 store @a[2u32], 9u32 store @a[4u32], 10u32";

#[test]
fn an_array_of_constants_is_a_table_and_what_is_not_set_is_zero() {
    assert!(becomes_table(&format!("{FIVE} %v = load u32 @a[%n] store @y[0u32], %v")));
}

#[test]
fn a_loop_that_sets_it_again_sets_the_same() {
    let body = |load: &str| {
        format!(
            "private @a: [u32; 6]
            loop 'l (%i: u32 = 0u32) {{
              {load}
              store @a[0u32], 7u32 store @a[3u32], 8u32
              %v = load u32 @a[%n] store @y[%i], %v
              %next = add %i, 1u32 %done = ge %next, 4u32
              if %done {{ break 'l }} else {{ yield }}
              continue 'l %next
            }}"
        )
    };
    assert!(becomes_table(&body("")));
    // This one sees zero in the first round.
    assert!(!becomes_table(&body("%w = load u32 @a[%n] store @y[8u32], %w")));
}

#[test]
fn memory_that_changes_is_no_table() {
    assert!(!becomes_table(&format!("{FIVE} store @a[%n], 3u32 %v = load u32 @a[%n] store @y[0u32], %v")));
    assert!(!becomes_table(&format!("{FIVE} store @a[5u32], %n %v = load u32 @a[%n] store @y[0u32], %v")));
    assert!(!becomes_table(&format!(
        "{FIVE} %v = load u32 @a[%n] store @y[0u32], %v store @a[0u32], 1u32 %w = load u32 @a[%n] store @y[1u32], %w"
    )));
}

#[test]
fn memory_that_is_set_on_some_ways_only_is_no_table() {
    assert!(!becomes_table(
        "private @a: [u32; 6] %some = lt %n, 3u32
        if %some { store @a[0u32], 7u32 } else { yield }
        %v = load u32 @a[%n] store @y[0u32], %v"
    ));
}

#[test]
fn loads_at_constant_places_of_a_table_are_constants() {
    let text = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
        table @t: [u32; 3] = (5u32, 6u32, 7u32)
        %i = add 1u32, 1u32
        %a = load u32 @t[%i]
        %b = load u32 @t[1u32]
        %c = mul %a, %b
        store @y[0u32], %c
        ret
    }";
    let optimized = optimize(check_image(parse(text).expect("text")).expect("a kernel"));
    assert!(print(optimized.module()).contains("store @y[0u32], 42u32"), "{}", print(optimized.module()));
}

#[test]
fn what_a_table_holds_bounds_what_is_loaded() {
    let text = "func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {
        table @t: [u32; 3] = (5u32, 6u32, 7u32)
        %a = load u32 @t[%n]
        %small = lt %a, 8u32
        if %small { store @y[0u32], 1u32 } else { store @y[0u32], 2u32 }
        ret
    }";
    let optimized = print(optimize(check_image(parse(text).expect("text")).expect("a kernel")).module());
    assert!(optimized.contains("store @y[0u32], 1u32") && !optimized.contains("2u32"), "{optimized}");
}
