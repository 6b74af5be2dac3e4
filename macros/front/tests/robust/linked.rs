//! Helpers, structs, constants and their uses, mutated: with sound facts, with those of mutated
//! definitions, and with facts that no definition ever gave.
//!
//! [`follow`] calls the hidden macros as rustc does.

use super::{Random, WORDS, in_a_small_stack, is_refusal, mutate, nested, tokens};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use samebits_front::device;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Definitions, each with the name that it has; each may name those before it.
const DEFINITIONS: &[(&str, &str)] = &[
    ("N", "pub const N: usize = 2 + 1;"),
    ("M", "const M: usize = N * 2 - N;"),
    ("square", "pub fn square(x: f32) -> f32 { x * x }"),
    ("lerp", "fn lerp<T: Float>(a: T, b: T, t: T) -> T { a + (b - a) * t }"),
    ("scaled", "fn scaled(x: u32) -> u32 { x * FACTOR + c::OFFSET }"),
    (
        "find",
        "fn find(a: &[u32], v: u32) -> u32 { for y in 0..3 { for x in 0..4 { if a[y * 4 + x] == v { return (y * 4 + x) as u32; } } } 99 }",
    ),
    ("apply", "fn apply(mut f: impl FnMut(u32) -> u32, x: u32) -> u32 { let y = f(x); f(y) }"),
    ("bump", "fn bump(x: &mut u32, by: &u32) -> (u32, bool) { *x += *by; (*x, *x > scaled(2)) }"),
    ("total", "fn total<const K: usize>(list: &[u32; K]) -> u32 { let mut s = 0; for i in 0..K { s += list[i]; } s }"),
    ("Point", "struct Point(f32, u32);"),
    ("Ray", "#[element(methods)] pub struct Ray { pub origin: Vec3<f32>, list: [[u32; M]; N], p: Point, }"),
    (
        "impl Ray",
        "impl Ray { const HALF: f32 = 0.5; fn at(&self, t: f32) -> Vec3<f32> { self.origin * (t * Self::HALF) } fn go(&mut self, n: u32) -> u32 { self.list[1][0] += n; self.p = Point(square(2.0), n); total(&self.list[0]) } fn new(p: Point) -> Self { Self { p, list: [[0; M]; N], origin: Vec3::splat(1.0) } } fn own(mut self) -> Self { self.go(3); self } }",
    ),
    ("count", "fn count(bins: &[Atomic<u32>], one: &Atomic<u32>) { bins[3].fetch_add(1); one.fetch_max(5); }"),
    (
        "sum",
        "fn sum(tile: &mut [u32; N], mine: u32) -> u32 { tile[local_id().x] = mine; workgroup_barrier(); let s = tile[0] + tile[1]; workgroup_barrier(); s }",
    ),
];

/// What uses the definitions.
const USES: &[&str] = &[
    "fn k(o: &mut [f32]) { o[0] = lerp(1.0, square(2.0), 0.5); let f = |x| square(x) + lerp::<f32>(x, x, x); o[1] = f(f(3.0)); }",
    "fn k(x: &[u32], o: &mut [u32]) { let mut n = find(x, 7); let (m, big) = bump(&mut n, &x[1]); bump(&mut o[m as usize], &scaled(big as u32)); o[0] = apply(|x| x + n, 3) + total(&[1, 2, 3]) + total::<M>(&[1; M]); }",
    "fn k(rays: &mut [Ray], own: Ray, o: &mut [f32]) { let mut r = rays[1]; r.go(3); rays[0].go(scaled(1)); let Ray { origin, p: Point(a, b), .. } = r.own(); o[0] = origin.x + a + b as f32 + own.at(2.0).y + Ray::HALF; rays[2] = Ray { p: Point(1.0, 2), ..Ray::new(own.p) }; }",
    "fn k(bins: &[Atomic<u32>], o: &mut [u32]) { #[shared] let tile: [u32; N]; #[shared] let one: Atomic<u32>; count(bins, &one); o[global_id().x] = sum(&mut tile, 1) + one.load(); }",
];

