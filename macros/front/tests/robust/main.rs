//! Whatever tokens come, the front end neither panics nor overflows its stack, and what
//! it gives is a launcher or an error. [`linked`] does it with what kernels name.

mod linked;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use samebits_random::Random;
use std::str::FromStr;

/// The stack of a thread of rustc's, in which macros run.
const STACK: usize = 2 << 20;

/// Kernels that the mutations start from: each part of the language is in one of them.
const KERNELS: &[&str] = &[
    "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = global_id().x; if i < y.len() { y[i] = a * x[i] + y[i]; } }",
    "fn k(len: usize, words: &[u32], counts: &[Atomic<u32>]) { #[shared] let bins: [Atomic<u32>; 256]; let first = workgroup_id().x * 4096 + local_index(); for step in 0..16 { let i = first + step * 256; for b in 0..4 { if i * 4 + b < len { let byte = words[i] >> (8 * b as u32) & 255; bins[byte as usize].fetch_add(1); } } } workgroup_barrier(); let n = bins[local_index()].load(); if n > 0 { counts[local_index()].fetch_add(n); } }",
    "pub fn k(x: &[u32], sums: &mut [u32]) { #[shared] let partial: [u32; 64]; let l = local_index(); partial[l] = x[global_id().x]; workgroup_barrier(); let mut width = 32; while width > 0 { if l < width { partial[l] += partial[l + width]; } workgroup_barrier(); width /= 2; } if l == 0 { sums[workgroup_id().x] = partial[0]; } }",
    "fn k(o: &mut [u32]) { let mut s = 0; 'out: for y in 0..4 { for x in 0..=3 { if x == 2 { continue 'out; } if y == 3 { break 'out; } s += y * 10 + x; } } o[0] = s; }",
    "fn k(n: u32, o: &mut [u32]) { let mut k = 1; let p = loop { if k > n { break k; } k *= 2; }; o[0] = p; loop { return; } }",
    "fn k(a: bool, mut n: i32, o: &mut [i32]) { n <<= 2; let v = if a && n > 3 || !a { -n } else if n == 0 { return } else { n % 7 }; o[0] = v & 3 | 8 ^ n; }",
    "fn k(v: Vec3<f32>, o: &mut [Vec3<f32>]) { let w = Vec3::new(v.z, v.y, 1.5) * v - -v; o[global_id().z] = w; }",
    "fn k(x: &[f32], o: &mut [f32]) { o[0] = x[0].sqrt().mul_add(2.0, f32::MAX).clamp(-1.0, x[1].abs()); o[1] = f32::from_bits(x[2].to_bits() ^ 1); }",
    "fn k(o: &mut [u32]) { let mut t = [0u32; 40]; let f = [1, 2, 3]; t[f[1]] = 4; for i in 0..40 { o[i] = t[i].rotate_left(3).count_ones() + i as u32; } }",
    "fn k(a: &[Atomic<i32>], o: &mut [i32]) { o[0] = a[0].compare_exchange(1, 2); a[1].store(3); o[1] = a[2].swap(4) + a[3].fetch_min(-5); }",
    "fn k(o: &mut [u32]) { #[shared] let cell: u32; if local_id().x == 0 { cell = 5; } let n = broadcast(&cell); for _ in 0..n { workgroup_barrier(); } o[0] = n; }",
    "fn k(a: u64, x: &[u64], o: &mut [u64]) { o[0] = a; o[1] = x[1]; o[2] = 0xffff_ffff_ffff_ffff; }",
    "fn k(o: &mut [f32]) { let a = 1e10f32; let b = 0.5; let c = 3 as f32; o[0] = a + b * c / 2. - f32::consts::PI; }",
    "#[allow(unused)] #[doc = \"text\"] pub(crate) fn größe(r#type: &[f32], 变量: &mut [f32]) { let r#while = r#type[0]; 变量[0] = r#while; }",
    "fn k(width: usize, x: &[u32], y: &mut [u32]) { #[shared] let tile: [[u32; 5]; 4]; tile[local_id().y][local_id().x] = x[width]; workgroup_barrier(); y[0] = tile[0][1]; }",
    "fn k(o: &mut [u32]) { let x = 1; let x = x + 1; { let x = x * 10; o[0] = x; } o[1] = { let y = x; y + 1 }; let _ = x; ; {} (o[2]) = (3); }",
    "fn k(o: &mut [i32]) { o[0] = -2147483648; o[1] = -(5) - -5; o[2] = !0 >> 33; o[3] = i32::MAX.wrapping_add(1).wrapping_neg(); }",
    "fn k(x: &[Vec2<u32>], o: &mut [Vec4<u32>]) { let v = x[0]; o[0] = Vec4::new(v.x, v.y, 1u32, 2u32) & o[1]; }",
    "fn k() {}",
    "fn k(o: &mut [u32]) { if o[0] == 1 { loop {} } while true { break } o[1] = 2 }",
    "async unsafe extern \"C\" fn k<T: Copy, const N: usize>(self, x: impl Fn()) -> u32 where T: Copy { 5 }",
    "fn k(x: &mut [bool], y: f64, (a, b): (u32, u32), z: &str) { x[0] = match y { 1.0 => true, _ if a => false, n @ 2..=3 => b?, }; }",
    "fn k(o: &mut [u32]) { let (a, b) = (1, 2); let f = |x: u32| x + 1; o[f(a)] = (b, 1).0; vec![1]; o[..2]; &o; *o; }",
    "fn k(o: &mut [u32]) { static X: u32 = 1; fn g() {} struct S { a: u32 } S { a: 1 }.a; \"text\"; 'c'; b'x'; c\"z\"; }",
    "fn k(o: &mut [u32]) { let Some(x) = y else { return; }; while let Some(z) = x {} 'a: { break 'a 3 } unsafe { o[0] = 1 } async { x.await } }",
    "fn k(o: &mut [u32]) { o[1 << 2] = 5 % 0; o[99999999999999] = 3000000000; let q: [u32; 0] = []; let r: u8 = 256; let s = 1.0; }",
    "struct S { a: u32 }",
    "impl S { fn k(&self) {} }",
    "fn k(o: &mut [u32]) -> () { let a; let b: u32; let mut c: [u32; 3] = [1; 3]; c[3] = 1; o[0] = c.len() as u32 + a + b; return (); }",
    "const fn k(n: usize, o: &mut [u32]) { for (i, j) in o.iter().enumerate() {} for i in (0..n).rev() {} for i in 0.. {} for mut i in 0..n { i += 1 } }",
];

