//! The launcher: what stands in the kernel's place in the user's program.
//!
//! A kernel becomes a type of its name without values, whose `launch` has the kernel's
//! parameters. Whatever surrounds the expansion (shadowed names, `no_implicit_prelude`,
//! denied lints) must not matter: paths are absolute, the primitive types are named by
//! `::core::primitive`, and the launcher's own parameters are hygienic, so that a kernel
//! may have a parameter `device` or `grid`.

use crate::signature::{Constant, Param, ParamKind, Signature};
use crate::spans::Spans;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use samebits_ir::ir::{Access, Module};
use samebits_ir::loc::Loc;
use samebits_ir::types::{Scalar, Type};
use samebits_ir::wire;
use std::collections::BTreeMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// A kernel as the launcher holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The wire form.
    pub bytes: Vec<u8>,
    /// The lines and columns of its instructions.
    pub locations: Vec<u8>,
}

impl Image {
    /// The image of a module whose locations are in a table.
    pub fn of(module: &Module, spans: &Spans<'_>) -> Self {
        // Many instructions come from one node, whose tokens need walking only once.
        let mut known: BTreeMap<Loc, Option<wire::LineColumn>> = BTreeMap::new();
        let place = |loc| {
            *known.entry(loc).or_insert_with(|| {
                let (line, column) = spans.line_column(loc)?;
                Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?))
            })
        };
        let locations = wire::encode_locations(module, place);
        Self { bytes: wire::encode(module), locations }
    }
}

/// The launcher of a kernel with this wire image; after a mistake there is no image, and
/// the launcher only type-checks.
pub fn launcher(sig: &Signature, image: Option<&Image>) -> TokenStream {
    let Signature { vis, name, krate, .. } = sig;
    let attrs = attributes(sig, &ON_TYPE);
    let impl_attrs = attributes(sig, &ON_IMPLEMENTATION);
    let docs = docs(sig);
    let text = name.unraw().to_string();
    let launch_doc = format!(" Queues the kernel `{text}` over a grid of invocations.");
    let kernel_doc = format!(" The kernel `{text}` as the device takes it.");
    let bytes = Literal::byte_string(image.map_or(&[], |image| &image.bytes));
    let locations = image.map(|image| {
        let locations = Literal::byte_string(&image.locations);
        quote!(.located(::core::file!(), #locations))
    });
    let device = Ident::new("device", Span::mixed_site());
    let grid = Ident::new("grid", Span::mixed_site());
    let params =
        sig.params.iter().enumerate().map(|(i, param)| parameter(krate, param, argument_name(i, param, image)));
    let args = sig.params.iter().enumerate().filter(|_| image.is_some()).map(|(i, param)| {
        let name = argument_name(i, param, image);
        match &param.kind {
            ParamKind::Buffer { element, written, access } => {
                let element = absolute(*element, written);
                match access {
                    Access::Read => {
                        quote!(#krate::__private::Arg::buffer(#krate::Readable::<#element>::as_buffer(#name)))
                    }
                    Access::ReadWrite | Access::Atomic => {
                        quote!(#krate::__private::Arg::buffer(#krate::Writable::<#element>::as_buffer_mut(#name)))
                    }
                }
            }
            ParamKind::Scalar { .. } => quote!(#krate::__private::Arg::scalar(#name)),
        }
    });
    let constants = sig.constants.iter().filter(|_| image.is_some()).map(|Constant { path, cast, ty }| {
        let cast = cast.then(|| quote!(as #ty));
        // An item is not hygienic: it would hide the user's constant of the same name from itself.
        quote!(#krate::__private::Arg::scalar({
            const __SAMEBITS_CONSTANT: #ty = #path #cast;
            __SAMEBITS_CONSTANT
        }))
    });
    let args = args.chain(constants);
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations)]
        #vis enum #name {}

        #(#impl_attrs)*
        #[allow(dead_code, clippy::too_many_arguments)]
        impl #name {
            #[doc = #kernel_doc]
            #vis const KERNEL: &'static #krate::__private::Kernel = {
                static KERNEL: #krate::__private::Kernel = #krate::__private::Kernel::from_image(#text, #bytes) #locations;
                &KERNEL
            };

            #[doc = #launch_doc]
            #vis fn launch(
                #device: &#krate::Device,
                #grid: impl ::core::convert::Into<#krate::Grid>,
                #(#params),*
            ) -> ::core::result::Result<(), #krate::Error> {
                Self::KERNEL.launch(#device, #grid, &[#(#args),*])
            }
        }
    }
}

/// Attributes of a function that mean the same on a type.
const ON_TYPE: [&str; 9] = ["doc", "cfg", "cfg_attr", "allow", "warn", "deny", "forbid", "expect", "deprecated"];
/// Those of them that its implementation needs as well.
const ON_IMPLEMENTATION: [&str; 4] = ["cfg", "allow", "warn", "deny"];

/// The kernel's attributes of these names.
fn attributes<'a>(sig: &'a Signature, names: &'a [&str]) -> impl Iterator<Item = &'a syn::Attribute> {
    sig.attrs.iter().filter(move |attr| names.iter().any(|name| attr.path().is_ident(name)))
}

/// The kernel's name for an argument. Without an image two may have one name, and none is
/// used.
fn argument_name(index: usize, param: &Param, image: Option<&Image>) -> Ident {
    match image {
        Some(_) => param.name.clone(),
        None => Ident::new(&format!("_{index}"), Span::mixed_site()),
    }
}

