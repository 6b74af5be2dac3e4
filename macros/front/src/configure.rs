//! `cfg` and `cfg_attr` inside of items.
//!
//! rustc gives an attribute macro its item as it was written, and does not say whether a `cfg`
//! is true. A derive gets the item with every `cfg` decided, wherever in the item it is. So an
//! item with a `cfg` in it takes one more step: it becomes the value of an enum's variant, the
//! enum is derived from, and the attribute below the derive removes the enum again.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// Whether there is a `cfg` inside of an item. Those on the whole item are already resolved.
pub fn is_conditional(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter().peekable();
    while let Some(TokenTree::Punct(punct)) = tokens.peek()
        && punct.as_char() == '#'
    {
        tokens.next();
        tokens.next();
    }
    has_condition(tokens)
}

fn has_condition(tokens: impl Iterator<Item = TokenTree>) -> bool {
    let mut attribute = false;
    for token in tokens {
        let after = attribute;
        attribute =
            matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#' || after && punct.as_char() == '!');
        if let TokenTree::Group(group) = token {
            let condition = |token| matches!(token, TokenTree::Ident(word) if word == "cfg" || word == "cfg_attr");
            let found = after && group.stream().into_iter().next().is_some_and(condition);
            if found || has_condition(group.stream().into_iter()) {
                return true;
            }
        }
    }
    false
}

/// Tokens by which rustc resolves each `cfg` in an item, and which then go on with `attribute`.
pub fn hop(attribute: &str, args: &TokenStream, item: &TokenStream, krate: &syn::Path) -> TokenStream {
    let attribute = Ident::new(attribute, Span::mixed_site());
    quote! {
        #[derive(#krate::__private::Configured)]
        #[#krate::__private::gone]
        #[samebits_item(#attribute {#args})]
        enum Item {
            Value = { #item 0 },
        }
    }
}

/// The attribute, its arguments and its item with every `cfg` resolved; nothing if no [`hop`] led
/// here.
pub fn unwrapped(input: TokenStream) -> Option<(Ident, TokenStream, TokenStream)> {
    let group = |token: TokenTree| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    };
    let mut said = None;
    let mut last = None;
    for token in input {
        if let TokenTree::Group(attribute) = &token
            && attribute.delimiter() == Delimiter::Bracket
        {
            let mut words = attribute.stream().into_iter();
            if matches!(words.next(), Some(TokenTree::Ident(word)) if word == "samebits_item") {
                said = words.next().and_then(group);
            }
        }
        last = Some(token);
    }
    let mut said = said?.into_iter();
    let (TokenTree::Ident(attribute), args) = (said.next()?, group(said.next()?)?) else { return None };
    let value = group(last?)?.into_iter().filter_map(group).last()?;
    let mut item: Vec<TokenTree> = value.into_iter().collect();
    item.pop();
    Some((attribute, args, closed(item.into_iter())))
}

/// Tokens without the commas that rustc leaves where a `cfg` removed a parameter.
fn closed(tokens: impl Iterator<Item = TokenTree>) -> TokenStream {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut opens = true;
    let mut kept = Vec::new();
    for token in tokens {
        if opens && is_comma(&token) {
            continue;
        }
        opens = matches!(&token, TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | '<' | '|'));
        kept.push(match token {
            TokenTree::Group(group) => {
                let mut same = Group::new(group.delimiter(), closed(group.stream().into_iter()));
                same.set_span(group.span());
                same.into()
            }
            other => other,
        });
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_in_an_item_is_seen() {
        for item in [
            quote!(
                fn k(#[cfg(a)] x: u32) {}
            ),
            quote!(
                fn k() {
                    let z = [
                        1,
                        #[cfg_attr(a, allow(b))]
                        2,
                    ];
                }
            ),
            quote!(impl Ray { #![cfg_attr(a, allow(b))] }),
        ] {
            assert!(is_conditional(&item), "{item}");
        }
        for item in [
            quote!(
                #[cfg(a)]
                #[doc = "cfg"]
                fn k() {}
            ),
            quote!(
                fn cfg() {
                    cfg(a);
                    [cfg]
                }
            ),
        ] {
            assert!(!is_conditional(&item), "{item}");
        }
    }

    #[test]
    fn an_item_comes_back_as_it_was() {
        let (args, item) = (
            quote!(workgroup_size(3)),
            quote!(
                pub fn k(y: &mut [u32]) {
                    y[0] = 1;
                }
            ),
        );
        let hop: syn::ItemEnum = syn::parse2(hop("kernel", &args, &item, &syn::parse_quote!(::samebits))).unwrap();
        let (attribute, of, back) = unwrapped(quote!(#hop)).unwrap();
        assert_eq!(attribute, "kernel");
        assert_eq!((of.to_string(), back.to_string()), (args.to_string(), item.to_string()));
        assert!(
            unwrapped(quote!(
                enum Other {
                    Value = 3,
                }
            ))
            .is_none()
        );
    }
}
