//! Block form of what users write: every kernel of the kernels' tests and of the examples,
//! written as blocks and read back, leaves the bytes in memory that it leaves as it is.
//!
//! Kernels are taken from the sources and compiled as the attribute does. Those that only
//! a macro's expansion completes are left out; a minimum is required of the others.

use samebits_front::link::Linked;
use samebits_front::report::Reporter;
use samebits_ir::backend::gir;
use samebits_ir::check::{Checked, check};
use samebits_ir::diag::render;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::ir::ParamKind;
use samebits_ir::text;
use samebits_tests::tidy;
use std::fs;
use syn::punctuated::Punctuated;
use syn::{Item, ItemFn, Meta, Token};

/// The functions with `#[kernel]` among items, those of modules and functions included.
fn kernels(items: &[Item], found: &mut Vec<(ItemFn, Vec<Meta>)>) {
    for item in items {
        match item {
            Item::Mod(module) => kernels(module.content.as_ref().map_or(&[], |content| &content.1), found),
            Item::Fn(function) => {
                if let Some(at) = function.attrs.iter().position(|attr| attr.path().is_ident("kernel")) {
                    let mut function = function.clone();
                    let arguments = match function.attrs.remove(at).meta {
                        Meta::List(list) => list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated),
                        Meta::Path(_) | Meta::NameValue(_) => Ok(Punctuated::new()),
                    };
                    found.extend(arguments.ok().map(|arguments| (function, arguments.into_iter().collect())));
                } else {
                    let inner: Vec<Item> = function.block.stmts.iter().filter_map(inner_item).collect();
                    kernels(&inner, found);
                }
            }
            _ => {}
        }
    }
}

fn inner_item(stmt: &syn::Stmt) -> Option<Item> {
    if let syn::Stmt::Item(item) = stmt { Some(item.clone()) } else { None }
}

/// All buffers after one workgroup; nothing if the run was too long.
fn run(checked: &Checked, seed: u32) -> Option<Vec<Vec<u8>>> {
    let function = &checked.module().functions[0];
    let program = Program::new(checked, 0)?;
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let bytes_of = |kind| match kind {
        ParamKind::Buffer { element, .. } => {
            checked.module().types.layout(element).map_or(0, |layout| 64 * layout.size as usize)
        }
        ParamKind::Scalar(_) => 0,
    };
    let mut fill = |bytes: usize| Words::from_bytes(&(0..bytes).map(|_| next() as u8 & 0x3f).collect::<Vec<_>>());
    let words: Vec<Words> = function.params.iter().map(|param| fill(bytes_of(param.kind))).collect();
    let arg = |(param, words): (&samebits_ir::ir::Param, _)| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len: 64 },
        // One in every type: small as an integer, and true.
        ParamKind::Scalar(_) => Arg::Scalar([1; 4]),
    };
    let args: Vec<Arg<'_>> = function.params.iter().zip(&words).map(arg).collect();
    let options = Options { threads: 1, max_steps: Some(400_000) };
    program.run([1; 3], &args, &options).ok()?;
    Some(words.iter().map(|words| words.read(0..words.bytes())).collect())
}

#[test]
fn every_kernel_does_the_same_in_block_form() {
    let root = tidy::root();
    let (mut compared, mut failures) = (0, String::new());
    for folder in ["tests/tests/kernels", "examples/src", "examples/examples"] {
        let mut paths: Vec<_> =
            fs::read_dir(root.join(folder)).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            let file = syn::parse_file(&fs::read_to_string(path).expect("a file")).expect("Rust");
            let mut found = Vec::new();
            kernels(&file.items, &mut found);
            for (function, arguments) in &found {
                let mut reporter = Reporter::new();
                let Ok(checked) =
                    samebits_front::kernel::compile(arguments, function, &Linked::default(), &mut reporter).1
                else {
                    continue;
                };
                let blocks = gir::emit(&checked);
                let name = format!("{}: {}", path.display(), function.sig.ident);
                let again = match text::parse(&blocks).and_then(check) {
                    Ok(again) => again,
                    Err(diags) => {
                        failures += &format!("{name}\n{}\n", render(&diags, "blocks", &blocks));
                        continue;
                    }
                };
                for seed in 1..3 {
                    let Some(before) = run(&checked, seed) else { continue };
                    compared += 1;
                    if run(&again, seed).as_ref() != Some(&before) {
                        failures += &format!("{name} differs in block form:\n{blocks}\n");
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(compared > 180, "{compared} runs were compared");
}
