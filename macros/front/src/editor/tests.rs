//! What a shadow keeps of the user's tokens, and what it makes of those that Rust writes differently.

use super::*;
use std::str::FromStr;

/// The shadow of an item with an attribute, as text.
fn shadow_of(attribute: &str, item: &str) -> String {
    let attribute = Ident::new(attribute, Span::call_site());
    let item = TokenStream::from_str(item).expect("tokens");
    shadow(quote!(#attribute {} {#item})).to_string()
}

/// Compares what a statement of a kernel becomes, but for spaces and the path of what is added.
#[track_caller]
fn becomes(statement: &str, expected: &str) {
    let shadow = shadow_of("kernel", &format!("fn k(f: F) {{ {statement} }}"));
    let (_, body) = shadow.split_once("(f : F) {").expect("the function");
    let body = body.replace([' ', '\n'], "").replace("::samebits::__private::editor::", "");
    let body = body.strip_suffix('}').expect("a block");
    assert_eq!(body.replace("cast::<_,", "cast<"), expected.replace(' ', ""));
}

/// The identifiers in tokens, with their lines and columns.
fn identifiers(tokens: TokenStream) -> Vec<(String, usize, usize)> {
    let of = |tree: TokenTree| match tree {
        TokenTree::Ident(ident) => {
            let at = ident.span().start();
            vec![(ident.to_string(), at.line, at.column)]
        }
        TokenTree::Group(group) => identifiers(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
    };
    tokens.into_iter().flat_map(of).collect()
}

#[test]
fn every_word_of_a_body_stays_where_it_was_written() {
    let item = "fn k<T: Float>(x: &[T], y: &mut [T]) {
        #[shared]
        let tile: [f32; SIZE];
        let i = global_id().x;
        for lane in 0..4 {
            y[i] = lerp(x[lane] as T, colour::mix::<f32>(tile[lane], 0.5), ray.at(SCALE).xy().x);
        }
    }";
    for attribute in ["kernel", "device"] {
        let tokens = TokenStream::from_str(item).expect("tokens");
        let attribute = Ident::new(attribute, Span::call_site());
        let shown = identifiers(shadow(quote!(#attribute {instances(T = [f32])} {#tokens})));
        // The name of a kernel is that of its type, and attributes are no words of the body.
        let words = identifiers(tokens)
            .into_iter()
            .filter(|(word, ..)| !["fn", "k", "shared", "as", "Float"].contains(&word.as_str()));
        let lost: Vec<_> = words.filter(|word| !shown.contains(word)).collect();
        assert_eq!(lost, [], "in the shadow of a {attribute}");
    }
}

#[test]
fn workgroup_memory_is_a_variable_with_a_value() {
    becomes("#[shared] let t: [f32; 4];", "let mut t : [f32 ; 4] = never() ;");
}

#[test]
fn attributes_of_loops_go_and_others_stay() {
    becomes("#[unroll(4)] loop { break; }", "loop { break ; }");
    becomes("#[cfg(any())] loop { }", "# [cfg (any ())] loop { }");
}

#[test]
fn helpers_are_called_through_their_types() {
    becomes("g(1)", "g :: call (1)");
    becomes("a::g(1) + super::g()", "a :: g :: call (1) + super :: g :: call ()");
    becomes("least::<f32>(1)", "least :: call :: < f32 > (1)");
    becomes("0..g(1)", "0 .. g :: call (1)");
}

#[test]
fn what_is_no_helper_is_called_as_it_is() {
    for call in [
        "f (1)",
        "x . g (1)",
        "Ray :: new (1)",
        "f32 :: from_bits (1)",
        "global_id () . x",
        "Pair (1 , 2)",
        "if (a) { }",
    ] {
        becomes(call, call);
    }
}

#[test]
fn a_variable_hides_a_helper_after_its_declaration_in_its_block_alone() {
    becomes("{ let g = g(1); g(2); } g(3)", "{ let g = g::call(1); g(2); } g::call(3)");
}

#[test]
fn a_use_stays_as_it_is() {
    becomes("use a::E::{A as B, C}; b as u32", "use a :: E :: { A as B , C } ; (cast < u32 > (b))");
}

#[test]
fn casts_are_functions_of_their_operands() {
    becomes("a + b as u32 * c", "a + (cast < u32 > (b)) * c");
    becomes("1 + matches!(a, 2) as u32", "1 + (cast < u32 > (matches ! (a , 2)))");
    becomes("x[i].y as Vec2<u32>", "(cast < Vec2 < u32 > > (x [i] . y))");
    becomes("a - -x.f(1) as u8", "a - (cast < u8 > (- x . f (1)))");
    becomes("*p as u8 as f32", "(cast < f32 > ((cast < u8 > (* p))))");
    becomes("0..n as usize", "0 .. (cast < usize > (n))");
    becomes("a > b && c[d].load() as usize == e", "a > b && (cast < usize > (c [d] . load ())) == e");
    becomes("a && &b as u32", "a && (cast < u32 > (& b))");
    becomes("a & &b as u32", "a & (cast < u32 > (& b))");
    becomes("a > (b) as u32", "a > (cast < u32 > ((b)))");
    becomes("a::<u8>(b) as u32 < 3", "(cast < u32 > (a :: call :: < u8 > (b))) < 3");
}

#[test]
fn constants_keep_their_casts() {
    becomes("const N: u8 = 1u32 as u8;", "const N : u8 = 1u32 as u8 ;");
    becomes("[0; N as usize]", "[0 ; N as usize]");
}

#[test]
fn a_type_parameter_is_an_instance_in_the_body() {
    let kernel =
        shadow(quote!(kernel {instances(T = [u32, f32], N = [7])} { fn k<T: Number, const N: usize>(x: &[T]) {} }));
    let text = kernel.to_string();
    assert!(text.contains("type T = u32 ;") && text.contains("const N : usize = 7 ;"), "{text}");
    let helper = shadow_of("device", "fn h<T: Float, F: Fn(T) -> T>(x: T, f: F) -> T { f(2.0 * x) }");
    assert!(helper.contains("call < T : Float , F : Fn (T) -> T > (x : T , f : F) -> T"), "{helper}");
    assert!(
        helper.contains("primitive :: f32 ;") && helper.contains("body < F : Fn (T) -> T > (x : T , f : F) -> T"),
        "{helper}"
    );
}

#[test]
fn what_is_no_rust_yet_is_handed_on() {
    for body in [
        "let i = global_id().",
        "y[i] = x.le",
        "let v: Vec",
        "for i in",
        "y[0] = g(, 1)",
        "if a == { x.",
        "x as",
        "#[shared] let t: [f32]",
    ] {
        let closed = format!("{body}{}", if body.contains('{') { "}" } else { "" });
        for (attribute, item) in [
            ("kernel", format!("fn k(x: &[f32], y: &mut [f32]) {{ {closed} }}")),
            ("device", format!("fn h(x: &[f32]) -> f32 {{ {closed} }}")),
            ("device", format!("impl Ray {{ fn at(&self) -> f32 {{ {closed} }} }}")),
            ("kernel", format!("fn k(x: &[f32], y) {{ {closed} }}")),
        ] {
            let words = identifiers(TokenStream::from_str(&closed).expect("tokens"));
            let shown = shadow_of(attribute, &item);
            let lost: Vec<_> = words.iter().filter(|(word, ..)| word != "shared" && !shown.contains(word)).collect();
            assert!(lost.is_empty(), "{lost:?} of `{item}` are not in {shown}");
        }
    }
}

#[test]
fn an_unfinished_body_leaves_the_launcher_and_is_one_error() {
    let item = TokenStream::from_str("fn k(y: &mut [u32]) { y[0] = global_id(). }").expect("tokens");
    let text = crate::kernel::expand(TokenStream::new(), item).to_string();
    assert_eq!(text.matches("[V100]").count(), 1, "{text}");
    assert!(text.contains("enum k") && text.contains("fn launch") && text.contains("shadow !"), "{text}");
}

#[test]
fn an_unfinished_helper_leaves_its_type_and_its_macro() {
    let item = TokenStream::from_str("fn h(x: u32) -> u32 { x. }").expect("tokens");
    let text = crate::device::expand(TokenStream::new(), item).to_string();
    assert_eq!(text.matches("[V100]").count(), 1, "{text}");
    assert!(text.contains("enum h") && text.contains("macro_rules !") && text.contains("shadow !"), "{text}");
}

#[test]
fn what_nests_too_deep_has_no_shadow() {
    let deep = format!("fn k() {{ {}{} }}", "(".repeat(200), ")".repeat(200));
    let item = TokenStream::from_str(&deep).expect("tokens");
    for text in [
        crate::kernel::expand(TokenStream::new(), item.clone()).to_string(),
        crate::device::expand(TokenStream::new(), item.clone()).to_string(),
    ] {
        assert!(text.contains("compile_error") && !text.contains("shadow !"), "{text}");
    }
    assert!(shadow(quote!(kernel {} {#item})).is_empty());
}

#[test]
fn operands_of_ops_are_those_of_the_table() {
    let text = items().to_string();
    for item in [
        "fn bit_extract < T : Value > (first : T , second : T :: U32 , third : T :: U32) -> T",
        "fn pack_half_2x16 (first : Vec2 < f32 >) -> u32",
        "fn compare_exchange (& self , first : T , second : T) -> T",
        "fn store (& self , first : T)",
    ] {
        assert!(text.contains(item), "{item}");
    }
    let picked = swizzles().to_string();
    assert!(
        picked.contains("fn wzyx (self) -> Vec4 < T > { Vec4 :: new (self . w , self . z , self . y , self . x) }")
    );
}