/// Facts that no definition gives: they name each other, themselves, or nothing.
const HOSTILE: &[&str] = &[
    r#"constant "a" "N" sound ["M" "b"] [] { const N: usize = M + M; } } { constant "b" "M" sound ["N" "a"] [] { const M: usize = N; }"#,
    r#"constant "a" "N" sound ["N" "a"] [] { const N: usize = N; }"#,
    r#"constant "a" "N" sound [] [] { const N: usize = [1; N][0] << 200 >> -1; }"#,
    r#"structure "a" "Ray" sound ["Ray" "a"] [] { struct Ray { r: [Ray; 2], s: Ray } }"#,
    r#"structure "a" "Ray" sound ["P" "b"] [] { struct Ray { p: P } } } { structure "b" "P" sound ["Ray" "a"] [] { struct P(Ray, Ray); }"#,
    r#"structure "a" "Ray" sound [] [] { struct Ray { x: [[[[u8; 65535]; 65535]; 65535]; 65535], y: u32 } }"#,
    r#"structure "a" "Ray" sound ["Ray" "a"] [] { struct Ray; impl Ray { fn at(&self, t: f32) -> f32 { self.at(t) } fn go(self) {} const HALF: f32 = Ray::HALF + Self::HALF; } }"#,
    r#"structure "a" "Ray" sound [] [] { fn at() {} }"#,
    r#"function "a" "square" sound ["square" "a" "lerp" "none"] [] { fn square(x: f32) -> f32 { square(lerp(x, x, x)) } }"#,
    r#"function "a" "square" sound ["g" "b"] [] { fn square(x: f32) -> f32 { g(x) + g(x) } } } { function "b" "g" sound ["square" "a"] [] { fn g(x: f32) -> f32 { square(x) } }"#,
    r#"function "a" "square" sound [] ["a" "FACTOR" "u32" "b" "X" "[u32; 3]" "a" "Y" "%"] { fn square(x: f32) -> f32 { FACTOR as f32 + Y + x } }"#,
    r#"function "a" "square" broken [] [] { }"#,
    r#"function "a" "square" sound [] [] { const square: u32 = 1; }"#,
    r#"function "a" "square" sound [] [] { fn square(self, (a, b): f32, c: &&f32, d: impl Sized) -> &f32 { return } }"#,
    r#"function "a" "square" sound [] [] { fn square<'a, T, const N: u8, F: Fn(T) -> N>(x: T) -> [T; N] where T: F { [x; N] } }"#,
    r#"function "" "" sound ["" ""] ["" "" ""] { }"#,
    r#"constant "a""#,
    r#"other "a" "N" sound [] [] {}"#,
    "",
];

/// The facts of hidden macros, by the names that they are imported under.
type Registry = BTreeMap<String, TokenStream>;

/// Expands an item as its attribute or derive says.
fn expand(item: TokenStream) -> TokenStream {
    let structure = item.clone().into_iter().any(|token| token.to_string() == "struct");
    if structure { device::element(item) } else { device::expand(TokenStream::new(), item) }
}

/// Calls the hidden macros of a chain, one after the other, and adds what comes before.
fn follow(expansion: TokenStream, registry: &Registry) -> TokenStream {
    let mut all = TokenStream::new();
    let mut trees: Vec<TokenTree> = expansion.into_iter().collect();
    for _ in 0..200 {
        let hop = trees.iter().position(|token| matches!(token, TokenTree::Group(group) if super::is_hop(group)));
        let Some(hop) = hop else {
            all.extend(trees);
            return all;
        };
        // `name ! { path, state }`
        let TokenTree::Group(state) = &trees[hop] else { continue };
        let name = trees[..hop].iter().rev().nth(1).map(ToString::to_string).unwrap_or_default();
        let state = state.stream().into_iter().skip_while(|token| token.to_string() != ",").skip(1);
        let facts = registry.get(&name).cloned();
        all.extend(trees[..hop].iter().cloned());
        let Some(facts) = facts else {
            // rustc cannot find the macro.
            all.extend(quote::quote!(compile_error!("no macro")));
            return all;
        };
        trees = samebits_front::link(state.chain(facts).collect()).into_iter().collect();
    }
    panic!("a chain without an end");
}

/// Adds the facts that the hidden macros of an expansion hand on.
fn learn(expansion: &TokenStream, registry: &mut Registry) {
    let trees: Vec<TokenTree> = expansion.clone().into_iter().collect();
    for (i, token) in trees.iter().enumerate() {
        let (TokenTree::Ident(word), Some(TokenTree::Group(rules))) = (token, trees.get(i + 3)) else { continue };
        if word != "macro_rules" {
            continue;
        }
        // `($callback:path, …) => { $callback! { $($state)* facts } }`, then `use hidden as name;`
        let call = rules.stream().into_iter().filter_map(group).last();
        let call = call.and_then(|call| call.into_iter().filter_map(group).last());
        let facts = call.map(|call| call.into_iter().skip(3).collect());
        let rest = trees[i + 3..].iter().skip_while(|token| token.to_string() != "as");
        let name = rest.skip(1).map(ToString::to_string).next();
        registry.extend(name.zip(facts));
    }
}

