//! `#[derive(Element)] enum`: enums without fields, as numbers in buffers, arguments and kernels; and enums with
//! fields, as values in kernels alone, for which the traits of elements are not implemented.

use super::element::{Options, bounded_by, definition, placeholder_of, unknown_parameters, unsuitable_parameters};
use super::methods::layout_name;
use super::{Constants, facts, names, start};
use crate::emit::absolute;
use crate::expansion::Expansion;
use crate::infer::{Case, Ty};
use crate::link::chain::{Job, State, bounded, macro_for};
use crate::link::enumeration::{self, read};
use crate::link::facts::{Fact, Kind, identity};
use crate::link::{Linked, refs, signs};
use crate::names::Within;
use crate::report::{Refused, Reporter};
use crate::syntax;
use crate::words::reserved::is_nameable;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use syn::ext::IdentExt;

/// Expands the derive on an enum.
pub(super) fn expand(item: &syn::ItemEnum) -> TokenStream {
    if enumeration::has_fields(item) {
        return expand_with_fields(item);
    }
    let name = &item.ident;
    let (options, mut errors) = Options::of(&item.attrs);
    errors.extend(options.unsuitable().map(|(listed, refused)| refused.on(&listed.path)));
    let mut reporter = Reporter::new();
    let nameable = is_nameable(name, "an enum", &mut reporter);
    errors.extend(reporter.tokens());
    let found = read(item);
    if let Err((node, refused)) = &found {
        errors.extend(refused.clone().on(node));
    }
    let (krate, conditions) = (&options.krate, syntax::conditions(&item.attrs));
    let implementation = match &found {
        Ok((tag, variants)) if errors.is_empty() => {
            let values: Vec<i128> = variants.iter().map(|variant| variant.value).collect();
            let tag = proc_macro2::Ident::new(tag.name(), proc_macro2::Span::mixed_site());
            implementation(item, krate, &quote!(::core::primitive::#tag), &values)
        }
        // What has parameters has no traits that would need none.
        _ if !item.generics.params.is_empty() => TokenStream::new(),
        _ => placeholder_of(name, krate, &conditions),
    };
    let constants = Constants::new(krate);
    let definition = definitions((item, nameable), &options, (&constants, &Linked::default()), !errors.is_empty());
    quote! { #errors #implementation #definition }
}

/// Begins to link what the fields name.
fn expand_with_fields(item: &syn::ItemEnum) -> TokenStream {
    let (options, mut errors) = Options::of(&item.attrs);
    errors.extend(options.unsuitable().map(|(listed, refused)| refused.on(&listed.path)));
    errors.extend(unsuitable_parameters(&item.generics));
    let of_trait = options.traits.iter().find(|listed| listed.operator().is_none());
    errors.extend(of_trait.filter(|_| !item.generics.params.is_empty()).map(|listed| {
        let refused = Refused::new(Code::V207, "a generic enum cannot have the traits of kernels");
        refused.help("write an enum without type parameters for it").on(&listed.path)
    }));
    let (names, too_many) = bounded(refs::of_enum(item));
    errors.extend(too_many);
    let krate = options.krate;
    let state = if errors.is_empty() {
        State::new(Job::Element, quote!(crate = #krate), item.to_token_stream(), names)
    } else {
        State::new(Job::Element, super::refused(&krate), item.to_token_stream(), Vec::new())
    };
    Expansion { errors, rest: start(state, &krate), ..Expansion::default() }.into()
}

/// An enum with fields once their types are linked. If it was refused, it is not looked at.
pub(super) fn finish(item: &syn::ItemEnum, krate: &syn::Path, linked: &Linked, refused: bool) -> TokenStream {
    let mut reporter = Reporter::new();
    let nameable = is_nameable(&item.ident, "an enum", &mut reporter);
    let mut errors = reporter.tokens();
    let mut broken = refused || item.variants.iter().any(|variant| names_itself(item, &variant.fields));
    let mut exact = TokenStream::new();
    if !broken {
        let own = unknown_parameters(&item.generics);
        match enumeration::cases(item, &Within { own: &own, around: &linked.scope() }) {
            // What was refused where it is declared.
            Ok(cases) if cases.iter().any(|case| case.fields.iter().any(|field| field.ty == Ty::Error)) => {
                broken = true
            }
            Ok(cases) => exact = seen_by_rustc(item, &cases),
            Err((node, refused)) => errors.extend(refused.on(&node)),
        }
    }
    let mut constants = Constants::new(krate);
    constants.named(linked);
    let (name, conditions) = (&item.ident, syntax::conditions(&item.attrs));
    let (of, arguments, clause) = item.generics.split_for_impl();
    let passed_on = constants.implementation(&quote!(#of #name #arguments #clause), &conditions);
    let options = Options::of(&item.attrs).0;
    let definition = definitions((item, nameable), &options, (&constants, linked), broken || !errors.is_empty());
    quote! { #errors #exact #passed_on #definition }
}

/// Whether a field is of the enum itself, which rustc reports.
fn names_itself(item: &syn::ItemEnum, fields: &syn::Fields) -> bool {
    fields.iter().any(|field| match syntax::peel_type(&field.ty) {
        syn::Type::Path(path) if path.path.segments.len() == 1 => {
            path.path.segments.iter().any(|name| name.ident == item.ident || name.ident == "Self")
        }
        _ => false,
    })
}

/// That the enum is copied, that the types of fields that are written like primitive ones are those, and that kernels
/// may make each variant, so that rustc does not take it for unused.
fn seen_by_rustc(item: &syn::ItemEnum, cases: &[Case]) -> TokenStream {
    let (name, conditions) = (&item.ident, syntax::conditions(&item.attrs));
    let copied = bounded_by(&item.generics, &quote!(::core::marker::Copy));
    let ((of, arguments, clause), copied) = (item.generics.split_for_impl(), copied.split_for_impl().2);
    let parts = item.variants.iter().zip(cases).enumerate().map(|(at, (variant, case))| {
        let ident = &variant.ident;
        let made = quote::format_ident!("made_{at}");
        let fields = variant.fields.members().zip(&variant.fields).zip(&case.fields).enumerate();
        let held: Vec<_> = fields
            .map(|(i, ((member, field), read))| {
                let held = quote::format_ident!("held_{i}");
                let ty = absolute(&read.ty, &field.ty);
                (quote!(#member: #held), quote!(#held: #ty), quote!(let _: &#ty = #held;))
            })
            .collect();
        let whole = held.iter().map(|(whole, ..)| whole);
        let whole = quote!(#name::#ident { #(#whole),* });
        let (params, checks) = (held.iter().map(|(_, param, _)| param), held.iter().map(|(.., check)| check));
        (quote!(#whole => { #(#checks)* }), quote!(fn #made #of(#(#params),*) -> #name #arguments #clause { #whole }))
    });
    let (arms, made): (Vec<_>, Vec<_>) = parts.unzip();
    quote! {
        #(#conditions)*
        #[allow(dead_code, deprecated, clippy::all, clippy::pedantic)]
        const _: () = {
            fn exact #of(value: &#name #arguments) #clause {
                match value { #(#arms)* }
            }
            #(#made)*
            const fn copied<__T: ::core::marker::Copy>() {}
            const fn whole #of() #copied {
                copied::<#name #arguments>();
            }
        };
    }
}

/// The macros by which kernels name an enum.
fn definitions(
    (item, nameable): (&syn::ItemEnum, bool),
    options: &Options,
    (constants, linked): (&Constants, &Linked),
    broken: bool,
) -> TokenStream {
    let (name, conditions) = (&item.ident, syntax::conditions(&item.attrs));
    let (id, hash) = identity(name);
    let of = |announced: bool| {
        let mut bare = item.clone();
        bare.attrs.retain(|attr| attr.path().is_ident("repr") || announced && attr.path().is_ident("element"));
        bare.variants.iter_mut().for_each(|variant| {
            variant.attrs.clear();
            variant.fields.iter_mut().for_each(|field| field.attrs.clear());
        });
        let fact = Fact {
            kind: Kind::Enum,
            id: id.clone(),
            name: name.unraw().to_string(),
            broken,
            names: names(linked),
            constants: constants.list.clone(),
            values: Vec::new(),
            items: vec![syn::Item::Enum(bare)],
        };
        facts(&fact, linked)
    };
    let layout = macro_for(&layout_name(name), hash, &syn::Visibility::Inherited, &conditions, of(true));
    let mut bare = item.clone();
    bare.attrs.clear();
    let whole = (name, quote! { #(#conditions)* #bare }, !item.generics.params.is_empty());
    let alone = || macro_for(name, hash, &item.vis, &conditions, of(false));
    let definition = if nameable { definition(whole, options, &conditions, alone) } else { TokenStream::new() };
    quote! { #layout #definition }
}

/// The traits of the runtime, and the assertions, by which all variants are also used.
fn implementation(item: &syn::ItemEnum, krate: &syn::Path, tag: &TokenStream, values: &[i128]) -> TokenStream {
    let name = &item.ident;
    let (text, private) = (name.unraw().to_string(), quote!(#krate::__private));
    let conditions = syntax::conditions(&item.attrs);
    let variants: Vec<&syn::Ident> = item.variants.iter().map(|variant| &variant.ident).collect();
    let values: Vec<TokenStream> =
        values.iter().map(|value| signs::apart(Literal::i128_unsuffixed(*value).to_token_stream())).collect();
    quote! {
        #(#conditions)*
        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            // SAFETY: one of the discriminants is 0.
            unsafe impl #private::bytemuck::Zeroable for #name {}
            impl #private::Sealed for #name {}
            impl #private::Argument for #name {
                fn argument(self) -> #private::Arg<'static> {
                    #private::Argument::argument(self as #tag)
                }
            }
            // SAFETY: the enum is its discriminant, of which there are these and no others.
            unsafe impl #krate::Element for #name {
                const SHAPE: #private::Shape = #private::Shape::Enum {
                    name: #text,
                    tag: &<#tag as #krate::Element>::SHAPE,
                    values: &[#(#values as #tag as ::core::primitive::u64),*],
                };
            }
            ::core::assert!(::core::mem::size_of::<#name>() == ::core::mem::size_of::<#tag>());
            #(::core::assert!(#name::#variants as #tag == #values);)*
        };
    }
}