/// What replaces and joins the tokens of a kernel.
const WORDS: &[&str] = &[
    "if",
    "else",
    "for",
    "in",
    "while",
    "loop",
    "break",
    "continue",
    "return",
    "let",
    "mut",
    "as",
    "match",
    "fn",
    "&",
    "&&",
    "*",
    "-",
    "!",
    "..",
    "..=",
    "=",
    "==",
    "+=",
    "<<",
    "<",
    ">",
    ">>",
    "|",
    "||",
    "?",
    ".",
    ",",
    ";",
    ":",
    "::",
    "=>",
    "->",
    "#",
    "'a",
    "_",
    "0",
    "1.5",
    "u32",
    "f32",
    "usize",
    "x",
    "o",
    "k",
    "len",
    "global_id",
    "()",
    "{}",
    "[]",
    "(0)",
    "[0]",
    "{ 0 }",
    "Vec2",
    "Atomic",
    "workgroup_barrier",
    "shared",
    "true",
    "0x8000_0000",
    "99999999999999999999999999999999999999999",
    "1e999",
    "5u7",
    "\"s\"",
    "r#if",
    "self",
    "struct",
    "unsafe",
    "move",
    "async",
    "where",
    "dyn",
    "ref",
    "static",
    "const",
    "@",
    "$",
    "~",
];

fn tokens(text: &str) -> Vec<TokenTree> {
    TokenStream::from_str(text).expect("the test's own tokens").into_iter().collect()
}

/// One edit of a token somewhere in the tree.
fn mutate(stream: TokenStream, random: &mut Random, words: &[Vec<TokenTree>]) -> TokenStream {
    let mut trees: Vec<TokenTree> = stream.into_iter().collect();
    let groups: Vec<usize> = (0..trees.len()).filter(|&i| matches!(trees[i], TokenTree::Group(_))).collect();
    if !groups.is_empty() && random.below(4) != 0 {
        let at = groups[random.below(groups.len())];
        if let TokenTree::Group(group) = &trees[at] {
            let delimiter = match random.below(60) {
                0 => Delimiter::Brace,
                1 => Delimiter::Bracket,
                2 => Delimiter::Parenthesis,
                3 => Delimiter::None,
                _ => group.delimiter(),
            };
            trees[at] = Group::new(delimiter, mutate(group.stream(), random, words)).into();
        }
        return trees.into_iter().collect();
    }
    let (at, from) = (random.below(trees.len()), random.below(trees.len()));
    let word = words[random.below(words.len())].clone();
    match (trees.is_empty(), random.below(5)) {
        (true, _) | (_, 0) => drop(trees.splice(at..at, word)),
        (_, 1) => drop(trees.splice(at..=at, word)),
        (_, 2) => drop(trees.remove(at)),
        (_, 3) => trees.insert(at, trees[from].clone()),
        _ => trees.swap(at, from),
    }
    trees.into_iter().collect()
}