fn group(token: TokenTree) -> Option<TokenStream> {
    if let TokenTree::Group(group) = token { Some(group.stream()) } else { None }
}

/// What all definitions hand on.
fn definitions() -> Registry {
    let mut registry = Registry::new();
    for (name, text) in DEFINITIONS {
        let expansion = follow(expand(with_repr(text)), &registry);
        assert!(!expansion.to_string().contains("compile_error"), "{name}: {expansion}");
        learn(&expansion, &mut registry);
        let key = name.strip_prefix("impl ").unwrap_or(name);
        assert!(registry.contains_key(key) || text.contains("methods"), "{name} is no macro: {expansion}");
    }
    registry
}

/// An item, with the representation that structs need.
fn with_repr(text: &str) -> TokenStream {
    let repr = if text.contains("struct") { "#[repr(C)]" } else { "" };
    TokenStream::from_str(&format!("{repr} {text}")).expect("the test's own item")
}

fn kernel(item: TokenStream, registry: &Registry) -> TokenStream {
    follow(samebits_front::kernel::expand(quote::quote!(workgroup_size(1)), item), registry)
}

fn words() -> Vec<Vec<TokenTree>> {
    let own = ["square", "Ray", "Point", "N", "bump", "&mut", "Self", "self", "impl", "T", "sum", "r.go(1)", "f(1)"];
    WORDS.iter().chain(&own).map(|word| tokens(word)).collect()
}

fn is_answer(expansion: &TokenStream) -> bool {
    let text = expansion.to_string();
    is_refusal(&text) || text.contains("from_image")
}

#[test]
fn uses_of_sound_definitions_are_accepted() {
    let registry = definitions();
    for text in USES {
        let expansion = kernel(with_repr(text), &registry).to_string();
        assert!(expansion.contains("from_image") && !expansion.contains("compile_error"), "{text}: {expansion}");
    }
}

#[test]
fn mutated_definitions_and_their_uses_give_an_answer() {
    in_a_small_stack(|| {
        let (words, sound) = (words(), definitions());
        let (mut accepted, mut refused) = (0, 0);
        for (number, (name, text)) in DEFINITIONS.iter().enumerate() {
            for seed in 0..100 {
                let mut random = Random::new((number * 1000 + seed) as u64);
                let mut item = with_repr(text);
                for _ in 0..1 + random.below(3) {
                    item = mutate(item, &mut random, &words);
                }
                let mutant = item.to_string();
                let answer = std::panic::catch_unwind(|| {
                    let mut registry = sound.clone();
                    let expansion = follow(expand(item), &registry);
                    learn(&expansion, &mut registry);
                    let answer = expansion.to_string();
                    // What is wrong with a definition is reported there alone.
                    let answered = is_answer(&kernel(with_repr(USES[seed % USES.len()]), &registry));
                    assert!(answered || is_refusal(&answer), "no answer for a use of {name}");
                    answer
                });
                let Ok(answer) = answer else { panic!("a panic for {mutant}") };
                match is_refusal(&answer) {
                    true => refused += 1,
                    false => accepted += 1,
                }
            }
        }
        assert!(accepted > 15 && refused > 300, "{accepted} accepted and {refused} refused test little");
    });
}

#[test]
fn mutated_uses_of_sound_definitions_give_an_answer() {
    in_a_small_stack(|| {
        let (words, registry) = (words(), definitions());
        let (mut accepted, mut refused) = (0, 0);
        for (number, text) in USES.iter().enumerate() {
            for seed in 0..120 {
                let mut random = Random::new((number * 1000 + seed) as u64);
                let mut item = with_repr(text);
                for _ in 0..1 + random.below(3) {
                    item = mutate(item, &mut random, &words);
                }
                let mutant = item.to_string();
                let Ok(expansion) = std::panic::catch_unwind(|| kernel(item, &registry)) else {
                    panic!("a panic for {mutant}")
                };
                assert!(is_answer(&expansion), "no answer for {mutant}");
                if is_refusal(&expansion.to_string()) { refused += 1 } else { accepted += 1 }
            }
        }
        assert!(accepted > 10 && refused > 150, "{accepted} accepted and {refused} refused test little");
    });
}

