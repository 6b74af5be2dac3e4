//! Numbers below zero, as tokens that every compiler reads.
//!
//! The number of a pattern, such as `-3..=3`, is one literal with a sign to `syn` and `quote`. rustc takes such a
//! literal apart when a macro returns it. rust-analyzer does not, and then no macro can read it again.

use proc_macro2::{Group, Literal, Punct, Spacing, TokenStream, TokenTree};

/// The same tokens, with each sign apart from its number.
pub fn apart(tokens: TokenStream) -> TokenStream {
    let mut out = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), apart(group.stream()));
                inner.set_span(group.span());
                out.push(inner.into());
            }
            TokenTree::Literal(literal) => out.extend(sign_and_number(literal)),
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

fn sign_and_number(literal: Literal) -> Vec<TokenTree> {
    let text = literal.to_string();
    let number = text.strip_prefix('-').and_then(|number| number.parse::<Literal>().ok());
    let Some(mut number) = number else { return vec![literal.into()] };
    let mut sign = Punct::new('-', Spacing::Alone);
    sign.set_span(literal.span());
    number.set_span(literal.span());
    vec![sign.into(), number.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens as _, quote};

    // Outside of a compiler, `proc_macro2` takes such literals apart itself when they become part of a stream.
    #[test]
    fn a_sign_is_a_token_of_its_own() {
        let kinds = |literal| sign_and_number(literal).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(kinds(Literal::i32_unsuffixed(-3)), ["-", "3"]);
        assert_eq!(kinds(Literal::f32_suffixed(-1.5)), ["-", "1.5f32"]);
        assert_eq!(kinds(Literal::u8_suffixed(3)), ["3u8"]);
        assert_eq!(kinds(Literal::string("-3")), ["\"-3\""]);
    }

    #[test]
    fn patterns_that_were_read_can_be_read_again() {
        let arm: syn::Arm = syn::parse_quote!(i32::MIN..=-4 | -2 => 1,);
        let tokens = apart(quote!({ #arm }));
        let Some(TokenTree::Group(group)) = tokens.into_iter().next() else { panic!("a group") };
        let again: syn::Arm = syn::parse2(group.stream()).unwrap();
        assert_eq!(again.to_token_stream().to_string(), arm.to_token_stream().to_string());
    }

    #[test]
    fn other_tokens_stay() {
        let tokens = quote! { fn f(x: i32) -> [i32; 2] { [x - 1, 'a' as i32] } };
        assert_eq!(apart(tokens.clone()).to_string(), tokens.to_string());
    }
}