/// A parameter of `launch`.
fn parameter(krate: &syn::Path, param: &Param, name: Ident) -> TokenStream {
    match &param.kind {
        ParamKind::Buffer { element: Type::Error, .. } | ParamKind::Scalar { ty: Type::Error, .. } => {
            quote!(#name: impl ::core::marker::Sized)
        }
        ParamKind::Buffer { element, written, access } => {
            let element = absolute(*element, written);
            match access {
                Access::Read => quote!(#name: &impl #krate::Readable<#element>),
                Access::ReadWrite | Access::Atomic => quote!(#name: &mut impl #krate::Writable<#element>),
            }
        }
        ParamKind::Scalar { ty, written } => {
            let ty = absolute(*ty, written);
            quote!(#name: #ty)
        }
    }
}

/// A type's path for which the user's names do not matter. A vector and `f16`, which is no
/// primitive type yet, stay as written: it is there that their import is used.
fn absolute(ty: Type, written: &syn::Type) -> TokenStream {
    match ty {
        Type::Scalar(Scalar::F16) => quote!(#written),
        Type::Scalar(_) => match written {
            syn::Type::Path(path) => match path.path.segments.last() {
                Some(last) => {
                    let name = &last.ident;
                    quote_spanned!(written.span()=> ::core::primitive::#name)
                }
                None => quote!(#written),
            },
            _ => quote!(#written),
        },
        Type::Error | Type::Bytes | Type::Vector(..) | Type::Array(_) | Type::Struct(_) => quote!(#written),
    }
}

/// Lines that follow the user's documentation: the group and the arguments.
fn docs(sig: &Signature) -> Vec<String> {
    let [x, y, z] = sig.workgroup_size;
    let mut docs = Vec::new();
    if sig.attrs.iter().any(|attr| attr.path().is_ident("doc")) {
        docs.push(String::new());
    }
    docs.push(format!(" A kernel with workgroups of {x} × {y} × {z} invocations. Its arguments:"));
    docs.push(String::new());
    for param in &sig.params {
        let (written, what) = match &param.kind {
            ParamKind::Buffer { written, access, .. } => {
                let what = match access {
                    Access::Read => "a buffer that it reads",
                    Access::ReadWrite => "a buffer that it reads and writes",
                    Access::Atomic => "a buffer that it changes by atomics",
                };
                (written, what)
            }
            ParamKind::Scalar { written, .. } => (written, "a value"),
        };
        let written = quote!(#written).to_string().replace(' ', "");
        let name = param.name.unraw();
        docs.push(match &param.kind {
            ParamKind::Buffer { .. } => format!(" - `{name}`: {what}, of `{written}`"),
            ParamKind::Scalar { .. } => format!(" - `{name}`: {what}, `{written}`"),
        });
    }
    docs
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn signature() -> Signature {
        let f32 = || parse_quote!(f32);
        let param = |name: &str, kind| Param { name: Ident::new(name, Span::call_site()), mutable: false, kind };
        let buffer = |access| ParamKind::Buffer { element: Type::F32, written: f32(), access };
        Signature {
            attrs: vec![parse_quote!(#[cfg(all())])],
            vis: parse_quote!(pub(crate)),
            name: parse_quote!(r#saxpy),
            krate: parse_quote!(::samebits),
            workgroup_size: [64, 2, 1],
            fast_math: false,
            params: vec![
                param("device", ParamKind::Scalar { ty: Type::Scalar(Scalar::F32), written: f32() }),
                param("x", buffer(Access::Read)),
                param("y", buffer(Access::ReadWrite)),
            ],
            constants: Vec::new(),
        }
    }

    /// The launcher as rustc sees it, and as text without spaces.
    fn emitted(sig: &Signature, image: Option<&[u8]>) -> (syn::File, String) {
        let image = image.map(|bytes| Image { bytes: bytes.to_vec(), locations: vec![0, 9] });
        let tokens = launcher(sig, image.as_ref());
        let text = tokens.to_string().replace(' ', "");
        (syn::parse2(tokens).unwrap(), text)
    }

    #[test]
    fn the_launcher_is_a_type_with_an_implementation() {
        let (file, text) = emitted(&signature(), Some(b"\x00image\xff"));
        assert_eq!(file.items.len(), 2);
        assert!(text.contains("pub(crate)enumr#saxpy{}"), "{text}");
        assert!(text.contains(r#"from_image("saxpy",b"\0image\xFF").located(::core::file!(),b"\0\t")"#), "{text}");
        assert!(text.contains("device:::core::primitive::f32"), "{text}");
        assert!(text.contains("x:&impl::samebits::Readable<::core::primitive::f32>"), "{text}");
        assert!(text.contains("y:&mutimpl::samebits::Writable<::core::primitive::f32>"), "{text}");
    }

    #[test]
    fn a_condition_guards_both_items() {
        let (_, text) = emitted(&signature(), Some(b""));
        assert_eq!(text.matches("#[cfg(all())]").count(), 2);
    }

    #[test]
    fn a_refused_type_takes_anything() {
        let mut sig = signature();
        sig.params[1].kind = ParamKind::Scalar { ty: Type::Error, written: parse_quote!(Wrong) };
        let (_, text) = emitted(&sig, None);
        assert!(text.contains("_1:impl::core::marker::Sized"), "{text}");
        assert!(text.contains("KERNEL.launch(device,grid,&[])"), "{text}");
    }

    #[test]
    fn the_arguments_are_documented() {
        let (_, text) = emitted(&signature(), Some(b""));
        assert!(text.contains("-`y`:abufferthatitreadsandwrites,of`f32`"), "{text}");
    }
}