/// The arguments of a kernel whose invocations are alone in their workgroups.
fn alone() -> TokenStream {
    quote::quote!(workgroup_size(1))
}

/// Expands a kernel; what it names is linked to nothing, as if each name were wrong. What an editor is
/// shown must not fail either.
fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::editor::shadow(quote::quote!(kernel { #args } { #item }));
    samebits_front::editor::shadow(quote::quote!(device { #args } { #item }));
    let mut expansion = samebits_front::kernel::expand(args.clone(), item.clone());
    let hop = expansion.clone().into_iter().any(|token| matches!(&token, TokenTree::Group(group) if is_hop(group)));
    if hop {
        expansion.extend(samebits_front::link(quote::quote!(kernel { #args } { #item } {} {})));
    }
    expansion
}

/// Whether a group is the state of a chain that goes on.
fn is_hop(group: &Group) -> bool {
    let text: String = group.stream().into_iter().take(12).map(|token| token.to_string()).collect();
    text.contains("__private::link")
}

/// Whether an expansion's text holds an error. Wrong syntax is rustc's to report, and ours is the lint
/// that says so where rustc does not.
fn is_refusal(text: &str) -> bool {
    text.contains("compile_error") || text.contains("[V100]")
}

/// Whether the expansion is a launcher, an error, or both.
fn is_answer(expansion: &TokenStream) -> bool {
    let text = expansion.to_string();
    is_refusal(&text) || text.contains("from_image")
}

fn in_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(f).expect("a thread");
    assert!(thread.join().is_ok(), "the thread panicked");
}

#[test]
fn mutated_kernels_give_a_launcher_or_an_error() {
    in_a_small_stack(|| {
        let words: Vec<Vec<TokenTree>> = WORDS.iter().map(|word| tokens(word)).collect();
        let (mut accepted, mut refused) = (0, 0);
        for (number, kernel) in KERNELS.iter().enumerate() {
            for seed in 0..150 {
                let mut random = Random::new((number * 1000 + seed) as u64);
                let mut item = TokenStream::from_str(kernel).expect("the test's own kernel");
                for _ in 0..1 + random.below(4) {
                    item = mutate(item, &mut random, &words);
                }
                let text = item.to_string();
                let expansion = std::panic::catch_unwind(|| expand(alone(), item));
                let Ok(expansion) = expansion else { panic!("a panic for {text}") };
                assert!(is_answer(&expansion), "neither launcher nor error for {text}");
                if is_refusal(&expansion.to_string()) { refused += 1 } else { accepted += 1 }
            }
        }
        assert!(accepted > 50 && refused > 1000, "{accepted} accepted and {refused} refused test little");
    });
}

#[test]
fn mutated_arguments_give_a_launcher_or_an_error() {
    in_a_small_stack(|| {
        let words: Vec<Vec<TokenTree>> = WORDS.iter().map(|word| tokens(word)).collect();
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let mut args = TokenStream::from_str("workgroup_size(16, 4), crate = a::b").expect("tokens");
            for _ in 0..1 + random.below(3) {
                args = mutate(args, &mut random, &words);
            }
            let text = args.to_string();
            let item = TokenStream::from_str(KERNELS[0]).expect("tokens");
            let Ok(expansion) = std::panic::catch_unwind(|| expand(args, item)) else { panic!("a panic for {text}") };
            assert!(is_answer(&expansion), "neither launcher nor error for {text}");
        }
    });
}

#[test]
fn pure_noise_is_an_error() {
    in_a_small_stack(|| {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let noise: TokenStream =
                (0..random.below(40)).flat_map(|_| tokens(WORDS[random.below(WORDS.len())])).collect();
            let body = Group::new(Delimiter::Brace, noise.clone());
            let name = Ident::new("k", Span::call_site());
            let mut item = tokens("fn");
            item.push(name.into());
            item.extend(tokens("(o: &mut [u32])"));
            item.push(body.into());
            for item in [noise, item.into_iter().collect()] {
                let text = item.to_string();
                let expansion = std::panic::catch_unwind(|| expand(alone(), item));
                let Ok(expansion) = expansion else { panic!("a panic for {text}") };
                assert!(is_answer(&expansion), "neither launcher nor error for {text}");
            }
        }
    });
}

/// `fn k(o: &mut [u32]) { o[0] = ⟨expression⟩; }`
fn kernel_with(expression: TokenStream) -> TokenStream {
    let mut body = tokens("o[0] =");
    body.extend(expression);
    body.extend(tokens(";"));
    let mut item = tokens("fn k(o: &mut [u32])");
    item.push(Group::new(Delimiter::Brace, body.into_iter().collect()).into());
    item.into_iter().collect()
}

/// `1`, this many times in groups after some tokens.
fn nested(depth: usize, before: &str, delimiter: Delimiter) -> TokenStream {
    let before = tokens(before);
    let mut stream: TokenStream = TokenTree::from(Literal::u32_unsuffixed(1)).into();
    for _ in 0..depth {
        let group = TokenTree::from(Group::new(delimiter, stream));
        stream = before.iter().cloned().chain([group]).collect();
    }
    stream
}

/// This text, that many times, then the end.
fn repeated(count: usize, text: &str, end: &str) -> TokenStream {
    let text = tokens(text);
    (0..count).flat_map(|_| text.clone()).chain(tokens(end)).collect()
}

/// Runs in a small stack; nesting within the limit is accepted, beyond it refused.
fn deep(what: &'static str, make: impl Fn(usize) -> TokenStream + Send + 'static) {
    in_a_small_stack(move || {
        for depth in [10, 50, 60, 100, 200, 500, 1000, 10_000, 100_000] {
            let expansion = expand(alone(), kernel_with(make(depth)));
            let refused = is_refusal(&expansion.to_string());
            assert!(refused || depth < 100, "{what} {depth} levels deep was accepted");
            assert!(is_answer(&expansion), "{what} {depth} levels deep gave no answer");
        }
    });
}

#[test]
fn deep_parentheses() {
    deep("parentheses", |n| nested(n, "", Delimiter::Parenthesis));
}

#[test]
fn deep_invisible_groups() {
    deep("invisible groups", |n| nested(n, "", Delimiter::None));
}

#[test]
fn chains_of_conditions_are_accepted_up_to_their_limit() {
    in_a_small_stack(|| {
        for links in [10, 60, 61, 100, 200, 1000, 100_000] {
            let first = tokens("if o[1] == 7 { o[2] * 3 }").into_iter();
            let chain = first.chain(repeated(links - 1, "else if o[1] == 7 { o[2] * 3 }", "else { 4 }"));
            let expansion = expand(alone(), kernel_with(chain.collect())).to_string();
            assert_eq!(is_refusal(&expansion), links > 60, "a chain of {links}");
            assert!(links <= 60 || expansion.contains("V018"), "a chain of {links}: {expansion}");
        }
    });
}

#[test]
fn a_body_that_is_too_deep_keeps_its_launcher() {
    let item = kernel_with(nested(1000, "", Delimiter::Parenthesis));
    let expansion = expand(alone(), item).to_string();
    assert_eq!(expansion.matches("compile_error").count(), 1);
    assert!(expansion.contains("V018") && expansion.contains("enum k"), "{expansion}");
}

#[test]
fn a_number_without_end_is_an_error_at_once() {
    let parsed = |text: &str| tokens(text).into_iter().collect::<TokenStream>();
    let digits = "1".repeat(200_000);
    for number in [digits.clone(), format!("0.{digits}"), format!("0x{digits}u32"), format!("{digits}.0f64")] {
        let start = std::time::Instant::now();
        for item in [
            format!("fn k(o: &mut [u32]) {{ let x = {number}; }}"),
            format!("fn k(o: &mut [u32]) {{ if true {{ f([({number})]) }} }}"),
            format!("fn k(o: &[[u32; {number}]]) {{}}"),
        ] {
            let expansion = expand(alone(), parsed(&item)).to_string();
            assert!(expansion.contains("a number of 20") && expansion.contains("[V103]"), "{expansion}");
        }
        let args = parsed(&format!("workgroup_size({number})"));
        assert!(expand(args, parsed("fn k() {}")).to_string().contains("[V103]"));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
    let exact = format!("fn k(o: &mut [f64]) {{ o[0] = 0.{}; }}", "0123456789".repeat(110));
    assert!(!expand(parsed("workgroup_size(1), features(f64)"), parsed(&exact)).to_string().contains("compile_error"));
}

#[test]
fn deep_blocks() {
    deep("blocks", |n| nested(n, "", Delimiter::Brace));
}

#[test]
fn deep_ifs() {
    deep("ifs", |n| {
        let mut stream: TokenStream = tokens("1").into_iter().collect();
        for _ in 0..n {
            let then = TokenTree::from(Group::new(Delimiter::Brace, stream));
            stream = tokens("if true").into_iter().chain([then]).chain(tokens("else { 0 }")).collect();
        }
        stream
    });
}

#[test]
fn long_chains_of_else_if() {
    deep("else if", |n| repeated(n, "if o[0] == 1 { 1 } else", "{ 2 }"));
}

#[test]
fn deep_indices() {
    deep("indices", |n| nested(n, "o", Delimiter::Bracket));
}

#[test]
fn deep_calls() {
    deep("calls", |n| nested(n, "f", Delimiter::Parenthesis));
}

#[test]
fn long_chains_of_signs() {
    deep("signs", |n| repeated(n, "-", "1"));
    deep("negations", |n| repeated(n, "!", "1"));
    deep("references", |n| repeated(n, "&", "o"));
    deep("double references", |n| {
        let joint = |spacing| TokenTree::from(Punct::new('&', spacing));
        (0..n).flat_map(|_| [joint(Spacing::Joint), joint(Spacing::Alone)]).chain(tokens("o")).collect()
    });
    deep("dereferences", |n| repeated(n, "*", "o"));
}

#[test]
fn long_chains_of_binary_operators() {
    deep("sums", |n| repeated(n, "1 +", "1"));
    deep("conjunctions", |n| repeated(n, "true &&", "true"));
    deep("comparisons", |n| repeated(n, "1 <", "1"));
    deep("assignments", |n| repeated(n, "o =", "1"));
    deep("compound assignments", |n| repeated(n, "o +=", "1"));
}

#[test]
fn long_chains_of_other_expressions() {
    deep("casts", |n| tokens("1").into_iter().chain(repeated(n, "as u32", "")).collect());
    deep("methods", |n| tokens("1u32").into_iter().chain(repeated(n, ".count_ones()", "")).collect());
    deep("fields", |n| tokens("o").into_iter().chain(repeated(n, ".x", "")).collect());
    deep("tries", |n| tokens("o").into_iter().chain(repeated(n, "?", "")).collect());
    deep("element accesses", |n| tokens("o").into_iter().chain(repeated(n, "[0]", "")).collect());
    deep("returns", |n| repeated(n, "return", "1"));
    deep("breaks", |n| repeated(n, "break", "1"));
    deep("closures", |n| repeated(n, "|x|", "1"));
    deep("matches", |n| repeated(n, "match", "1 {}"));
    deep("ranges", |n| repeated(n, "..", "1"));
    deep("moves", |n| repeated(n, "move ||", "1"));
    deep("types", |n| tokens("1 as").into_iter().chain(repeated(n, "&", "u32")).collect());
    deep("generic types", |n| {
        let close = tokens(">").into_iter().cycle().take(n);
        tokens("1 as").into_iter().chain(repeated(n, "Vec2 <", "u32")).chain(close).collect()
    });
}

#[test]
fn many_statements_are_no_nesting() {
    in_a_small_stack(|| {
        let text = "o[0] += 1; if o[0] == 1 { o[0] = 2; } let x = [1, 2, 3]; o[1] = x[1] + 3 * (5 - o[2]);";
        let mut item = tokens("fn k(o: &mut [u32])");
        item.push(Group::new(Delimiter::Brace, repeated(100, text, "")).into());
        let expansion = expand(alone(), item.into_iter().collect()).to_string();
        assert!(!expansion.contains("compile_error"), "{expansion}");
        let element = (0..2000).map(|i| format!("{i},")).collect::<String>();
        let array = format!("fn k(o: &mut [u32]) {{ let x = [{element}]; o[0] = x[o[0] as usize]; }}");
        let expansion = expand(alone(), TokenStream::from_str(&array).expect("tokens")).to_string();
        assert!(!expansion.contains("compile_error"), "{expansion}");
    });
}

#[test]
fn deep_signatures_are_an_error() {
    in_a_small_stack(|| {
        for depth in [100, 10_000] {
            let ty = nested(depth, "&", Delimiter::Bracket);
            let mut item = tokens("fn k");
            let params = tokens("o:").into_iter().chain(ty).collect();
            item.push(Group::new(Delimiter::Parenthesis, params).into());
            item.extend(tokens("{}"));
            let expansion = expand(alone(), item.into_iter().collect()).to_string();
            assert!(expansion.contains("compile_error"));
            let args = nested(depth, "workgroup_size", Delimiter::Parenthesis);
            let expansion = expand(args, TokenStream::from_str("fn k() {}").expect("tokens")).to_string();
            assert!(expansion.contains("compile_error"));
        }
    });
}
