//! Parts of arrays and buffers: what is proven of them, as the optimised IR.

use quote::quote;
use samebits_front::kernel::compile;
use samebits_front::link::Linked;
use samebits_front::report::Reporter;

/// The optimised IR of a kernel, or what is wrong with it.
fn ir_of(arguments: &[syn::Meta], item: proc_macro2::TokenStream) -> String {
    let function: syn::ItemFn = syn::parse2(item).expect("the test's own kernel parses");
    let mut reporter = Reporter::new();
    match compile(arguments, &function, &Linked::default(), &mut reporter).1 {
        Ok(checked) => samebits_ir::text::print(checked.module()),
        Err(diags) => diags.as_slice().iter().map(|d| format!("{}\n", d.headline())).collect(),
    }
}

/// The IR of a kernel that may have no guard in a loop.
fn unguarded(item: proc_macro2::TokenStream) -> String {
    ir_of(&[syn::parse_quote!(workgroup_size(1)), syn::parse_quote!(deny(guards))], item)
}

#[test]
fn a_loop_over_a_part_needs_no_guard() {
    let parts = [
        quote!(a..b),
        quote!(a..),
        quote!(..b),
        quote!(a..=b),
        quote!(a..a + 8),
        quote!(a * 4..(a + 1) * 4),
        quote!(3..9),
    ];
    for part in parts {
        let text = unguarded(quote! {
            fn k(a: usize, b: usize, x: &[u32], o: &mut [u32]) {
                let sum = |s: &[u32]| {
                    let mut sum = 0;
                    for i in 0..s.len() { sum += s[i]; }
                    sum
                };
                o[0] = sum(&x[#part]);
            }
        });
        // Only the loop itself tests anything.
        assert_eq!(text.matches("if ").count(), 1, "{part}: {text}");
    }
}

#[test]
fn a_part_of_a_part_needs_no_guard() {
    let text = unguarded(quote! {
        fn k(a: usize, b: usize, x: &[u32], o: &mut [u32]) {
            let sum = |s: &[u32]| {
                let mut sum = 0;
                for i in 0..s.len() { sum += s[i]; }
                sum
            };
            let inner = |s: &[u32]| sum(&s[b..]);
            o[0] = inner(&x[a..]);
        }
    });
    assert_eq!(text.matches("if ").count(), 1, "{text}");
}

#[test]
fn a_test_against_the_length_of_a_part_is_the_only_one() {
    let text = unguarded(quote! {
        fn k(a: usize, b: usize, n: usize, x: &[u32], o: &mut [u32]) {
            let sum = |s: &[u32]| {
                let mut sum = 0;
                for i in 0..n { if i < s.len() { sum += s[i]; } }
                sum
            };
            o[0] = sum(&x[a..b]);
        }
    });
    assert_eq!(text.matches("if ").count(), 2, "{text}");
}

#[test]
fn an_index_that_may_leave_its_part_is_a_guard() {
    let text = unguarded(quote! {
        fn k(a: usize, b: usize, n: usize, x: &[u32], o: &mut [u32]) {
            let sum = |s: &[u32]| {
                let mut sum = 0;
                for i in 0..n { sum += s[i]; }
                sum
            };
            o[0] = sum(&x[a..b]);
        }
    });
    assert_eq!(text, "the load from `x` needs a bounds test inside of a loop [V304]\n");
}

#[test]
fn known_ends_cost_nothing() {
    let text = ir_of(
        &[syn::parse_quote!(workgroup_size(64))],
        quote! {
            fn k(o: &mut [u32]) {
                #[shared]
                let tile: [u32; 64];
                let put = |t: &mut [u32], i: usize| t[i] = 7;
                put(&mut tile[16..48], local_id().x);
                workgroup_barrier();
                o[global_id().x] = tile[4..][local_id().x];
            }
        },
    );
    let expected = "\
  %i = local_id.x
  store @tile[%i < 32] + 64, 7u32
  barrier
  %0 = load u32 @tile[%i < 60] + 16
  %1 = global_id.x
  store @o[%1], %0
";
    assert!(text.contains(expected), "{text}");
}

/// A kernel of 8 rows of 8, each of which is lent to what `body` does with it.
fn rows(body: &proc_macro2::TokenStream) -> String {
    ir_of(
        &[syn::parse_quote!(workgroup_size(1, 8)), syn::parse_quote!(deny(guards))],
        quote! {
            fn k(n: usize, o: &mut [u32]) {
                #[shared]
                let tile: [u32; 64];
                let row = local_id().y;
                let set = |t: &mut [u32]| #body;
                set(&mut tile[row * 8..(row + 1) * 8]);
                workgroup_barrier();
                o[global_id().y] = tile[63 - row];
            }
        },
    )
}

#[test]
fn rows_of_a_tile_do_not_race() {
    for body in [
        quote! {{ for i in 0..8 { t[i] = 3; } }},
        quote! {{ for i in 0..t.len() { t[i] = 3; } }},
        quote! {{ t[0] = 1; t[7] = 2; }},
        quote! {{ for i in 0..t.len() / 2 { t[2 * i + 1] = 3; } }},
        // Beyond the row nothing is stored.
        quote! {{ for i in 0..8 { t[i + 1] = 3; } }},
    ] {
        let text = rows(&body);
        assert!(text.starts_with("func kernel"), "{body}: {text}");
    }
}

#[test]
fn parts_of_a_buffer_do_not_race() {
    let kernel = |body: proc_macro2::TokenStream| {
        ir_of(
            &[syn::parse_quote!(workgroup_size(64))],
            quote! {
                fn k(n: usize, o: &mut [u32]) {
                    let i = global_id().x;
                    let set = |t: &mut [u32]| #body;
                    set(&mut o[i * 4..i * 4 + 4]);
                }
            },
        )
    };
    for body in [
        quote! {{ for j in 0..4 { t[j] = 3; } }},
        quote! {{ for j in 0..t.len() { t[j] = 3; } }},
        quote! {{ t[3] = 3; }},
        // Beyond the part nothing is stored.
        quote! {{ for j in 0..9 { t[j] = 3; } }},
        quote! {{ t[n] = 3; }},
    ] {
        let text = kernel(body.clone());
        assert!(text.starts_with("func kernel"), "{body}: {text}");
    }
    let whole = ir_of(
        &[syn::parse_quote!(workgroup_size(64))],
        quote! {
            fn k(o: &mut [u32]) {
                let set = |t: &mut [u32]| t[0] = 3;
                set(&mut o[global_id().x / 2..]);
            }
        },
    );
    assert!(whole.contains("[V50"), "{whole}");
}
