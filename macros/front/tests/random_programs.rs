//! Random kernels as Rust source, compiled by the front end and run on the interpreter, against a walk of their trees.
//!
//! `SAMEBITS_RANDOM=100000` tries more of them.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use samebits_front::device;
use samebits_front::kernel::compile;
use samebits_front::link::Linked;
use samebits_front::link::facts::{Fact, Facts};
use samebits_front::report::Reporter;
use samebits_ir::check::Checked;
use samebits_ir::interp::{Arg, Options, Program as Code, Words};
use samebits_random::Random;
use samebits_random::source::{INPUT, OUTPUT, Program};

const PAIR: &str = "#[derive(Clone, Copy, Element)] #[repr(C)] struct Pair { first: u32, second: i32 }";
const WAY: &str = "#[derive(Clone, Copy, PartialEq, Element)] #[repr(u32)] enum Way { Up, Down, Across }";

/// How many programs are tried.
fn count() -> u64 {
    std::env::var("SAMEBITS_RANDOM").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// The facts in an expansion: what its hidden macro hands on.
fn facts(tokens: TokenStream) -> Option<Vec<Fact>> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Group(group) => {
            let found = (group.delimiter() == Delimiter::Brace)
                .then(|| syn::parse2::<Facts>(TokenTree::from(group.clone()).into()).ok())
                .flatten();
            found.and_then(|found| found.list).or_else(|| facts(group.stream()))
        }
        _ => None,
    })
}

fn parsed(source: &str) -> TokenStream {
    source.parse().unwrap_or_else(|error| panic!("{error}:\n{source}"))
}

/// The kernel of a program, compiled.
fn compiled(program: &Program, own: &[(&str, Vec<Fact>)]) -> Result<Checked, String> {
    let source = program.source();
    let mut linked: Vec<(syn::Path, Vec<Fact>)> =
        own.iter().map(|(name, facts)| (syn::parse_str(name).expect("a name"), facts.clone())).collect();
    for (i, helper) in program.helpers().iter().enumerate() {
        let expansion = device::expand(TokenStream::new(), parsed(helper));
        let text = expansion.to_string();
        if let Some((_, error)) = text.split_once("compile_error ! {") {
            return Err(format!("{}\n{helper}", error.split(']').next().unwrap_or_default()));
        }
        let facts = facts(expansion).ok_or_else(|| format!("no facts: {text}"))?;
        linked.push((syn::parse_str(&format!("helper{i}")).expect("a name"), facts));
    }
    let item: syn::ItemFn = syn::parse_str(&source).map_err(|error| format!("{error}\n{source}"))?;
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
    let own = [("Pair", PAIR), ("Way", WAY)]
        .map(|(name, item)| (name, facts(device::element(parsed(item))).expect("the facts of a type")));
    let count = count();
    let mut wrong = Vec::new();
    let (mut differing, mut deep) = (0, 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let program = Program::new(&mut random);
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
    // Else a program that computes nothing would pass.
    assert!(differing > count / 2, "the results of only {differing} of {count} depend on what they read");
}
