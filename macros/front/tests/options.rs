//! What `Option`s cost: no more than the `bool` and the value that one would write by hand, in the optimised IR.

use quote::quote;
use samebits_front::kernel::compile;
use samebits_front::link::Linked;
use samebits_front::report::Reporter;

/// The instructions of the optimised body of a kernel, without the names of values.
fn instructions(body: &proc_macro2::TokenStream) -> Vec<String> {
    let item = quote! { fn k(a: u32, b: u32, x: &[u32], y: &mut [u32]) { #body } };
    let function: syn::ItemFn = syn::parse2(item).expect("the test's own kernel parses");
    let mut reporter = Reporter::new();
    let arguments = [syn::parse_quote!(workgroup_size(1))];
    let checked = compile(&arguments, &function, &Linked::default(), &mut reporter).1;
    let checked = checked.unwrap_or_else(|diags| {
        let errors: Vec<String> = diags.as_slice().iter().map(|diag| diag.headline().to_string()).collect();
        panic!("{body}: {}", errors.join(", "))
    });
    let text = samebits_ir::text::print(checked.module());
    let op = |line: &str| {
        let line = line.trim();
        let made = line.split_once(" = ").map_or(line, |(_, made)| made);
        made.split_whitespace().next().unwrap_or_default().to_owned()
    };
    let mut ops: Vec<String> = text.lines().map(op).filter(|op| !op.is_empty()).collect();
    ops.sort_unstable();
    ops
}

/// That what is written with an `Option` costs what the same costs by hand.
fn costs(option: &proc_macro2::TokenStream, by_hand: &proc_macro2::TokenStream) {
    assert_eq!(instructions(option), instructions(by_hand), "{option} beside {by_hand}");
}

#[test]
fn a_checked_sum_is_a_sum_and_a_flag() {
    costs(
        &quote! { if let Some(sum) = a.checked_add(b) { y[0] = sum; } },
        &quote! {
            let (sum, wraps) = a.overflowing_add(b);
            if !wraps { y[0] = sum; }
        },
    );
}

#[test]
fn unwrap_or_is_a_choice() {
    costs(
        &quote! { y[0] = a.checked_sub(b).unwrap_or(7); },
        &quote! {
            let (rest, wraps) = a.overflowing_sub(b);
            y[0] = if !wraps { rest } else { 7 };
        },
    );
}
