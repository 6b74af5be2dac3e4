//! Random kernels as Rust source, compiled by the front end and run on the interpreter, against a walk of their trees.
//!
//! `SAMEBITS_RANDOM=100000` tries more of them.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use samebits_front::device;
use samebits_front::kernel::compile;
use samebits_front::link::Linked;
use samebits_front::link::facts::{Fact, Facts};
use samebits_front::macros;
use samebits_front::report::Reporter;
use samebits_ir::check::Checked;
use samebits_ir::interp::{Arg, Options, Program as Code, Words};
use samebits_random::Random;
use samebits_random::source::{INPUT, ITEMS, MEASURED, OUTPUT, Program};
use std::collections::BTreeMap;

/// What has to be in one of fifty programs at least.
const CONSTRUCTS: [&str; 20] = [
    "Some(",
    "None",
    ".map_or(",
    ".and_then(",
    ".checked_",
    ")?;",
    "matches!(",
    "measured(",
    ".twice()",
    "Mat2",
    ".transpose()",
    " += (Pair ",
    "Held::Two {",
    "let it = ",
    "it.clone()",
    " in it {",
    ") = &mut ",
    " } = &mut ",
    "] = &mut ",
    ", ..] | [.., ",
];

/// How many programs are tried.
fn count() -> u64 {
    std::env::var("SAMEBITS_RANDOM").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// What hidden macros hand on, by their names.
type Registry = BTreeMap<String, TokenStream>;

/// Expands items as rustc does: calls the hidden macros that they name, in any order, and adds their own.
fn expand(items: &[&str], registry: &mut Registry) -> Result<(), String> {
    let tree = |item: &&str| {
        let tokens = parsed(item);
        let expansion = match syn::parse2::<syn::Item>(tokens.clone()) {
            Ok(syn::Item::Struct(_) | syn::Item::Enum(_)) => device::element(tokens),
            _ => device::expand(TokenStream::new(), tokens),
        };
        expansion.into_iter().collect()
    };
    let mut waiting: Vec<Vec<TokenTree>> = items.iter().map(tree).collect();
    while !waiting.is_empty() {
        let mut went_on = false;
        for trees in std::mem::take(&mut waiting) {
            if let Some(text) = trees.iter().map(ToString::to_string).find(|text| text.contains("compile_error !")) {
                return Err(text);
            }
            match hop(&trees, registry) {
                Some(further) => {
                    went_on = true;
                    waiting.push(further);
                }
                None if trees.iter().any(|token| matches!(token, TokenTree::Group(group) if is_hop(group))) => {
                    waiting.push(trees);
                }
                None => {
                    went_on = true;
                    learn(&trees, registry);
                }
            }
        }
        if !went_on {
            return Err(format!("macros are missing for {} items: {}", waiting.len(), missing(&waiting)));
        }
    }
    Ok(())
}

/// The names of the macros that items wait for.
fn missing(waiting: &[Vec<TokenTree>]) -> String {
    let name = |trees: &Vec<TokenTree>| {
        let at = trees.iter().position(|token| matches!(token, TokenTree::Group(group) if is_hop(group)))?;
        Some(trees.get(at.checked_sub(2)?)?.to_string())
    };
    waiting.iter().filter_map(name).collect::<Vec<_>>().join(", ")
}

/// What the first call of a hidden macro among these tokens leads to, with the tokens around it; nothing if there is no
/// such call, or no such macro yet.
fn hop(trees: &[TokenTree], registry: &mut Registry) -> Option<Vec<TokenTree>> {
    let at = trees.iter().position(|token| matches!(token, TokenTree::Group(group) if is_hop(group)))?;
    // What stands before may be what is called.
    learn(&trees[..at], registry);
    let TokenTree::Group(state) = &trees[at] else { return None };
    let facts = registry.get(&trees[at.checked_sub(2)?].to_string())?.clone();
    let state = state.stream().into_iter().skip_while(|token| token.to_string() != ",").skip(1);
    let next = samebits_front::link(state.chain(facts).collect());
    let before = trees[..at - 2].iter().cloned();
    Some(before.chain(next).chain(trees[at + 1..].iter().cloned()).collect())
}

/// Whether tokens are the state that a call of a hidden macro hands on.
fn is_hop(group: &Group) -> bool {
    let text = group.stream().to_string();
    group.delimiter() == Delimiter::Brace
        && text.split_once(',').is_some_and(|(path, _)| path.trim_end().ends_with("link"))
}

/// Adds what the hidden macros among these tokens hand on.
fn learn(trees: &[TokenTree], registry: &mut Registry) {
    let word = |at: usize| trees.get(at).map(ToString::to_string).unwrap_or_default();
    for (i, token) in trees.iter().enumerate() {
        match token {
            // `($callback:path, …) => { $callback! { $($state)* facts } }`
            TokenTree::Ident(name) if name == "macro_rules" => {
                let Some(TokenTree::Group(rules)) = trees.get(i + 3) else { continue };
                let last = |tokens: TokenStream| tokens.into_iter().filter_map(group).last();
                let facts = last(rules.stream()).and_then(last).map(|call| call.into_iter().skip(3).collect());
                registry.extend(facts.map(|facts| (word(i + 2), facts)));
            }
            // `use hidden as name;`
            TokenTree::Ident(name) if name == "use" && word(i + 2) == "as" => {
                let facts = registry.get(&word(i + 1)).cloned();
                registry.extend(facts.map(|facts| (word(i + 3), facts)));
            }
            _ => {}
        }
    }
}

fn group(token: TokenTree) -> Option<TokenStream> {
    if let TokenTree::Group(group) = token { Some(group.stream()) } else { None }
}

/// The facts that an item of this name hands on.
fn facts(registry: &Registry, name: &str) -> Vec<Fact> {
    let facts = registry.get(name).unwrap_or_else(|| panic!("`{name}` has no macro"));
    let facts = syn::parse2::<Facts>(facts.clone()).unwrap_or_else(|error| panic!("facts of `{name}`: {error}"));
    facts.list.unwrap_or_else(|| panic!("facts of `{name}` are of another form"))
}

fn parsed(source: &str) -> TokenStream {
    source.parse().unwrap_or_else(|error| panic!("{error}:\n{source}"))
}

/// The kernel of a program, compiled.
fn compiled(program: &Program, own: &Registry) -> Result<Checked, String> {
    let source = program.source();
    let mut registry = own.clone();
    let mut names: Vec<String> = ["Pair", "Way", "Held", "measured", "Measure"].map(str::to_owned).to_vec();
    for (i, helper) in program.helpers().iter().enumerate() {
        expand(&[helper], &mut registry)?;
        names.push(format!("helper{i}"));
    }
    let path = |name: &String| (syn::parse_str(name).expect("a name"), facts(&registry, name));
    let linked: Vec<(syn::Path, Vec<Fact>)> = names.iter().map(path).collect();
    let mut tokens = parsed(&source);
    let mut item: syn::ItemFn = syn::parse2(tokens.clone()).map_err(|error| format!("{error}\n{source}"))?;
    macros::rewrite(&mut tokens, &mut item);
    let linked = Linked::new(linked);
    let mut reporter = Reporter::new();
    let (arguments, helpers) = ([syn::parse_quote!(workgroup_size(1))], program.helpers().join(""));
    compile(&arguments, &item, &linked, &mut reporter).1.map_err(|diags| {
        let all: Vec<String> = diags.as_slice().iter().map(|diag| diag.headline()).collect();
        format!("{}\n{helpers}{source}", all.join("\n"))
    })
}

fn run(kernel: &Checked, input: &[u32; INPUT]) -> Vec<u32> {
    let code = Code::new(kernel, 0).expect("the kernel is the module's only function");
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (x, y) = (Words::from_bytes(&bytes), Words::zeroed(OUTPUT * 4));
    let args = [
        Arg::Buffer { words: &x, offset: 0, len: INPUT as u32 },
        Arg::Buffer { words: &y, offset: 0, len: OUTPUT as u32 },
    ];
    code.run([1; 3], &args, &Options::default()).expect("the kernel ends");
    let bytes = y.read(0..OUTPUT * 4);
    bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[test]
fn random_programs_compute_what_their_trees_do() {
    let mut own = Registry::new();
    for items in [&ITEMS[..], &[MEASURED]] {
        expand(items, &mut own).unwrap_or_else(|error| panic!("{error}"));
    }
    let count = count();
    let mut wrong = Vec::new();
    let (mut differing, mut deep) = (0, 0);
    let mut seen = CONSTRUCTS.map(|_| 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let program = Program::new(&mut random);
        let text = program.helpers().join("") + &program.source();
        CONSTRUCTS.iter().zip(&mut seen).for_each(|(word, seen)| *seen += u64::from(text.contains(word)));
        let kernel = match compiled(&program, &own) {
            Ok(kernel) => kernel,
            // Statements nest as deep as chance has it.
            Err(error) if error.contains("[V018]") => {
                deep += 1;
                continue;
            }
            Err(error) => {
                wrong.push(format!("seed {seed}: {error}"));
                continue;
            }
        };
        let inputs = [[0; INPUT], std::array::from_fn(|i| i as u32 + 1), std::array::from_fn(|_| random.bits() as u32)];
        let expected = inputs.map(|input| program.run(&input));
        differing += u64::from(expected[0] != expected[1]);
        for (input, expected) in inputs.iter().zip(&expected) {
            let found = run(&kernel, input);
            if found != *expected {
                let helpers = program.helpers().join("");
                let at = found.iter().zip(expected).position(|(found, expected)| found != expected).unwrap_or(0);
                wrong.push(format!(
                    "seed {seed}: y[{at}] is {}, but {} in Rust, of {input:?}\n{helpers}{}",
                    found[at],
                    expected[at],
                    program.source()
                ));
                break;
            }
        }
    }
    // The shortest ones say most.
    wrong.sort_by_key(String::len);
    let shown: Vec<String> = wrong.iter().take(3).cloned().collect();
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), shown.join("\n\n"));
    assert!(deep <= count / 100, "{deep} of {count} are too deep");
    for (word, seen) in CONSTRUCTS.iter().zip(seen) {
        assert!(seen > count / 50, "`{word}` is in only {seen} of {count}");
    }
    // Else a program that computes nothing would pass.
    assert!(differing > count / 2, "the results of only {differing} of {count} depend on what they read");
}
