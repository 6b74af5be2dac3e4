//! What an editor sees of kernels and helpers, since rustc sees no function.
//!
//! An editor that expands macros, such as rust-analyzer, looks for the tokens under its cursor
//! in the expansion. So each item begins with a constant that is empty to rustc. Where
//! `cfg(rust_analyzer)` is set, it holds a call of `shadow!`. That is so in the packages that
//! are edited, but not in packages from a registry. The [`shadow`] is made of the user's own
//! tokens: the function as plain Rust, whose body nobody runs. rustc never compiles it, but
//! tests check that it would compile if the item is right. rustc only steps over the call's
//! tokens, so a shadow costs a build next to nothing, and half-typed code can be handed on.
//!
//! What the language has and Rust lacks is in `samebits::__private::editor`, much of which
//! [`items`] makes from the op tables. A helper's name is that of a type, so a helper has an
//! associated function `call` in its own shadow, and a call of the helper is shown as a call of
//! that.

mod body;
mod items;

pub use items::{items, swizzles};

use crate::class::Class;
use crate::depth;
use crate::generics::{self, Parameter};
use crate::instances;
use crate::link::traits::{functions_of, last_name};
use crate::names::Assumed;
use crate::parse::{self, promised};
use crate::report::Reporter;
use crate::syntax;
use crate::words::operators;
use crate::words::reserved::is_of_language;
use body::Body;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

/// What an item with this attribute (`kernel` or `device`) begins with, which does not nest too deep.
pub(crate) fn shell(attribute: &str, args: &TokenStream, item: &TokenStream) -> TokenStream {
    if depth::unparsed(args.clone()).is_some() {
        return TokenStream::new();
    }
    let krate = syntax::krate(args);
    let attribute = Ident::new(attribute, Span::mixed_site());
    quote! {
        #[doc = " What editors look into; empty to rustc."]
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #krate::__private::shadow! { #attribute {#args} {#item} }
        };
    }
}

/// Lints that say nothing about a body that is only looked at.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            unused, unused_qualifications, nonstandard_style, arithmetic_overflow, overflowing_literals,
            unconditional_panic, clippy::all
        )]
    }
}

