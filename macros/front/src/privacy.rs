//! What a body names that only rustc can judge, and the items by which it does: what is not `pub` of structs or that a
//! trait gives, the orders of atomics, and operators by name.

use crate::link::{Linked, facts, sampled};
use crate::report::Refused;
use crate::syntax::spelled_path;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::Code;
use syn::ext::IdentExt;

/// What rustc judges of a body.
pub enum Judged<'a> {
    /// That it may use what not everybody may.
    Private(PrivateUse<'a>),
    /// That this is an order of atomics.
    Order(&'a syn::Path),
    /// That this is a scope of theirs.
    Scope(&'a syn::Path),
    /// That this is the function of an operator of so many operands.
    Operator(&'a syn::Path, usize),
}

/// A use of what not everybody may use of a struct.
pub struct PrivateUse<'a> {
    /// The id of the struct.
    pub id: String,
    /// The name of the struct.
    pub name: String,
    /// What is used, where it is.
    pub what: Private<'a>,
}

/// A part of a struct that is not `pub`.
#[derive(Clone, Copy)]
pub enum Private<'a> {
    /// A field.
    Field(&'a syn::Member),
    /// A method, associated function or constant.
    Function(&'a syn::Ident),
    /// `==` or `!=` of an enum, which may lack it.
    Comparison(&'a syn::BinOp),
    /// A function that a trait gives.
    OfTrait(&'a syn::Ident),
    /// A constant that a trait gives.
    ConstantOfTrait(&'a syn::Ident),
}

/// Items by which rustc judges what a body names, and the errors for what is private of structs that the function
/// does not name. `own` is the struct whose implementation it is in.
pub fn probes(
    uses: &[Judged<'_>],
    linked: &Linked,
    own: Option<&str>,
    krate: &syn::Path,
) -> (TokenStream, TokenStream) {
    let (mut probes, mut errors) = (words(uses, krate), TokenStream::new());
    let mut unnamed: Vec<&str> = Vec::new();
    let private = uses.iter().filter_map(|used| match used {
        Judged::Private(used) => Some(used),
        Judged::Order(_) | Judged::Scope(_) | Judged::Operator(..) => None,
    });
    for PrivateUse { id, name, what } in private.filter(|used| Some(used.id.as_str()) != own) {
        match linked.direct().find(|(_, fact)| fact.id == *id) {
            Some((path, fact)) => {
                let path = sampled(path, fact);
                probes.extend(match what {
                    Private::Field(member) => quote! {
                        const _: () = {
                            #[allow(dead_code, clippy::all)]
                            fn field(__samebits_value: &#path) { let _ = &__samebits_value.#member; }
                        };
                    },
                    Private::Function(function) | Private::OfTrait(function) => {
                        let mark = privacy_mark(function);
                        quote! { const _: () = #path::#mark; }
                    }
                    Private::Comparison(operator) => {
                        let at = syn::spanned::Spanned::span(operator);
                        // Of what lacks it, the operator is the mistake.
                        let path: TokenStream = path
                            .to_token_stream()
                            .into_iter()
                            .map(|mut token| {
                                token.set_span(token.span().located_at(at));
                                token
                            })
                            .collect();
                        let compared = quote_spanned!(at=> compared::<#path>(););
                        quote! {
                            #[allow(dead_code, clippy::all)]
                            const _: () = {
                                const fn compared<T: ::core::cmp::PartialEq>() {}
                                #compared
                            };
                        }
                    }
                    Private::ConstantOfTrait(constant) => quote! { const _: () = { let _ = #path::#constant; }; },
                });
            }
            // Which module of this crate may use it, only rustc knows, and only of a type with a
            // name. No other crate may.
            None if facts::is_own(id) || matches!(what, Private::Comparison(_)) => {}
            // Whether a trait is in scope, rustc sees only of a type with a name.
            None if matches!(what, Private::OfTrait(_) | Private::ConstantOfTrait(_)) => {}
            // One error a struct.
            None if unnamed.contains(&id.as_str()) => {}
            None => {
                unnamed.push(id);
                let message = format!("this is private to the crate that declares `{name}`");
                let refused = Refused::new(Code::V203, message).help("use its public fields and methods");
                let at = match what {
                    Private::Field(member) => member.to_token_stream(),
                    Private::Function(name) | Private::OfTrait(name) | Private::ConstantOfTrait(name) => {
                        name.to_token_stream()
                    }
                    Private::Comparison(operator) => operator.to_token_stream(),
                };
                errors.extend(refused.on(&at));
            }
        }
    }
    (probes, errors)
}

/// An item that shows rustc each order and each scope once.
fn words(uses: &[Judged<'_>], krate: &syn::Path) -> TokenStream {
    let mut seen: Vec<String> = Vec::new();
    let mut statements = TokenStream::new();
    for used in uses {
        let (path, ty) = match used {
            Judged::Private(_) => continue,
            Judged::Order(path) => (path, quote!(::core::sync::atomic::Ordering)),
            Judged::Scope(path) => (path, quote!(#krate::prelude::Scope)),
            // Integers have all operators.
            Judged::Operator(path, operands) => {
                let operands = vec![quote!(::core::primitive::i32); *operands];
                (path, quote!(fn(#(#operands),*) -> ::core::primitive::i32))
            }
        };
        let spelled = spelled_path(path);
        if !seen.contains(&spelled) {
            seen.push(spelled);
            statements.extend(quote!(let _: #ty = #path;));
        }
    }
    if statements.is_empty() {
        return statements;
    }
    quote! {
        const _: () = {
            #[allow(
                unused, unused_qualifications, deprecated, clippy::all, clippy::pedantic, clippy::nursery,
                clippy::restriction
            )]
            fn words() { #statements }
        };
    }
}

/// The constant that is as private as a method of this name: rustc sees no methods.
pub fn privacy_mark(function: &proc_macro2::Ident) -> proc_macro2::Ident {
    proc_macro2::Ident::new(&format!("__samebits_{}", function.unraw()), function.span())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_fields_of_a_struct_of_another_crate_are_one_error() {
        let member: syn::Member = syn::parse_quote!(length);
        let field = |id: &str| {
            Judged::Private(PrivateUse { id: id.to_owned(), name: "Hit".to_owned(), what: Private::Field(&member) })
        };
        let uses = [field("a::Hit 1"), field("a::Hit 1"), field("b::Hit 1")];
        let (_, errors) = probes(&uses, &Linked::default(), None, &syn::parse_quote!(::samebits));
        assert_eq!(errors.to_string().matches("compile_error").count(), 2, "{errors}");
    }

    #[test]
    fn rustc_sees_each_order_once() {
        let (order, scope) = (syn::parse_quote!(Ordering::Acquire), syn::parse_quote!(Scope::Device));
        let uses = [Judged::Order(&order), Judged::Scope(&scope), Judged::Order(&order)];
        let (probes, _) = probes(&uses, &Linked::default(), None, &syn::parse_quote!(::samebits));
        let text = probes.to_string().replace(' ', "");
        assert!(text.contains("let_:::samebits::prelude::Scope=Scope::Device;"), "{text}");
        assert_eq!(text.matches("=Ordering::Acquire;").count(), 1, "{text}");
    }

    #[test]
    fn rustc_sees_operators_by_name() {
        let path = syn::parse_quote!(Add::add);
        let (probes, _) =
            probes(&[Judged::Operator(&path, 2)], &Linked::default(), None, &syn::parse_quote!(::samebits));
        let text = probes.to_string().replace(' ', "").replace("::core::primitive::", "");
        assert!(text.contains("let_:fn(i32,i32)->i32=Add::add;"), "{text}");
    }
}
