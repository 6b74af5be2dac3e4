//! The pages of the codes tell the truth: what each shows first fails with its code, and
//! what it shows last is accepted. Examples in prose (`text`) are beyond a test.

use samebits_front::link::Linked;
use samebits_front::spans::Spans;
use samebits_ir::check;
use samebits_ir::diag::{Code, Diags};
use samebits_ir::text;
use samebits_tests::tidy;
use std::fs;
use syn::punctuated::Punctuated;
use syn::{Item, Meta, Token};

/// The codes that an example fails with, in order.
fn codes(language: &str, example: &str) -> Option<Vec<Code>> {
    let result = match language {
        "gir" => text::parse(example).and_then(|module| check::check(module).map(drop)),
        "rust" => rust(example),
        _ => return None,
    };
    let diags = result.err().unwrap_or_default();
    Some(diags.as_slice().iter().map(|diag| diag.code).collect())
}

/// Compiles the kernel of an example as the attribute would.
fn rust(example: &str) -> Result<(), Diags> {
    let file = syn::parse_file(example).expect("the example is Rust");
    let function = file.items.iter().find_map(|item| if let Item::Fn(f) = item { Some(f) } else { None });
    let mut function = function.expect("the example has a kernel").clone();
    let attribute = function.attrs.remove(0);
    let arguments = match attribute.meta {
        Meta::Path(_) => Punctuated::new(),
        _ => attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).expect("arguments parse"),
    };
    let arguments: Vec<Meta> = arguments.into_iter().collect();
    let mut spans = Spans::new();
    samebits_front::kernel::compile(&arguments, &function, &Linked::default(), &mut spans).1.map(drop)
}

/// The pages' faults, from what `judge` makes of a code's examples.
fn faults(judge: impl Fn(Code, &[(&str, &str)]) -> Option<String>) -> String {
    let folder = tidy::root().join("ir/docs/errors");
    let mut faults = Vec::new();
    for &code in Code::ALL {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap_or_default();
        faults.extend(judge(code, &tidy::examples(&page)));
    }
    faults.join("\n")
}

#[test]
fn the_first_example_fails_with_the_code_alone() {
    let faults = faults(|code, examples| {
        let (language, example) = examples.first()?;
        let found = codes(language, example)?;
        (found != [code]).then(|| format!("{code}.md: the first example gives {found:?}"))
    });
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn the_last_example_is_accepted() {
    let faults = faults(|code, examples| {
        let (language, example) = examples.last()?;
        let found = codes(language, example)?;
        (!found.is_empty()).then(|| format!("{code}.md: the last example gives {found:?}"))
    });
    assert!(faults.is_empty(), "{faults}");
}