/// Expands `shadow! { attribute {args} {item} }`.
///
/// ```
/// use quote::quote;
/// let shadow = samebits_front::editor::shadow(quote!(kernel {} { fn k(y: &mut [u32]) { y[0] = global_id(). } }));
/// assert!(shadow.to_string().contains("y [0] = global_id () ."));
/// ```
pub fn shadow(input: TokenStream) -> TokenStream {
    if depth::too_many_groups(input.clone()).is_some() {
        return TokenStream::new();
    }
    let mut input = input.into_iter();
    let (Some(TokenTree::Ident(attribute)), Some(TokenTree::Group(args)), Some(TokenTree::Group(item))) =
        (input.next(), input.next(), input.next())
    else {
        return TokenStream::new();
    };
    let (args, item) = (args.stream(), item.stream());
    if depth::unparsed(args.clone()).or_else(|| depth::unparsed(item.clone())).is_some() {
        return TokenStream::new();
    }
    let krate = syntax::krate(&args);
    let (before, block) = syntax::before_body(item.clone());
    let empty: TokenStream = quote!(#before {});
    let made = match (syn::parse2::<syn::ItemFn>(empty), block) {
        (Ok(function), Some(block)) if attribute == "kernel" => kernel(&krate, args, &function, block),
        (Ok(function), Some(block)) => helper(&krate, &function, block),
        _ => match syn::parse2::<syn::ItemImpl>(item.clone()) {
            Ok(implementation) if operators::of(&implementation).is_some() => operator(&krate, implementation, &item),
            Ok(implementation) => match &implementation.trait_ {
                Some((_, path, _)) => functions_of_implementation(&krate, &implementation, path),
                None => methods(&krate, &implementation),
            },
            // The constant itself is there already.
            Err(_) if syn::parse2::<syn::ItemConst>(item.clone()).is_ok() => return TokenStream::new(),
            Err(_) => match syn::parse2::<syn::ItemTrait>(item.clone()) {
                Ok(of) => functions_of_trait(&krate, &of),
                Err(_) => Body::of(&krate, &item).tokens(item),
            },
        },
    };
    let made = syntax::parenthesized(made);
    quote! {
        #[allow(unused_imports)]
        use #krate::__private::editor::scope::*;
        #made
    }
}

/// The function of a kernel, its parameters being those of its first instance.
fn kernel(krate: &syn::Path, args: TokenStream, function: &syn::ItemFn, block: Group) -> TokenStream {
    let mut reporter = Reporter::new();
    let arguments = parse::arguments(args).unwrap_or_default();
    let instances = instances::listed(&arguments, function, &Assumed::default(), &mut reporter);
    let listed = instances.into_iter().next().unwrap_or_default().arguments;
    looked_at(krate, function, &function.sig, block, listed)
}

/// A helper's function, and what a call of it is.
fn helper(krate: &syn::Path, function: &syn::ItemFn, block: Group) -> TokenStream {
    let (name, conditions) = (&function.sig.ident, syntax::conditions(&function.attrs));
    let call = declared(krate, &function.attrs, &function.vis, function.sig.clone(), Some("call"));
    let body = looked_at(krate, function, &function.sig, block, Vec::new());
    let allowed = allowed();
    quote! {
        #(#conditions)*
        #allowed
        impl #name { #call }
        #body
    }
}

/// The methods of a struct. Its constants are there already.
fn methods(krate: &syn::Path, implementation: &syn::ItemImpl) -> TokenStream {
    let conditions = syntax::conditions(&implementation.attrs);
    let (of, allowed) = (&implementation.self_ty, allowed());
    let (outer, left) = aliased_generics(krate, &implementation.generics, Vec::new());
    let (params, _, clause) = implementation.generics.split_for_impl();
    let (left, _, left_clause) = left.split_for_impl();
    let (mut plain, mut generic) = (TokenStream::new(), TokenStream::new());
    for item in &implementation.items {
        let syn::ImplItem::Fn(method) = item else { continue };
        let syn::ImplItemFn { attrs, vis, sig, block, .. } = method;
        let Some(TokenTree::Group(block)) = block.to_token_stream().into_iter().next() else { continue };
        if sig.generics.params.is_empty() && implementation.generics.params.is_empty() {
            let attrs = kept(attrs);
            let block = Body::of(krate, &sig.to_token_stream()).block(block);
            plain.extend(quote!(#(#attrs)* #vis #sig #block));
            continue;
        }
        plain.extend(declared(krate, attrs, vis, sig.clone(), None));
        let (aliases, mut sig) = aliased(krate, sig, Vec::new());
        sig.ident = format_ident!("__samebits_body_{}", sig.ident.unraw(), span = Span::mixed_site());
        let block = Body::of(krate, &sig.to_token_stream()).block(block);
        let attrs = syntax::conditions(attrs);
        generic.extend(quote! {
            const _: () = { #outer #aliases #(#conditions)* #allowed impl #left #of #left_clause { #(#attrs)* #sig #block } };
        });
    }
    quote! {
        #(#conditions)*
        #allowed
        impl #params #of #clause { #plain }
        #generic
    }
}

/// An operator: an implementation as Rust has it.
fn operator(krate: &syn::Path, implementation: syn::ItemImpl, tokens: &TokenStream) -> TokenStream {
    let named = operators::with_output(&implementation, tokens).and_then(|tokens| syn::parse2(tokens).ok());
    let item = named.unwrap_or(implementation);
    let (conditions, allowed) = (syntax::conditions(&item.attrs), allowed());
    let (of, path) = (&item.self_ty, item.trait_.as_ref().map(|(_, path, _)| path));
    let ((params, _, clause), generic) = (item.generics.split_for_impl(), !item.generics.params.is_empty());
    let (mut parts, mut bodies) = (TokenStream::new(), TokenStream::new());
    for part in &item.items {
        let syn::ImplItem::Fn(function) = part else {
            parts.extend(part.to_token_stream());
            continue;
        };
        let syn::ImplItemFn { attrs, sig, block, .. } = function;
        let Some(TokenTree::Group(group)) = block.to_token_stream().into_iter().next() else { continue };
        if !generic {
            let attrs = kept(attrs);
            let block = Body::of(krate, &sig.to_token_stream()).block(group);
            parts.extend(quote!(#(#attrs)* #sig #block));
            continue;
        }
        parts.extend(declared(krate, attrs, &syn::Visibility::Inherited, sig.clone(), None));
        let (outer, left) = aliased_generics(krate, &item.generics, Vec::new());
        let (left, _, left_clause) = left.split_for_impl();
        let name = path.map(last_name).unwrap_or_default();
        let body = body(krate, attrs, sig, block, &name).map(|(aliases, body)| {
            quote!(const _: () = { #outer #aliases #(#conditions)* #allowed impl #left #of #left_clause { #body } };)
        });
        bodies.extend(body);
    }
    quote! { #(#conditions)* #allowed impl #params #path for #of #clause { #parts } #bodies }
}

/// The functions that the implementation of a trait has. The trait declares them, and here are their bodies.
fn functions_of_implementation(krate: &syn::Path, implementation: &syn::ItemImpl, path: &syn::Path) -> TokenStream {
    let conditions = syntax::conditions(&implementation.attrs);
    let (of, allowed, name) = (&implementation.self_ty, allowed(), last_name(path));
    let bound = generics::on_device(krate, &name);
    if is_of_language(of) {
        return functions_of_language(krate, implementation, &name);
    }
    let bodies = implementation.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => {
            let (aliases, body) = body(krate, &method.attrs, &method.sig, &method.block, &name)?;
            Some(quote! { const _: () = { #aliases #(#conditions)* #allowed impl #of { #body } }; })
        }
        _ => None,
    });
    quote! { #(#conditions)* impl #bound for #of {} #(#bodies)* }
}

/// The same for a type of the language, which only traits can give functions.
fn functions_of_language(krate: &syn::Path, implementation: &syn::ItemImpl, name: &str) -> TokenStream {
    let conditions = syntax::conditions(&implementation.attrs);
    let (of, allowed) = (&implementation.self_ty, allowed());
    let bodies = implementation.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => {
            let (aliases, body) = body(krate, &method.attrs, &method.sig, &method.block, name)?;
            let declared = syntax::before_body(body.clone()).0;
            let bodies = Ident::new("Bodies", Span::mixed_site());
            Some(quote! {
                const _: () = {
                    #aliases
                    #(#conditions)* #allowed trait #bodies: Sized { #declared; }
                    #(#conditions)* #allowed impl #bodies for #of { #body }
                };
            })
        }
        _ => None,
    });
    quote! { #(#bodies)* }
}

/// The bodies that a trait gives, in a trait that builds on it.
fn functions_of_trait(krate: &syn::Path, item: &syn::ItemTrait) -> TokenStream {
    let conditions = syntax::conditions(&item.attrs);
    let (allowed, ident, name) = (allowed(), &item.ident, item.ident.unraw().to_string());
    let bound = generics::on_device(krate, &name);
    let bodies = functions_of(item).filter_map(|function| {
        let block = function.default.as_ref()?;
        let (aliases, body) = body(krate, &function.attrs, &function.sig, block, &name)?;
        let bodies = Ident::new("Bodies", Span::mixed_site());
        Some(quote! {
            const _: () = { #aliases #(#conditions)* #allowed trait #bodies: ::core::marker::Copy + #ident + #bound { #body } };
        })
    });
    quote! { #(#bodies)* }
}

/// A function of a trait as one of another name, and what its type parameters stand for.
fn body(
    krate: &syn::Path,
    attrs: &[syn::Attribute],
    sig: &syn::Signature,
    block: &syn::Block,
    of_trait: &str,
) -> Option<(TokenStream, TokenStream)> {
    let Some(TokenTree::Group(block)) = block.to_token_stream().into_iter().next() else { return None };
    let (aliases, mut sig) = aliased(krate, sig, Vec::new());
    sig.ident = format_ident!("__samebits_body_{of_trait}_{}", sig.ident.unraw(), span = Span::mixed_site());
    let block = Body::of(krate, &sig.to_token_stream()).block(block);
    let attrs = syntax::conditions(attrs);
    Some((aliases, quote! { #(#attrs)* #sig #block }))
}

/// A function that is there to be called: its signature as it was written.
fn declared(
    krate: &syn::Path,
    attrs: &[syn::Attribute],
    vis: &syn::Visibility,
    mut sig: syn::Signature,
    name: Option<&str>,
) -> TokenStream {
    if let Some(name) = name {
        // Under the cursor, the name is that of the helper's type.
        sig.ident = Ident::new(name, Span::mixed_site());
    }
    for input in &mut sig.inputs {
        // Without a body there is nothing to change.
        match input {
            syn::FnArg::Typed(syn::PatType { pat, .. }) => {
                if let syn::Pat::Ident(name) = &mut **pat {
                    name.mutability = None;
                }
            }
            syn::FnArg::Receiver(own) if own.reference.is_none() => own.mutability = None,
            syn::FnArg::Receiver(_) => {}
        }
    }
    let attrs = kept(attrs);
    quote!(#(#attrs)* #vis #sig { #krate::__private::editor::never() })
}

/// A function whose body is looked at.
fn looked_at(
    krate: &syn::Path,
    function: &syn::ItemFn,
    sig: &syn::Signature,
    block: Group,
    listed: Vec<TokenStream>,
) -> TokenStream {
    let (conditions, allowed) = (syntax::conditions(&function.attrs), allowed());
    let (aliases, mut sig) = aliased(krate, sig, listed);
    let block = Body::of(krate, &sig.to_token_stream()).block(block);
    sig.ident = Ident::new("__samebits_body", Span::mixed_site());
    sig.inputs.iter_mut().for_each(indexed);
    quote! {
        #aliases
        #(#conditions)*
        #allowed
        #sig #block
    }
}

/// A parameter `Distinct<'_, T>` or its like as `&[T]`, which Rust can index.
fn indexed(input: &mut syn::FnArg) {
    let syn::FnArg::Typed(typed) = input else { return };
    let syn::Type::Path(path) = syntax::peel_type(&typed.ty) else { return };
    let Some(last) = path.path.segments.last().filter(|last| promised(&last.ident).is_some()) else { return };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    if let Some(element) = types.last() {
        *typed.ty = syn::parse_quote!(&[#element]);
    }
}

/// The attributes that a declaration keeps.
fn kept(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    let keeps = |attr: &&syn::Attribute| ["doc", "cfg", "deprecated"].iter().any(|name| attr.path().is_ident(name));
    attrs.iter().filter(keeps).collect()
}

/// A signature whose parameters between angle brackets stand for one of the types and lengths that they may
/// be, as far as the language allows more with them than Rust does, and what they stand for: what is `listed`,
/// or else a member of the class. A literal or a method of numbers is then as right in the body as it is in
/// the kernel.
fn aliased(krate: &syn::Path, sig: &syn::Signature, listed: Vec<TokenStream>) -> (TokenStream, syn::Signature) {
    let (aliases, generics) = aliased_generics(krate, &sig.generics, listed);
    (aliases, syn::Signature { generics, ..sig.clone() })
}

/// The same of the parameters alone.
fn aliased_generics(
    krate: &syn::Path,
    generics: &syn::Generics,
    listed: Vec<TokenStream>,
) -> (TokenStream, syn::Generics) {
    let mut generics = generics.clone();
    let read = generics::parameters(&generics);
    let mut listed = listed.into_iter();
    let (mut aliases, mut names) = (TokenStream::new(), Vec::new());
    let params = std::mem::take(&mut generics.params);
    for (param, read) in params.into_iter().zip(read) {
        let of_kernel = listed.next();
        let stands_for = match (&read, of_kernel) {
            (Parameter::Type { .. } | Parameter::Const { .. }, Some(listed)) => Some(listed),
            (Parameter::Type { class: Some(class), .. }, None) => member(*class),
            (Parameter::Const { .. }, None) => Some(quote!(4)),
            (Parameter::Type { class: None, .. } | Parameter::Function { .. } | Parameter::Wrong(_), _) => None,
        };
        match (&param, stands_for) {
            (syn::GenericParam::Type(syn::TypeParam { ident, .. }), Some(ty)) => {
                aliases.extend(quote!(#[allow(dead_code)] type #ident = #ty;));
                names.push(ident.unraw().to_string());
            }
            (syn::GenericParam::Const(syn::ConstParam { ident, ty, .. }), Some(value)) => {
                aliases.extend(quote!(#[allow(dead_code)] const #ident: #ty = #value;));
            }
            _ => generics.params.push(with_traits(krate, param, &read)),
        }
    }
    if let Some(clause) = generics.where_clause.take() {
        let of_alias = |predicate: &syn::WherePredicate| match predicate {
            syn::WherePredicate::Type(ty) => {
                names.iter().any(|name| ty.bounded_ty.to_token_stream().to_string() == *name)
            }
            _ => false,
        };
        let predicates = clause.predicates.into_iter().filter(|predicate| !of_alias(predicate)).collect();
        generics.where_clause = Some(syn::WhereClause { predicates, ..clause });
    }
    (aliases, generics)
}

/// A type parameter that has the functions of its traits.
fn with_traits(krate: &syn::Path, mut param: syn::GenericParam, read: &Parameter) -> syn::GenericParam {
    if let (syn::GenericParam::Type(ty), Parameter::Type { traits, .. }) = (&mut param, read) {
        ty.bounds.extend(traits.iter().map(|of| generics::on_device(krate, &last_name(of))));
        // All values of kernels are.
        let copy: syn::TypeParamBound = syn::parse_quote!(::core::marker::Copy);
        ty.bounds.extend((!traits.is_empty()).then_some(copy));
    }
    param
}

/// A type of a class that has the methods of all members; nothing for a class without methods.
fn member(class: Class) -> Option<TokenStream> {
    let name = match class {
        Class::Element => return None,
        Class::Number | Class::Float => "f32",
        Class::Int | Class::Unsigned => "u32",
        Class::Signed => "i32",
    };
    let name = Ident::new(name, Span::mixed_site());
    Some(quote!(::core::primitive::#name))
}

#[cfg(test)]
mod tests;
