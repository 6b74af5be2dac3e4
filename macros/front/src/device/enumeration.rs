//! `#[derive(Element)] enum`: enums without fields, as numbers in buffers, arguments and kernels.

use super::element::{Options, definition, placeholder_of};
use super::methods::layout_name;
use super::{Constants, facts};
use crate::link::Linked;
use crate::link::chain::macro_for;
use crate::link::enumeration::read;
use crate::link::facts::{Fact, Kind, identity};
use crate::report::Reporter;
use crate::syntax;
use crate::words::reserved::is_nameable;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// Expands the derive on an enum, which names nothing else.
pub(super) fn expand(item: &syn::ItemEnum) -> TokenStream {
    let name = &item.ident;
    let (options, mut errors) = Options::of(&item.attrs);
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
        _ => placeholder_of(name, krate, &conditions),
    };
    let (id, hash) = identity(name);
    let of = |announced: bool| {
        let mut bare = item.clone();
        bare.attrs.retain(|attr| attr.path().is_ident("repr") || announced && attr.path().is_ident("element"));
        bare.variants.iter_mut().for_each(|variant| variant.attrs.clear());
        let fact = Fact {
            kind: Kind::Enum,
            id: id.clone(),
            name: name.unraw().to_string(),
            broken: !errors.is_empty(),
            names: Vec::new(),
            constants: Constants::new(krate).list,
            values: Vec::new(),
            items: vec![syn::Item::Enum(bare)],
        };
        facts(&fact, &Linked::default())
    };
    let layout = macro_for(&layout_name(name), hash, &syn::Visibility::Inherited, &conditions, of(true));
    let mut bare = item.clone();
    bare.attrs.clear();
    let whole = (name, quote! { #(#conditions)* #bare }, false);
    let alone = || macro_for(name, hash, &item.vis, &conditions, of(false));
    let definition = if nameable { definition(whole, &options, &conditions, alone) } else { TokenStream::new() };
    quote! { #errors #implementation #layout #definition }
}

/// The traits of the runtime, and the assertions, by which all variants are also used.
fn implementation(item: &syn::ItemEnum, krate: &syn::Path, tag: &TokenStream, values: &[i128]) -> TokenStream {
    let name = &item.ident;
    let (text, private) = (name.unraw().to_string(), quote!(#krate::__private));
    let conditions = syntax::conditions(&item.attrs);
    let variants: Vec<&syn::Ident> = item.variants.iter().map(|variant| &variant.ident).collect();
    let values: Vec<TokenStream> =
        values.iter().map(|value| Literal::i128_unsuffixed(*value).to_token_stream()).collect();
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
