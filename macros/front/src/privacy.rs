//! What a body uses of structs that is not `pub`, and the items by which rustc judges whether it may.

use crate::link::{Linked, facts, sampled};
use crate::report::Refused;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::Code;
use syn::ext::IdentExt;

/// A use of what not everybody may use of a struct, which rustc judges.
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
}

/// Items by which rustc judges whether what is private may be used, and the errors for that of
/// structs that the function does not name. `own` is the struct whose implementation it is in.
pub fn probes(uses: &[PrivateUse<'_>], linked: &Linked, own: Option<&str>) -> (TokenStream, TokenStream) {
    let (mut probes, mut errors) = (TokenStream::new(), TokenStream::new());
    let mut unnamed: Vec<&str> = Vec::new();
    for PrivateUse { id, name, what } in uses.iter().filter(|used| Some(used.id.as_str()) != own) {
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
                    Private::Function(function) => {
                        let mark = privacy_mark(function);
                        quote! { const _: () = #path::#mark; }
                    }
                    Private::Comparison(operator) => {
                        let at = syn::spanned::Spanned::span(operator);
                        let compared = quote_spanned!(at=> compared::<#path>(););
                        quote! {
                            #[allow(dead_code, clippy::all)]
                            const _: () = {
                                const fn compared<T: ::core::cmp::PartialEq>() {}
                                #compared
                            };
                        }
                    }
                });
            }
            // Which module of this crate may use it, only rustc knows, and only of a type with a
            // name. No other crate may.
            None if facts::is_own(id) || matches!(what, Private::Comparison(_)) => {}
            // One error a struct.
            None if unnamed.contains(&id.as_str()) => {}
            None => {
                unnamed.push(id);
                let message = format!("this is private to the crate that declares `{name}`");
                let refused = Refused::new(Code::V203, message).help("use its public fields and methods");
                let at = match what {
                    Private::Field(member) => member.to_token_stream(),
                    Private::Function(function) => function.to_token_stream(),
                    Private::Comparison(operator) => operator.to_token_stream(),
                };
                errors.extend(refused.on(&at));
            }
        }
    }
    (probes, errors)
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
        let field = |id: &str| PrivateUse { id: id.to_owned(), name: "Hit".to_owned(), what: Private::Field(&member) };
        let (_, errors) = probes(&[field("a::Hit 1"), field("a::Hit 1"), field("b::Hit 1")], &Linked::default(), None);
        assert_eq!(errors.to_string().matches("compile_error").count(), 2, "{errors}");
    }
}