#[test]
fn mutated_facts_give_an_answer() {
    in_a_small_stack(|| {
        let (words, sound) = (words(), definitions());
        let names: Vec<&String> = sound.keys().collect();
        for seed in 0..50 {
            let mut random = Random::new(seed);
            let mut registry = sound.clone();
            let name = names[random.below(names.len())];
            let mut facts = sound[name].clone();
            for _ in 0..1 + random.below(3) {
                facts = mutate(facts, &mut random, &words);
            }
            registry.insert(name.clone(), facts.clone());
            let answers = std::panic::catch_unwind(|| {
                for (_, text) in DEFINITIONS {
                    follow(expand(with_repr(text)), &registry);
                }
                USES.iter().all(|text| is_answer(&kernel(with_repr(text), &registry)))
            });
            assert!(matches!(answers, Ok(true)), "a panic or no answer for {name} with {facts}");
        }
    });
}

#[test]
fn facts_that_nothing_defines_give_an_answer() {
    in_a_small_stack(|| {
        let sound = definitions();
        for text in HOSTILE {
            let facts: TokenStream =
                format!("{{ 1 {:?} {{ {text} }} }}", env!("CARGO_PKG_VERSION")).parse().expect(text);
            for name in ["N", "square", "Ray"] {
                let mut registry = sound.clone();
                registry.insert(name.to_owned(), facts.clone());
                let answers = std::panic::catch_unwind(|| {
                    for (_, text) in DEFINITIONS {
                        follow(expand(with_repr(text)), &registry);
                    }
                    USES.iter().all(|text| is_answer(&kernel(with_repr(text), &registry)))
                });
                assert!(matches!(answers, Ok(true)), "a panic or no answer for {name} with {text}");
            }
        }
    });
}

#[test]
fn facts_of_other_versions_and_forms_are_an_error() {
    let kernel_of = |facts: &str| {
        let registry = Registry::from([("square".to_owned(), facts.parse().expect("the test's own facts"))]);
        kernel(with_repr("fn k(o: &mut [f32]) { o[0] = square(2.0); }"), &registry).to_string()
    };
    for facts in ["{ 1 \"0.0.0\" }", "{ 99 \"9.9.9\" something + else }"] {
        let expansion = kernel_of(facts);
        assert!(expansion.contains("V111") && expansion.contains("samebits"), "{facts}: {expansion}");
    }
    for facts in ["", "{}", "{ 1 }", "1 2 3", "{ x \"0.1.0\" }", "{ 1 \"0.1.0\" } { 1 \"0.1.0\" }"] {
        let expansion = std::panic::catch_unwind(|| kernel_of(facts)).expect(facts);
        assert!(expansion.contains("compile_error"), "{facts}: {expansion}");
    }
}

#[test]
fn endless_and_deep_states_are_an_error() {
    in_a_small_stack(|| {
        for depth in [1000, 100_000] {
            let deep = |delimiter| nested(depth, "-", delimiter);
            let states = [
                quote_state(deep(Delimiter::Parenthesis)),
                quote_state(deep(Delimiter::Brace)),
                deep(Delimiter::Brace),
                [TokenTree::from(Group::new(Delimiter::None, deep(Delimiter::Bracket)))].into_iter().collect(),
            ];
            for state in states {
                assert!(samebits_front::link(state).to_string().contains("compile_error"));
            }
        }
    });
}

/// The state of a kernel whose helper's body is this.
fn quote_state(body: TokenStream) -> TokenStream {
    let version = env!("CARGO_PKG_VERSION");
    let fact = quote::quote!({ 1 #version { function "a" "f" sound [] [] { fn f() -> u32 { #body } } } });
    quote::quote!(kernel {} { fn k(o: &mut [u32]) { o[0] = f(); } } {} { f, } #fact)
}

#[test]
fn constants_that_double_each_other_take_no_time() {
    let mut registry = Registry::new();
    for i in 0..40 {
        let value = if i == 0 { "1".to_owned() } else { format!("C{0} + C{0} - C{0}", i - 1) };
        let expansion = follow(expand(with_repr(&format!("const C{i}: usize = {value};"))), &registry);
        learn(&expansion, &mut registry);
    }
    let expansion = kernel(with_repr("fn k(o: &mut [u32]) { let a = [7; C39]; o[0] = a[0]; }"), &registry);
    assert!(is_answer(&expansion) && !expansion.to_string().contains("compile_error"), "{expansion}");
}
