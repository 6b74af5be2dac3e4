//! What is warned of, by the statements that are made for it; the words are rustc's.

use super::{LINTS, warnings};
use crate::link::Linked;
use proc_macro2::TokenStream;

/// The statements that have the faults of a function, and the lints' attributes on them.
fn faults(function: &str) -> Vec<String> {
    let function: syn::ItemFn = syn::parse_str(function).expect("the test's own function parses");
    let found = warnings((&function.sig, &function.block), &TokenStream::new(), &function.attrs, &Linked::default());
    if found.is_empty() {
        return Vec::new();
    }
    let file: syn::File = syn::parse2(found).expect("items");
    let Some(syn::Item::Const(constant)) = file.items.first() else { panic!("a constant") };
    let syn::Expr::Block(block) = &*constant.expr else { panic!("a block") };
    let shown = |stmt: &syn::Stmt| {
        let mut stmt = stmt.clone();
        match &mut stmt {
            syn::Stmt::Item(syn::Item::Fn(function)) => {
                let attrs = function.attrs.iter().filter(|attr| !attr.path().is_ident("cfg"));
                let block = &function.block;
                quote::quote!(#(#attrs)* #block).to_string()
            }
            other => quote::quote!(#other).to_string(),
        }
    };
    block.block.stmts.iter().map(shown).collect()
}

#[test]
fn what_is_used_is_not_warned_of() {
    for body in [
        "let a = n; y[0] = a;",
        "let mut a = 0; while a < n { a += 1; }",
        "let mut a = 0; loop { a += 1; if a > n { break; } }",
        "let mut last = 0; for i in 0..n { y[0] = last; last = i; }",
        "let mut a = 1; if n > 1 { a = 2; } y[0] = a;",
        "let mut a = 1; let f = |b: u32| a + b; y[0] = f(n); a = 3;",
        "let mut a = 1; let mut f = || a += 1; f(); y[0] = n;",
        "let mut a = 1; change(&mut a); a = 3;",
        "let mut p = Pair { a: 1, b: 2 }; p.a = 3;",
        "let p = Pair { a: 1, b: 2 }; let Pair { a: one, .. } = p; y[one] = 1;",
        "match n { LIMIT => {} k => y[0] = k }",
        "match n { 1 | 2 => {} k if k > 3 => {} _ => {} }",
        "'a: loop { loop { break 'a; } }",
        "'a: for i in 0..n { if i == 3 { continue 'a; } y[i] = 1; }",
        "let _unused = n; let mut _unread = 1; _unread = 2;",
        "const N: u32 = 3; y[N] = 1;",
        "loop { if n > 1 { return; } y[0] = 1; }",
        "if n > 1 { return; } y[0] = 1;",
        "let (a, b) = (1, n); y[a] = b;",
        "let a = 1; let a = a + n; y[0] = a;",
        "let mut a = 1; let mut b = 2; (a, b) = (b, a); y[a] = b;",
        "if n >= 1 && n < 4294967295 { y[0] = 1; }",
        "let i = n as i32; if i >= 0 { y[0] = 1; }",
    ] {
        let function = format!("fn k(n: u32, y: &mut [u32]) {{ let _ = (n, y); {body} }}");
        assert_eq!(faults(&function), [""; 0], "{body}");
    }
}

#[test]
fn loops_in_loops_are_walked_through_in_no_time() {
    let depth = 40;
    let body = format!("{}a = n; y[a] = 1;{}", "while a < n { ".repeat(depth), " a = n; }".repeat(depth));
    assert_eq!(faults(&format!("fn k(n: u32, y: &mut [u32]) {{ let mut a = 0; {body} }}")), [""; 0]);
}

#[test]
fn what_workgroups_share_is_not_followed() {
    let body = "#[shared] let mut a: u32; y[a] = 1; a = 2;";
    assert_eq!(faults(&format!("fn k(n: u32, y: &mut [u32]) {{ let _ = n; {body} }}")), [""; 0]);
}

#[test]
fn each_fault_is_a_statement() {
    for (body, expected) in [
        ("let a = n;", "{ let a = 1i8 ; }"),
        ("let mut a = 1; a += n;", "{ let mut a = 1i8 ; a += 1i8 ; }"),
        ("for i in 0..n {}", "{ let i = 1i8 ; }"),
        ("let f = |a: u32| 1; y[f(2)] = 1;", "{ let a = 1i8 ; }"),
        ("let mut a = 1; y[a] = 1;", "{ let mut a = 1i8 ; let _ = (a ,) ; }"),
        ("let mut a = n + 1; a = 2; y[a] = 1;", "{ let mut a = * & 1i8 ; a = 1i8 ; let _ = (a ,) ; }"),
        ("let mut a = 1; y[a] = 1; a = 2;", "{ let mut a = 1i8 ; let _ = (a ,) ; a = 1i8 ; }"),
        ("'a: loop { y[0] = 1; }", "{ 'a : { } }"),
        ("return; y[0] = 1;", "{ return ; let _ = 1i8 ; }"),
        ("loop { break; y[0] = 1; }", "{ loop { break ; let _ = 1i8 ; } }"),
        ("loop {} y[0] = 1;", "{ loop { } let _ = 1i8 ; }"),
        ("n + 1;", "{ 1i8 + 1i8 ; }"),
        ("n;", "{ let n = 1i8 ; n ; }"),
        ("if 0 <= n { y[0] = 1; }", "{ const _VALUE : u32 = 1 ; let _ = 0 <= _VALUE ; }"),
        ("#[allow(unused_variables)] let a = n;", "# [allow (unused_variables)] { let a = 1i8 ; }"),
        ("#[expect(unused)] let a = n;", "# [expect (unused_variables)] { let a = 1i8 ; }"),
        ("#[expect(unused)] if 0 <= n { y[0] = 1; }", "{ const _VALUE : u32 = 1 ; let _ = 0 <= _VALUE ; }"),
    ] {
        let function = format!("fn k(n: u32, y: &mut [u32]) {{ let _ = (n, y); {body} }}");
        assert_eq!(faults(&function), [expected], "{body}");
    }
    assert_eq!(faults("fn k() { const N: u32 = 3; }"), ["# [cfg (not (rust_analyzer))] const N : i8 = 1i8 ;"]);
}

#[test]
fn an_unsafe_around_no_access_is_needless() {
    // Each has one for `unsafe_code`.
    let needless = |body: &str| {
        let found = faults(&format!("fn k(y: &mut [u32], n: u32) {{ {body} f(y, n); }}"));
        found.iter().filter(|fault| fault.contains("unsafe {")).count() == 2
    };
    for body in ["unsafe { f(y, n); }", "let a = unsafe { n + 1 }; f(y, a);"] {
        assert!(needless(body), "{body}: {:?}", faults(&format!("fn k(y: &mut [u32], n: u32) {{ {body} }}")));
    }
    for body in
        ["unsafe { y[0] = n; }", "#[shared] let s: u32; unsafe { s = n; }", "unsafe { y.x = n; }", "unsafe { *y = n; }"]
    {
        assert!(!needless(body), "{body}: {:?}", faults(&format!("fn k(y: &mut [u32], n: u32) {{ {body} }}")));
    }
}

#[test]
fn what_an_item_expects_and_lacks_is_told() {
    let found = faults("#[expect(unused_mut, unused_variables)] fn k(n: u32) { let a = n; }");
    assert_eq!(found, ["# [expect (unused_variables)] { let a = 1i8 ; }", "# [expect (unused_mut)] { }"]);
}

#[test]
fn the_reference_names_every_lint() {
    let page = include_str!("../../../../runtime/src/language/mod.rs");
    for lint in LINTS {
        assert!(page.contains(&format!("`{lint}`")), "`runtime/src/language/mod.rs` does not name `{lint}`");
    }
}
